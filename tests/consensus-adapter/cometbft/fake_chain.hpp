// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain that executes nothing, behind every interface the ABCI server asks for. A block's hash
// depends on all that the server decides about it, so that what it decides can be read off. A
// transaction fails whose data is not empty, and cannot be executed when its nonce is high.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <types/block_access_list.hpp>
#include <types/hash.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

#include <consensus_adapter/cometbft/abci_host.hpp>

namespace heddle::consensus_adapter::cometbft {

inline constexpr std::uint64_t kTooHighNonce = 1'000;
inline constexpr std::uint64_t kGenesisGasLimit = 30'000'000;
inline constexpr std::uint64_t kGenesisTime = 1'000;
inline constexpr std::uint64_t kFakeChainId = 7;

/// Signed, of 21,000 gas.
inline Transaction make_transaction(std::uint64_t nonce, Bytes data = {}) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = kFakeChainId;
    tx.nonce = nonce;
    tx.gas_limit = 21'000;
    tx.to = address_from_low64(nonce + 1);
    tx.data = std::move(data);
    Hash secret;
    secret.bytes[31] = 1;
    if (!sign_transaction(tx, secret)) std::abort();
    return tx;
}
/// As they are read: who sent them is the application's to find out.
inline std::vector<Transaction> without_senders(std::vector<Transaction> transactions) {
    for (Transaction& tx : transactions)
        tx.sender.reset();
    return transactions;
}
inline Bytes encoded(const Transaction& tx) {
    Bytes out;
    encode_transaction(tx, out);
    return out;
}
/// As many accesses as asked for.
inline ObjectSet make_set(std::uint64_t account, std::size_t slots) {
    std::vector<Access> accesses{{.object = {.address = address_from_low64(account),
                                             .kind = ObjectKind::balance,
                                             .slot = {}},
                                  .mode = AccessMode::add}};
    for (std::size_t i = 1; i < slots; ++i)
        accesses.push_back({.object = {.address = address_from_low64(account),
                                       .kind = ObjectKind::storage,
                                       .slot = Uint256{i}},
                            .mode = AccessMode::write});
    return ObjectSet{std::move(accesses)};
}

/// RLP of the access list of a block in which each transaction pays an account of its own.
inline Bytes make_list(std::size_t transactions) {
    BlockAccessList list;
    for (std::size_t i = 0; i < transactions; ++i) {
        ListedAccount& account = list.accounts.emplace_back();
        account.address = address_from_low64(100 + i);
        account.balance_changes = {{static_cast<std::uint32_t>(i + 1), Uint256{i}}};
    }
    Bytes encoded;
    encode_block_access_list(list, encoded);
    return encoded;
}

/// Thread safety: as Application asks.
class FakeApplication final : public Application {
public:
    FakeApplication() {
        committed_.head.hash.bytes[0] = 0x9e;
        committed_.head_timestamp = kGenesisTime;
        committed_.head_gas_limit = kGenesisGasLimit;
    }

    void set_head_gas_limit(std::uint64_t gas_limit) {
        const std::scoped_lock lock{mutex_};
        committed_.head_gas_limit = gas_limit;
    }
    Committed committed() const override {
        const std::scoped_lock lock{mutex_};
        return committed_;
    }
    std::expected<Proposal, BlockError> prepare(const BlockPlan& plan) override {
        last_plan = plan;
        if (prepare_error.has_value()) return std::unexpected(*prepare_error);
        return to_propose;
    }
    std::expected<void, ProposalError> process(const BlockPlan& plan, Proposal& proposal) override {
        last_plan = plan;
        last_processed = proposal;
        if (process_error.has_value()) return std::unexpected(*process_error);
        return {};
    }
    std::expected<FinalizedBlock, BlockError> finalize(OrderedBlock block,
                                                       Unexecutable unexecutable) override {
        if (finalize_error.has_value()) return std::unexpected(*finalize_error);
        if (unexecutable != Unexecutable::left_out) std::abort();
        FinalizedBlock finalized;
        finalized.header = block.start.header;
        finalized.header.number = committed().head.number + 1;
        finalized.header.parent_hash = committed().head.hash;
        Bytes body;
        for (std::size_t i = 0; i < block.transactions.size(); ++i) {
            const Transaction& tx = block.transactions[i];
            if (tx.nonce >= kTooHighNonce) {
                finalized.left_out.push_back({i, TransactionError::nonce_too_high});
                continue;
            }
            Receipt& receipt = finalized.receipts.emplace_back();
            receipt.success = tx.data.empty();
            receipt.gas_used = 21'000;
            finalized.header.gas_used += receipt.gas_used;
            encode_transaction(tx, body);
        }
        finalized.wrongly_declared = block.object_sets.empty() ? 0 : 1;
        finalized.is_listed = finalized.has_wrong_list = !block.start.access_list.empty();
        finalized.header.transactions_root = keccak256(body);
        finalized.hash = header_hash(finalized.header);
        last_finalized = std::move(block);
        pending_ = finalized;
        return finalized;
    }
    std::expected<BlockId, BlockError> commit() override {
        if (!pending_.has_value()) std::abort();
        if (commit_error.has_value()) return std::unexpected(*commit_error);
        const std::scoped_lock lock{mutex_};
        committed_.head = {pending_->header.number, pending_->hash};
        committed_.head_timestamp = pending_->header.timestamp;
        committed_.head_gas_limit = pending_->header.gas_limit;
        pending_.reset();
        to_propose = {};
        return committed_.head;
    }

