// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which transactions of a batch are run one after the other: those of one sender, and those that
// would disturb each other.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <types/address.hpp>

#include "aria/batch_execution.hpp"

namespace heddle::executor {

/// How often of late transactions to an account were aborted for what others did. Where more than
/// half were, they are run one after the other: those to a busy market, say.
///
/// Thread safety: none.
class BusyRecipients {
public:
    [[nodiscard]] bool is_busy(const Address& recipient) const;
    /// A transaction that was run beside others: whether it went in.
    void note(const Transaction& tx, bool was_aborted);
    /// A new block: what was noted counts half, and what is little is forgotten.
    void fade();

private:
    static constexpr std::uint32_t kLeastTried = 4;

    struct Record {
        std::uint32_t tried = 0;
        std::uint32_t aborted = 0;
    };
    std::unordered_map<Address, Record, AddressHasher> records_;
};

/// Units by sender and busy recipient, by their first transactions.
[[nodiscard]] std::vector<Unit> units_by_sender(std::span<const Trial> trials,
                                                const BusyRecipients& busy);

/// The same of what was aborted: units that were seen to disturb each other become one. By their
/// first transactions.
[[nodiscard]] std::vector<Unit> units_by_conflict(std::span<const Unit> aborted);

}  // namespace heddle::executor
