// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/inspection.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/block_access_list.hpp>

#include "formats/json.hpp"
#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

ObjectId balance(std::uint64_t address) {
    return {address_from_low64(address), ObjectKind::balance, {}};
}
ObjectId slot(std::uint64_t index) {
    return {address_from_low64(0xc0), ObjectKind::storage, Uint256{index}};
}

/// 0, 1 and 2 in a chain through a slot, 2 also behind 0; 3 alone.
Inspection small_block() {
    const std::vector<ObjectSet> sets{
        ObjectSet{{{slot(1), AccessMode::write}, {slot(2), AccessMode::write}}},
        ObjectSet{{{slot(1), AccessMode::write}}},
        ObjectSet{{{slot(1), AccessMode::read}, {slot(2), AccessMode::read}}},
        ObjectSet{{{balance(9), AccessMode::add}}}};
    return make_inspection({.number = 5, .sets = sets, .costs = {100, 200, 300, 400}});
}

/// PATH as it was before, once the owner is gone.
class OtherPath {
public:
    explicit OtherPath(const std::string& path) : before_(std::getenv("PATH")) {
        ::setenv("PATH", path.c_str(), 1);
    }
    ~OtherPath() { ::setenv("PATH", before_.c_str(), 1); }
    OtherPath(const OtherPath&) = delete;
    OtherPath& operator=(const OtherPath&) = delete;

private:
    const std::string before_;
};

TEST(Inspection, text_names_the_critical_path_and_who_is_to_blame) {
    const std::string text = to_text(small_block());

    EXPECT_THAT(text, HasSubstr("4 transactions, 1000 gas\n"));
    EXPECT_THAT(text, HasSubstr("2 transactions wait for others, 3 edges"));
    EXPECT_THAT(text, HasSubstr("critical path: 3 transactions, 600 gas (60.0 %)"));
    EXPECT_THAT(text, HasSubstr("parallelism: at most 1.67; on 2, 4, 8, 16 workers 1.67"));
    EXPECT_THAT(text, HasSubstr("50.0 %         2               400   slot 0x1 of "
                                "0x00000000000000000000000000000000000000c0"));
    EXPECT_THAT(text, HasSubstr("2        300   waits for 1 because of slot 0x1"));
}

TEST(Inspection, without_gas_and_senders_it_says_so) {
    const std::string text =
        to_text(make_inspection({.number = 5, .sets = std::vector<ObjectSet>(2)}));
    EXPECT_THAT(text, HasSubstr("senders are not known"));
    EXPECT_THAT(text, HasSubstr("critical path: 1 transaction, 1 transaction (50.0 %)"));
    EXPECT_THAT(text, Not(HasSubstr("gas")));
}

TEST(Inspection, of_an_empty_block_is_no_special_case) {
    const Inspection block = make_inspection({.number = 5});
    EXPECT_THAT(to_text(block), HasSubstr("0 transactions, 0 gas"));
    EXPECT_THAT(to_dot(block), HasSubstr("digraph"));
    JsonParser parser;
    const JsonView json = parser.parse(to_json(block), "json");
    EXPECT_EQ(json.at("transactions").size(), 0u);
}

TEST(Inspection, json_has_everything) {
    const std::string text = to_json(small_block());
    JsonParser parser;
    const JsonView json = parser.parse(text, "json");

    EXPECT_EQ(json.at("number").uint64(), 5u);
    EXPECT_EQ(json.at("costUnit").string(), "gas");
    EXPECT_EQ(json.at("criticalCost").uint64(), 600u);
    EXPECT_EQ(json.at("transactions").element(2).at("reads").uint64(), 2u);
    EXPECT_EQ(json.at("edges").size(), 3u);
    EXPECT_EQ(json.at("edges").element(1).at("from").uint64(), 0u);
    EXPECT_EQ(json.at("edges").element(1).at("objects").size(), 1u);
    EXPECT_EQ(json.at("criticalPath").size(), 3u);
    const JsonView worst = json.at("serialisers").element(0);
    EXPECT_EQ(worst.at("criticalCostWithout").uint64(), 400u);
    const JsonView object = json.at("objects").element(worst.at("object").uint64());
    EXPECT_EQ(object.at("kind").string(), "slot");
    EXPECT_EQ(object.at("slot").uint64(), 1u);
}

