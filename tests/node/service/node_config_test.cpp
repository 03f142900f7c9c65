// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of a node: read, overridden, printed, refused.
#include "service/node_config.hpp"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "program/error.hpp"
#include "service/node_options.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What reading this file complains of.
std::string complaint(const std::string& text) {
    const test::TemporaryFolder folder;
    NodeConfig config;
    try {
        read_config(folder.write("node.toml", text), config);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(NodeConfig, reads_back_what_it_prints) {
    NodeConfig config;
    config.chain.datadir = R"(a "quoted" \ folder)";
    config.ledger.archive = true;
    config.rpc.port = 1234;
    config.rpc.allowed_origins = {"https://one.example", "*"};
    config.log.levels = {{"rpc", "debug"}, {"chain", "off"}};
    const test::TemporaryFolder folder;

    NodeConfig read;
    read_config(folder.write("node.toml", print_config(config)), read);

    EXPECT_EQ(print_config(read), print_config(config));
    EXPECT_EQ(read.chain.datadir, config.chain.datadir);
    EXPECT_EQ(read.rpc.allowed_origins, config.rpc.allowed_origins);
    EXPECT_EQ(read.log.levels, config.log.levels);
}

TEST(NodeConfig, what_is_printed_fits_a_terminal) {
    std::istringstream lines{print_config({})};
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 100u) << line;
        EXPECT_NE(line, "#");
    }
}

TEST(NodeOptions, callers_on_this_machine_are_local_on_a_development_chain_only) {
    NodeConfig config;
    EXPECT_EQ(local_callers(config, true), rpc::LocalCallers::loopback);
    EXPECT_EQ(local_callers(config, false), rpc::LocalCallers::none);
    for (const bool is_dev : {false, true}) {
        config.mempool.local = "none";
        EXPECT_EQ(local_callers(config, is_dev), rpc::LocalCallers::none);
        config.mempool.local = "loopback";
        EXPECT_EQ(local_callers(config, is_dev), rpc::LocalCallers::loopback);
        config.mempool.local = "all";
        EXPECT_EQ(local_callers(config, is_dev), rpc::LocalCallers::all);
    }
    config.mempool.local = "everybody";
    EXPECT_THROW((void)local_callers(config, false), InputError);
}

TEST(NodeOptions, a_development_chain_listens_on_loopback_addresses) {
    const auto is_refused = [](const std::string& address) {
        NodeConfig config;
        config.rpc.address = address;
        try {
            check_dev_address(config);
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr("--insecure-public-dev"));
            return true;
        }
        return false;
    };
    for (const char* const address : {"127.0.0.1", "127.3.2.1", "::1"})
        EXPECT_FALSE(is_refused(address)) << address;
    for (const char* const address : {"0.0.0.0", "::", "10.0.0.1", "2001:db8::1"})
        EXPECT_TRUE(is_refused(address)) << address;
}

TEST(NodeOptions, pages_of_this_machine_may_call_a_development_chain) {
    EXPECT_TRUE(server_options({}, true).allows_local_pages);
    EXPECT_FALSE(server_options({}, false).allows_local_pages);
}

// A chain of a large genesis file had been made before.
TEST(NodeOptions, a_name_is_no_address_to_listen_on) {
    NodeConfig config;
    config.rpc.address = "localhost";
    try {
        (void)server_options(config, false);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("rpc.address: localhost: is not an IP address"));
    }
}

TEST(NodeOptions, an_archive_goes_with_no_history_that_was_asked_for) {
    const auto is_refused = [](const std::vector<std::string>& assignments) {
        NodeConfig config;
        for (const std::string& assignment : assignments)
            set_option(assignment, config);
        try {
            check_combinations(config, false);
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr("ledger.history"));
            return true;
        }
        return false;
    };
    EXPECT_TRUE(is_refused({"ledger.history=5", "ledger.archive=true"}));
    EXPECT_FALSE(is_refused({"ledger.archive=true"}));
    EXPECT_FALSE(is_refused({"ledger.history=5"}));
    EXPECT_FALSE(is_refused({"ledger.history=90000", "ledger.archive=true"})) << "as printed";
}

