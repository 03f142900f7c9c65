// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "formats/chain_config_json.hpp"

namespace heddle::test {

namespace {

template <typename Ours, typename Told>
Ours ours(const Told& told) {
    Ours value;
    static_assert(sizeof(value.bytes) == sizeof(told.bytes));
    std::memcpy(value.bytes.data(), told.bytes, sizeof(told.bytes));
    return value;
}

Bytes ours(const heddle_bytes& bytes) {
    return {bytes.data, bytes.data + bytes.size};
}

}  // namespace

int Callbacks::enter() {
    if (in_callback) in_callback();
    return ++calls_ >= fail_from_ ? failure_ : 0;
}

Callbacks::Callbacks(const StateView& state, BlockHash block_hash, StateRoot root)
    : view_(state),
      block_hash_(std::move(block_hash)),
      root_(std::move(root)),
      state_(HEDDLE_INIT(heddle_state)) {
    state_.context = this;
    state_.account = [](void* self, const heddle_address* address, heddle_account* out) {
        auto& callbacks = *static_cast<Callbacks*>(self);
        if (const int failure = callbacks.enter()) return failure;
        const auto account = callbacks.view_.account(ours<Address>(*address));
        if (!account.has_value()) return 0;
        out->exists = 1;
        out->nonce = account->nonce;
        store_be(account->balance, out->balance.bytes);
        std::memcpy(out->code_hash.bytes, account->code_hash.bytes.data(), 32);
        return 0;
    };
    state_.storage = [](void* self, const heddle_address* address, const heddle_word* slot,
                        heddle_word* out) {
        auto& callbacks = *static_cast<Callbacks*>(self);
        if (const int failure = callbacks.enter()) return failure;
        store_be(callbacks.view_.storage(ours<Address>(*address), load_be(slot->bytes)),
                 out->bytes);
        return 0;
    };
    state_.code = [](void* self, const heddle_hash* hash, heddle_code_sink* sink) {
        auto& callbacks = *static_cast<Callbacks*>(self);
        if (const int failure = callbacks.enter()) return failure;
        const BytesView code = callbacks.view_.code(ours<Hash>(*hash));
        Bytes copy(code.begin(), code.end());
        if (callbacks.twist_code) copy = callbacks.twist_code(std::move(copy));
        return heddle_code_give(sink, copy.data(), copy.size()) == HEDDLE_OK ? 0 : -1;
    };
    state_.has_storage = [](void* self, const heddle_address* address, std::uint8_t* out) {
        auto& callbacks = *static_cast<Callbacks*>(self);
        if (const int failure = callbacks.enter()) return failure;
        *out = callbacks.view_.has_storage(ours<Address>(*address)) ? 1 : 0;
        return 0;
    };
    state_.block_hash = [](void* self, std::uint64_t number, heddle_hash* out) {
        auto& callbacks = *static_cast<Callbacks*>(self);
        if (const int failure = callbacks.enter()) return failure;
        const Hash hash = callbacks.block_hash_ ? callbacks.block_hash_(number) : Hash{};
        std::memcpy(out->bytes, hash.bytes.data(), 32);
        return 0;
    };
    if (!root_) return;
    state_.state_root = [](void* self, const heddle_changes* changes, heddle_hash* out) {
        auto& callbacks = *static_cast<Callbacks*>(self);
        if (const int failure = callbacks.enter()) return failure;
        const Hash root = callbacks.root_(diff_of(changes));
        std::memcpy(out->bytes, root.bytes.data(), 32);
        return 0;
    };
}

EnginePtr make_engine(std::uint32_t workers, std::uint32_t flags) {
    heddle_engine_options options = HEDDLE_INIT(heddle_engine_options);
    options.workers = workers;
    options.flags = flags;
    heddle_engine* engine = nullptr;
    (void)heddle_engine_new(&options, &engine, nullptr);
    return EnginePtr{engine};
}

ChainPtr make_chain(const ChainConfig& config, const BlobForkTimes& times) {
    std::string text = node::format_chain_config(config);
    text.pop_back();  // the object goes on
    std::string schedule;
    for (std::size_t i = 0; i < kForks.size(); ++i) {
        if (!times[i].has_value()) continue;
        if (kForks[i].member == nullptr)
            text += fmt::format(", \"{}\": {}", kForks[i].fields[0], *times[i]);
        // Of forks that begin at once the last one counts.
        const auto found =
            std::find_if(config.blob_schedule.rbegin(), config.blob_schedule.rend(),
                         [&](const BlobParameters& p) { return p.activation_time == *times[i]; });
        if (found == config.blob_schedule.rend()) continue;
        const BlobParameters& parameters = *found;
        schedule +=
            fmt::format(R"({}"{}": {{"target": {}, "max": {}, "baseFeeUpdateFraction": {}}})",
                        schedule.empty() ? "" : ", ", kForks[i].key(), parameters.target,
                        parameters.max, parameters.base_fee_update_fraction);
    }
    text += fmt::format(", \"blobSchedule\": {{{}}}}}", schedule);
    heddle_chain* chain = nullptr;
    (void)heddle_chain_from_json(text.data(), text.size(), &chain, nullptr);
    return ChainPtr{chain};
}

Executed execute(heddle_engine* engine, const heddle_chain* chain, const Callbacks& state,
                 const heddle_block& block) {
    Executed executed;
    heddle_result* result = nullptr;
    executed.status =
        heddle_execute_block(engine, chain, state.get(), &block, &result, &executed.error);
    executed.result.reset(result);
    return executed;
}

heddle_summary summary_of(const heddle_result* result) {
    heddle_summary summary = HEDDLE_INIT(heddle_summary);
    (void)heddle_result_summary(result, &summary);
    return summary;
}

std::vector<Receipt> receipts_of(const heddle_result* result) {
    std::vector<Receipt> receipts(summary_of(result).receipt_count);
    for (std::size_t i = 0; i < receipts.size(); ++i) {
        heddle_receipt told = HEDDLE_INIT(heddle_receipt);
        (void)heddle_result_receipt(result, i, &told);
        Receipt& receipt = receipts[i];
        receipt.type = static_cast<TransactionType>(told.type);
        receipt.success = told.success != 0;
        receipt.gas_used = told.gas_used;
        receipt.cumulative_gas_used = told.cumulative_gas_used;
        receipt.blob_gas_used = told.blob_gas_used;
        receipt.effective_gas_price = load_be(told.effective_gas_price.bytes);
        if (told.has_post_state != 0) receipt.post_state = ours<Hash>(told.post_state);
        if (told.has_contract_address != 0)
            receipt.contract_address = ours<Address>(told.contract_address);
        std::copy_n(told.bloom, receipt.bloom.bytes.size(), receipt.bloom.bytes.begin());
        for (std::size_t j = 0; j < told.log_count; ++j) {
            heddle_log log = HEDDLE_INIT(heddle_log);
            (void)heddle_result_log(result, i, j, &log);
            Log& added = receipt.logs.emplace_back();
            added.address = ours<Address>(log.address);
            for (std::uint32_t k = 0; k < log.topic_count; ++k)
                added.topics.push_back(ours<Hash>(log.topics[k]));
            added.data = ours(log.data);
        }
    }
    return receipts;
}

StateDiff diff_of(const heddle_changes* changes) {
    StateDiff diff;
    for (std::size_t i = 0; i < heddle_changes_account_count(changes); ++i) {
        heddle_account_change told = HEDDLE_INIT(heddle_account_change);
        (void)heddle_changes_account(changes, i, &told);
        AccountChange& change = diff.accounts.emplace_back();
        change.address = ours<Address>(told.address);
        change.storage_cleared = told.storage_cleared != 0;
        if (told.exists != 0)
            change.account =
                Account{told.nonce, load_be(told.balance.bytes), ours<Hash>(told.code_hash)};
        for (std::size_t j = 0; j < told.slot_count; ++j) {
            heddle_slot_change slot;
            (void)heddle_changes_slot(changes, i, j, &slot);
            change.storage.push_back({load_be(slot.slot.bytes), load_be(slot.value.bytes)});
        }
    }
    for (std::size_t i = 0; i < heddle_changes_code_count(changes); ++i) {
        heddle_hash hash;
        heddle_bytes code;
        (void)heddle_changes_code(changes, i, &hash, &code);
        diff.codes.push_back({ours<Hash>(hash), ours(code)});
    }
    return diff;
}

StateDiff in_order(StateDiff diff) {
    std::ranges::sort(diff.accounts, {}, &AccountChange::address);
    for (AccountChange& change : diff.accounts)
        std::ranges::sort(change.storage, [](const StorageChange& a, const StorageChange& b) {
            return a.slot < b.slot;
        });
    std::ranges::sort(diff.codes, {}, &CodeChange::hash);
    return diff;
}

}  // namespace heddle::test