TEST(Inspection, a_list_allows_what_the_greatest_transaction_does) {
    BlockAccessList list;
    list.accounts.push_back({.address = address_from_low64(0xc0),
                             .storage_changes = {{Uint256{1}, {{1, Uint256{2}}, {2, Uint256{3}}}}},
                             .storage_reads = {Uint256{2}, Uint256{7}},
                             .balance_changes = {{4, Uint256{1}}}});
    list.accounts.push_back({.address = address_from_low64(0xc1), .nonce_changes = {{1, 1}}});
    Bytes encoded;
    encode_block_access_list(list, encoded);
    Inspection block = small_block();
    EXPECT_THAT(to_text(block), Not(HasSubstr("access list")));
    block.list = measure_list(encoded);
    ASSERT_TRUE(block.list.has_value());
    block.list->block_bytes = 3 * encoded.size();
    block.list->set_bytes = 17;

    const std::string text = to_text(block);
    EXPECT_THAT(text, HasSubstr("(25.0 % of both), object sets 17\n"));
    EXPECT_THAT(text,
                HasSubstr("  5 items: 2 accounts, 1 slot changed, 2 slots read; 4 changes\n"));
    EXPECT_THAT(text,
                HasSubstr("parallelism from it: at most 2.50; on 2, 4, 8, 16 workers 2.00 2.50"));
    JsonParser parser;
    const std::string rendered = to_json(block);
    const JsonView json = parser.parse(rendered, "json").at("accessList");
    EXPECT_EQ(json.at("bytes").uint64(), encoded.size());
    EXPECT_EQ(json.at("items").uint64(), 5u);
    EXPECT_EQ(json.at("changes").uint64(), 4u);
    EXPECT_EQ(json.at("greatestCost").uint64(), 400u);
    EXPECT_FALSE(measure_list(Bytes{0xc1}).has_value());
}

TEST(Inspection, dot_leaves_out_what_stands_alone_and_what_follows_from_other_edges) {
    const std::string dot = to_dot(small_block());

    EXPECT_THAT(dot, HasSubstr("t0 -> t1"));
    EXPECT_THAT(dot, HasSubstr("t1 -> t2"));
    EXPECT_THAT(dot, Not(HasSubstr("t0 -> t2")));
    EXPECT_THAT(dot, Not(HasSubstr("t3 [")));
    EXPECT_THAT(
        dot, HasSubstr("left out: 1 transaction without edges, 1 edge that follows from others"));
    EXPECT_THAT(dot, HasSubstr("t2 [label=\"2\\n300 gas\""));
}

TEST(Inspection, dot_of_a_large_block_has_no_labels_on_edges) {
    std::vector<ObjectSet> sets;
    sets.reserve(2000);
    for (std::uint64_t i = 0; i < 2000; ++i)
        sets.push_back(ObjectSet{{{slot(i % 500), AccessMode::write}}});

    const std::string dot = to_dot(make_inspection({.number = 5, .sets = std::move(sets)}));

    EXPECT_THAT(dot, HasSubstr("t0 -> t500 [tooltip="));
    EXPECT_THAT(dot, Not(HasSubstr(", label=")));
}

TEST(Inspection, svg_without_graphviz_says_what_to_install) {
    const TemporaryFolder empty;
    const OtherPath path(empty.path().native());
    try {
        static_cast<void>(to_svg("digraph {}"));
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("install the package graphviz"));
        EXPECT_THAT(error.what(), HasSubstr("--format dot"));
    }
}

TEST(Inspection, svg_is_what_dot_makes_of_the_file) {
    const TemporaryFolder folder;
    // Stands in for Graphviz: -Tsvg -o OUT IN.
    const std::string program = folder.write(
        "dot",
        "#!/bin/sh\n[ \"$1 $2\" = \"-Tsvg -o\" ] || exit 3\nexec /bin/cat \"$4\" > \"$3\"\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    {
        const OtherPath path(folder.path().native());
        EXPECT_EQ(to_svg("digraph \"a b\" {}"), "digraph \"a b\" {}");
    }
    static_cast<void>(folder.write("dot", "#!/bin/sh\nexit 7\n"));
    const OtherPath path(folder.path().native());
    EXPECT_THROW(static_cast<void>(to_svg("digraph {}")), InputError);
}

}  // namespace
}  // namespace heddle::node
