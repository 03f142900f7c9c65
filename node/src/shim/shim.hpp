// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The boundary of what is deterministic (docs/determinism.md): everything from outside that decides
// what this node does crosses here, in one order. Inside are execution, the ledger, the mempool and
// how proposals are put together; outside are clocks, the network, consensus engines and people.
// Who only measures, or only answers questions about what is there, need not cross.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle::node {

/// When something crossed: before block `height` was committed, as the `index`-th thing since the
/// block before it was, counted from 0.
struct LogicalTime {
    std::uint64_t height = 0;
    std::uint64_t index = 0;
    friend auto operator<=>(const LogicalTime&, const LogicalTime&) = default;
};
/// `height.index`.
[[nodiscard]] std::string to_string(const LogicalTime& time);

/// What the consensus thread does to the mempool, beside which transactions arrive.
enum class PoolStep : std::uint8_t {
    chose,     // candidates for a block were taken
    removed,   // one was taken out that cannot be executed
    shown,     // the ledger shows the state after the new block
    followed,  // the pool knows of the new block
};
[[nodiscard]] std::string_view to_string(PoolStep step) noexcept;

/// How much there is in the mempool.
struct PoolCounts {
    std::uint64_t pending = 0;
    std::uint64_t queued = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(const PoolCounts&, const PoolCounts&) = default;
};

/// A transaction that wanted into the mempool, and what it was told.
struct Admission {
    struct Refusal {
        std::uint8_t code = 0;  // AdmissionCode
        std::string message;
        friend bool operator==(const Refusal&, const Refusal&) = default;
    };
    BytesView encoded;             // network form
    std::uint8_t origin = 0;       // Origin
    const Hash* hash = nullptr;    // of its bytes, where they were hashed and carry no blobs
    const Refusal* why = nullptr;  // null: it was taken
    bool has_changed = false;      // whether the pool is another than before; always so if taken
};

/// A mempool as somebody needs it who goes on from there. Times are of the shim's clock.
struct PoolContent {
    struct Entry {
        Bytes encoded;  // network form
        std::uint8_t origin = 0;
        std::uint64_t arrival = 0;
        std::int64_t since_ms = 0;
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    struct Sender {
        Address address;
        std::uint64_t nonce = 0;
        Uint256 balance;
        bool is_delegated = false;
        std::vector<Entry> entries;  // ascending by nonce
        friend bool operator==(const Sender&, const Sender&) = default;
    };
    std::uint64_t arrivals = 0;
    std::int64_t last_expiry_ms = 0;
    std::vector<Sender> senders;  // ascending by address
    friend bool operator==(const PoolContent&, const PoolContent&) = default;
};

/// Calls come in pairs around what they are about: a mode that gives inputs again gives them in the
/// first and compares in the second.
///
/// | mode      | keeps_order() | does                                                             |
/// |-----------|---------------|------------------------------------------------------------------|
/// | pass      | no            | nothing: pass_through()                                          |
/// | record    | yes           | writes inputs and digests of answers to a log: Recorder          |
/// | replay    | yes           | gives the inputs of a log, compares the answers: Replayer        |
/// | replicate | no            | nothing: backups take whole blocks (docs/replication.md)         |
///
/// Thread safety: calls about the mempool under its lock, but before() and after(); those about
/// consensus from the thread that drives the Application, one at a time. Both may happen beside
/// each other.
class Shim {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    virtual ~Shim() = default;

    /// Whether what decides must happen in one order that can be told: what is found out beside
    /// each other is then looked at once more where it might have become another.
    [[nodiscard]] virtual bool keeps_order() const noexcept { return false; }

    // --- The mempool
    /// The clock by which waiting transactions grow old: read once for each admission and step.
    [[nodiscard]] virtual TimePoint now() { return std::chrono::steady_clock::now(); }
    /// A step comes. Not under the pool's lock: transactions that came before it may be given now.
    virtual void before(PoolStep step) { (void)step; }
    virtual void reached(PoolStep step, const PoolCounts& counts) {
        (void)step;
        (void)counts;
    }
    /// The step is over. Not under the pool's lock: what takes long has its time now.
    virtual void after(PoolStep step) { (void)step; }
    virtual void admitted(const Admission& admission) { (void)admission; }

    // --- Consensus, as consensus_adapter::Application
    using BlockPlan = consensus_adapter::BlockPlan;
    using Proposal = consensus_adapter::Proposal;
    using OrderedBlock = consensus_adapter::OrderedBlock;
    using Unexecutable = consensus_adapter::Unexecutable;
    using Prepared = std::expected<Proposal, BlockError>;
    using Processed = std::expected<void, consensus_adapter::ProposalError>;
    using Finalized = std::expected<consensus_adapter::FinalizedBlock, BlockError>;
    using Committed = std::expected<consensus_adapter::BlockId, BlockError>;

    virtual void prepare_begins(const BlockPlan& plan) { (void)plan; }
    virtual void prepare_ends(const Prepared& result) { (void)result; }
    virtual void process_begins(const BlockPlan& plan, const Proposal& proposal) {
        (void)plan;
        (void)proposal;
    }
    virtual void process_ends(const Processed& result) { (void)result; }
    virtual void finalize_begins(const OrderedBlock& block, Unexecutable unexecutable) {
        (void)block;
        (void)unexecutable;
    }
    virtual void finalize_ends(const Finalized& result) { (void)result; }
    /// Errors: storage_failed: what must be kept before the block could not be; it is not
    /// committed.
    [[nodiscard]] virtual std::expected<void, BlockError> commit_begins() { return {}; }
    virtual void commit_ends(const Committed& result) { (void)result; }
};

/// The shim of a node that is not recorded. Lives for ever; thread safety: any.
[[nodiscard]] Shim& pass_through() noexcept;

}  // namespace heddle::node
