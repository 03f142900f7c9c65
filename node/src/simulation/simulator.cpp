// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulator.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/ordered_root.hpp>
#include <types/rlp.hpp>
#include <vm/block.hpp>
#include <vm/block_execution.hpp>
#include <vm/next_header.hpp>

#include "simulation/call_error.hpp"
#include "simulation/call_site.hpp"
#include "simulation/failure.hpp"
#include "simulation/unsigned_transaction.hpp"

namespace heddle::node::simulation {
namespace {

vm::Evm make_evm(const Chain& chain, LogTracer& tracer) {
    vm::EvmOptions options;
    options.tracer = &tracer;
    options.code_cache = chain.code_cache();
    options.lets_go_of_code = true;
    return vm::Evm(std::move(options));
}

/// The least that a call takes as JSON, in bytes, beside its logs and what it returns: names.
constexpr std::size_t kLeastCallText = 80;

/// What a call takes as JSON, in bytes, but for its logs; at least.
std::size_t text_bytes(const SimulatedCall& call) noexcept {
    std::size_t bytes = kLeastCallText + 2 * call.return_data.size();
    if (call.error) {
        bytes += call.error->message.size();
        if (call.error->data) bytes += 2 * call.error->data->size();
    }
    return bytes;
}

FailureKind kind_of(TransactionError error) noexcept {
    switch (error) {
        case TransactionError::nonce_too_low:
            return FailureKind::nonce_too_low;
        case TransactionError::nonce_too_high:
            return FailureKind::nonce_too_high;
        case TransactionError::max_fee_below_base_fee:
            return FailureKind::base_fee_too_low;
        case TransactionError::intrinsic_gas_too_low:
        case TransactionError::gas_below_floor:
        case TransactionError::intrinsic_gas_too_high:
            return FailureKind::intrinsic_gas;
        case TransactionError::insufficient_funds:
        case TransactionError::gas_price_overflow:
            return FailureKind::insufficient_funds;
        case TransactionError::init_code_too_large:
            return FailureKind::init_code_too_large;
        case TransactionError::priority_fee_above_max_fee:
            return FailureKind::invalid;
        default:
            return FailureKind::internal;
    }
}

/// What stands in the block's body, and its root.
Hash unsigned_transactions_root(const std::vector<Transaction>& transactions) {
    std::vector<Bytes> encoded(transactions.size());
    for (std::size_t i = 0; i < transactions.size(); ++i)
        encode_unsigned(transactions[i], encoded[i]);
    return ordered_root(encoded);
}

std::size_t encoded_size(const Block& block) {
    Bytes out;
    encode_header(block.header, out);
    const std::size_t transactions = out.size();
    for (const Transaction& tx : block.transactions)
        encode_unsigned_item(tx, out);
    rlp::wrap_list(transactions, out);
    rlp::encode_list_header(0, out);  // ommers
    if (block.withdrawals) {
        const std::size_t withdrawals = out.size();
        for (const Withdrawal& withdrawal : *block.withdrawals)
            encode_withdrawal(withdrawal, out);
        rlp::wrap_list(withdrawals, out);
    }
    rlp::wrap_list(0, out);
    return out.size();
}

/// What counted for execution and is no part of a transaction of this type is not in the block.
void drop_foreign_members(Transaction& tx) {
    if (tx.type == TransactionType::legacy) tx.access_list.clear();
    if (tx.type != TransactionType::blob) tx.blob_versioned_hashes.clear();
    if (tx.type != TransactionType::set_code) tx.authorization_list.clear();
}

/// A block that breaks a rule, as where a system call fails, is what the caller made it.
void take(const std::expected<void, BlockError>& result) {
    if (!result.has_value()) throw Failure(FailureKind::refused, to_string(result.error()));
}

template <typename T, typename Error>
T take(std::expected<T, Error> result) {
    if (!result.has_value()) throw Failure(FailureKind::internal, to_string(result.error()));
    return *std::move(result);
}

}  // namespace

/// Hashes of the simulated blocks, and below them those of the chain.
class Simulator::Hashes final : public BlockHashes {
public:
    Hashes(const Chain& chain, const ledger::StoredHeader& base) : chain_(chain), base_(base) {}

    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        const std::uint64_t base = base_.header.number;
        if (number > base) {
            const std::uint64_t index = number - base - 1;
            return index < simulated_.size() ? simulated_[index] : Hash{};
        }
        if (number == base) return base_.hash;
        return CallBlockHashes(chain_, base).block_hash(number);
    }
    void add(const Hash& hash) { simulated_.push_back(hash); }

private:
    const Chain& chain_;
    const ledger::StoredHeader& base_;
    std::vector<Hash> simulated_;
};

