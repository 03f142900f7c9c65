// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The documents and the help of the program must not drift apart.
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace heddle::test {
namespace {

using Words = std::vector<std::string>;

std::string help_of(Words command) {
    command.emplace_back("--help");
    return run_program(command).out;
}

/// Those that a help lists.
Words commands_in(const std::string& help) {
    Words names;
    const std::size_t begin = help.find("\nSubcommands:\n");
    if (begin == std::string::npos) return names;
    const std::string listed = help.substr(begin, help.find("\n\n", begin) - begin);
    const std::regex line("\n  ([a-z0-9]+)");
    for (auto it = std::sregex_iterator(listed.begin(), listed.end(), line);
         it != std::sregex_iterator(); ++it)
        names.push_back((*it)[1]);
    return names;
}

std::set<std::string> options_in(const std::string& text) {
    const std::regex option("--[a-z][a-z.-]*[a-z]");
    return {std::sregex_token_iterator(text.begin(), text.end(), option), {}};
}

std::string document(const std::string& name) {
    return read_text(HEDDLE_DOCUMENTS "/" + name);
}

TEST(DocumentedOptions, are_those_of_the_program) {
    const std::string commands = document("cli.md");
    // What a node can be told is explained with what it does.
    std::string node = commands;
    for (const char* page : {"operating.md", "development.md", "following.md", "json-rpc.md"})
        node += document(page);
    const std::set<std::string> documented = options_in(commands);
    const std::set<std::string> documented_of_node = options_in(node);
    // Of geth, which cli.md tells to write a genesis file.
    std::set<std::string> known{"--mainnet"};

    const Words names = commands_in(help_of({}));
    ASSERT_GT(names.size(), 20U);
    for (const std::string& name : names) {
        std::vector<Words> lines{{name}};
        for (const std::string& below : commands_in(help_of({name})))
            lines.push_back({name, below});
        for (const Words& line : lines)
            for (const std::string& option : options_in(help_of(line))) {
                known.insert(option);
                const bool is_node = name == "node" || name == "dev";
                EXPECT_TRUE(option == "--help" ||
                            (is_node ? documented_of_node : documented).contains(option))
                    << testing::PrintToString(line) << " " << option;
            }
    }
    for (const std::string& option : documented)
        EXPECT_TRUE(known.contains(option) || option == "--version")
            << option << " is in cli.md, but in no help";
}

/// Before, the help of `dev`, which has no such option, said "With --dev" of six of its own.
TEST(DocumentedOptions, of_a_development_chain_need_no_dev_where_there_is_no_other) {
    EXPECT_EQ(run_program({"dev", "--help"}).out.find("With --dev"), std::string::npos);
    EXPECT_NE(run_program({"node", "--help"}).out.find("With --dev"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
