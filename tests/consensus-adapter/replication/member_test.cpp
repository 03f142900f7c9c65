// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one member promises, and who may lead.
#include <consensus_adapter/replication/member.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::consensus_adapter::replication {
namespace {

using testing::HasSubstr;

class FakeStore final : public MemberStore {
public:
    bool save(const MemberState& state) override {
        if (is_broken) return false;
        saved.push_back(state);
        return true;
    }
    std::vector<MemberState> saved;
    bool is_broken = false;
};

const Membership kOfThree{"b", {"a", "b", "c"}, 1};

TEST(Member, promises_an_epoch_to_one_candidate) {
    FakeStore store;
    Member member{kOfThree, {1, "a", Role::backup}, store};

    EXPECT_TRUE(member.promise(2, "c"));
    EXPECT_TRUE(member.promise(2, "c")) << "the same again";
    EXPECT_EQ(member.promise(2, "b").error(), Refusal::other_epoch);
    EXPECT_EQ(member.promise(1, "c").error(), Refusal::other_epoch);
    EXPECT_EQ(member.promise(3, "c").error(), Refusal::other_turn) << "that is a's";

    EXPECT_EQ(member.state(), (MemberState{2, "c", Role::backup}));
    EXPECT_EQ(store.saved, (std::vector<MemberState>{{2, "c", Role::backup}}));
}

TEST(Member, says_nothing_that_is_not_on_the_disk) {
    FakeStore store;
    store.is_broken = true;
    Member member{kOfThree, {1, "a", Role::backup}, store};

    EXPECT_EQ(member.promise(2, "c").error(), Refusal::not_saved);
    EXPECT_EQ(member.follow(3, "c").error(), Refusal::not_saved);
    EXPECT_EQ(member.state(), (MemberState{1, "a", Role::backup}));
}

TEST(Member, follows_no_leader_of_a_smaller_epoch_and_no_second_one_of_the_same) {
    FakeStore store;
    Member member{kOfThree, {2, "c", Role::backup}, store};

    EXPECT_EQ(member.follow(1, "a").error(), Refusal::other_epoch);
    EXPECT_EQ(member.follow(2, "a").error(), Refusal::other_epoch);
    EXPECT_TRUE(member.follow(2, "c"));
    EXPECT_TRUE(store.saved.empty()) << "nothing is new";
    EXPECT_TRUE(member.follow(4, "a"));
    EXPECT_EQ(member.state(), (MemberState{4, "a", Role::backup}));
    EXPECT_EQ(member.follow(5, "b").error(), Refusal::other_epoch) << "that is itself";
}

TEST(Member, is_fenced_by_whoever_knows_a_higher_epoch) {
    FakeStore store;
    Member primary{kOfThree, {2, "b", Role::primary}, store};

    EXPECT_EQ(primary.admit({1, "a", Role::backup}), 2u) << "the epoch that it leads in";
    EXPECT_EQ(primary.admit({2, "b", Role::backup}), 2u);
    EXPECT_EQ(primary.admit({2, "a", Role::backup}).error(), Refusal::other_epoch);
    EXPECT_EQ(primary.state().role, Role::primary) << "of the same epoch: not fenced";

    EXPECT_EQ(primary.admit({3, "c", Role::backup}).error(), Refusal::other_epoch);

    EXPECT_EQ(primary.state(), (MemberState{3, "c", Role::backup}));
    EXPECT_EQ(primary.admit({1, "a", Role::backup}).error(), Refusal::not_primary);
    EXPECT_EQ(store.saved.size(), 1u);
}

// A promise is never taken back: above the highest epoch there is none to be promoted to.
TEST(Member, is_bound_by_no_epoch_that_promotions_cannot_have_led_to) {
    FakeStore store;
    constexpr std::uint64_t kFarthest = 2 + kMostEpochsAhead;
    for (const std::uint64_t epoch : {~std::uint64_t{0}, kFarthest + 1, kFarthest + 2}) {
        Member backup{kOfThree, {2, "c", Role::backup}, store};
        Member primary{kOfThree, {2, "b", Role::primary}, store};
        EXPECT_EQ(backup.may_promise(epoch, "a").error(), Refusal::epoch_too_far);
        EXPECT_EQ(backup.promise(epoch, "a").error(), Refusal::epoch_too_far);
        EXPECT_EQ(backup.follow(epoch, "a").error(), Refusal::epoch_too_far);
        EXPECT_EQ(primary.admit({epoch, "a", Role::backup}).error(), Refusal::epoch_too_far);
        EXPECT_EQ(backup.state(), (MemberState{2, "c", Role::backup}));
        EXPECT_EQ(primary.state(), (MemberState{2, "b", Role::primary})) << "not fenced";
    }
    EXPECT_TRUE(store.saved.empty());
    Member backup{kOfThree, {2, "c", Role::backup}, store};
    EXPECT_TRUE(backup.follow(kFarthest, "a"));
}

TEST(Member, is_fenced_by_no_leader_that_is_no_member) {
    FakeStore store;
    Member primary{kOfThree, {2, "b", Role::primary}, store};

    EXPECT_EQ(primary.admit({3, "d", Role::backup}).error(), Refusal::not_member);
    EXPECT_EQ(primary.admit({3, "c\nrole primary", Role::backup}).error(), Refusal::not_member);

    EXPECT_EQ(primary.state(), (MemberState{2, "b", Role::primary}));
}

TEST(Member, leads_only_in_the_epoch_that_it_promised_to_itself) {
    FakeStore store;
    Member member{kOfThree, {1, "a", Role::backup}, store};

    EXPECT_EQ(member.lead(1).error(), Refusal::other_epoch);
    ASSERT_TRUE(member.promise(4, "b"));
    EXPECT_EQ(member.lead(7).error(), Refusal::other_epoch);
    EXPECT_TRUE(member.lead(4));
    EXPECT_EQ(member.state(), (MemberState{4, "b", Role::primary}));

    Member overtaken{kOfThree, {4, "b", Role::backup}, store};
    ASSERT_TRUE(overtaken.promise(5, "c"));
    EXPECT_EQ(overtaken.lead(4).error(), Refusal::other_epoch);
}

TEST(Membership, gives_every_epoch_to_one_member) {
    const auto of = [](const char* name) { return Membership{name, {"a", "b", "c"}, 2}; };
    for (std::uint64_t epoch = 1; epoch < 20; ++epoch) {
        std::size_t owners = 0;
        for (const char* name : {"a", "b", "c"}) {
            const std::uint64_t next = of(name).next_epoch(epoch);
            EXPECT_GT(next, epoch);
            EXPECT_LE(next, epoch + 3) << "the first one above";
            EXPECT_TRUE(of("a").is_epoch_of(next, name));
            owners += of("c").is_epoch_of(epoch, name) ? 1 : 0;
        }
        EXPECT_EQ(owners, 1u);
    }
}

TEST(Membership, needs_promises_that_meet_every_acknowledgement) {
    for (std::size_t members = 2; members <= 7; ++members) {
        for (std::size_t acks = 1; acks < members; ++acks) {
            Membership membership{"a", std::vector<std::string>(members), acks};
            EXPECT_EQ(membership.promises_needed() + acks + 1, members + 1);
        }
    }
    EXPECT_EQ((Membership{"a", {"a", "b", "c"}, 0}.promises_needed()), 1u) << "nothing is promised";
}

TEST(Membership, is_refused_where_it_means_nothing) {
    const auto problem = [](const Membership& membership) {
        const auto checked = check(membership);
        return checked.has_value() ? "" : checked.error();
    };
    EXPECT_EQ(problem(kOfThree), "");
    EXPECT_THAT(problem({"a", {"a"}, 0}), HasSubstr("at least two"));
    EXPECT_THAT(problem({"a", {"a", "a", "b"}, 1}), HasSubstr("named twice"));
    EXPECT_THAT(problem({"d", {"a", "b"}, 1}), HasSubstr("d is not among"));
    EXPECT_THAT(problem({"a", {"a", "b"}, 2}), HasSubstr("1 backup cannot acknowledge 2 times"));
}

TEST(MayLead, whoever_has_the_longest_chain_of_enough_members) {
    const Tail own{1, 10, {}};
    EXPECT_TRUE(may_lead(kOfThree, own, {{"c", {1, 10, {}}}}));
    EXPECT_TRUE(may_lead(kOfThree, own, {{"c", {1, 9, {}}}}));
    EXPECT_TRUE(may_lead(kOfThree, {2, 5, {}}, {{"c", {1, 9, {}}}})) << "a later epoch wins";

    EXPECT_THAT(may_lead(kOfThree, own, {{"c", {1, 11, {}}}}).error(),
                HasSubstr("c has block 11 of epoch 1"));
    EXPECT_THAT(may_lead(kOfThree, own, {{"c", {2, 3, {}}}}).error(), HasSubstr("promote c"));
    EXPECT_THAT(may_lead(kOfThree, own, {}).error(),
                testing::AllOf(HasSubstr("1 of 3 members"), HasSubstr("2 are needed"),
                               HasSubstr("a, c could not")));
    EXPECT_TRUE(may_lead({"b", {"a", "b", "c"}, 2}, own, {})) << "every backup has every block";
}

}  // namespace
}  // namespace heddle::consensus_adapter::replication
