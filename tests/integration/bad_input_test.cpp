// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "running_node.hpp"

// Whatever is wrong with what the program is given: exit code 2, one line that says what and where,
// nothing on standard output that looks like a result.
namespace heddle::test {
namespace {

using testing::HasSubstr;

constexpr const char* kGenesis = R"({
  "config": {"chainId": 7, "homesteadBlock": 0},
  "difficulty": "0x20000", "gasLimit": "0x5f5e100",
  "alloc": {"00000000000000000000000000000000000000aa": {"balance": "0x1"}}
})";

void expect_bad_input(const std::vector<std::string>& arguments, const std::string& message,
                      const std::string& input = {}) {
    const ProgramResult result = run_program(arguments, input);
    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_THAT(result.error, HasSubstr(message));
    EXPECT_TRUE(result.error.starts_with("heddle: ")) << result.error;
}

void expect_bad_genesis(const std::string& text, const std::string& message) {
    SCOPED_TRACE(text);
    const TemporaryFolder folder;
    const auto genesis = folder.write("genesis.json", text);
    const auto chain = folder.write("chain.rlp", "");
    expect_bad_input({"replay", "--genesis", genesis, chain}, message);
}

TEST(BadUsage, is_explained) {
    expect_bad_input({}, "heddle: which command? see `heddle --help`");
    expect_bad_input({""}, "heddle: which command? see `heddle --help`");
    expect_bad_input({"fly"}, "--help");
    expect_bad_input({"--fly", "node"}, "no option --fly before a command");
    expect_bad_input({"--verison"},
                     "no option --verison before a command; did you mean --version?");
    expect_bad_input({"hlep", "node"}, "there is no command hlep; did you mean help? see");
    expect_bad_input({"abc"}, "there is no command abc: see");
    expect_bad_input({"replay", "--no-such-option"}, "heddle replay --help");
    expect_bad_input({"replay", "-genesis", "x"}, "no option -genesis; did you mean --genesis? ");
    expect_bad_input({"replay", "--genesis", "a", "--genesis", "b", "c"},
                     "--genesis: is given 2 times, and has one value: see `heddle replay --help`");
    expect_bad_input({"replay", "--no-such-option=7", "x"}, "there is no option --no-such-option:");
    expect_bad_input({"dev", "--port", "1"}, "no option --port; did you mean --rpc-port? see");
    expect_bad_input({"dev", "--rpc.port", "1"}, "no option --rpc.port; did you mean --rpc-port? ");
    expect_bad_input({"load", "-p", "1"}, "there is no option -p:");
    expect_bad_input({"load", "one", "two"}, "too many arguments: one two:");
    expect_bad_input({"verify", "data"}, "required; did you mean --datadir data? see");
    expect_bad_input({"verify", "--data", "d"}, "there is no option --data");
    expect_bad_input({"verify", "--datadir"}, "--datadir: its value is missing:");
    expect_bad_input({"replay", "--memory", "1G"}, "a number from 64 to 16777216: 1G:");
    expect_bad_input({"db", "stats", "--datadir", "d", "--largest", "0"}, "heddle db stats --help");
    expect_bad_input({"bench", "compare", "one"}, "heddle bench compare --help");
    // The help of `db` was printed, and the exit code was 0.
    expect_bad_input({"db", "stat", "--help"},
                     "there is no command db stat; did you mean stats? see `heddle db --help`");
    expect_bad_input({"lanes", "foo", "-h"}, "there is no command lanes foo: see");
    expect_bad_input({"bench", "compair", "one", "two"},
                     "compair: no such file or folder; did you mean compare?");
    expect_bad_input({"statetest", "--workers", "0", "x"}, "a number from 1 to 1024: 0: see");
    expect_bad_input({"blocktest", "--workers", "0", "x"}, "a number from 1 to 1024: 0: see");
    expect_bad_input({"bench", "--html", "page.html", "compare", "one", "two"},
                     "goes with no option of `heddle bench`");
    expect_bad_input({"lanes", "merge", "log", "--scheduler", "serial", "--workers", "2"},
                     "--workers: no meaning with --scheduler serial");
    expect_bad_input({"db", "polish"}, "heddle db --help");
    expect_bad_input({"db"},
                     "which command: stats, compact, prune, rollback? see `heddle db --help`");
    expect_bad_input({"db", "stat"}, "no command db stat; did you mean stats? see");
    expect_bad_input({"db", "fly"}, "no command db fly: see `heddle db --help`");
    expect_bad_input({"snapshot", "creat", "--out", "x"}, "no command snapshot creat");
    expect_bad_input({"db", "prune", "--no-such-option"}, "`heddle db prune --help`");
    expect_bad_input({"snapshot", "restore"}, "`heddle snapshot restore --help`");
    expect_bad_input({"replay"}, "no chain files");
    expect_bad_input({"replay", "chain.rlp"}, "--genesis");
    expect_bad_input({"replay", "--chain", "mainnet", "chain.rlp"}, "geth dumpgenesis --mainnet");
    expect_bad_input({"replay", "--chain", "atlantis", "chain.rlp"}, "--chain");
    expect_bad_input({"replay", "--witness"}, "no files");
    expect_bad_input({"load", "--rate", "nan"}, "--rate");
    expect_bad_input({"load", "--seconds", "nan"}, "--seconds");
    expect_bad_input({"load", "--rate", "0"}, "--rate");
    expect_bad_input({"load", "--seconds", "0"}, "--seconds");
    expect_bad_input({"load", "--requests", "calls", "--kind", "mixed"}, "--kind");
    expect_bad_input({"load", "--requests", "calls", "--rpc", "http://a", "--rpc", "http://b"},
                     "--requests goes to one node");
    expect_bad_input({"rerun", "rec", "--snapshot", "state", "--datadir", "data"}, "--snapshot");
    expect_bad_input({"statetest", "--run", "("}, "not a regular expression");
    expect_bad_input({"statetest"}, "names none");
}

