// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What compilers leave behind is read in each of their forms; whatever else a file may be, it is
// left out and named.
#include "inputs/contract_artifacts.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kTransfer =
    R"({"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},)"
    R"({"name":"amount","type":"uint256"}],"outputs":[{"name":"","type":"bool"}]})";
const std::string kEvent =
    R"({"type":"event","name":"Transfer","anonymous":false,"inputs":[)"
    R"({"name":"from","type":"address","indexed":true},{"name":"to","type":"address",)"
    R"("indexed":true},{"name":"amount","type":"uint256","indexed":false}]})";
const std::string kConstructor = R"({"type":"constructor","inputs":[]})";

std::string text(const std::string& json) {
    JsonParser parser;
    const auto entry = parse_abi_entry(parser.parse(json, "abi"));
    return entry.has_value() ? entry->signature() : "nothing";
}

std::string complaint(const std::string& json) {
    try {
        return "accepted: " + text(json);
    } catch (const InputError& error) {
        return error.what();
    }
}

std::string function_of(const std::string& inputs) {
    return R"({"type":"function","name":"f","inputs":)" + inputs + "}";
}

TEST(ContractArtifacts, are_read_as_hardhat_foundry_and_solc_write_them) {
    const test::TemporaryFolder folder;
    const std::string abi = "[" + kTransfer + "," + kConstructor + "," + kEvent + "]";
    (void)folder.write("hardhat.json", R"({"contractName":"One","sourceName":"a/One.sol","abi":)" +
                                           abi + R"(,"deployedBytecode":"0x6001"})");
    (void)folder.write("Two.json",
                       R"({"abi":)" + abi + R"(,"deployedBytecode":{"object":"0x6001"}})");
    (void)folder.write("solc.json", R"({"contracts":{"b.sol":{"Three":{"abi":)" + abi +
                                        R"(,"evm":{"deployedBytecode":{"object":"6001"}}}}}})");
    (void)folder.write("zinfo.json",
                       R"({"output":{"contracts":{"c.sol":{"Four":{"abi":)" + abi + "}}}}}");
    (void)folder.write("combined.json", R"({"contracts":{"d.sol:Five":{"abi":)" + abi + "}}}");

    const ContractArtifacts read = read_artifacts(folder.path().native());

    EXPECT_THAT(read.left_out, IsEmpty());
    ASSERT_THAT(read.contracts, SizeIs(5));
    std::vector<std::string> names;
    for (const ContractArtifact& contract : read.contracts) {
        names.push_back(contract.source + ":" + contract.name);
        ASSERT_THAT(contract.entries, SizeIs(2));
        EXPECT_EQ(contract.entries[0].signature(), "transfer(address,uint256)");
        EXPECT_THAT(to_string(contract.entries[0].hash()), HasSubstr("0xa9059cbb"));
        EXPECT_THAT(to_string(contract.entries[1].hash()), HasSubstr("0xddf252ad"));
        if (contract.code_hash.has_value()) {
            EXPECT_EQ(*contract.code_hash, keccak256(Bytes{0x60, 0x01}));
        }
    }
    EXPECT_THAT(names, testing::UnorderedElementsAre("a/One.sol:One", ":Two", "b.sol:Three",
                                                     "c.sol:Four", "d.sol:Five"));
}

TEST(ContractArtifacts, have_no_code_hash_where_parts_of_the_code_are_filled_in_later) {
    const test::TemporaryFolder folder;
    const std::string abi = "[" + kTransfer + "]";
    (void)folder.write("Linked.json",
                       R"({"abi":)" + abi + R"(,"deployedBytecode":"0x60__$aabb$__"})");
    (void)folder.write("Immutable.json",
                       R"({"abi":)" + abi + R"(,"deployedBytecode":{"object":"0x6001",)" +
                           R"("immutableReferences":{"5":[{"start":1,"length":1}]}}})");

    const ContractArtifacts read = read_artifacts(folder.path().native());

    ASSERT_THAT(read.contracts, SizeIs(2));
    for (const ContractArtifact& contract : read.contracts)
        EXPECT_FALSE(contract.code_hash.has_value()) << contract.name;
}

TEST(ContractArtifacts, write_tuples_and_arrays_out_in_signatures) {
    EXPECT_EQ(text(function_of(R"([{"type":"tuple[2][]","components":[{"type":"uint8"},)"
                               R"({"type":"tuple","components":[{"type":"bytes32[3]"}]}]}])")),
              "f((uint8,(bytes32[3]))[2][])");
    EXPECT_EQ(text(function_of("[]")), "f()");
    EXPECT_EQ(text(kConstructor), "nothing");
}

TEST(ContractArtifacts, refuse_entries_that_are_none) {
    for (const char* type : {"uint", "uint7", "uint264", "uint08", "bytes33", "bytes0", "address[",
                             "address[0]", "address[01]", "address[-1]", "address]",
                             "int256[][][][][][][][][]", "<img>", "", "mapping(uint256=>uint256)"})
        EXPECT_THAT(complaint(function_of(R"([{"type":")" + std::string{type} + R"("}])")),
                    testing::Not(HasSubstr("accepted")))
            << type;
    for (const char* name : {"", "1a", "a b", "<script>", "a\\u202eb", "a\\u0000b"})
        EXPECT_THAT(complaint(R"({"type":"function","name":")" + std::string{name} + R"("})"),
                    HasSubstr("no identifier"))
            << name;
    EXPECT_THAT(complaint(R"({"type":"modifier","name":"a"})"), HasSubstr("no such kind"));
    EXPECT_THAT(complaint("7"), HasSubstr("expected an object"));
    EXPECT_THAT(complaint(function_of("{}")), HasSubstr("expected a list"));
    EXPECT_THAT(complaint(function_of(R"([{"type":"tuple"}])")), HasSubstr("components"));
}

