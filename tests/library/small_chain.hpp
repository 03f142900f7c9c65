// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain of two blocks for the tests of libheddle: a parent, and a block of three transactions
// that transfer, call a contract which counts and logs, and create another one.
#pragma once

#include <heddle.h>

#include <string>
#include <vector>

#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>
#include <types/block.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

#include "client.hpp"

namespace heddle::test {

class SmallChain {
public:
    /// @param fork  As heddle_chain_by_name() takes it: London or later.
    explicit SmallChain(const std::string& fork);

    [[nodiscard]] const heddle_chain* chain() const noexcept { return chain_.get(); }
    [[nodiscard]] const ledger::MemoryState& state() const noexcept { return state_; }
    [[nodiscard]] const BlockHeader& parent() const noexcept { return parent_; }

    /// Callbacks on the state before the block, which know roots.
    [[nodiscard]] Callbacks callbacks() const;
    /// The block as it is to be made. What it points to is this object's.
    [[nodiscard]] heddle_block unmade();
    /// RLP of the block that was made: the result of the above.
    [[nodiscard]] Bytes encode(const heddle_result* made) const;
    /// A block of these bytes, to be verified with its parent.
    [[nodiscard]] heddle_block given(const Bytes& block);

    std::vector<Transaction> transactions;
    heddle_fields fields = HEDDLE_INIT(heddle_fields);

private:
    ChainPtr chain_;
    ledger::MemoryState state_;
    BlockHeader parent_;
    Bytes encoded_parent_;
    heddle_bytes ancestor_{};
    std::vector<Bytes> encoded_;
    std::vector<heddle_bytes> given_;
};

inline constexpr std::uint64_t kSmallChainTime = 1'000;  // of the parent

}  // namespace heddle::test