    Proposal to_propose;
    std::optional<BlockError> prepare_error;
    std::optional<ProposalError> process_error;
    std::optional<BlockError> finalize_error;
    std::optional<BlockError> commit_error;
    BlockPlan last_plan;
    Proposal last_processed;
    OrderedBlock last_finalized;

private:
    mutable std::mutex mutex_;
    Committed committed_;  // guarded by mutex_
    std::optional<FinalizedBlock> pending_;
};

/// Admits what decodes; gives out what it was told to.
class FakeGate final : public TransactionGate {
public:
    std::expected<std::uint64_t, Refusal> admit(BytesView encoded) override {
        ++admitted;
        return look_at(encoded);
    }
    std::vector<std::expected<std::uint64_t, Refusal>> admit_all(
        std::span<const BytesView> encoded) override {
        most_at_once = std::max(most_at_once.load(), encoded.size());
        std::vector<std::expected<std::uint64_t, Refusal>> answers;
        for (const BytesView tx : encoded)
            answers.push_back(admit(tx));
        return answers;
    }
    std::expected<std::uint64_t, Refusal> recheck(BytesView encoded) override {
        ++rechecked;
        return look_at(encoded);
    }
    std::vector<Bytes> take_outgoing(std::uint64_t, std::uint64_t) override {
        return std::exchange(outgoing, {});
    }

    std::atomic<std::size_t> admitted = 0;
    std::atomic<std::size_t> rechecked = 0;
    std::atomic<std::size_t> most_at_once = 0;
    std::vector<Bytes> outgoing;

private:
    static std::expected<std::uint64_t, Refusal> look_at(BytesView encoded) {
        const auto tx = decode_transaction(encoded);
        if (!tx.has_value()) return std::unexpected(Refusal{3, std::string{to_string(tx.error())}});
        return tx->gas_limit;
    }
};

class FakeSnapshots final : public SnapshotHost {
public:
    std::vector<SnapshotOffer> list() override { return offers; }
    Bytes load_chunk(std::uint64_t height, std::uint32_t format, std::uint32_t index) override {
        return {static_cast<std::uint8_t>(height), static_cast<std::uint8_t>(format),
                static_cast<std::uint8_t>(index)};
    }
    OfferResult offer(const SnapshotOffer& offer, BytesView app_hash) override {
        offered = offer;
        offered_hash.assign(app_hash.begin(), app_hash.end());
        return offer_result;
    }
    ApplyOutcome apply(std::uint32_t index, BytesView chunk) override {
        applied.emplace_back(index, Bytes{chunk.begin(), chunk.end()});
        return outcome;
    }

    std::vector<SnapshotOffer> offers;
    SnapshotOffer offered;
    Bytes offered_hash;
    OfferResult offer_result = OfferResult::accept;
    ApplyOutcome outcome;
    std::vector<std::pair<std::uint32_t, Bytes>> applied;
};

class FakeValidators final : public ValidatorSource {
public:
    std::uint64_t epoch_blocks() const override { return 4; }
    std::expected<std::vector<Validator>, NoValidators> read() override {
        if (wanted.has_value()) return *wanted;
        return std::unexpected(NoValidators{wanted.error(), is_own_fault});
    }

    std::expected<std::vector<Validator>, std::string> wanted;
    bool is_own_fault = false;
};

class FakeHost final : public AbciHost {
public:
    std::optional<AbciChain> chain() override {
        if (!has_chain) return std::nullopt;
        return AbciChain{&application, &gate, has_validators ? &validators : nullptr};
    }
    std::expected<void, std::string> begin_chain(const ChainStart& start) override {
        if (!begin_error.empty()) return std::unexpected(begin_error);
        started = start;
        has_chain = true;
        return {};
    }
    std::uint64_t on_committed(const BlockId& block) override {
        return retain_blocks != 0 && block.number > retain_blocks ? block.number - retain_blocks
                                                                  : 0;
    }
    SnapshotHost* snapshots() override { return has_snapshots ? &fake_snapshots : nullptr; }

    FakeApplication application;
    FakeGate gate;
    FakeSnapshots fake_snapshots;
    FakeValidators validators;
    std::atomic<bool> has_chain = true;
    bool has_validators = false;
    bool has_snapshots = true;
    std::uint64_t retain_blocks = 0;
    std::string begin_error;
    ChainStart started;
};

}  // namespace heddle::consensus_adapter::cometbft
