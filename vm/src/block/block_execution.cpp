// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/block_execution.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/block_access_list.hpp>
#include <types/expected.hpp>
#include <types/state_diff.hpp>

#include <vm/system_contracts.hpp>

#include "block_ends.hpp"
#include "reject.hpp"
#include "system_call.hpp"

namespace heddle::vm {
namespace {

/// What a block pays at least for each account and slot that it accesses, before access lists were
/// part of the protocol: from Byzantium on, reading a slot costs that much or more.
constexpr std::uint64_t kLeastItemGas = 200;

/// Above what any block accesses without gas (rewards, withdrawals, system calls) or for less than
/// the rest (precompiled contracts, the beneficiary).
constexpr std::uint64_t kUnpaidItems = 1'000;

/// Borrowed from the header. nullopt: it has no such field, and the call is left out.
std::optional<BytesView> input_of(SystemCallInput input, const BlockContext& context) noexcept {
    const BlockHeader& header = context.header;
    switch (input) {
        case SystemCallInput::parent_beacon_block_root:
            if (!header.parent_beacon_block_root.has_value()) return std::nullopt;
            return header.parent_beacon_block_root->view();
        case SystemCallInput::parent_hash:
            if (!context.has_parent_hash) return std::nullopt;
            return header.parent_hash.view();
        case SystemCallInput::nothing:
            break;
    }
    return BytesView{};
}

std::string text_of(const std::optional<Hash>& hash) {
    return hash.has_value() ? to_string(*hash) : "absent";
}

/// Where the list that came with a block and the one it makes part; empty: nobody can tell.
std::string difference_from(BytesView claimed, BytesView computed) {
    if (claimed.empty()) return {};
    const auto claimed_list = decode_block_access_list(claimed);
    const auto computed_list = decode_block_access_list(computed);
    if (!claimed_list.has_value() || !computed_list.has_value()) return {};
    const auto difference = first_difference(*claimed_list, *computed_list);
    return difference.has_value() ? to_string(*difference) : std::string{};
}

bool makes_list_of(Revision revision, AccessListMaking making) noexcept {
    const bool is_required = revision >= Revision::amsterdam;
    if (making == AccessListMaking::always) return revision >= kAccessListsSince;
    return making == AccessListMaking::required && is_required;
}

std::uint64_t items_of(const AccessRecord& accesses) noexcept {
    return accesses.accounts.size() + accesses.slots.size() + accesses.fresh_slots.size();
}

/// What the end of the block accesses of a contract that keeps so many requests.
std::uint64_t end_items(const RequestQueue& queue, std::uint64_t requests) noexcept {
    return 1 + kFirstQueuedSlot +
           queue.request_slots * std::min<std::uint64_t>(requests, queue.most_taken);
}

Uint256 storage_after(const StateDiff& diff, const StateView& before, const Address& address,
                      const Uint256& slot) {
    const auto changed = std::ranges::find(diff.accounts, address, &AccountChange::address);
    if (changed == diff.accounts.end()) return before.storage(address, slot);
    const auto written = std::ranges::find(changed->storage, slot, &StorageChange::slot);
    if (written != changed->storage.end()) return written->value;
    return changed->storage_cleared ? Uint256{} : before.storage(address, slot);
}

/// Whoever leaves blooms to others (EvmOptions::leave_blooms) has them by now: no log leaves a
/// bloom empty.
bool has_bloom(const BlockResult& result) noexcept {
    return result.logs_bloom != LogsBloom{} ||
           std::ranges::all_of(result.receipts,
                               [](const Receipt& receipt) { return receipt.logs.empty(); });
}

std::unexpected<BlockError> mismatch(BlockErrorCode code, const BlockHeader& header,
                                     std::string claimed, std::string computed) {
    return reject(code, header.number, std::move(claimed), std::move(computed));
}

}  // namespace

void BlockExecution::record(const BlockStep& step) {
    if (makes_list()) access_list_->record(step);
    if (context_->recorder != nullptr) context_->recorder->record(step);
}

void BlockExecution::apply(std::uint32_t index, const StepChanges& changes) {
    record({.index = index, .accesses = changes.accesses, .diff = changes.diff, .before = state_});
    state_->apply(changes.diff);
}

SystemCallOutcome BlockExecution::call(std::uint32_t index, const Address& contract,
                                       BytesView input, Evm& evm) {
    SystemCallOutcome outcome;
    system_call(*state_, context_->block_hashes, context_->env, contract, input, evm, outcome);
    record({.index = index, .accesses = outcome.accesses, .diff = outcome.diff, .before = state_});
    state_->apply(outcome.diff);
    return outcome;
}

std::expected<void, BlockError> BlockExecution::begin(const BlockContext& context,
                                                      MutableState& state, Evm& evm) {
    context_.emplace(context);
    state_ = &state;
    result_.revision = context.env.revision;
    result_.receipts.clear();
    cumulative_gas_ = 0;
    result_.gas_used = 0;
    result_.gas = {};
    forfeited_ = {};
    result_.blob_gas_used = 0;
    result_.logs_bloom = {};
    result_.requests.clear();
    result_.access_list.reset();
    makes_list_ = makes_list_of(context.env.revision, context.access_list);
    if (makes_list_) {
        if (!access_list_.has_value()) access_list_.emplace();
        access_list_->begin();
        evm.record_accesses(true);
    }

    const BlockHeader& header = context.header;
    if (context.config.dao_fork_support && context.config.dao_fork_block == header.number)
        apply(0, dao_fork_changes(context.env.revision, state));
    // What becomes of these calls is nobody's concern: a contract that is missing or fails changes
    // nothing, and the block stays valid.
    for (const SystemContract& contract :
         system_contracts(SystemCallPlace::begin_block, context.env.revision))
        if (const auto input = input_of(contract.input, context); input.has_value())
            (void)call(0, contract.address, *input, evm);
    return {};
}

std::expected<void, TransactionError> BlockExecution::add(const Transaction& tx, Evm& evm,
                                                          Outcome& outcome) {
    HEDDLE_CHECK(run(tx, evm, outcome));
    keep(outcome);
    return {};
}

std::expected<void, TransactionError> BlockExecution::run(const Transaction& tx, Evm& evm,
                                                          Outcome& outcome) const noexcept {
    HEDDLE_TRY(const ValidTransaction valid, validate(tx, *state_, context_->env, left()));
    if (makes_list()) evm.record_accesses(true);
    transition(*state_, context_->block_hashes, context_->env, valid, evm, outcome);
    return {};
}

std::expected<void, TransactionError> BlockExecution::check_end(const Outcome& outcome,
                                                                std::size_t withdrawals) const {
    if (result_.revision < kDepositRequestsSince) return {};
    const std::span receipts{&outcome.receipt, 1};
    if (!deposit_requests(receipts, context_->env.number, context_->config).has_value())
        return std::unexpected(TransactionError::malformed_deposit);
    return check_list(outcome, withdrawals);
}

/// What transactions access and the end of the block accesses again counts twice.
std::expected<void, TransactionError> BlockExecution::check_list(const Outcome& outcome,
                                                                 std::size_t withdrawals) const {
    if (result_.revision < Revision::amsterdam || !makes_list()) return {};
    const std::uint64_t most = max_item_count(context_->env.gas_limit);
    const auto at_end = system_contracts(SystemCallPlace::end_block, result_.revision);
    // The one that fees go to is in no record.
    std::uint64_t items = access_list_->item_count() + 1 + withdrawals;
    std::uint64_t bound = items + items_of(outcome.accesses);
    for (const SystemContract& contract : at_end)
        bound += end_items(contract.queue, contract.queue.most_taken);
    if (bound <= most) return {};
    items += access_list_->count_new(outcome.accesses);
    for (const SystemContract& contract : at_end) {
        const auto value = [&](std::uint64_t slot) {
            return storage_after(outcome.diff, *state_, contract.address, slot);
        };
        const Uint256 requests = value(kQueueTailSlot) - value(kQueueHeadSlot);
        items += end_items(contract.queue,
                           requests.fits_uint64() ? requests.low64() : contract.queue.most_taken);
    }
    if (items <= most) return {};
    return std::unexpected(TransactionError::access_list_full);
}

void BlockExecution::forfeit(const Outcome& outcome) noexcept {
    forfeited_.execution += outcome.block_gas.execution;
    forfeited_.state += outcome.block_gas.state;
}

void BlockExecution::keep(Outcome& outcome) {
    HEDDLE_ASSERT(!is_unfinished(outcome.status));  // before its changes are applied
    state_->apply(outcome.diff);
    accept(outcome);
}

void BlockExecution::accept(Outcome& outcome) {
    HEDDLE_ASSERT(!is_unfinished(outcome.status));
    if (context_->recorder != nullptr || makes_list()) {
        BlockStep step{.index = step_index() + 1,
                       .is_transaction = true,
                       .accesses = outcome.accesses,
                       .diff = outcome.diff};
        if (outcome.deferred_fee.has_value())
            step.deferred_fee = {context_->env.beneficiary, *outcome.deferred_fee};
        record(step);
    }
    Receipt& receipt = result_.receipts.emplace_back(std::move(outcome.receipt));
    result_.gas.execution += outcome.block_gas.execution;
    result_.gas.state += outcome.block_gas.state;
    result_.gas_used = std::max(result_.gas.execution, result_.gas.state);
    result_.blob_gas_used += receipt.blob_gas_used;
    cumulative_gas_ += receipt.gas_used;
    receipt.cumulative_gas_used = cumulative_gas_;
    if (!receipt.logs.empty()) result_.logs_bloom |= receipt.bloom;
    if (result_.revision < Revision::byzantium && context_->state_root)
        receipt.post_state = context_->state_root();
}

std::expected<void, BlockError> BlockExecution::request(const SystemContract& contract, Evm& evm) {
    const std::uint64_t number = context_->env.number;
    const std::optional<Account> account = state_->account(contract.address);
    if (!account.has_value() || !account->has_code())
        return reject(BlockErrorCode::system_contract_missing, number, {}, {},
                      to_string(contract.address));
    const SystemCallOutcome outcome = call(step_index() + 1, contract.address, {}, evm);
    if (outcome.status != Status::success)
        return reject(BlockErrorCode::system_call_failed, number,
                      std::string{to_string(outcome.status)}, {}, to_string(contract.address));
    add_request(contract.request_type, outcome.output);
    return {};
}

void BlockExecution::add_request(std::uint8_t type, BytesView data) {
    if (data.empty()) return;
    Bytes& request = result_.requests.emplace_back();
    request.reserve(1 + data.size());
    request.push_back(type);
    request.insert(request.end(), data.begin(), data.end());
}

std::expected<void, BlockError> BlockExecution::end(const BlockEnding& ending, Evm& evm) {
    HEDDLE_CHECK(end_without_list(ending, evm));
    make_access_list(*state_);
    return {};
}

std::expected<void, BlockError> BlockExecution::end_without_list(const BlockEnding& ending,
                                                                 Evm& evm) {
    const BlockEnv& env = context_->env;
    const std::uint32_t index = step_index() + 1;
    if (makes_list()) evm.record_accesses(true);
    if (ending.reward.has_value())
        apply(index, reward_changes(env, *ending.reward, ending.ommers, *state_));
    if (!ending.withdrawals.empty())
        apply(index, withdrawal_changes(ending.withdrawals, env.revision, *state_));
    if (env.revision >= kDepositRequestsSince) {
        HEDDLE_TRY(const Bytes deposits,
                   deposit_requests(result_.receipts, env.number, context_->config));
        add_request(kDepositRequest, deposits);
    }
    for (const SystemContract& contract :
         system_contracts(SystemCallPlace::end_block, env.revision))
        HEDDLE_CHECK(request(contract, evm));
    return check_item_count();
}

std::expected<void, BlockError> BlockExecution::check_item_count() const {
    if (!makes_list() || !is_list_claimed() || !context_->bounds_access_list) return {};
    const std::uint64_t items = access_list_->item_count();
    const std::uint64_t most = max_item_count(context_->env.gas_limit);
    if (items <= most) return {};
    return reject(BlockErrorCode::access_list_too_large, context_->env.number, {},
                  fmt::format("{} items", items), fmt::format("at most {}", most));
}

void BlockExecution::make_access_list(const StateView& after) {
    if (!owes_access_list()) return;
    MadeAccessList& made = result_.access_list.emplace();
    const BytesView encoded = access_list_->finish(after);
    made.encoded.assign(encoded.begin(), encoded.end());
    if (!is_list_claimed()) return;
    made.hash = keccak256(encoded);
}

void BlockExecution::make_blooms() {
    for (Receipt& receipt : result_.receipts)
        blooms_.fill(receipt);
    blooms_.finish();
    result_.logs_bloom = {};
    for (const Receipt& receipt : result_.receipts)
        if (!receipt.logs.empty()) result_.logs_bloom |= receipt.bloom;
}

bool has_made(const BlockHeader& header, const BlockResult& result,
              BytesView claimed_list) noexcept {
    return result.access_list.has_value() &&
           header.block_access_list_hash == result.access_list->hash &&
           std::ranges::equal(claimed_list, result.access_list->encoded);
}

bool is_list_of(const BlockHeader& header, BytesView list) {
    return !header.block_access_list_hash.has_value() ||
           *header.block_access_list_hash == keccak256(list);
}

std::uint64_t list_gas_limit(const BlockHeader& header) noexcept {
    if (header.block_access_list_hash.has_value()) return header.gas_limit;
    return (header.gas_limit / kLeastItemGas + kUnpaidItems) * kAccessListItemGas;
}

std::uint64_t most_new_items(Revision revision, std::uint64_t gas_left) noexcept {
    // Before EIP-7778 up to half of what was paid may come back to the block as a refund (YP 6.2).
    const std::uint64_t item_gas =
        revision >= Revision::amsterdam ? kAccessListItemGas : kLeastItemGas / 2;
    return gas_left / item_gas + kUnpaidItems;
}

std::expected<void, BlockError> check_claimed_list(const BlockHeader& header,
                                                   BytesView claimed_list,
                                                   std::size_t transaction_count) {
    using enum BlockErrorCode;
    if (!is_list_of(header, claimed_list))
        return mismatch(invalid_access_list, header, text_of(header.block_access_list_hash),
                        to_string(keccak256(claimed_list)));
    AccessListForm form(transaction_count);
    auto checked = visit_access_list(claimed_list, form);
    if (checked.has_value()) checked = form.check(list_gas_limit(header));
    if (checked.has_value()) return {};
    const bool is_large = checked.error().code == AccessListErrorCode::too_many_items;
    return reject(is_large ? access_list_too_large : invalid_access_list, header.number, {}, {},
                  to_string(checked.error()));
}

std::expected<void, BlockError> check(const BlockHeader& header, const BlockResult& result,
                                      const std::optional<Hash>& receipts_root,
                                      BytesView claimed_list) {
    HEDDLE_ASSERT(has_bloom(result));
    if (header.gas_used != result.gas_used)
        return mismatch(BlockErrorCode::invalid_gas_used, header, std::to_string(header.gas_used),
                        std::to_string(result.gas_used));
    if (receipts_root.has_value() && header.receipts_root != *receipts_root)
        return mismatch(BlockErrorCode::invalid_receipts_root, header,
                        to_string(header.receipts_root), to_string(*receipts_root));
    if (header.logs_bloom != result.logs_bloom)
        return mismatch(BlockErrorCode::invalid_logs_bloom, header, to_hex(header.logs_bloom.bytes),
                        to_hex(result.logs_bloom.bytes));
    if (result.revision < Revision::prague) return {};
    const Hash hash = requests_hash(result.requests);
    if (header.requests_hash != hash)
        return mismatch(BlockErrorCode::invalid_requests, header, text_of(header.requests_hash),
                        to_string(hash));
    if (result.revision < Revision::amsterdam) return {};
    HEDDLE_ASSERT(result.access_list.has_value());
    if (header.block_access_list_hash == result.access_list->hash) return {};
    return reject(BlockErrorCode::invalid_access_list, header.number,
                  text_of(header.block_access_list_hash), to_string(result.access_list->hash),
                  difference_from(claimed_list, result.access_list->encoded));
}

void fill(BlockHeader& header, const BlockResult& result, const Hash& receipts_root) {
    HEDDLE_ASSERT(has_bloom(result));
    header.gas_used = result.gas_used;
    header.receipts_root = receipts_root;
    header.logs_bloom = result.logs_bloom;
    if (result.revision >= Revision::cancun) header.blob_gas_used = result.blob_gas_used;
    if (result.revision >= Revision::prague) header.requests_hash = requests_hash(result.requests);
    if (result.revision < Revision::amsterdam) return;
    HEDDLE_ASSERT(result.access_list.has_value());
    header.block_access_list_hash = result.access_list->hash;
}

}  // namespace heddle::vm
