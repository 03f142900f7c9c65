// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block on workers over time, and the page that shows it.
#include "commands/timeline.hpp"

#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/inspection.hpp"
#include "commands/traced_schedule.hpp"
#include "formats/json.hpp"

namespace heddle::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ObjectId slot(std::uint64_t account, std::uint64_t index) {
    return {address_from_low64(account), ObjectKind::storage, Uint256{index}};
}

/// 0, 1 and 2 in a chain through a slot of 0xc0, 2 also behind 0 for one of 0xc1; 3 alone.
InspectedBlock known_block() {
    return {
        .number = 5,
        .sets = {ObjectSet{
                     {{slot(0xc0, 1), AccessMode::write}, {slot(0xc1, 2), AccessMode::write}}},
                 ObjectSet{{{slot(0xc0, 1), AccessMode::write}}},
                 ObjectSet{{{slot(0xc0, 1), AccessMode::read}, {slot(0xc1, 2), AccessMode::read}}},
                 ObjectSet{{{slot(0xc2, 1), AccessMode::write}}}},
        .costs = {100, 200, 300, 400},
        .senders = std::vector<Address>(4, address_from_low64(0xa)),
        .recipients = {address_from_low64(0xc0), address_from_low64(0xc0), std::nullopt,
                       address_from_low64(0xc2)},
        .hashes = std::vector<Hash>(4)};
}
Inspection block() {
    return make_inspection(known_block());
}

TEST(Timeline, runs_the_oldest_that_is_ready_on_the_first_free_worker) {
    const Timeline timeline = model_timeline(block().graph, 2);

    EXPECT_EQ(timeline.lanes, 2u);
    EXPECT_EQ(timeline.end, 600u);
    EXPECT_THAT(timeline.bars, ElementsAre(Bar{0, 0, 0, 100}, Bar{3, 1, 0, 400},
                                           Bar{1, 0, 100, 300}, Bar{2, 0, 300, 600}));
}

