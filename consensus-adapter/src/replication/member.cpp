// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/replication/member.hpp>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/expected.hpp>

namespace heddle::consensus_adapter::replication {

bool Membership::has(std::string_view member) const {
    return std::ranges::find(members, member) != members.end();
}

std::size_t Membership::promises_needed() const noexcept {
    return acks == 0 ? 1 : members.size() - acks;
}

bool Membership::is_epoch_of(std::uint64_t epoch, std::string_view member) const {
    return members[epoch % members.size()] == member;
}

std::uint64_t Membership::next_epoch(std::uint64_t epoch) const {
    do {
        ++epoch;
    } while (!is_epoch_of(epoch, name));
    return epoch;
}

std::expected<void, std::string> check(const Membership& membership) {
    if (membership.members.size() < 2) return std::unexpected("there are at least two members");
    if (std::ranges::adjacent_find(membership.members, std::greater_equal{}) !=
        membership.members.end())
        return std::unexpected("a member is named twice");
    if (!membership.has(membership.name))
        return std::unexpected(fmt::format("{} is not among the members", membership.name));
    if (membership.acks >= membership.members.size())
        return std::unexpected(fmt::format("{} cannot acknowledge {}",
                                           counted(membership.members.size() - 1, "backup"),
                                           counted(membership.acks, "time")));
    return {};
}

std::string_view to_string(Role role) noexcept {
    return role == Role::primary ? "primary" : "backup";
}

std::string_view to_string(Refusal refusal) noexcept {
    switch (refusal) {
        case Refusal::other_epoch:
            return "another epoch was promised";
        case Refusal::other_turn:
            return "that epoch is another member's";
        case Refusal::epoch_too_far:
            return "no promotions can have led to that epoch";
        case Refusal::not_member:
            return "the leader of that epoch is no member here";
        case Refusal::not_primary:
            return "it is not the primary";
        case Refusal::not_saved:
            return "the disk failed";
    }
    return "unknown";
}

MemberState first_state(std::string_view name, std::string_view leader) {
    return {1, std::string{leader}, name == leader ? Role::primary : Role::backup};
}

Member::Member(Membership membership, MemberState state, MemberStore& store)
    : membership_(std::move(membership)), store_(store), state_(std::move(state)) {}

MemberState Member::state() const {
    const std::scoped_lock lock{mutex_};
    return state_;
}

std::expected<void, Refusal> Member::change(MemberState next) {
    if (next == state_) return {};
    if (!store_.save(next)) return std::unexpected(Refusal::not_saved);
    state_ = std::move(next);
    return {};
}

std::expected<void, Refusal> Member::check_promise(std::uint64_t epoch,
                                                   const std::string& candidate) const {
    if (epoch == state_.epoch && candidate == state_.leader) return {};
    if (epoch <= state_.epoch) return std::unexpected(Refusal::other_epoch);
    if (is_too_far(epoch, state_.epoch)) return std::unexpected(Refusal::epoch_too_far);
    if (!membership_.is_epoch_of(epoch, candidate)) return std::unexpected(Refusal::other_turn);
    return {};
}

std::expected<void, Refusal> Member::may_promise(std::uint64_t epoch,
                                                 const std::string& candidate) const {
    const std::scoped_lock lock{mutex_};
    return check_promise(epoch, candidate);
}

std::expected<void, Refusal> Member::promise(std::uint64_t epoch, const std::string& candidate) {
    const std::scoped_lock lock{mutex_};
    HEDDLE_CHECK(check_promise(epoch, candidate));
    if (epoch == state_.epoch) return {};
    return change({epoch, candidate, Role::backup});
}

std::expected<void, Refusal> Member::follow(std::uint64_t epoch, const std::string& leader) {
    const std::scoped_lock lock{mutex_};
    if (epoch < state_.epoch || (epoch == state_.epoch && leader != state_.leader) ||
        leader == membership_.name)
        return std::unexpected(Refusal::other_epoch);
    if (is_too_far(epoch, state_.epoch)) return std::unexpected(Refusal::epoch_too_far);
    return change({epoch, leader, Role::backup});
}

std::expected<std::uint64_t, Refusal> Member::admit(const MemberState& theirs) {
    const std::scoped_lock lock{mutex_};
    if (state_.role != Role::primary) return std::unexpected(Refusal::not_primary);
    if (!membership_.has(theirs.leader)) return std::unexpected(Refusal::not_member);
    if (is_too_far(theirs.epoch, state_.epoch)) return std::unexpected(Refusal::epoch_too_far);
    if (theirs.epoch > state_.epoch) {
        // Its promise binds this one as well: what it leads has ended.
        HEDDLE_CHECK(change({theirs.epoch, theirs.leader, Role::backup}));
        return std::unexpected(Refusal::other_epoch);
    }
    if (theirs.epoch == state_.epoch && theirs.leader != membership_.name)
        return std::unexpected(Refusal::other_epoch);
    return state_.epoch;
}

std::expected<void, Refusal> Member::lead(std::uint64_t epoch) {
    const std::scoped_lock lock{mutex_};
    if (epoch != state_.epoch || state_.leader != membership_.name)
        return std::unexpected(Refusal::other_epoch);
    return change({epoch, membership_.name, Role::primary});
}

bool is_ahead(const Tail& tail, const Tail& other) noexcept {
    return std::tie(tail.epoch, tail.number) > std::tie(other.epoch, other.number);
}

std::expected<void, std::string> may_lead(const Membership& membership, const Tail& own,
                                          const std::vector<Promise>& promises) {
    const auto longest = std::ranges::max_element(
        promises, [](const Promise& a, const Promise& b) { return is_ahead(b.tail, a.tail); });
    if (longest != promises.end() && is_ahead(longest->tail, own))
        return std::unexpected(
            fmt::format("{0} has block {1} of epoch {2}, and {3} ends with block {4} of epoch {5}: "
                        "promote {0}",
                        longest->member, longest->tail.number, longest->tail.epoch, membership.name,
                        own.number, own.epoch));
    if (promises.size() + 1 >= membership.promises_needed()) return {};
    std::string missing;
    for (const std::string& member : membership.members) {
        const bool has_promised =
            member == membership.name ||
            std::ranges::find(promises, member, &Promise::member) != promises.end();
        if (!has_promised) missing += (missing.empty() ? "" : ", ") + member;
    }
    return std::unexpected(fmt::format(
        "{} of {} members have promised, and {} are needed, for what the others have may have been "
        "acknowledged: {} could not be asked or refused",
        promises.size() + 1, membership.members.size(), membership.promises_needed(), missing));
}

}  // namespace heddle::consensus_adapter::replication
