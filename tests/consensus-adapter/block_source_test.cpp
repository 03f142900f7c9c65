// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/block_source.hpp>

#include <gtest/gtest.h>

namespace heddle::consensus_adapter {
namespace {

TEST(SourceError, a_code_is_a_fault_of_one_topic) {
    const SourceErrorCode code = SidecarFault::unknown_version;

    EXPECT_TRUE(code.is_of<SidecarFault>());
    EXPECT_FALSE(code.is_of<FileFault>());
    EXPECT_EQ(code, SidecarFault::unknown_version);
    EXPECT_NE(code, SidecarFault::malformed_sets);
    // The first of another topic.
    EXPECT_NE(SourceErrorCode{FileFault::cannot_open}, ContentFault::unknown_format);
}

TEST(SourceError, says_what_failed_in_the_words_of_its_topic) {
    EXPECT_EQ(to_string(SourceErrorCode{FileFault::truncated}), "ends inside an item");
    EXPECT_EQ(to_string(SourceErrorCode{ContentFault::malformed_block}), "malformed block");
    EXPECT_EQ(to_string(SourceErrorCode{EraFault::bad_checksum}), "snappy checksum mismatch");
    EXPECT_EQ(to_string(SourceErrorCode{SidecarFault::malformed_sets}), "malformed object sets");
    EXPECT_EQ(to_string(SourceErrorCode{StreamFault::wrong_genesis}),
              "genesis block of another chain");
}

TEST(SourceError, names_file_offset_block_and_reason) {
    const SourceError error{.code = EraFault::wrong_number,
                            .file = "a.era1",
                            .offset = 40,
                            .number = 7,
                            .reason = "found 9"};
    EXPECT_EQ(to_string(error), "a.era1: at byte 40: block 7: block number out of order (found 9)");

    // A file that was not opened has no bytes yet.
    SourceError missing;
    missing.code = FileFault::cannot_open;
    missing.file = "a";
    missing.reason = "no a";
    EXPECT_EQ(to_string(missing), "a: cannot be opened (no a)");

    SourceError elsewhere;
    elsewhere.code = StreamFault::read_elsewhere;
    elsewhere.reason = "the disk";
    EXPECT_EQ(to_string(elsewhere), "cannot be read (the disk)");
}

}  // namespace
}  // namespace heddle::consensus_adapter