TEST(Timeline, of_one_worker_is_the_block_in_order) {
    const Timeline timeline = model_timeline(block().graph, 1);

    EXPECT_EQ(timeline.end, 1'000u);
    EXPECT_THAT(timeline.bars, ElementsAre(Bar{0, 0, 0, 100}, Bar{1, 0, 100, 300},
                                           Bar{2, 0, 300, 600}, Bar{3, 0, 600, 1'000}));
}

TEST(Timeline, of_an_empty_block_is_empty) {
    const Timeline timeline = model_timeline({}, 4);

    EXPECT_EQ(timeline.end, 0u);
    EXPECT_TRUE(timeline.bars.empty());
}

TEST(Timeline, runs_what_costs_nothing) {
    InspectedBlock known = known_block();
    known.costs = {0, 0, 5, 0};
    const Timeline timeline = model_timeline(make_inspection(known).graph, 2);

    EXPECT_EQ(timeline.end, 5u);
    EXPECT_EQ(timeline.bars.size(), 4u);
}

TEST(Timeline, accounts_are_charged_with_what_waits_for_their_objects) {
    EXPECT_THAT(account_loads(block().graph),
                ElementsAre(AccountLoad{address_from_low64(0xc0), 300, 2},
                            AccountLoad{address_from_low64(0xc1), 0, 1}));
}

TEST(Timeline, bars_are_placed_by_time_and_lane) {
    EXPECT_EQ(place({.transaction = 7, .lane = 2, .begin = 250, .end = 500}, 1'000),
              (Box{kTimelineWidth / 4, 2 * kLaneHeight, kTimelineWidth / 4, kBarHeight}));
    EXPECT_EQ(place({.begin = 1'000, .end = 1'000}, 1'000).width, kLeastBarWidth);
}

std::string page_of(const Inspection& block, std::uint32_t workers) {
    const Timeline timeline = modelled(block, workers);
    return to_html(block, std::span{&timeline, 1});
}

/// How often `what` stands in `text`.
std::size_t count_of(const std::string& what, const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++count;
    return count;
}

TEST(BlockPage, draws_every_transaction_and_the_edges_that_do_not_follow_from_others) {
    const std::string page = page_of(block(), 2);

    EXPECT_EQ(count_of("<rect class=\"bar", page), 4u);
    EXPECT_EQ(count_of("<rect class=\"bar critical\"", page), 3u);
    EXPECT_EQ(count_of("<path class=\"edge", page), 2u);
    EXPECT_EQ(count_of("<path class=\"edge path\"", page), 2u);
    EXPECT_THAT(page, HasSubstr("data-t=\"3\" data-span=\"from 0 to 400 gas, worker 2\""));
    EXPECT_THAT(page, HasSubstr("The critical path (red) is 3 of them and 600 gas, 60.0 % of all"));
}

TEST(BlockPage, needs_nothing_from_anywhere_else) {
    const std::string page = page_of(block(), 8);

    for (const char* const outside : {"http:", "https:", "//", " src=", "href=", "@import", "url("})
        EXPECT_THAT(page, Not(HasSubstr(outside))) << outside;
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

/// The details of the page, as its script reads them.
std::string data_of(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t at = page.find(begin) + begin.size();
    return page.substr(at, page.find("</script>", at) - at);
}

TEST(BlockPage, tells_of_each_transaction_what_it_waited_for) {
    const std::string data = data_of(page_of(block(), 2));

    JsonParser parser;
    static_cast<void>(parser.parse(data, "data"));  // throws where it is no JSON
    EXPECT_THAT(data, HasSubstr("\"waits\":[\"0: slot 0x2 of " +
                                to_string(address_from_low64(0xc1)) + "\",\"1: slot 0x1 of "));
    EXPECT_THAT(data, HasSubstr("\"to\":\"a new contract\""));
    EXPECT_THAT(data, HasSubstr("\"cost\":\"300 gas\""));
}

using executor::ScheduleEvent;

/// Two workers: 0 is accepted at once, 1 at its second attempt, 2 is repaired, 3 runs in order.
std::vector<ScheduleEvent> events() {
    using Kind = ScheduleEvent::Kind;
    return {
        {Kind::attempted, 0, 0, 0, 5, 1'000, 1'100}, {Kind::attempted, 1, 1, 0, 5, 1'010, 1'050},
        {Kind::accepted, 0, 0, 0, 5, 1'100, 1'102},  {Kind::attempted, 1, 0, 1, 5, 1'110, 1'160},
        {Kind::accepted, 1, 0, 1, 5, 1'160, 1'161},  {Kind::attempted, 2, 1, 0, 5, 1'060, 1'150},
        {Kind::repaired, 2, 0, 0, 5, 1'162, 1'200},  {Kind::in_order, 3, 0, 0, 5, 1'200, 1'210}};
}

TEST(Timeline, of_a_real_run_tells_what_counted_and_what_was_for_nothing) {
    const Timeline timeline = make_timeline(events(), 4, 2);

    EXPECT_EQ(timeline.end, 210u);
    EXPECT_THAT(timeline.bars, ElementsAre(Bar{0, 0, 0, 100, 0, Bar::Kind::ahead},
                                           Bar{1, 1, 10, 50, 0, Bar::Kind::lost},
                                           Bar{2, 1, 60, 150, 0, Bar::Kind::lost},
                                           Bar{1, 0, 110, 160, 1, Bar::Kind::ahead},
                                           Bar{2, 0, 162, 200, 0, Bar::Kind::repaired},
                                           Bar{3, 0, 200, 210, 0, Bar::Kind::in_order}));
}

TEST(Timeline, of_a_real_run_leaves_out_what_is_not_the_blocks) {
    EXPECT_EQ(make_timeline(events(), 2, 1).bars.size(), 2u);
    EXPECT_EQ(make_timeline({}, 4, 2).end, 0u);
}

TEST(BlockPage, draws_two_runs_to_one_scale) {
    std::vector<Timeline> timelines{make_timeline(events(), 4, 2), make_timeline(events(), 4, 2)};
    timelines[0].title = "a <b>";
    timelines[1].end = 420;
    const std::string both = to_html(block(), timelines);

    EXPECT_EQ(count_of("420 ns", both), 2u);
    EXPECT_EQ(count_of("class=\"bar critical lost\"", both), 4u);
    EXPECT_THAT(both, HasSubstr("worker 1, attempt 2\""));
    EXPECT_THAT(both, HasSubstr("worker 1, at its turn, again\""));
    EXPECT_THAT(both, HasSubstr("a &lt;b&gt;"));
    EXPECT_THAT(both, Not(HasSubstr("<b>")));
}

TEST(BlockPage, of_a_sidecars_block_has_neither_gas_nor_senders) {
    const InspectedBlock known = known_block();
    const std::string page = page_of(make_inspection({.number = 5, .sets = known.sets}), 2);

    EXPECT_THAT(page, HasSubstr("4 transactions, 4 transactions."));
    EXPECT_THAT(data_of(page), Not(HasSubstr("sender")));
}

TEST(BlockPage, of_an_empty_block_is_a_page) {
    EXPECT_THAT(page_of(make_inspection({.number = 1}), 2), HasSubstr("0 transactions"));
}

TEST(BlockPage, escapes_what_could_end_an_element) {
    EXPECT_EQ(escape_html("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
    EXPECT_EQ(escape_script("{\"a\":\"</script>\"}"), "{\"a\":\"\\u003c/script>\"}");
}

}  // namespace
}  // namespace heddle::node
