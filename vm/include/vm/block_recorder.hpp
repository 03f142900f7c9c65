// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Watching a block run: who records is told of every step that reads or changes state.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <types/address.hpp>
#include <types/object.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <vm/access.hpp>

namespace heddle::vm {

/// A fee that is not in the diff of the transaction that pays it (Outcome::deferred_fee).
struct DeferredFee {
    Address recipient;
    Uint256 amount;  // wei; may be zero
};

/// One step of a block that reads or changes state: a transaction, a system call, withdrawals, …
struct BlockStep {
    /// 0: before the first transaction; 1 to n: that transaction; n + 1: after the last (EIP-7928).
    std::uint32_t index = 0;
    bool is_transaction = false;
    /// Parallel to `diff`, see AccessRecord. Empty where the machine that ran the step does not
    /// record (EvmOptions::record_accesses).
    const AccessRecord& accesses;
    const StateDiff& diff;
    std::optional<DeferredFee> deferred_fee{};
    /// The state without `diff`. Null for transactions, whose steps may be told of later.
    const StateView* before = nullptr;
};

/// Is told of every step of a block, in order. An index may come several times, but for those of
/// transactions.
class BlockRecorder {
public:
    virtual ~BlockRecorder() = default;
    virtual void record(const BlockStep& step) = 0;
};

/// Keeps the object set of each transaction.
class ObjectSetRecorder final : public BlockRecorder {
public:
    void record(const BlockStep& step) override;
    /// Of the next transaction, by whoever knows it already.
    void keep(ObjectSet set) { sets_.push_back(std::move(set)); }
    [[nodiscard]] const std::vector<ObjectSet>& sets() const noexcept { return sets_; }
    [[nodiscard]] std::vector<ObjectSet> take() noexcept;

private:
    std::vector<ObjectSet> sets_;
};

}  // namespace heddle::vm
