// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/known_genesis.hpp"

#include <filesystem>
#include <string>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

Hash hash_of(std::uint8_t byte) {
    Hash hash;
    hash.bytes.fill(byte);
    return hash;
}

class KnownGenesisTest : public testing::Test {
protected:
    KnownGenesis open() const { return {folder_.path().native(), genesis_}; }

    const test::TemporaryFolder folder_;
    const std::string genesis_ = folder_.write("genesis.json", R"({"alloc":{}})");
    const Hash block_ = hash_of(1);
    const Bytes rules_{'r', 'u', 'l', 'e', 's'};
    const Bytes other_rules_{'o', 't', 'h', 'e', 'r'};
};

TEST_F(KnownGenesisTest, knows_a_file_that_it_has_seen_with_this_chain) {
    EXPECT_FALSE(open().is_block(block_));
    open().remember_chain(block_, rules_);
    EXPECT_TRUE(open().is_block(block_));
    EXPECT_TRUE(open().is_chain(block_, rules_));
    EXPECT_FALSE(open().is_chain(block_, other_rules_)) << "the directory has taken over others";
    EXPECT_FALSE(open().is_block(hash_of(2))) << "another ledger lies in the directory";
    EXPECT_FALSE(open().is_chain(hash_of(2), rules_));
}

TEST_F(KnownGenesisTest, does_not_know_a_file_of_which_a_byte_has_changed) {
    open().remember_chain(block_, rules_);
    (void)folder_.write("genesis.json", R"({"alloc":{} })");
    EXPECT_FALSE(open().is_block(block_));
    EXPECT_FALSE(open().is_chain(block_, rules_));
}

TEST_F(KnownGenesisTest, knows_no_rules_where_only_the_block_was_compared) {
    open().remember_block(block_);
    EXPECT_TRUE(open().is_block(block_));
    EXPECT_FALSE(open().is_chain(block_, rules_));
    open().remember_chain(block_, rules_);
    open().remember_block(block_);  // keeps what was known
    EXPECT_TRUE(open().is_chain(block_, rules_));
}

/// Its lines were read to their ends, however far away these were.
TEST_F(KnownGenesisTest, does_not_read_a_file_that_is_larger_than_what_it_writes) {
    open().remember_chain(block_, rules_);
    const auto path = folder_.path() / "genesis.known";
    std::filesystem::resize_file(path, std::filesystem::file_size(path) + 1);

    EXPECT_FALSE(open().is_chain(block_, rules_));
}

// It said that the file cannot be read, whether it was missing or a folder.
TEST_F(KnownGenesisTest, says_why_a_file_cannot_be_read) {
    const auto refusal = [this](const std::string& file) -> std::string {
        try {
            const KnownGenesis known{folder_.path().native(), file};
        } catch (const InputError& error) {
            return error.what();
        }
        return "nothing was wrong";
    };

    const std::string missing = (folder_.path() / "missing").native();
    EXPECT_EQ(refusal(missing), missing + ": cannot open: No such file or directory");
    const std::string folder = folder_.path().native();
    EXPECT_EQ(refusal(folder), folder + ": is a folder, but a file is required");
}

TEST_F(KnownGenesisTest, takes_damage_for_not_knowing) {
    open().remember_chain(block_, rules_);
    const std::string good = test::read_text(folder_.path() / "genesis.known");
    for (std::size_t size = 0; size + 1 < good.size(); ++size) {
        (void)folder_.write("genesis.known", good.substr(0, size));
        EXPECT_FALSE(open().is_chain(block_, rules_)) << size;
    }
    open().remember_chain(block_, rules_);
    EXPECT_TRUE(open().is_chain(block_, rules_));
}

TEST_F(KnownGenesisTest, waits_for_no_pipe_in_its_place) {
    const std::filesystem::path known = folder_.path() / "genesis.known";
    ASSERT_EQ(::mkfifo(known.c_str(), 0600), 0);
    EXPECT_FALSE(open().is_block(block_));
    open().remember_chain(block_, rules_);
    EXPECT_TRUE(open().is_chain(block_, rules_));
}

// What it says is gone once it was read, and would be waited for here.
TEST_F(KnownGenesisTest, knows_nothing_of_a_genesis_file_that_is_a_pipe) {
    std::filesystem::remove(genesis_);
    ASSERT_EQ(::mkfifo(genesis_.c_str(), 0600), 0);
    open().remember_chain(block_, rules_);
    EXPECT_FALSE(open().is_chain(block_, rules_));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "genesis.known"));
}

TEST_F(KnownGenesisTest, names_a_file_that_is_not_there) {
    EXPECT_THROW(KnownGenesis(folder_.path().native(), "/nowhere/genesis.json"), InputError);
}

TEST_F(KnownGenesisTest, forgets_where_it_cannot_write) {
    KnownGenesis known{(folder_.path() / "missing").native(), genesis_};
    known.remember_chain(block_, rules_);
    EXPECT_TRUE(known.is_chain(block_, rules_));
    EXPECT_FALSE(KnownGenesis((folder_.path() / "missing").native(), genesis_).is_block(block_));
}

}  // namespace
}  // namespace heddle::node
