// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "values/list_tables.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <types/assert.hpp>
#include <types/block_access_list.hpp>

#include "values/kept_memory.hpp"

namespace heddle::executor {
namespace {

/// No change costs less, with all refunds: a contract's end (SELFDESTRUCT, 5,000 gas) may change
/// two balances, a nonce and code, and half of what was paid may come back.
constexpr std::uint64_t kLeastGasOfValue = 250;
/// By system calls, withdrawals and fees.
constexpr std::uint64_t kValuesWithoutGas = 256;

}  // namespace

bool ListTables::begin(BytesView encoded, std::size_t transaction_count, std::uint64_t gas_limit,
                       std::size_t most_parts) {
    HEDDLE_ASSERT(most_parts > 0 && most_parts <= kMostParts);
    bounds_.transaction_count = transaction_count;
    bounds_.most_items = max_item_count(gas_limit);
    bounds_.most_changes = gas_limit / kLeastGasOfValue + kValuesWithoutGas;
    bounds_.items.store(0, std::memory_order_relaxed);
    bounds_.changes.store(0, std::memory_order_relaxed);
    pieces_.clear();
    auto pieces = split_access_list(encoded, most_parts);
    if (!pieces.has_value()) return false;
    pieces_ = *std::move(pieces);
    // Memory of parts that are not needed is given back.
    for (std::size_t part = part_count(); part < kMostParts; ++part)
        parts_[part].clear();
    return true;
}

bool ListTables::fill(std::size_t part) {
    return are_good_[part] = parts_[part].fill(pieces_[part], bounds_);
}

bool ListTables::finish() {
    clear_and_shrink(change_counts_);
    change_counts_.assign(bounds_.transaction_count + 2, 0);
    for (std::size_t part = 0; part < part_count(); ++part) {
        if (!are_good_[part]) return false;
        const std::vector<AccountRow>& accounts = parts_[part].accounts();
        first_[part] = accounts.front().address;
        if (part != 0 && parts_[part - 1].accounts().back().address >= first_[part]) return false;
        std::ranges::transform(change_counts_, parts_[part].change_counts(), change_counts_.begin(),
                               std::plus{});
    }
    return item_count() <= bounds_.most_items &&
           bounds_.changes.load(std::memory_order_relaxed) <= bounds_.most_changes;
}

std::uint32_t ListTables::find(const Address& address) const noexcept {
    std::size_t part = 0;
    while (part + 1 < part_count() && first_[part + 1] <= address)
        ++part;
    const std::uint32_t row = parts_[part].find(address);
    return row != kAbsent ? number(part, row) : kAbsent;
}

std::uint32_t ListTables::find(std::uint32_t account, const Uint256& slot) const noexcept {
    const std::uint32_t row = holder(account).find(row_of(account), slot);
    return row != kAbsent ? number(part_of(account), row) : kAbsent;
}

const ListTables::Code* ListTables::find_code(const Hash& hash) const noexcept {
    for (std::size_t part = 0; part < part_count(); ++part)
        if (const Code* const code = parts_[part].find_code(hash)) return code;
    return nullptr;
}

std::size_t ListTables::memory_bytes() const noexcept {
    std::size_t bytes = change_counts_.capacity() * sizeof(change_counts_.front());
    for (const ListPart& part : parts_)
        bytes += part.memory_bytes();
    return bytes;
}

}  // namespace heddle::executor
