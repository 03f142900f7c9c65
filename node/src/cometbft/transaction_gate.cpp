// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/transaction_gate.hpp"

#include <algorithm>
#include <utility>

#include <types/expected.hpp>

#include "cometbft/local_transactions.hpp"
#include "mempool/admission.hpp"

namespace heddle::node {
namespace {

/// More hashes than this are kept only of transactions that are still in the pool.
constexpr std::size_t kMinPrune = 65'536;

using Refusal = consensus_adapter::cometbft::Refusal;

}  // namespace

std::uint32_t refusal_code(AdmissionCode code) noexcept {
    static_assert(static_cast<unsigned>(AdmissionCode::malformed) == 0);
    static_assert(static_cast<unsigned>(AdmissionCode::insufficient_funds) == 6);
    static_assert(static_cast<unsigned>(AdmissionCode::wrong_chain) == 12);
    static_assert(static_cast<unsigned>(AdmissionCode::other) == 18);
    return static_cast<std::uint32_t>(code) + 1;
}

std::expected<std::uint64_t, Refusal> GossipGate::admit(BytesView encoded) {
    return told(mempool_.add(encoded, Origin::remote), encoded);
}

std::vector<std::expected<std::uint64_t, Refusal>> GossipGate::admit_all(
    std::span<const BytesView> encoded) {
    const auto added = mempool_.add_all(encoded, Origin::remote);
    std::vector<std::expected<std::uint64_t, Refusal>> answers;
    answers.reserve(encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i)
        answers.push_back(told(added[i], encoded[i]));
    return answers;
}

std::expected<std::uint64_t, Refusal> GossipGate::told(
    const std::expected<Hash, AdmissionError>& added, BytesView encoded) {
    if (added.has_value()) {
        if (const SharedTransaction transaction = mempool_.find(*added))
            return transaction->tx.gas_limit;
    } else if (added.error().code == AdmissionCode::already_known) {
        HEDDLE_TRY(const SharedTransaction transaction, pending(encoded));
        return transaction->tx.gas_limit;
    } else {
        return std::unexpected(Refusal{refusal_code(added.error().code), added.error().message});
    }
    return std::unexpected(Refusal{kNotPending, "it made room for a better one at once"});
}

std::expected<SharedTransaction, Refusal> GossipGate::pending(BytesView encoded) const {
    SharedTransaction transaction = mempool_.find(keccak256(encoded));
    if (transaction) return transaction;
    return std::unexpected(Refusal{kNotPending, "not pending any more"});
}

std::expected<std::uint64_t, Refusal> GossipGate::recheck(BytesView encoded) {
    HEDDLE_TRY(const SharedTransaction transaction, pending(encoded));
    if (must_forget_ && is_own(transaction->origin) && must_forget_(transaction->hash))
        return std::unexpected(Refusal{kHandedInAnew, "it is handed in anew"});
    return transaction->tx.gas_limit;
}

/// Subscribes before it looks at what is there, so that none is missed; one that comes meanwhile is
/// seen twice and kept once. Not under the lock, for the feed is locked while it tells.
void GossipGate::begin_outgoing() {
    {
        const std::scoped_lock lock{mutex_};
        if (std::exchange(gives_out_, true)) return;
        prune_at_ = kMinPrune;
    }
    subscription_ = mempool_.arrivals().subscribe([this](const BecameExecutable& event) {
        if (is_own(event.transaction->origin)) add_outgoing(event.transaction);
    });
    for (const SharedTransaction& transaction : local_transactions(mempool_.content()))
        add_outgoing(transaction);
}

void GossipGate::add_outgoing(const SharedTransaction& transaction) {
    const std::scoped_lock lock{mutex_};
    if (!seen_.insert(transaction->hash).second) return;
    outgoing_.push_back(transaction->hash);
    if (seen_.size() > prune_at_) forget_the_gone();
}

void GossipGate::forget_the_gone() {
    std::erase_if(seen_, [this](const Hash& hash) { return mempool_.find(hash) == nullptr; });
    std::erase_if(outgoing_, [this](const Hash& hash) { return !seen_.contains(hash); });
    prune_at_ = std::max(kMinPrune, 2 * seen_.size());
}

std::vector<Bytes> GossipGate::take_outgoing(std::uint64_t max_bytes, std::uint64_t max_gas) {
    begin_outgoing();
    std::vector<Bytes> taken;
    std::uint64_t bytes = 0;
    std::uint64_t gas = 0;
    const std::scoped_lock lock{mutex_};
    const auto is_within = [&](std::uint64_t some_bytes, std::uint64_t some_gas) {
        return (max_bytes == 0 || some_bytes <= max_bytes) && (max_gas == 0 || some_gas <= max_gas);
    };
    for (std::size_t left = outgoing_.size(); left != 0; --left) {
        const Hash hash = outgoing_.front();
        if (const SharedTransaction transaction = mempool_.find(hash)) {
            const std::uint64_t size = transaction->size_bytes;
            if (!is_within(size, transaction->tx.gas_limit)) {
                outgoing_.push_back(hash);  // it alone is too much: nobody else waits for it
            } else {
                bytes += size;
                gas += transaction->tx.gas_limit;
                if (!is_within(bytes, gas)) break;
                taken.push_back(encode_network_form(*transaction));
            }
        }
        outgoing_.pop_front();
    }
    return taken;
}

}  // namespace heddle::node
