// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/call_error.hpp"

#include <fmt/format.h>

#include <types/transaction_error_names.hpp>
#include <vm/limits.hpp>
#include <vm/opcode.hpp>
#include <vm/validate.hpp>

#include "formats/json_writer.hpp"
#include "formats/revert_reason.hpp"
#include "simulation/failure.hpp"
#include "tracing/failure_texts.hpp"
#include "tracing/precompile_texts.hpp"

namespace heddle::node::simulation {
namespace {

/// What the sender would have to own.
std::string funds_text(const Transaction& tx, const std::string& address, const Account& sender) {
    const std::string_view text = geth_text(TransactionError::insufficient_funds);
    const auto cost = vm::upfront_cost(tx);
    if (!cost)
        return fmt::format("{}: address {} required balance exceeds 256 bits", text, address);
    return fmt::format("{}: address {} have {} want {}", text, address, to_decimal(sender.balance),
                       to_decimal(*cost));
}

std::string blob_version_text(const Transaction& tx) {
    std::size_t index = 0;
    while (index + 1 < tx.blob_versioned_hashes.size() &&
           tx.blob_versioned_hashes[index].bytes[0] == 1)
        ++index;
    return fmt::format("blob {} has invalid hash version", index);
}

/// With the first list of a call that its fork does not know.
std::string type_text(const Transaction& tx, Revision revision, const std::string& address,
                      const vm::CallLists& lists) {
    const vm::CallLists own = vm::lists_of(tx);
    const auto is_unknown = [&](TransactionType type, bool has_list) {
        return has_list && revision < vm::first_revision(type);
    };
    const std::string_view text = geth_text(TransactionError::type_not_supported);
    const auto naming = [&](std::string_view type) {
        return fmt::format("{}: {} tx (sender {})", text, type, address);
    };
    using Type = TransactionType;
    if (is_unknown(Type::access_list, own.access_list || lists.access_list))
        return naming("access list");
    if (is_unknown(Type::blob, own.blobs || lists.blobs || lists.blob_price)) return naming("blob");
    if (is_unknown(Type::set_code, own.authorizations || lists.authorizations))
        return naming("setcode");
    return std::string(text);
}

/// Who signs for no chain, as everybody did before EIP-155, takes the chain's mark for a signature
/// that cannot be.
std::string chain_id_text(const Transaction& tx, const BlockEnv& env) {
    if (env.revision < Revision::spurious_dragon || !tx.chain_id)
        return std::string(geth_text(TransactionError::invalid_signature));
    return fmt::format("{}: have {} want {}", geth_text(TransactionError::chain_id_mismatch),
                       *tx.chain_id, env.chain_id);
}

}  // namespace

std::string revert_text(BytesView data) {
    const auto reason = revert_reason(data);
    return reason ? "execution reverted: " + *reason : "execution reverted";
}

Failure revert_error(BytesView data) {
    return {FailureKind::reverted, revert_text(data), Bytes(data.begin(), data.end())};
}

std::string rejection_text(TransactionError error, const Transaction& tx, const StateView& state,
                           const BlockEnv& env, const vm::CallLists& lists) {
    const std::string address = to_checksum_string(tx.sender.value_or(Address{}));
    const Account sender = state.account(tx.sender.value_or(Address{})).value_or(Account{});
    const vm::IntrinsicGas intrinsic = vm::intrinsic_gas(tx, env.revision);
    const std::string_view text = geth_text(error);
    switch (error) {
        case TransactionError::nonce_too_low:
        case TransactionError::nonce_too_high:
            return fmt::format("{}: address {}, tx: {} state: {}", text, address, tx.nonce,
                               sender.nonce);
        case TransactionError::nonce_overflow:
            return fmt::format("{}: address {}, nonce: {}", text, address, sender.nonce);
        case TransactionError::priority_fee_above_max_fee:
            return fmt::format("{}: address {}, maxPriorityFeePerGas: {}, maxFeePerGas: {}", text,
                               address, to_decimal(tx.max_priority_fee_per_gas),
                               to_decimal(tx.max_fee_per_gas));
        case TransactionError::max_fee_below_base_fee:
            return fmt::format("{}: address {}, maxFeePerGas: {}, baseFee: {}", text, address,
                               to_decimal(tx.max_fee_per_gas), to_decimal(env.base_fee_per_gas));
        case TransactionError::gas_price_overflow:
        case TransactionError::insufficient_funds:
            return funds_text(tx, address, sender);
        case TransactionError::intrinsic_gas_too_low:
            return fmt::format("{}: have {}, want {}", text, tx.gas_limit, intrinsic.gas);
        case TransactionError::gas_below_floor:
            return fmt::format("{}: have {}, want {}", text, tx.gas_limit, intrinsic.floor);
        case TransactionError::init_code_too_large:
            return fmt::format("{}: code size {} limit {}", text, tx.data.size(),
                               vm::limits(env.revision).max_init_code_bytes);
        case TransactionError::chain_id_mismatch:
            return chain_id_text(tx, env);
        case TransactionError::sender_not_eoa:
            return fmt::format("{}: address {}, len(code): {}", text, address,
                               state.code(sender.code_hash).size());
        case TransactionError::gas_limit_above_maximum:
            return fmt::format("{} (cap: {}, tx: {})", text,
                               vm::limits(env.revision).max_transaction_gas, tx.gas_limit);
        case TransactionError::intrinsic_gas_too_high:
            // geth has one error for this and a gas limit below the floor.
            return fmt::format("{}: intrinsic cost {}, floor: {}",
                               geth_text(TransactionError::gas_below_floor), intrinsic.gas,
                               intrinsic.floor);
        case TransactionError::type_not_supported:
            return type_text(tx, env.revision, address, lists);
        case TransactionError::blob_version_unknown:
            return blob_version_text(tx);
        case TransactionError::blob_fee_too_low:
            return fmt::format("{}: address {} blobGasFeeCap: {}, blobBaseFee: {}", text, address,
                               to_decimal(tx.max_fee_per_blob_gas), to_decimal(env.blob_base_fee));
        case TransactionError::set_code_creation:
        case TransactionError::authorization_list_empty:
            return fmt::format("{} (sender {})", text, address);
        default:
            return std::string(text);
    }
}

const vm::OpcodeSet& HaltTracer::sized_steps() noexcept {
    static const vm::OpcodeSet sized = vm::OpcodeSet{}.set(vm::OP_RETURN);
    return sized;
}

void HaltTracer::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    if (step.depth != 1) return;
    revision_ = step.revision;
    halt_ = failure_text(step, failure);
    const std::size_t size = step.stack.size();
    if (step.opcode == vm::OP_RETURN && size >= 2) code_size_ = step.stack[size - 2];
}

std::string HaltTracer::text(vm::Status status, std::uint32_t precompile,
                             const Transaction& tx) const {
    switch (status) {
        case vm::Status::code_size_exceeded:
            return fmt::format("max code size exceeded: code size {} limit {}",
                               to_decimal(code_size_), vm::limits(revision_).max_code_bytes);
        case vm::Status::precompile_failure:
            return precompile_text(precompile, tx.data);
        default:
            return halt_.empty() ? std::string(vm::to_string(status)) : halt_;
    }
}

}  // namespace heddle::node::simulation
