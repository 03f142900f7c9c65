// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/block_contents.hpp"

#include <algorithm>
#include <atomic>
#include <expected>
#include <iterator>
#include <utility>

#include <consensus_adapter/parallel_for.hpp>
#include <types/block_access_list.hpp>
#include <types/held_bytes.hpp>
#include <types/transaction.hpp>

#include "cometbft/framing.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

/// Decoding this many is worth a thread's while.
constexpr std::size_t kItemsPerPart = 256;

/// A stretch of the list.
struct Part {
    std::vector<Transaction> transactions;
    std::vector<std::size_t> items;
    std::vector<Fault> faults;
};

std::expected<Transaction, Fault> read_item(BytesView bytes, std::size_t item) {
    auto decoded = decode_transaction(bytes);
    if (!decoded.has_value())
        return std::unexpected(
            Fault{item, TransactionCode::malformed, std::string{to_string(decoded.error())}});
    if (decoded->type == TransactionType::blob)
        return std::unexpected(Fault{item, TransactionCode::not_executable,
                                     "there are no blobs on this chain, nor transactions of "
                                     "type 3"});
    return std::move(*decoded);
}

void append(std::vector<Transaction>& to, std::vector<Transaction>& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void read_transactions(std::span<const BytesView> items, std::size_t first, bool stop_at_fault,
                       BlockContents& contents) {
    const std::size_t count = items.size() - first;
    std::vector<Part> parts((count + kItemsPerPart - 1) / kItemsPerPart);
    std::atomic<bool> has_fault = false;  // only to save work: relaxed suffices
    const auto read_part = [&](std::size_t number) {
        Part& part = parts[number];
        const std::size_t begin = first + number * kItemsPerPart;
        const std::size_t end = std::min(begin + kItemsPerPart, items.size());
        for (std::size_t item = begin; item != end; ++item) {
            if (stop_at_fault && has_fault.load(std::memory_order_relaxed)) return;
            auto tx = read_item(items[item], item);
            if (tx.has_value()) {
                part.transactions.push_back(std::move(*tx));
                part.items.push_back(item);
            } else {
                part.faults.push_back(std::move(tx).error());
                has_fault.store(true, std::memory_order_relaxed);
            }
        }
    };
    if (parts.size() == 1)
        read_part(0);
    else if (!parts.empty())
        parallel_for(parts.size(), 1, read_part);
    for (Part& part : parts) {
        append(contents.proposal.transactions, part.transactions);
        contents.items.insert(contents.items.end(), part.items.begin(), part.items.end());
        std::ranges::move(part.faults, std::back_inserter(contents.faults));
    }
}

/// Sets are counted against all items after the preamble; those of items that are no transactions
/// go with them.
void take_sets(std::vector<ObjectSet> sets, BlockContents& contents) {
    if (sets.empty()) return;
    if (sets.size() != contents.item_count - 1) {
        contents.help_error = "the preamble has " + std::to_string(sets.size()) +
                              " object sets for " + std::to_string(contents.item_count - 1) +
                              " transactions";
        return;
    }
    std::vector<ObjectSet>& taken = contents.proposal.object_sets;
    taken.reserve(contents.items.size());
    for (const std::size_t item : contents.items)
        taken.push_back(std::move(sets[item - 1]));
}

/// A list says what each transaction of its block does, by number.
void take_list(Bytes bytes, BlockContents& contents) {
    if (bytes.empty()) return;
    if (!contents.faults.empty()) {
        contents.help_error = "the access list of the preamble is that of another block";
        return;
    }
    const auto list = decode_block_access_list(bytes);
    const auto form = list.has_value()
                          ? check_form(*list, contents.items.size(), contents.preamble->gas_limit)
                          : std::unexpected(list.error());
    if (form.has_value())
        contents.proposal.access_list = std::move(bytes);
    else
        contents.help_error = "the access list of the preamble: " + to_string(form.error());
}

}  // namespace

BlockContents read_contents(std::span<const BytesView> items, bool stop_at_fault) {
    BlockContents contents;
    contents.item_count = items.size();
    std::vector<ObjectSet> sets;
    Bytes list;
    std::size_t first = 0;
    if (!items.empty() && !items[0].empty() && items[0][0] == kPreambleMark) {
        first = 1;
        auto decoded = decode_preamble(items[0]);
        if (decoded.has_value()) {
            contents.help_error = std::move(decoded->help_error);
            sets = std::exchange(decoded->preamble.object_sets, {});
            list = std::exchange(decoded->preamble.access_list, {});
            contents.preamble = std::move(decoded->preamble);
        } else {
            contents.faults.push_back({0, TransactionCode::malformed, to_string(decoded.error())});
            if (stop_at_fault) return contents;
        }
    }
    read_transactions(items, first, stop_at_fault, contents);
    take_sets(std::move(sets), contents);
    take_list(std::move(list), contents);
    return contents;
}

std::size_t held_bytes(const BlockContents& contents) noexcept {
    std::size_t bytes =
        sizeof contents + held_bytes(contents.proposal.transactions) +
        held_bytes(contents.proposal.object_sets) + contents.proposal.access_list.size() +
        contents.items.size() * sizeof(std::size_t) + contents.faults.size() * sizeof(Fault);
    if (contents.preamble.has_value())
        bytes += held_bytes(contents.preamble->object_sets) + contents.preamble->access_list.size();
    return bytes;
}

std::size_t item_bytes(std::size_t size) noexcept {
    return 1 + length_size(size) + size;
}

}  // namespace heddle::consensus_adapter::cometbft
