// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What members of a replicated chain say to each other, as JSON (docs/replication.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/replication/acknowledgements.hpp>
#include <consensus_adapter/replication/member.hpp>
#include <types/hash.hpp>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"

namespace heddle::node::replication {

using consensus_adapter::replication::BackupStatus;
using consensus_adapter::replication::Membership;
using consensus_adapter::replication::MemberState;
using consensus_adapter::replication::Tail;

// Errors of each parse: InputError with the place.

/// A backup asks for the blocks behind those that it has.
struct ReplicateRequest {
    Membership membership;
    MemberState state;  // its role is a backup's
    Hash genesis;
    /// Blocks of its chain, the newest first, ever farther apart: where the newest is not on the
    /// other's chain, one of them is.
    std::vector<consensus_adapter::BlockId> locator;
    /// It keeps no block before the leader says that it has it: so blocks may come sooner.
    bool ahead = false;
};
inline constexpr std::size_t kMaxLocator = 96;
void write(const ReplicateRequest& request, JsonWriter& out);
[[nodiscard]] ReplicateRequest parse_replicate_request(const JsonView& json);

struct ReplicateAnswer {
    std::string member;  // who answers; empty: an older member does not say it
    std::uint64_t epoch = 0;
    std::string subscription;             // empty: the chains are not the same
    std::optional<std::uint64_t> common;  // then: the newest block of the locator that is
};
[[nodiscard]] ReplicateAnswer parse_replicate_answer(const JsonView& json);

struct PromiseRequest {
    std::uint64_t epoch = 0;
    std::string candidate;
    Membership membership;  // of who asks
};
void write(const PromiseRequest& request, JsonWriter& out);
[[nodiscard]] PromiseRequest parse_promise_request(const JsonView& json);

/// How a member is.
struct MemberStatus {
    std::string member;
    MemberState state;
    /// Where its chain ends; a primary's: what of it may have been acknowledged.
    Tail tail;
    std::uint64_t kept = 0;   // its newest block
    std::uint64_t shown = 0;  // the newest that it shows
    std::string condition;    // in a word: `good`, or what is not
    std::vector<BackupStatus> backups;
};
void write(const MemberStatus& status, JsonWriter& out);
/// Without the backups.
[[nodiscard]] MemberStatus parse_member_status(const JsonView& json);

}  // namespace heddle::node::replication
