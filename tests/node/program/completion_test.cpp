// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/completion.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "program/error.hpp"
#include "program/examples.hpp"

namespace heddle::node {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

CommandOutline sample() {
    const OptionOutline help{{"-h", "--help"}, "Help", false, {}};
    const OptionOutline dev{{"--dev"}, "It's for tests", false, {}};
    const OptionOutline chain{{"--chain"}, "Its name", true, {"mainnet", "sepolia"}};
    const OptionOutline folder{{"--datadir"}, "Folder [of a chain]; there", true, {}};
    const CommandOutline stats{"stats", "What it holds", {}, {folder}, {}};
    return {"heddle",
            "A program",
            {},
            {help},
            {{"node", "Run a node", {"run"}, {dev, chain}, {}}, {"db", "Look", {}, {}, {stats}}}};
}

TEST(Completion, every_shell_is_told_of_commands_and_options) {
    EXPECT_THAT(completion_script(sample(), "bash"),
                AllOf(HasSubstr("'') commands='node run db' options='-h --help'"),
                      HasSubstr("'run') commands='' options='--dev --chain'"),
                      HasSubstr("'node:--chain') values='mainnet sepolia'"),
                      HasSubstr("'db stats') commands='' options='--datadir'"),
                      HasSubstr("'db stats:--datadir') values=''")));
    EXPECT_THAT(
        completion_script(sample(), "zsh"),
        AllOf(HasSubstr("#compdef heddle\n"), HasSubstr("'run:Run a node'"),
              HasSubstr("node|run) _heddle_node ;;"), HasSubstr("'*--dev[It'\\''s for tests]'"),
              HasSubstr("'*--chain[Its name]:value:(mainnet sepolia)'"),
              HasSubstr("stats) _heddle_db_stats ;;"),
              HasSubstr(R"('*--datadir[Folder \[of a chain\]]:value:_files')")));
    EXPECT_THAT(completion_script(sample(), "fish"),
                AllOf(HasSubstr("-f -a run -d 'Run a node'"),
                      HasSubstr(R"(-n '__heddle_is run' -l dev -d 'It\'s for tests')"),
                      HasSubstr("-l chain -x -a 'mainnet sepolia' -d 'Its name'"),
                      HasSubstr("-n '__heddle_is db stats' -l datadir -r")));
    EXPECT_THROW((void)completion_script(sample(), "csh"), InputError);
}

/// Trigger: zsh reads a file of $fpath as the body of the function that it completes by.
/// Sequence: the file is put there, and somebody asks for a completion for the first time.
/// Symptom: nothing was offered, for the body made the function and did not run it.
TEST(Completion, zsh_completes_at_once_from_a_file) {
    EXPECT_THAT(completion_script(sample(), "zsh"),
                EndsWith("if [[ ${funcstack[1]} == _heddle ]]; then\n"
                         "    _heddle \"$@\"\n"
                         "else\n"
                         "    compdef _heddle heddle\n"
                         "fi\n"));
}

TEST(Completion, bash_understands_its_script) {
    const auto result = test::run_program({"completion", "bash"});
    ASSERT_EQ(result.exit_code, 0);
    const test::TemporaryFolder folder;
    const auto script =
        folder.write("script", result.out +
                                   "\nCOMP_WORDS=(heddle gen); COMP_CWORD=1; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == generate ]] || exit 1\n"
                                   "COMP_WORDS=(heddle db rollback --t); COMP_CWORD=3; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == --to ]] || exit 2\n"
                                   "COMP_WORDS=(heddle dev --chain); COMP_CWORD=2; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == --chain-id ]] || exit 3\n"
                                   "COMP_WORDS=(heddle import --chain s); COMP_CWORD=3; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == sepolia ]] || exit 4\n"
                                   "COMP_WORDS=(heddle hel); COMP_CWORD=1; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == help ]] || exit 5\n"
                                   "COMP_WORDS=(heddle help gen); COMP_CWORD=2; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == generate ]] || exit 6\n"
                                   "COMP_WORDS=(heddle help db rol); COMP_CWORD=3; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == rollback ]] || exit 7\n"
                                   "COMP_WORDS=(heddle vers); COMP_CWORD=1; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == version ]] || exit 8\n"
                                   "COMP_WORDS=(heddle completion z); COMP_CWORD=2; _heddle\n"
                                   "[[ ${COMPREPLY[*]} == zsh ]] || exit 9\n");
    // NOLINTNEXTLINE(bugprone-command-processor): a shell's understanding is what is tested
    EXPECT_EQ(std::system(("bash " + script).c_str()), 0);
}

// Of options that take one of a few words.
TEST(Completion, offers_the_words_that_an_option_takes) {
    const std::string script = test::run_program({"completion", "bash"}).out;
    const char* const expected[] = {
        "'dev:--fork') values='cancun prague osaka amsterdam'",
        "'node:--seal') values='demand automine interval command'",
        "'node:--timestamps') values='equal distinct'",
        "'node:--log-level') values='trace debug info warning error off'",
        "'node:--log-format') values='text json'",
        "'lane:--log-level') values='trace debug info warning error off'",
        "'load:--kind') values='transfers erc20 mixed'",
        "'generate:--fork') values='cancun prague osaka amsterdam'",
        "'generate:--workload') values='transfers erc20 swaps storage creations mixed'",
        "'bench:--fork') values='cancun prague osaka amsterdam'",
        "'rerun:--scheduler') values='serial auto values dag early late optimistic aria'",
        "'inspect:--beside') values='serial auto values dag early late optimistic aria'",
        "'lanes merge:--scheduler') values='serial auto values dag early late optimistic aria'",
    };
    for (const char* const line : expected)
        EXPECT_THAT(script, HasSubstr(line));
}

// Before, fish said of every scheduler what the first one does.
TEST(Completion, says_of_schedulers_what_they_are_for) {
    EXPECT_THAT(test::run_program({"completion", "fish"}).out,
                HasSubstr(" -d 'How transactions are executed, always with the same results'"));
}

TEST(Completion, examples_name_options_that_there_are) {
    for (const auto& [command, lines] : kExamples) {
        std::istringstream text{std::string{lines}};
        for (std::string line; std::getline(text, line);) {
            std::istringstream words{line};
            std::vector<std::string> arguments;
            std::vector<std::string> options;
            for (std::string word; words >> word && word != ">";) {
                if (word.starts_with("--"))
                    options.push_back(word);
                else if (options.empty() && word != "heddle" && arguments.size() < 2)
                    arguments.push_back(word);
            }
            ASSERT_FALSE(arguments.empty());
            EXPECT_EQ(arguments.front(), command) << line;
            const bool has_commands =
                command == "db" || command == "lanes" || command == "snapshot";
            if (!has_commands) arguments.resize(1);
            arguments.push_back("--help");
            const auto help = test::run_program(arguments);
            EXPECT_EQ(help.exit_code, 0) << line;
            EXPECT_THAT(test::run_program({std::string{command}, "--help"}).out, HasSubstr(line));
            for (const std::string& option : options)
                EXPECT_THAT(help.out, HasSubstr(option)) << line;
        }
    }
}

TEST(Completion, help_says_what_comes_next_and_how_commands_end) {
    EXPECT_THAT(test::run_program({"--help"}).out, HasSubstr("`heddle COMMAND --help`"));
    EXPECT_THAT(test::run_program({"db", "--help"}).out, HasSubstr("`heddle db COMMAND --help`"));
    const auto stats = test::run_program({"db", "stats", "--help"}).out;
    EXPECT_THAT(stats, HasSubstr("1 a block or test is wrong"));
    EXPECT_THAT(stats, Not(HasSubstr("COMMAND --help")));

    const auto t8n = test::run_program({"t8n", "--help"}).out;
    EXPECT_THAT(t8n, HasSubstr("10 input that cannot be understood"));
    EXPECT_THAT(t8n, Not(HasSubstr("1 a block or test is wrong")));
}

TEST(Completion, words_do_what_options_do) {
    const auto version = test::run_program({"--version"}).out;
    EXPECT_EQ(test::run_program({"version"}).out, version);
    EXPECT_EQ(test::run_program({"-v"}).out, version);
    EXPECT_EQ(test::run_program({"help", "node"}).out, test::run_program({"node", "--help"}).out);
    EXPECT_EQ(test::run_program({"help"}).out, test::run_program({"--help"}).out);
    EXPECT_EQ(test::run_program({"help", "help"}).out, test::run_program({"--help"}).out);

    const auto unknown = test::run_program({"reply"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.error, HasSubstr("did you mean replay?"));
    const auto below = test::run_program({"help", "db", "stat"});
    EXPECT_EQ(below.exit_code, 2);
    EXPECT_THAT(below.error, HasSubstr("there is no command db stat; did you mean stats?"));
}

}  // namespace
}  // namespace heddle::node
