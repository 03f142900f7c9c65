// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/mapping_file.hpp"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "early/early_settings.hpp"

namespace heddle::executor {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kAddress = "0x00000000000000000000000000000000000000aa";
/// Table 1 of the paper.
const std::string kPaper =
    "# two shards, four threads\n"
    "shards 2\nthreads 4\n"
    "class read-0 concurrent 0 2\n"
    "class read-1 concurrent 1 3\r\n"
    "class write-0 sequential 0 2   # with its reads\n"
    "class write-1 sequential 1 3\n"
    "class moves concurrent 0 1 2 3\n"
    "class read-global sequential 0 3\n"
    "class write-global sequential 0 1 2 3\n";

std::string error_of(const std::string& text) {
    const auto file = parse_mapping(text);
    return file.has_value() ? "" : file.error();
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST(MappingFile, says_which_threads_run_which_class) {
    const auto file = parse_mapping(kPaper);

    ASSERT_TRUE(file.has_value()) << file.error();
    EXPECT_EQ(file->threads, 4u);
    EXPECT_EQ(file->shards.shards, 2u);
    ASSERT_TRUE(file->mapping.has_value());
    const RequestClasses classes(2);
    EXPECT_EQ(file->mapping->places[classes.global_read()], (ClassPlace{true, 0b1001}));
    EXPECT_EQ(file->mapping->places[classes.local_read(1)], (ClassPlace{false, 0b1010}));
}

TEST(MappingFile, says_what_lies_in_a_shard) {
    const auto file = parse_mapping("shards 4\nthreads 2\nby key\nshard 3 " + kAddress +
                                    "\nshard 1 " + kAddress + " 0x10 1f\n");

    ASSERT_TRUE(file.has_value()) << file.error();
    EXPECT_FALSE(file->mapping.has_value());
    const ShardMap map(file->shards);
    const Address address = address_from_low64(0xaa);
    EXPECT_EQ(map.shard_of(address), 3u);
    EXPECT_EQ(map.shard_of(address, Uint256{0x10}), 3u) << "the first line that fits counts";

    const auto other = parse_mapping("shards 4\nthreads 2\nshard 1 " + kAddress +
                                     " 0x10 1f\nshard 3 " + kAddress + "\n");
    ASSERT_TRUE(other.has_value()) << other.error();
    const ShardMap ranges(other->shards);
    EXPECT_EQ(ranges.shard_of(address), 3u);
    EXPECT_EQ(ranges.shard_of(address, Uint256{0x10}), 1u);
    EXPECT_EQ(ranges.shard_of(address, Uint256{0x1f}), 1u);
    EXPECT_EQ(ranges.shard_of(address, Uint256{0x20}), 3u);
}

TEST(MappingFile, that_breaks_a_rule_is_refused_with_rule_classes_and_what_to_do) {
    EXPECT_EQ(error_of(replaced(kPaper, "class read-0 concurrent 0 2", "class read-0 concurrent")),
              "rule i: read-0 has no thread: give it at least one");
    EXPECT_EQ(error_of(replaced(kPaper, "write-1 sequential", "write-1 concurrent")),
              "rule ii: write-1 conflicts with itself: make it sequential");
    EXPECT_THAT(error_of(replaced(kPaper, "read-0 concurrent 0 2", "read-0 concurrent 0 1")),
                StartsWith("rule iv: read-0 and write-0 conflict"));
    EXPECT_THAT(
        error_of(replaced(kPaper, "read-global sequential 0 3", "read-global sequential 0 2")),
        StartsWith("rule v: write-1 and read-global conflict and share no thread"));
}

TEST(MappingFile, that_is_wrong_is_refused_with_its_line) {
    EXPECT_EQ(error_of(""), "it does not say how many shards there are");
    EXPECT_EQ(error_of("shards 2\n"), "it does not say how many threads there are");
    EXPECT_EQ(error_of("shards 65\n"), "line 1: \"65\": expected a number from 1 to 64");
    EXPECT_EQ(error_of("\n\nshards two"), "line 3: \"two\": expected a number from 1 to 64");
    EXPECT_THAT(error_of("shards 2\nshards 2\n"), StartsWith("line 2: "));
    EXPECT_THAT(error_of("colour red"), HasSubstr("expected shards, threads, by, shard or class"));
    EXPECT_THAT(error_of("shard 0 " + kAddress), EndsWith("say first how many shards there are"));
    EXPECT_THAT(error_of("shards 2\nshard 2 " + kAddress), HasSubstr("from 0 to 1"));
    EXPECT_THAT(error_of("shards 2\nshard 1 0xzz"), HasSubstr("expected an address"));
    EXPECT_THAT(error_of("shards 2\nshard 1 " + kAddress + " 2 1"), HasSubstr("before the first"));
    EXPECT_THAT(error_of("shards 2\nshard 1 " + kAddress + " 0x 1"), HasSubstr("expected a slot"));
    EXPECT_THAT(error_of("shards 2\nshard 1 " + kAddress + " 0 " + std::string(65, '1')),
                HasSubstr("expected a slot"));
    EXPECT_THAT(error_of("by colour"), HasSubstr("by contract"));
    EXPECT_THAT(error_of(replaced(kPaper, "class moves", "class move")),
                HasSubstr("there is no class \"move\""));
    EXPECT_THAT(error_of(replaced(kPaper, "class moves concurrent 0 1 2 3\n", "")),
                HasSubstr("moves is missing: name every class or none"));
    EXPECT_THAT(error_of(kPaper + "class moves concurrent 0\n"), HasSubstr("named twice"));
    EXPECT_THAT(error_of(replaced(kPaper, "sequential 0 3", "sequential 0 4")),
                HasSubstr("\"4\": expected a number from 0 to 3"));
    EXPECT_THAT(error_of(replaced(kPaper, "read-global sequential", "read-global alone")),
                HasSubstr("sequential or concurrent"));
}

TEST(MappingFile, that_is_not_there_or_too_long_is_refused_with_its_name) {
    EXPECT_EQ(check_scheduler("early:mapping=/nowhere/at/all").error(),
              "early: /nowhere/at/all cannot be read");
    EXPECT_THAT(check_scheduler("early:mapping=/").error(), EndsWith("/ cannot be read"));

    const std::string path = testing::TempDir() + "long_mapping";
    std::ofstream(path) << std::string(kMaxMappingFileBytes + 1, '\n');
    EXPECT_THAT(check_scheduler("early:mapping=" + path).error(), HasSubstr("is longer than"));
    std::ofstream(path) << replaced(kPaper, "write-1 sequential", "write-1 concurrent");
    EXPECT_THAT(check_scheduler("early:mapping=" + path).error(),
                EndsWith("rule ii: write-1 conflicts with itself: make it sequential"));
    std::ofstream(path) << kPaper;
    EXPECT_TRUE(check_scheduler("early:mapping=" + path).has_value());
}

}  // namespace
}  // namespace heddle::executor