TEST(BadUsage, is_a_folder_that_is_not_there) {
    const TemporaryFolder folder;
    const std::string missing = (folder.path() / "missing").native();
    const std::string made_by = missing + ": there is no such folder; `heddle snapshot create";
    expect_bad_input({"snapshot", "verify", missing}, made_by);
    expect_bad_input({"snapshot", "restore", "--datadir", missing, missing}, made_by);
    expect_bad_input({"supervise", "--home", missing}, "a folder that `heddle testnet` wrote");
    expect_bad_input({"lane", "--home", missing}, "a folder that `heddle testnet --lanes` wrote");
    expect_bad_input({"rerun", missing}, "`heddle node --record FOLDER` makes one");
    const std::string file = folder.write("file", "");
    expect_bad_input({"rerun", file},
                     file + ": is not a folder; `heddle node --record FOLDER` makes a recording");
    expect_bad_input({"node", "--dev", "--rpc-port", "0", "--record", file},
                     "record.folder: " + file + ": is not a folder");
}

TEST(BadUsage, numbers_of_the_command_line_are_decimal) {
    expect_bad_input({"dev", "--rpc-port", "0x1"}, "rpc.port=0x1: expected a decimal number");
    expect_bad_input({"node", "--set", "rpc.port=0b1"}, "rpc.port=0b1: expected a decimal number");
    expect_bad_input({"dev", "--rpc-port", "+5"}, "rpc.port=+5: expected a number without a sign");
    expect_bad_input({"dev", "--rpc-port", "09"}, "rpc.port=09: expected a number without zeros");
    expect_bad_input({"generate", "--seed", "0x10", "--out", "none"}, "must be decimal: 0x10");
    expect_bad_input({"replay", "--to", "0X10", "chain.rlp"}, "must be decimal: 0X10");
    expect_bad_input({"replay", "--to", "many", "chain.rlp"}, "--to: is no number: many: see");
    expect_bad_input({"generate", "--contention", "a = b", "--out", "none"},
                     ": is no number: a = b");
}

