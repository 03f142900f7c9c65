// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "arguments.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::bench {
namespace {

constexpr const char* kPurpose =
    "What is measured here, in a sentence that does not go into one row of the help of a program.";

Arguments make_arguments(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    return {static_cast<int>(argv.size()), argv.data(), kPurpose};
}

TEST(BenchArguments, are_explained) {
    Arguments arguments = make_arguments({"build/some_bench"});

    EXPECT_EQ(arguments.number("blocks", 7, "blocks of a run"), 7u);
    EXPECT_EQ(arguments.numbers("workers", {1, 2}, "threads"), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(arguments.text("json", "", "file of the tables"), "");

    EXPECT_EQ(arguments.help(),
              "What is measured here, in a sentence that does not go into one row of the help\n"
              "of a program.\n"
              "Usage: some_bench [--OPTION=VALUE ...]\n"
              "\n"
              "  --blocks=7\n"
              "      blocks of a run\n"
              "  --workers=1,2\n"
              "      threads\n"
              "  --json\n"
              "      file of the tables\n"
              "\n"
              "Shown are the defaults; commas separate several values. bench/README.md has the "
              "method.\n");
}

// Before, it was an unknown option.
TEST(BenchArguments, that_ask_for_help_end_the_program_well) {
    for (const char* const word : {"--help", "-h"}) {
        Arguments arguments = make_arguments({"some_bench", word, "--no-such"});
        (void)arguments.flag("cold", "nothing is cached");
        EXPECT_EXIT(arguments.finish(), testing::ExitedWithCode(0), "^$") << word;
    }
}

TEST(BenchArguments, that_nobody_asked_for_are_refused) {
    Arguments arguments = make_arguments({"some_bench", "--clod"});
    (void)arguments.flag("cold", "nothing is cached");
    EXPECT_EXIT(arguments.finish(), testing::ExitedWithCode(2),
                "some_bench: unknown option --clod; there are --cold=false; --help explains them");
}

}  // namespace
}  // namespace heddle::bench
