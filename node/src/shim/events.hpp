// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What crosses the shim, as a recording holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "shim/digest.hpp"
#include "shim/log_sink.hpp"
#include "shim/shim.hpp"

namespace heddle::node {

/// What a node starts from, and what it was told. Nothing here is secret: settings are those that
/// decide what the node does, by name.
struct RecordedStart {
    SegmentLink link;
    std::string program;        // name and version
    bool is_continued = false;  // the same process goes on in another segment
    Bytes chain;                // as the ledger keeps it: configuration of the chain
    Hash genesis_hash;
    consensus_adapter::BlockId head;
    std::uint64_t head_timestamp = 0;
    Hash state_root;  // after the head
    std::vector<std::pair<std::string, std::string>> settings;
    PoolContent pool;
};

struct RecordedAdmission {
    std::shared_ptr<const Bytes> encoded;  // network form
    std::uint8_t origin = 0;
    std::optional<Admission::Refusal> why;  // nullopt: it was taken
    std::int64_t time_ms = 0;
};
/// Refused ones that changed nothing, beyond what is kept of them.
struct OmittedAdmissions {
    std::uint64_t count = 0;
};
struct RecordedStep {
    PoolStep step = PoolStep::chose;
    PoolCounts counts;  // of PoolStep::followed
    std::int64_t time_ms = 0;
};

struct PrepareBegins {
    consensus_adapter::BlockPlan plan;
};
struct PrepareEnds {
    std::uint64_t transactions = 0;
    Digest digest;
    std::string error;  // empty: none; as everywhere here
};

/// Where the transactions of a call are, with their object sets and access list.
struct ProposalSource {
    enum class Kind : std::uint8_t {
        given,      // with the call
        prepared,   // they are the answer of the last PrepareEnds
        processed,  // those of a proposal that was judged: `back` before the last one
    };
    Kind kind = Kind::given;
    std::size_t back = 0;
};
/// As many proposals that were judged are remembered.
inline constexpr std::size_t kRememberedProposals = 4;

struct ProcessBegins {
    consensus_adapter::BlockPlan plan;
    ProposalSource source;
    consensus_adapter::Proposal given;
};
struct ProcessEnds {
    std::string error;
};
struct FinalizeBegins {
    consensus_adapter::BlockPlan plan;
    ProposalSource source;
    consensus_adapter::Proposal given;
    executor::BlockMode mode = executor::BlockMode::propose;
    bool has_list = false;  // whether the access list goes along
    consensus_adapter::Unexecutable unexecutable = consensus_adapter::Unexecutable::refused;
};
struct FinalizeEnds {
    Hash hash;
    Digest digest;
    std::vector<std::uint32_t> receipts;  // tags
    std::string error;
    bool is_storage_error = false;  // which no other run has
};
struct CommitBegins {};
struct CommitEnds {
    std::string error;
    bool is_storage_error = false;
};

/// A block that somebody else has made: a claim to be verified.
struct BlockBegins {
    consensus_adapter::OrderedBlock block;
};
struct BlockEnds {
    Hash hash;
    std::vector<std::uint32_t> receipts;  // tags
    std::string error;
    bool is_storage_error = false;
};
/// Blocks up to this one are acknowledged by as many as must have them.
struct HeadShown {
    std::uint64_t number = 0;
};

using Event =
    std::variant<RecordedStart, RecordedAdmission, OmittedAdmissions, RecordedStep, PrepareBegins,
                 PrepareEnds, ProcessBegins, ProcessEnds, FinalizeBegins, FinalizeEnds,
                 CommitBegins, CommitEnds, BlockBegins, BlockEnds, HeadShown>;

/// What it is, for a sentence.
[[nodiscard]] std::string_view name_of(const Event& event) noexcept;

}  // namespace heddle::node