TEST(BadUsage, is_an_address_where_nobody_answers) {
    const TemporaryFolder folder;
    const std::string secret = folder.write("secret", std::string(64, '1'));
    expect_bad_input({"promote", "--rpc", "http://127.0.0.1:1", "--jwt-secret", secret},
                     "http://127.0.0.1:1 cannot be reached");
    expect_bad_input({"inspect", "--rpc", "http://127.0.0.1:1"},
                     "it cannot be had from the node: http://127.0.0.1:1 cannot be reached");
    expect_bad_input({"load", "--rpc", "http://127.0.0.1:1"}, "127.0.0.1:1");
}

TEST(BadUsage, is_a_token_that_is_refused) {
    const TemporaryFolder folder;
    const std::string own = folder.write("own", std::string(64, '1'));
    const std::string other = folder.write("other", std::string(64, '2'));
    RunningNode node{{"--dev", "--set", "rpc.jwt_secret=" + own}};
    expect_bad_input({"promote", "--rpc", "http://127.0.0.1:" + std::to_string(node.port()),
                      "--jwt-secret", other},
                     "HTTP status 401");
}

/// Runs the program with its standard streams as a shell's `redirections` say.
int code_with_streams(const std::string& redirections, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"-c", R"(exec "$0" "$@" )" + redirections, HEDDLE_PROGRAM});
    return run_program_at("/bin/sh", arguments).exit_code;
}

/// Before, each of these ended by SIGABRT.
TEST(StandardStreams, where_errors_cannot_be_written_change_no_exit_code) {
    const TemporaryFolder folder;
    const auto missing = (folder.path() / "missing").native();
    for (const char* const nowhere : {"2>/dev/full", "2>&-", "2</dev/null"}) {
        EXPECT_EQ(code_with_streams(nowhere, {"fly"}), 2) << nowhere;
        EXPECT_EQ(code_with_streams(nowhere, {"replay", "--no-such-option"}), 2) << nowhere;
        EXPECT_EQ(code_with_streams(nowhere, {"replay", "--genesis", missing, missing}), 2)
            << nowhere;
    }
}

/// Before, files of the database had their descriptors, and what was printed was written into them.
TEST(StandardStreams, that_are_closed_are_no_files_of_the_database) {
    const TemporaryFolder folder;
    const auto genesis = folder.write("genesis.json", kGenesis);
    const auto data = (folder.path() / "data").native();

    EXPECT_EQ(code_with_streams("<&- >&- 2>&-", {"init", "--datadir", data, "--genesis", genesis}),
              2)
        << "what it had to print could not be printed";
    const ProgramResult verified = run_program({"verify", "--datadir", data});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.error;
}

/// What is only printed ends with its reader, of commands as well that outlive theirs. Before, they
/// said that they could not write.
TEST(StandardStreams, that_nobody_reads_end_help_and_options_in_silence) {
    const TemporaryFolder folder;
    const std::string code = (folder.path() / "code").native();
    for (const std::string option : {"--help", "--print-config"}) {
        // The first writer ends as soon as the reader has.
        const ProgramResult result = run_program_at(
            "/bin/sh", {"-c", R"({ (while echo; do :; done); "$0" dev $2; echo $? >"$1"; } | true)",
                        HEDDLE_PROGRAM, code, option});
        EXPECT_EQ(read_text(code), "141\n") << option;
        EXPECT_EQ(result.error, "") << option;
    }
}

