// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/class_mapping.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "early/request_classes.hpp"

namespace heddle::executor {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const RequestClasses kTwo{2};

ClassId id_of(std::string_view name) {
    return kTwo.find(name).value();
}

/// Table 1 of the paper, with `moves`.
ClassMapping paper_mapping() {
    ClassMapping mapping{4, std::vector<ClassPlace>(kTwo.count())};
    mapping.places[id_of("read-0")] = {false, 0b0101};
    mapping.places[id_of("read-1")] = {false, 0b1010};
    mapping.places[id_of("write-0")] = {true, 0b0101};
    mapping.places[id_of("write-1")] = {true, 0b1010};
    mapping.places[id_of("read-global")] = {true, 0b1001};
    mapping.places[id_of("write-global")] = {true, 0b1111};
    mapping.places[id_of("moves")] = {false, 0b1111};
    return mapping;
}

/// What is said of the mapping with one place changed.
std::string violation_with(std::string_view name, ClassPlace place) {
    ClassMapping mapping = paper_mapping();
    mapping.places[id_of(name)] = place;
    const auto violation = find_violation(kTwo, mapping);
    return violation.has_value() ? to_string(*violation, kTwo) : "";
}

TEST(RequestClasses, conflict_as_in_the_papers_figure) {
    const auto conflict = [](std::string_view a, std::string_view b) {
        EXPECT_EQ(kTwo.conflict(id_of(a), id_of(b)), kTwo.conflict(id_of(b), id_of(a)));
        return kTwo.conflict(id_of(a), id_of(b));
    };
    EXPECT_TRUE(conflict("read-0", "write-0"));
    EXPECT_TRUE(conflict("write-0", "write-0"));
    EXPECT_TRUE(conflict("write-0", "read-global"));
    EXPECT_TRUE(conflict("read-1", "write-global"));
    EXPECT_TRUE(conflict("moves", "write-global"));
    EXPECT_TRUE(conflict("read-global", "write-global"));
    EXPECT_TRUE(conflict("write-global", "write-global"));

    EXPECT_FALSE(conflict("read-0", "read-0"));
    EXPECT_FALSE(conflict("read-0", "write-1"));
    EXPECT_FALSE(conflict("write-0", "write-1"));
    EXPECT_FALSE(conflict("read-0", "read-global"));
    EXPECT_FALSE(conflict("read-global", "read-global"));
    EXPECT_FALSE(conflict("moves", "write-0"));
    EXPECT_FALSE(conflict("moves", "moves"));
}

TEST(RequestClasses, are_found_by_their_names) {
    for (const unsigned shards : {1U, 3U, RequestClasses::kMaxShards}) {
        const RequestClasses classes(shards);
        for (ClassId id = 0; id < classes.count(); ++id)
            EXPECT_EQ(classes.find(classes.name(id)), id);
    }
    EXPECT_EQ(kTwo.find("read-2"), std::nullopt);
    EXPECT_EQ(kTwo.find(""), std::nullopt);
}

TEST(ClassMapping, of_the_paper_keeps_all_rules) {
    EXPECT_EQ(find_violation(kTwo, paper_mapping()), std::nullopt);
}

TEST(ClassMapping, breaks_rule_i_without_threads) {
    const std::string text = violation_with("read-1", {false, 0});
    EXPECT_THAT(text, StartsWith("rule i: read-1"));
    EXPECT_THAT(text, HasSubstr("give it at least one"));
}

TEST(ClassMapping, breaks_rule_ii_where_what_conflicts_with_itself_is_concurrent) {
    EXPECT_THAT(violation_with("write-1", {false, 0b1010}), StartsWith("rule ii: write-1"));
}

TEST(ClassMapping, breaks_rule_iii_where_both_are_concurrent) {
    // Only classes that conflict with themselves conflict with concurrent ones, so the rule before
    // would be the first one named: the rule itself is asked.
    EXPECT_FALSE(are_ordered({false, 0b1}, {false, 0b1}));
    EXPECT_EQ(to_string({MappingRule::one_sequential, id_of("read-0"), id_of("write-0")}, kTwo),
              "rule iii: read-0 and write-0 conflict and both are concurrent: make one of them "
              "sequential");
}

TEST(ClassMapping, breaks_rule_iv_where_a_concurrent_class_has_threads_of_its_own) {
    const std::string text = violation_with("read-0", {false, 0b0111});
    EXPECT_THAT(text, StartsWith("rule iv: read-0 and write-0"));
    EXPECT_THAT(text, HasSubstr("give the sequential one these threads too"));
    // What the paper says of the global read class.
    EXPECT_THAT(violation_with("read-global", {false, 0b1001}),
                StartsWith("rule iv: write-0 and read-global"));
}

TEST(ClassMapping, breaks_rule_v_where_sequential_classes_have_no_thread_in_common) {
    EXPECT_THAT(violation_with("read-global", {true, 0b0101}),
                StartsWith("rule v: write-1 and read-global"));
    EXPECT_TRUE(are_ordered({true, 0b0011}, {true, 0b0110}));
}

}  // namespace
}  // namespace heddle::executor