/// A block under construction.
struct Simulator::Progress {
    SimulatedBlock result;
    BlockEnv env;
    vm::PrecompileTable precompiles;
    vm::BlockExecution execution;
    bool is_gas_capped = false;  // of the last call: it would have had more in this block
};

Simulator::Simulator(Chain& chain, SelectedState base, const Options& options,
                     const Deadline& deadline)
    : chain_(chain),
      base_(std::move(base)),
      options_(options),
      deadline_(deadline),
      tries_(chain, base_.block.header.header.number,
             [deadline] { return !deadline.has_passed(); }),
      gas_left_(options.gas_cap),
      tracer_(options.trace_transfers, deadline, options.most_text),
      evm_(make_evm(chain, tracer_)),
      state_(*base_.state),
      hashes_(std::make_unique<Hashes>(chain, base_.block.header)) {}

Simulator::~Simulator() = default;

Uint256 Simulator::total_difficulty(std::uint64_t number, std::uint64_t timestamp) const {
    const Uint256& known = base_.block.header.total_difficulty;
    const ChainConfig& config = chain_.config();
    const auto has_come = [](const std::optional<std::uint64_t>& fork, std::uint64_t at) {
        return fork.has_value() && *fork <= at;
    };
    const bool is_after =
        has_come(config.london_block, number) && (has_come(config.merge_netsplit_block, number) ||
                                                  has_come(config.shanghai_time, timestamp));
    return is_after ? std::max(known, config.terminal_total_difficulty.value_or(known)) : known;
}

BlockHeader Simulator::make_header(const BlockOverrides& overrides) const {
    const ledger::StoredHeader& base = base_.block.header;
    const BlockHeader& parent = last_ ? last_->block.header : base.header;
    const Uint256 total = total_difficulty(overrides.number->low64(), *overrides.time);
    BlockHeader header =
        vm::next_header({parent, last_ ? last_->hash : base.hash, total},
                        {.timestamp = *overrides.time,
                         .gas_limit = overrides.gas_limit.value_or(parent.gas_limit),
                         .beneficiary = overrides.fee_recipient.value_or(parent.beneficiary),
                         .prev_randao = overrides.prev_randao.value_or(Hash{}),
                         .parent_beacon_block_root = overrides.beacon_root.value_or(Hash{})},
                        chain_.config());
    HEDDLE_ASSERT(header.number == overrides.number->low64());
    if (!vm::is_merged(header, total, chain_.config()))
        header.difficulty = overrides.difficulty.value_or(parent.difficulty);
    // Without validation a call pays nothing and must not fall below the base fee.
    if (header.base_fee_per_gas.has_value() && !options_.validation)
        header.base_fee_per_gas = Uint256{};
    if (overrides.base_fee_per_gas) header.base_fee_per_gas = overrides.base_fee_per_gas;
    return header;
}

BlockEnv Simulator::make_env(const BlockHeader& header, const BlockOverrides& overrides) const {
    const bool is_merged =
        vm::is_merged(header, total_difficulty(header.number, header.timestamp), chain_.config());
    BlockEnv env = vm::make_block_env(header, chain_.config(), is_merged);
    if (overrides.blob_base_fee) env.blob_base_fee = *overrides.blob_base_fee;
    env.strict_access_lists = env.strict_access_lists && options_.validation;
    return env;
}

const SimulatedBlock& Simulator::add(const BlockCalls& wanted) {
    deadline_.check();
    Progress progress;
    BlockHeader& header = progress.result.block.header;
    header = make_header(wanted.block);
    progress.env = make_env(header, wanted.block);
    progress.precompiles = vm::make_precompile_table(progress.env.revision);
    state_.apply(apply(wanted.state, state_, progress.precompiles));
    evm_.use_precompiles(&progress.precompiles);
    tracer_.start_transaction();
    auto begun = progress.execution.begin({.header = header,
                                           .env = progress.env,
                                           .config = chain_.config(),
                                           .block_hashes = *hashes_,
                                           .bounds_access_list = false,
                                           .state_root = [this] { return state_root(); }},
                                          state_, evm_);
    deadline_.check();  // a system call that was stopped is no failure of the block's
    take(begun);
    tracer_.start_block();
    for (const CallRequest& call : wanted.calls)
        execute(call, progress);
    finish(wanted.block, progress);
    evm_.use_precompiles(nullptr);
    last_ = std::move(progress.result);
    hashes_->add(last_->hash);
    return *last_;
}