/// `ulimit` stands for a disk without room. Before, an empty file was there at the end.
TEST(OutputFiles, that_cannot_be_finished_leave_what_was_there) {
    const TemporaryFolder folder;
    const auto page = folder.write("page.html", "before");
    const std::string made = (folder.path() / "made").native();
    ASSERT_EQ(run_program({"generate", "--blocks", "1", "--txs", "3", "--out", made}).exit_code, 0);

    const ProgramResult result = run_program_at(
        "/bin/sh", {"-c", R"(trap '' XFSZ; ulimit -f 1; exec "$0" "$@")", HEDDLE_PROGRAM, "inspect",
                    "--genesis", made + "/genesis.json", made + "/chain.rlp", "--block", "1",
                    "--format", "html", "--out", page});

    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_THAT(result.error, HasSubstr("page.html: cannot write: "));
    EXPECT_EQ(read_text(page), "before");
    EXPECT_FALSE(std::filesystem::exists(page + ".unfinished"));
}

/// Before, a file by that name was written.
TEST(OutputFiles, by_the_name_of_a_dash_are_standard_output) {
    const TemporaryFolder folder;
    const std::string made = (folder.path() / "made").native();
    ASSERT_EQ(run_program({"generate", "--blocks", "1", "--txs", "3", "--out", made}).exit_code, 0);
    std::vector<std::string> inspect = {"inspect",           "--genesis", made + "/genesis.json",
                                        made + "/chain.rlp", "--block",   "1"};
    const std::string usual = run_program(inspect).out;
    inspect.insert(inspect.end(), {"--out", "-"});

    EXPECT_EQ(run_program(inspect).out, usual);
    EXPECT_FALSE(usual.empty());
    EXPECT_FALSE(std::filesystem::exists("-"));
    expect_bad_input(
        {"replay", "--genesis", made + "/genesis.json", "--record-sets", "-", made + "/chain.rlp"},
        "--record-sets needs a file");
}

/// Before, a chain was executed first.
TEST(OutputFiles, of_inspect_are_looked_at_before_anything_is_read) {
    const TemporaryFolder folder;
    const auto missing = (folder.path() / "missing").native();
    const std::vector<std::string> block = {"inspect", "--genesis", missing,    missing,
                                            "--block", "1",         "--format", "html"};
    const auto with = [&block](std::vector<std::string> options) {
        options.insert(options.begin(), block.begin(), block.end());
        return options;
    };

    expect_bad_input(with({"--out", missing + "/page.html"}), "page.html: cannot write: ");
    expect_bad_input(with({"--out", folder.path().native()}), "cannot write: it is a folder");
    expect_bad_input(with({"--trace-schedule", "--scheduler", "fastest"}), "fastest: expected");
    expect_bad_input(with({"--trace-schedule", "--beside", "serial"}), "nothing to watch");
}

TEST(BadFiles, are_named) {
    const TemporaryFolder folder;
    const auto genesis = folder.write("genesis.json", kGenesis);
    const auto missing = (folder.path() / "missing").native();

    expect_bad_input({"replay", "--genesis", missing, missing}, missing + ": cannot open");
    expect_bad_input({"replay", "--genesis", folder.path().native(), missing}, "is a folder");
    expect_bad_input({"replay", "--genesis", genesis, missing}, missing);
    expect_bad_input({"replay", "--genesis", genesis, folder.path().native()},
                     folder.path().native());
    expect_bad_input({"replay", "--witness", missing}, "no such file or folder");
    expect_bad_input({"statetest", missing}, "no such file or folder");
    expect_bad_input({"blocktest", missing}, "no such file or folder");
    const TemporaryFolder empty;
    expect_bad_input({"statetest", empty.path().native()}, "no file ending with .json");
    // Before, both were unexpected errors.
    std::filesystem::create_symlink(".circle", empty.path() / ".circle");
    expect_bad_input({"statetest", empty.path().native()}, "no file ending with .json");
    std::filesystem::create_symlink("circle", empty.path() / "circle");
    expect_bad_input({"statetest", empty.path().native()}, "/circle: cannot list: Too many levels");
}

