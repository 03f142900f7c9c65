// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One member of a replicated chain: what it has promised to whom, and which role it has. Pure rules
// over a store; who talks to whom is the node's business (ADR 24, docs/replication.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <types/hash.hpp>

namespace heddle::consensus_adapter::replication {

/// Who belongs to it: the same at every member, but for `name`.
struct Membership {
    std::string name;                  // of this member
    std::vector<std::string> members;  // ascending, this one among them
    /// Backups that must have a block before it is shown; 0: nobody is waited for.
    std::size_t acks = 0;

    [[nodiscard]] bool has(std::string_view member) const;
    /// Members, the promoted one included, that must have promised its epoch: enough to have one in
    /// common with every set that has acknowledged a block. Where none is waited for, itself.
    [[nodiscard]] std::size_t promises_needed() const noexcept;
    /// Whether `member` may ask for this epoch. They take turns, so that two who are promoted at
    /// once, by members that have not heard of each other, never lead in the same one.
    [[nodiscard]] bool is_epoch_of(std::uint64_t epoch, std::string_view member) const;
    /// The first of this member's epochs above `epoch`.
    [[nodiscard]] std::uint64_t next_epoch(std::uint64_t epoch) const;
    friend bool operator==(const Membership&, const Membership&) = default;
};
/// Errors: a sentence; no member twice, this one among them, fewer acknowledgements than members.
[[nodiscard]] std::expected<void, std::string> check(const Membership& membership);

enum class Role : std::uint8_t { backup, primary };
[[nodiscard]] std::string_view to_string(Role role) noexcept;

/// What a member must never forget.
struct MemberState {
    std::uint64_t epoch = 0;  // the highest that it has promised
    std::string leader;       // to whom: the only member whose blocks it takes
    Role role = Role::backup;
    friend bool operator==(const MemberState&, const MemberState&) = default;
};

/// Of a member that has none yet: all of them begin in epoch 1, whose leader is agreed upon
/// beforehand. It is not free to be promised to anybody else.
[[nodiscard]] MemberState first_state(std::string_view name, std::string_view leader);

/// Keeps it over crashes.
class MemberStore {
public:
    virtual ~MemberStore() = default;
    /// @return whether it is on the disk. Else what was there before still is.
    [[nodiscard]] virtual bool save(const MemberState& state) = 0;
};

/// How far an epoch may be above the one before: no operator promotes as often. What is farther is
/// a mistake, and must not bind a member, for a promise is never taken back and the last epoch has
/// none above it.
inline constexpr std::uint64_t kMostEpochsAhead = std::uint64_t{1} << 32;
[[nodiscard]] constexpr bool is_too_far(std::uint64_t epoch, std::uint64_t own) noexcept {
    return epoch > own && epoch - own > kMostEpochsAhead;
}

enum class Refusal : std::uint8_t {
    other_epoch,    // a higher one was promised, or the same to another leader
    other_turn,     // it is an epoch of another member
    epoch_too_far,  // see is_too_far()
    not_member,     // the leader that they name
    not_primary,    // it leads nobody
    not_saved,      // the disk failed: nothing has changed
};
[[nodiscard]] std::string_view to_string(Refusal refusal) noexcept;

/// How a role changes; a state is saved before anybody hears of it:
///
///     role      event                                         next      does
///     backup    follow(): a leader of an epoch not below      backup    takes that epoch
///     backup    promise(): a higher epoch, to a candidate     backup    ends its session before
///     backup    lead(): as many promises as are needed        primary   starts again, seals
///     primary   admit(): a backup that knows a higher epoch   backup    is fenced: seals no more
///     primary   promise(): a higher epoch                     backup    also
///
/// Thread safety: any.
class Member {
public:
    /// @param store  Outlives it. `state` is what is in it.
    Member(Membership membership, MemberState state, MemberStore& store);

    [[nodiscard]] const Membership& membership() const noexcept { return membership_; }
    [[nodiscard]] MemberState state() const;

    /// Whether promise() would be given, so that nobody ends anything for one that is refused.
    [[nodiscard]] std::expected<void, Refusal> may_promise(std::uint64_t epoch,
                                                           const std::string& candidate) const;
    /// Somebody asks for the promise of an epoch. The same again to the same one is no other.
    [[nodiscard]] std::expected<void, Refusal> promise(std::uint64_t epoch,
                                                       const std::string& candidate);
    /// A backup has found a leader who rules in `epoch`.
    [[nodiscard]] std::expected<void, Refusal> follow(std::uint64_t epoch,
                                                      const std::string& leader);
    /// Somebody who is in `theirs` wants this one's blocks.
    /// @return the epoch that it is let in under. By now state() may be of another one, which this
    /// member does not lead.
    [[nodiscard]] std::expected<std::uint64_t, Refusal> admit(const MemberState& theirs);
    /// Enough have promised `epoch` to this member.
    [[nodiscard]] std::expected<void, Refusal> lead(std::uint64_t epoch);

private:
    // With the lock.
    [[nodiscard]] std::expected<void, Refusal> check_promise(std::uint64_t epoch,
                                                             const std::string& candidate) const;
    [[nodiscard]] std::expected<void, Refusal> change(MemberState next);

    const Membership membership_;
    MemberStore& store_;
    mutable std::mutex mutex_;
    MemberState state_;  // guarded by mutex_
};

/// Where somebody's chain ends.
struct Tail {
    std::uint64_t epoch = 0;  // of the block
    std::uint64_t number = 0;
    Hash hash;
    friend bool operator==(const Tail&, const Tail&) = default;
};
/// Whether a chain that ends there may hold something acknowledged which one that ends at `other`
/// does not.
[[nodiscard]] bool is_ahead(const Tail& tail, const Tail& other) noexcept;

/// A member that has promised the epoch of somebody who wants to lead.
struct Promise {
    std::string member;
    Tail tail;
};
/// Whether a candidate whose chain ends at `own` may lead.
/// Errors: a sentence: who is missing, or who is to be promoted instead.
[[nodiscard]] std::expected<void, std::string> may_lead(const Membership& membership,
                                                        const Tail& own,
                                                        const std::vector<Promise>& promises);

}  // namespace heddle::consensus_adapter::replication
