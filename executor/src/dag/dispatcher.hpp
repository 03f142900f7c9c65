// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Last stage of the dispatcher: turns what a transaction is going to access into edges of the DAG.
// It never waits for execution. Whether the sets are right is not its business: the committer
// checks.
#pragma once

#include <cstdint>
#include <vector>

#include <types/object.hpp>

#include <executor/options.hpp>

#include "dag/dag_links.hpp"
#include "dag/object_records.hpp"
#include "dag/predecessor_filter.hpp"
#include "state/versioned_state.hpp"
#include "stream/place_memory.hpp"
#include "stream/task.hpp"
#include "workers/counter.hpp"

namespace heddle::executor {

/// Thread safety: one thread at a time, in stream order; edge_count() and memory_bytes() any.
class Dispatcher {
public:
    Dispatcher(const ParallelOptions& options, DagLinkRing& links, VersionedState& state)
        : options_(options), links_(links), state_(state), filter_(links.capacity()) {}

    /// Notes the task's requests and finds whom it has to wait for.
    /// @param watermark  All positions below are committed; those from there on can be looked up.
    /// @return whether it should run in stream order, because it continues a chain.
    [[nodiscard]] bool order(Task& task, std::uint64_t watermark);

    /// Makes the task ordered last wait for those found, once others may know of it.
    /// @return whether it is ready at once.
    [[nodiscard]] bool release(DagLinks& links);

    /// Accounts and slots begin anew with number 0, and nothing is in flight: gives back memory for
    /// more than these.
    void forget_objects(std::size_t kept_accounts, std::size_t kept_slots);
    /// Held for what is remembered of objects. Any thread.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return account_records_.memory_bytes() + slot_records_.memory_bytes() +
               covers_.memory_bytes();
    }
    /// Edges added so far.
    [[nodiscard]] std::uint64_t edge_count() const noexcept { return edge_count_.get(); }

private:
    /// What may still be taken from a balance without looking at it again: the committed value less
    /// the bounds of all debits that are not known to be committed.
    struct alignas(64) Cover {
        std::uint64_t last_position = 0;
        Uint256 left;  // wei
    };
    struct Wait {
        std::uint64_t position = 0;
        DagNode::Event event = DagNode::Event::complete;
    };

    void order(const Task& task, const ObjectRequest& request);
    /// Whether the sender's balance surely covers the most that the transaction can cost.
    [[nodiscard]] bool is_covered(const Task& task, AccountCell& sender);
    [[nodiscard]] bool follows_chain(const Task& task) noexcept;

    const ParallelOptions& options_;
    DagLinkRing& links_;
    VersionedState& state_;

    ObjectRecords account_records_;
    ObjectRecords slot_records_;
    NumberedRecords<Cover> covers_;  // by account number
    PredecessorFilter filter_;
    PlaceMemory memory_;  // of DagLinks::edges
    Counter edge_count_;

    // Of the task at hand.
    std::uint64_t watermark_ = 1;
    std::vector<Wait> waits_;
    bool is_chained_ = false;  // depends on the end of the chain

    // How chain-like the stream has been of late.
    std::uint64_t chain_end_ = 0;     // position of the last task of the chain
    std::uint32_t chain_length_ = 0;  // 0 to kChainMemory
};

}  // namespace heddle::executor