TEST(NodeOptions, a_history_that_nobody_asked_for_is_no_end_of_an_archive) {
    NodeConfig config;
    EXPECT_EQ(ledger_options(config).history_blocks, 90'000u);
    EXPECT_EQ(ledger_options(config).archive_mark, ledger::ArchiveMark::heeded);
    set_option("ledger.history=7", config);
    EXPECT_EQ(ledger_options(config).history_blocks, 7u);
    EXPECT_EQ(ledger_options(config).archive_mark, ledger::ArchiveMark::cleared);
    set_option("ledger.archive=true", config);
    EXPECT_EQ(ledger_options(config).archive_mark, ledger::ArchiveMark::set);
}

TEST(NodeConfig, names_line_and_option_at_fault) {
    EXPECT_THAT(complaint("[rpc]\nport = \"x\"\n"), HasSubstr("line 2: rpc.port: expected a num"));
    EXPECT_THAT(complaint("[rpc]\nport = -1\n"), HasSubstr("not negative"));
    EXPECT_THAT(complaint("[rpc]\nport = +5\n"),
                HasSubstr("line 2: rpc.port: expected a number without a sign"));
    EXPECT_THAT(complaint("[rpc]\nprot = 1\n"),
                HasSubstr("rpc.prot: there is no such option; did you mean rpc.port? see `heddle"));
    EXPECT_THAT(complaint("[rcp]\nport = 1\n"),
                HasSubstr("rcp: there is no such section; did you mean rpc? see `heddle node"));
    EXPECT_THAT(complaint("[rpc]\nunheard_of = 1\n"),
                HasSubstr("rpc.unheard_of: there is no such option; see `heddle node"));
    EXPECT_THAT(complaint("rpc = 3\n"), HasSubstr("is a section"));
    EXPECT_THAT(complaint("datadir = \"data\"\n"),
                HasSubstr("line 1: datadir: is in no section; did you mean it below [chain]?"));
    EXPECT_THAT(complaint("unheard_of = 1\n"), HasSubstr("unheard_of: is in no section; see"));
    EXPECT_THAT(complaint("[rpc\n"), HasSubstr("line 1"));
    // The parser knows only that such a value is no number, true or false.
    for (const std::string text : {"data", "/var/lib/heddle", "./data", "node", "true-one", "2s"}) {
        SCOPED_TRACE(text);
        EXPECT_THAT(complaint("[chain]\ndatadir = " + text + "\n"),
                    HasSubstr("; a text stands in quotes"));
    }
    for (const std::string text : {"08545", "99999999999999999999", "1\nport = 2"}) {
        SCOPED_TRACE(text);
        EXPECT_THAT(complaint("[rpc]\nport = " + text + "\n"), Not(HasSubstr("quotes")));
    }
    EXPECT_THAT(complaint("[rpc]\nallowed_hosts = \"x\"\n"), HasSubstr("a list of texts"));
    EXPECT_THAT(complaint("[ledger]\narchive = 1\n"), HasSubstr("true or false"));
}

TEST(NodeConfig, says_when_the_file_cannot_be_read) {
    NodeConfig config;
    EXPECT_THROW(read_config("there/is/no.toml", config), InputError);
    // Before, it was taken for a file that says nothing.
    EXPECT_THROW(read_config("/", config), InputError);
}

TEST(NodeConfig, single_options_are_set_with_and_without_quotes) {
    NodeConfig config;
    set_option("rpc.port=99", config);
    set_option("ledger.sync=64", config);
    set_option("ledger.archive=true", config);
    set_option("chain.datadir=/some where", config);
    set_option(R"(consensus.seal="interval")", config);
    set_option(R"(log.levels={ rpc = "debug" })", config);

    EXPECT_EQ(config.rpc.port, 99u);
    EXPECT_EQ(config.ledger.sync, "64");
    EXPECT_TRUE(config.ledger.archive);
    EXPECT_EQ(config.chain.datadir, "/some where");
    EXPECT_EQ(config.consensus.seal, "interval");
    EXPECT_EQ(config.log.levels.at("rpc"), "debug");
}

/// Before, text was an option that does not exist, while `rpc.port = 99` was taken.
TEST(NodeConfig, single_options_are_set_with_blanks_around_the_sign_as_in_a_file) {
    NodeConfig config;
    set_option("rpc.port = 99", config);
    set_option("chain.datadir = /some where", config);
    set_option(" log.format =json", config);

    EXPECT_EQ(config.rpc.port, 99u);
    EXPECT_EQ(config.chain.datadir, "/some where");
    EXPECT_EQ(config.log.format, "json");
    set_option("chain.datadir= there", config);
    EXPECT_EQ(config.chain.datadir, " there") << "a name may begin with a blank";
}

/// Before, a folder `a\b` was one whose name has a backspace in it, and others had no meaning.
TEST(NodeConfig, paths_are_taken_letter_by_letter) {
    for (const std::string path :
         {R"(/a\b)", R"(/a\new)", R"(/a"b)", R"(/it's "here")", "/a\nb", "/é"}) {
        NodeConfig config;
        set_option("chain.datadir=" + path, config);
        EXPECT_EQ(config.chain.datadir, path);

        const test::TemporaryFolder folder;
        NodeConfig again;
        read_config(folder.write("heddle.toml", print_config(config)), again);
        EXPECT_EQ(again.chain.datadir, path);
    }
}

/// Before, these were folders of other names: what is no UTF-8 was left out, or taken for Latin-1.
TEST(NodeConfig, paths_need_not_be_utf_8) {
    for (const std::string path : {"/a\xe9", "/\xff\xfe/b", "\x80"}) {
        NodeConfig config;
        set_option("chain.datadir=" + path, config);
        EXPECT_EQ(config.chain.datadir, path);
        EXPECT_THROW((void)print_config(config), InputError);
    }
}

TEST(NodeConfig, what_looks_like_a_number_of_another_base_is_text_where_text_is_wanted) {
    NodeConfig config;
    set_option("chain.datadir=0x10", config);
    EXPECT_EQ(config.chain.datadir, "0x10");
    EXPECT_THROW(set_option("rpc.port=0x10", config), InputError);
    EXPECT_THROW(set_option("rpc.port=0o7", config), InputError);
}

TEST(NodeConfig, refuses_assignments_that_set_nothing) {
    NodeConfig config;
    for (const char* text : {"rpc.port", "port=1", "rpc.prot=1", "rpc.port=many", "=", "a.b"})
        EXPECT_THROW(set_option(text, config), InputError) << text;
}

TEST(NodeConfig, times_have_units) {
    EXPECT_EQ(parse_milliseconds("250ms", "x"), 250u);
    EXPECT_EQ(parse_milliseconds("12s", "x"), 12'000u);
    EXPECT_EQ(parse_milliseconds("5m", "x"), 300'000u);
    for (const char* text : {"", "5", "s", "-1s", "1h", "99999999999999999999s", "2000m"})
        EXPECT_THROW((void)parse_milliseconds(text, "x"), InputError) << text;
}

TEST(NodeConfig, an_option_that_cannot_be_set_is_named_once) {
    NodeConfig config;
    try {
        set_option("rpc.port=x", config);
        FAIL() << "it was set";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "rpc.port=x: expected a number that is not negative");
    }
}

TEST(NodeConfig, a_help_is_told_what_an_option_is) {
    NodeConfig config;
    config.ledger.sync = "5s";
    config.ledger.archive = true;

    EXPECT_EQ(describe_option("rpc.port", config), "8545");
    EXPECT_EQ(describe_option("ledger.sync", config), "5s");
    EXPECT_EQ(describe_option("ledger.archive", config), "true");
    EXPECT_EQ(describe_option("rpc.throw_on_failure", config), "") << "it is off";
    EXPECT_EQ(describe_option("log.levels", config), "") << "a table";
}

}  // namespace
}  // namespace heddle::node