// A data directory of the genesis alone was there afterwards, made in minutes where that is large.
TEST(BadFiles, are_told_before_a_data_directory_is_made) {
    const TemporaryFolder folder;
    const auto genesis = folder.write("genesis.json", kGenesis);
    const auto text = folder.write("text.rlp", "this is not a chain");
    const auto chain = folder.write("chain.rlp", std::string("\xf9\x02\x00\xf8", 4));
    const auto missing = (folder.path() / "missing").native();
    const auto data = folder.path() / "data";
    const auto expect_nothing_made = [&](std::vector<std::string> arguments,
                                         const std::string& message) {
        arguments.insert(arguments.begin(),
                         {"replay", "--genesis", genesis, "--datadir", data.native()});
        expect_bad_input(arguments, message);
        EXPECT_FALSE(std::filesystem::exists(data)) << message;
    };

    expect_nothing_made({missing}, missing + ": cannot be opened (No such file");
    expect_nothing_made({folder.path().native()}, "cannot be opened (a folder, not a file)");
    expect_nothing_made({chain, missing}, missing + ": cannot be opened");
    expect_nothing_made({text}, "neither an RLP chain file nor an era1 or ere file");
    expect_nothing_made({"--sets", missing, chain}, missing + ": cannot be opened");
    expect_nothing_made({"--sets", text, chain}, "not a sidecar of object sets");
    expect_nothing_made({"--access-lists", missing, chain}, missing + ": cannot open");
    expect_nothing_made({"--record-sets", missing + "/sets", chain}, "cannot write: No such file");
}

// The check opened the recording for writing, and removed it again, before the lock was asked for.
TEST(BadFiles, are_looked_at_without_touching_what_another_replay_records) {
    const TemporaryFolder folder;
    const auto chain = folder.write("chain.rlp", std::string("\xf9\x02\x00\xf8", 4));
    const auto recording = folder.write("sets.part", "so far");

    expect_bad_input({"replay", "--datadir", (folder.path() / "data").native(), "--record-sets",
                      (folder.path() / "sets").native(), chain},
                     "which chain?");
    EXPECT_EQ(read_text(recording), "so far");
}

TEST(BadChains, are_reported_with_their_offset) {
    const TemporaryFolder folder;
    const auto genesis = folder.write("genesis.json", kGenesis);
    const std::vector<std::pair<std::string, std::string>> chains = {
        {"text", "this is not a chain"},
        {"truncated", std::string("\xf9\x02\x00\xf8", 4)},
        {"absurd length", std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9)},
        {"empty list", std::string("\xc0", 1)},
        {"string in place of a block", std::string("\x83"
                                                   "abc",
                                                   4)},
    };
    for (const auto& [name, bytes] : chains) {
        SCOPED_TRACE(name);
        const auto chain = folder.write("chain.rlp", bytes);
        expect_bad_input({"replay", "--genesis", genesis, chain}, "chain.rlp");
    }
}

// A new user's first file, from `geth export chain.rlp.gz`.
TEST(BadChains, are_said_to_be_compressed_where_they_are) {
    const TemporaryFolder folder;
    const auto genesis = folder.write("genesis.json", kGenesis);
    const auto chain = folder.write("chain.rlp.gz", "\x1f\x8b\x08 and so on, compressed");
    expect_bad_input({"replay", "--genesis", genesis, chain}, "unpack it with gunzip");
}

