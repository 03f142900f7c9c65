// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The mempool as CometBFT sees it: what is gossiped comes in here, and what it asks about a
// transaction is answered from here. Handing local transactions to CometBFT is the forwarder's
// business, but for engines that fetch them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include <consensus_adapter/cometbft/abci_host.hpp>
#include <types/hash.hpp>

#include "mempool/mempool.hpp"

namespace heddle::node {

/// The code of a Refusal for each reason that the mempool has: from 1 on in the order of
/// AdmissionCode, so that new ones are added at its end, before `other`.
[[nodiscard]] std::uint32_t refusal_code(AdmissionCode code) noexcept;
/// Of a transaction that was admitted and is not pending any more.
inline constexpr std::uint32_t kNotPending = 100;
/// Of one that CometBFT is to forget, for it is handed in anew.
inline constexpr std::uint32_t kHandedInAnew = 101;

class GossipGate final : public consensus_adapter::cometbft::TransactionGate {
public:
    using Refusal = consensus_adapter::cometbft::Refusal;

    /// Whether CometBFT is to forget one of this node's own (TransactionForwarder::must_forget()).
    using MustForget = std::function<bool(const Hash& transaction)>;

    /// @param mempool      Outlives it.
    /// @param must_forget  Empty: never.
    explicit GossipGate(Mempool& mempool, MustForget must_forget = {})
        : mempool_(mempool), must_forget_(std::move(must_forget)) {}
    /// No call of others may be running.
    ~GossipGate() override = default;
    GossipGate(const GossipGate&) = delete;
    GossipGate& operator=(const GossipGate&) = delete;

    [[nodiscard]] std::expected<std::uint64_t, Refusal> admit(BytesView encoded) override;
    [[nodiscard]] std::vector<std::expected<std::uint64_t, Refusal>> admit_all(
        std::span<const BytesView> encoded) override;
    /// One hash and one look-up, about a microsecond: what was admitted is in canonical form (there
    /// are no blobs), and its Keccak-256 is the transaction's hash.
    [[nodiscard]] std::expected<std::uint64_t, Refusal> recheck(BytesView encoded) override;
    /// Nothing is kept for it before it is called for the first time.
    [[nodiscard]] std::vector<Bytes> take_outgoing(std::uint64_t max_bytes,
                                                   std::uint64_t max_gas) override;

private:
    [[nodiscard]] std::expected<SharedTransaction, Refusal> pending(BytesView encoded) const;
    [[nodiscard]] std::expected<std::uint64_t, Refusal> told(
        const std::expected<Hash, AdmissionError>& added, BytesView encoded);
    void begin_outgoing();
    void add_outgoing(const SharedTransaction& transaction);
    void forget_the_gone();

    Mempool& mempool_;
    const MustForget must_forget_;
    std::mutex mutex_;
    bool gives_out_ = false;                               // guarded by mutex_, as what follows
    std::deque<Hash> outgoing_;                            // in order of arrival
    std::unordered_set<Hash, HashHasher> seen_;            // waiting or given out
    std::size_t prune_at_ = 0;                             // size of seen_
    Feed<BecameExecutable>::Subscription subscription_{};  // last: ends first
};

}  // namespace heddle::node