TEST(ContractArtifacts, refuse_what_is_nested_too_deeply_or_has_too_many_parts) {
    std::string nested = R"({"type":"uint8"})";
    for (int i = 0; i < 12; ++i)
        nested = R"({"type":"tuple","components":[)" + nested + "]}";
    EXPECT_THAT(complaint(function_of("[" + nested + "]")), HasSubstr("nested too deeply"));
    std::string many = R"({"type":"uint8"})";
    for (int i = 0; i < 64; ++i)
        many += R"(,{"type":"uint8"})";
    EXPECT_THAT(complaint(function_of("[" + many + "]")), HasSubstr("too many parameters"));
}

TEST(ContractArtifacts, leave_out_and_name_files_that_are_none) {
    const test::TemporaryFolder folder;
    (void)folder.write("a.json", "{");
    (void)folder.write("b.json", std::string(100'000, '['));
    (void)folder.write("c.json", "[1,2,3]");
    (void)folder.write("d.json", R"({"abi":7})");
    (void)folder.write("e.json", R"({"abi":[{"type":"function","name":"<b>"}]})");
    (void)folder.write("f.json", R"({"contractName":"<b>","abi":[)" + kTransfer + "]}");
    (void)folder.write("g.json", "");
    (void)folder.write("h.json", std::string("\xff\xfe\0{", 4));
    (void)folder.write("bad\x01\xffname.json", "{");
    (void)folder.write("Good.json", R"({"abi":[)" + kTransfer + "]}");

    const ContractArtifacts read = read_artifacts(folder.path().native());

    ASSERT_THAT(read.contracts, SizeIs(1));
    EXPECT_EQ(read.contracts[0].name, "Good");
    EXPECT_EQ(read.left_out_count, 7u);
    for (const ContractArtifacts::LeftOut& one : read.left_out) {
        EXPECT_NE(one.reason, "");
        for (const char c : one.file + one.reason)
            EXPECT_TRUE(c >= ' ' && c <= '~') << one.file;
    }
}

TEST(ContractArtifacts, are_read_within_limits) {
    const test::TemporaryFolder folder;
    const std::string contract = R"({"abi":[)" + kTransfer + "," + kEvent + "]}";
    for (int i = 0; i < 10; ++i)
        (void)folder.write("C" + std::to_string(i) + ".json", contract);
    const auto read = [&](ArtifactLimits limits) {
        return read_artifacts(folder.path().native(), limits);
    };

    EXPECT_THAT(read({.files = 4}).contracts, SizeIs(4));
    EXPECT_EQ(read({.files = 4}).left_out_count, 6u);
    EXPECT_THAT(read({.file_bytes = 10}).contracts, IsEmpty());
    EXPECT_THAT(read({.all_bytes = 3 * contract.size()}).contracts, SizeIs(3));
    EXPECT_THAT(read({.contracts = 2}).contracts, SizeIs(2));
    EXPECT_THAT(read({.entries = 5}).contracts, SizeIs(3));
    EXPECT_THAT(read({.files = 1, .told = 2}).left_out, SizeIs(2));
    EXPECT_EQ(read({.files = 1, .told = 2}).left_out_count, 9u);
}

TEST(ContractArtifacts, say_that_there_is_no_such_folder) {
    EXPECT_THROW((void)read_artifacts("there/is/none"), InputError);
    const test::TemporaryFolder folder;
    EXPECT_THROW((void)read_artifacts(folder.write("file.json", "{}")), InputError);
}

// Before, such a folder had nothing in it, and nobody was told why.
TEST(ContractArtifacts, of_a_folder_that_cannot_be_listed_are_refused) {
    const test::TemporaryFolder folder;
    (void)folder.write("A.json", R"({"abi":[)" + kEvent + "]}");
    std::filesystem::create_symlink("loop", folder.path() / "loop");
    try {
        (void)read_artifacts(folder.path().native());
        ADD_FAILURE() << "was read";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("loop: cannot list: "));
    }
}

TEST(ContractArtifacts, of_a_folder_where_nothing_was_compiled_yet_are_none) {
    const test::TemporaryFolder folder;
    EXPECT_THAT(read_artifacts(folder.path().native()).contracts, IsEmpty());
}

TEST(ContractArtifacts, are_told_as_json) {
    const test::TemporaryFolder folder;
    (void)folder.write("A.json", R"({"abi":[)" + kEvent + "]}");
    std::string out;
    JsonWriter writer{out, JsonWriter::Style::compact};

    write_artifacts(read_artifacts(folder.path().native()), writer);

    JsonParser parser;
    const JsonView entry =
        parser.parse(out, "out").at("contracts").element(0).at("entries").element(0);
    EXPECT_EQ(entry.at("kind").string(), "event");
    EXPECT_EQ(entry.at("name").string(), "Transfer");
    EXPECT_TRUE(entry.at("inputs").element(0).at("indexed").boolean());
    EXPECT_FALSE(entry.at("inputs").element(2).find("indexed").has_value());
}

}  // namespace
}  // namespace heddle::node
