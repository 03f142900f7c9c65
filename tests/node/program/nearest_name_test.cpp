// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program/nearest_name.hpp"

namespace heddle::node {
namespace {

const std::vector<std::string> kCommands{"node", "db"};
const std::vector<std::string> kOptions{"--help",        "--genesis",    "--fork",
                                        "--rpc-address", "--ipc-path",   "--rpc-port",
                                        "--no-sets",     "--block-time", "--access-lists"};

TEST(NearestName, is_begun_by_what_was_typed_or_differs_by_few_letters) {
    EXPECT_EQ(nearest_name("ndoe", kCommands), "node");
    EXPECT_EQ(nearest_name("no", kCommands), "node");
    EXPECT_EQ(nearest_name("dbs", kCommands), "db");
    EXPECT_EQ(nearest_name("statetest", kCommands), "");
    EXPECT_EQ(nearest_name(std::string(100'000, 'n'), kCommands), "");
}

// Before, `abc` may have meant db, and `tst` t8n.
TEST(NearestName, of_a_short_word_has_most_of_its_letters) {
    EXPECT_EQ(nearest_name("abc", kCommands), "");
    EXPECT_EQ(nearest_name("note", kCommands), "node");
    EXPECT_EQ(nearest_name("vote", kCommands), "");
    const std::vector<std::string> longer{"replay", "inspect"};
    EXPECT_EQ(nearest_name("relpya", longer), "replay");
    EXPECT_EQ(nearest_name("respect", longer), "inspect");
    EXPECT_EQ(nearest_name("aspects", longer), "");
}

TEST(NearestName, of_an_option_has_other_marks_between_its_words) {
    EXPECT_EQ(nearest_option("--rpc.port", kOptions), "--rpc-port");
    EXPECT_EQ(nearest_option("--ipcpath", kOptions), "--ipc-path");
    EXPECT_EQ(nearest_option("--access_lists", kOptions), "--access-lists");
}

TEST(NearestName, of_an_option_is_what_other_programs_call_otherwise) {
    EXPECT_EQ(nearest_option("--port", kOptions), "--rpc-port");
    EXPECT_EQ(nearest_option("--http.port", kOptions), "--rpc-port");
    EXPECT_EQ(nearest_option("--host", kOptions), "--rpc-address");
    EXPECT_EQ(nearest_option("--networkid", kOptions), "") << "it is not among these";
}

TEST(NearestName, of_an_option_forgives_a_slip_and_no_more) {
    EXPECT_EQ(nearest_option("--gensis", kOptions), "--genesis");
    EXPECT_EQ(nearest_option("--access-list", kOptions), "--access-lists");
    EXPECT_EQ(nearest_option("-genesis", kOptions), "--genesis");
    EXPECT_EQ(nearest_option("-port", kOptions), "--rpc-port");
    EXPECT_EQ(nearest_option("--foo", kOptions), "");
    EXPECT_EQ(nearest_option("--no-such-option", kOptions), "");
    EXPECT_EQ(nearest_option("-p", kOptions), "");
    EXPECT_EQ(nearest_option("-", kOptions), "");
    EXPECT_EQ(nearest_option("--", kOptions), "");
    EXPECT_EQ(nearest_option("--" + std::string(100'000, 'n'), kOptions), "");
}

}  // namespace
}  // namespace heddle::node