CallTransaction Simulator::next_transaction(CallRequest request, Progress& progress) const {
    if (!request.nonce) request.nonce = state_.account(request.sender()).value_or(Account{}).nonce;
    const vm::BlockGas left = progress.execution.left();
    // Without validation all gas of a call is for execution, and must have room there.
    const std::uint64_t remaining =
        options_.validation ? left.most(progress.env.revision) : std::min(left.gas, left.state_gas);
    if (!request.gas) request.gas = remaining;
    if (*request.gas > remaining)
        throw Failure(FailureKind::block_gas_limit,
                      fmt::format("block gas limit reached: remaining: {}, required: {}", remaining,
                                  *request.gas));
    progress.is_gas_capped = *request.gas > gas_left_;
    fill_defaults(request, gas_left_, progress.result.block.header.base_fee_per_gas.has_value(),
                  progress.env.chain_id);
    return to_transaction(request);
}

void Simulator::execute(const CallRequest& request, Progress& progress) {
    deadline_.check();
    CallTransaction tx = next_transaction(request, progress);
    const BlockEnv& env = progress.env;
    const vm::CallChecks checks{.nonce = options_.validation,
                                .zero_prices = options_.validation,
                                .execution_cap = options_.validation,
                                .poor_have_blobs = !options_.validation,
                                .lists = tx.lists};
    const auto valid = vm::validate_call(tx, state_, env, checks);
    if (!valid)
        throw Failure(
            kind_of(valid.error()),
            fmt::format("err: {} (supplied gas {})",
                        rejection_text(valid.error(), tx, state_, env, tx.lists), tx.gas_limit));
    tracer_.start_transaction();
    vm::transition(state_, *hashes_, env, *valid, evm_, outcome_);
    deadline_.note_gas(outcome_.executed_gas);
    if (tracer_.has_too_much()) throw TooLarge{};
    deadline_.check();  // where it was stopped, that has passed

    gas_left_ -= outcome_.receipt.gas_used;
    progress.result.calls.push_back(describe(outcome_, tx, progress));
    results_text_ += text_bytes(progress.result.calls.back());
    if (options_.most_text != 0 && results_text_ + tracer_.text_bytes() > options_.most_text)
        throw TooLarge{};
    progress.execution.keep(outcome_);
    progress.result.transaction_hashes.push_back(unsigned_hash(tx));
    drop_foreign_members(tx);
    progress.result.block.transactions.push_back(std::move(tx));
}

std::string Simulator::halt_text(vm::Status status, const Transaction& tx,
                                 const Progress& progress) const {
    std::uint32_t precompile = 0;
    if (tx.to)
        if (const auto entry = progress.precompiles.find(*tx.to);
            entry != progress.precompiles.end())
            precompile = entry->second;
    std::string text = tracer_.text(status, precompile, tx);
    if (progress.is_gas_capped)
        text += " (gas limit was capped by the RPC server's global gas cap)";
    return text;
}

SimulatedCall Simulator::describe(const vm::Outcome& outcome, const Transaction& tx,
                                  const Progress& progress) {
    SimulatedCall call;
    call.logs = tracer_.take_logs();
    call.gas_used = outcome.receipt.gas_used;
    call.peak_gas = outcome.peak_gas;
    if (outcome.status == vm::Status::success)
        call.return_data = outcome.output;
    else if (outcome.status == vm::Status::revert)
        call.error = {FailureKind::reverted, revert_text(outcome.output), outcome.output};
    else
        call.error = {FailureKind::halted, halt_text(outcome.status, tx, progress), std::nullopt};
    return call;
}

void Simulator::finish(const BlockOverrides& overrides, Progress& progress) {
    Block& block = progress.result.block;
    BlockHeader& header = block.header;
    if (header.withdrawals_root.has_value())
        block.withdrawals = overrides.withdrawals.value_or(std::vector<Withdrawal>{});
    tracer_.start_transaction();
    auto ended = progress.execution.end(vm::ending_of(block, progress.env.revision), evm_);
    deadline_.check();
    take(ended);
    const vm::BlockResult& result = progress.execution.result();
    vm::fill(header, result, vm::receipts_root(result.receipts));
    vm::fill_body(block);
    // What stands in the block is not signed.
    header.transactions_root = unsigned_transactions_root(block.transactions);
    header.state_root = state_root();
    progress.result.hash = header_hash(header);
    progress.result.size_bytes = encoded_size(block);
}

Hash Simulator::state_root() {
    deadline_.check();
    OverlayState copy = state_;
    auto root = tries_.root_with(copy.take_diff());
    if (!root.has_value()) deadline_.check();
    return take(std::move(root));
}

}  // namespace heddle::node::simulation