TEST(BadGenesis, malformed_json_is_located_by_line_and_column) {
    expect_bad_genesis("", "line 1, column 1");
    expect_bad_genesis("{\n  \"config\": {,\n", "line 2, column 14");
    expect_bad_genesis("{\"config\": {}", "malformed JSON");
    expect_bad_genesis("{} trailing", "line 1, column 4");
    expect_bad_genesis("{\"number\": 58750000000000000000000,\n \"x\": tru}", "line 2, column 7");
    expect_bad_genesis(std::string(100'000, '['), "malformed JSON");
}

TEST(BadGenesis, wrong_values_are_located_by_path) {
    expect_bad_genesis("[]", "$: expected an object");
    expect_bad_genesis("{}", "$: missing member \"config\"");
    expect_bad_genesis(R"({"config": {}, "alloc": {}})", "$.config: missing member \"chainId\"");
    expect_bad_genesis(R"({"config": {"chainId": "x"}, "alloc": {}})", "$.config.chainId");
    expect_bad_genesis(R"({"config": {"chainId": -1}, "alloc": {}})", "not negative");
    expect_bad_genesis(R"({"config": {"chainId": 1e99}, "alloc": {}})", "expected an integer");
    expect_bad_genesis(R"({"config": {"chainId": 36893488147419103232}, "alloc": {}})", "2^64");
    expect_bad_genesis(R"({"config": {"chainId": 1, "londonBlock": 0}, "alloc": {}})",
                       "londonBlock is set but");
    expect_bad_genesis(R"({"config": {"chainId": 1}, "alloc": {"0x12": {}}})", "is not an address");
    expect_bad_genesis(R"({"config": {"chainId": 1}, "alloc": []})", "$.alloc");
    expect_bad_genesis(
        R"({"config": {"chainId": 1}, "alloc": {
            "00000000000000000000000000000000000000aa": {"code": "0x123"}}})",
        "code: expected an even number");
    expect_bad_genesis(
        R"({"config": {"chainId": 1}, "alloc": {
            "00000000000000000000000000000000000000aa": {},
            "0x00000000000000000000000000000000000000AA": {}}})",
        "occurs twice");
    expect_bad_genesis(
        R"({"config": {"chainId": 1}, "alloc": {
            "00000000000000000000000000000000000000aa": {"storage": {"zz": "0x1"}}}})",
        "is not a number");
}

TEST(BadFixtures, are_bad_input_and_not_failed_tests) {
    const TemporaryFolder folder;
    const auto array = folder.write("array.json", "[1]");
    const auto incomplete = folder.write("incomplete.json", R"({"name": {"env": {}}})");

    expect_bad_input({"statetest", array}, "array.json: $: expected an object");
    expect_bad_input({"statetest", incomplete}, "missing member");
    expect_bad_input({"blocktest", incomplete}, "missing member \"network\"");
    expect_bad_input({"replay", "--witness", incomplete}, "missing member \"block\"");

    for (const char* suite : {"statetest", "blocktest"}) {
        const auto half = folder.write(
            "half.json", R"({"name": {"network": "Cancun", "env": {}, "pre": {}, "transaction": {},
                "post": {"Cancun": [{"indexes": {}}]}}})");
        const ProgramResult result = run_program({suite, half});
        EXPECT_EQ(result.out, "0 passed, 0 failed\n") << suite;
        EXPECT_THAT(result.error, HasSubstr("missing member")) << suite;
    }
}

TEST(BadTransitionInput, is_explained) {
    const TemporaryFolder folder;
    const auto alloc = folder.write("alloc.json", "{}");
    const auto env = folder.write("env.json", "{}");
    const auto txs = folder.write("txs.json", "[]");
    const auto error = [&](const std::string& fork) {
        return run_program({"t8n", "--state.fork", fork, "--input.alloc", alloc, "--input.env", env,
                            "--input.txs", txs})
            .error;
    };
    EXPECT_THAT(error("Atlantis"), HasSubstr("unknown fork"));
    EXPECT_THAT(error("Cancun"), HasSubstr("missing member \"currentCoinbase\""));
    EXPECT_THAT(
        run_program(
            {"t8n", "--input.alloc", "stdin", "--input.env", "stdin", "--input.txs", "stdin"}, "{")
            .error,
        HasSubstr("standard input: malformed JSON"));
}

}  // namespace
}  // namespace heddle::test
