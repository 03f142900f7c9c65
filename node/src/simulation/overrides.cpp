// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/overrides.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "formats/strict_hex.hpp"
#include "simulation/failure.hpp"

namespace heddle::node::simulation {
namespace {

template <typename T, typename Convert>
void read(const JsonView& json, std::string_view key, std::optional<T>& out, Convert convert) {
    if (const auto value = json.find(key)) out = convert(*value);
}

Address parse_address(const JsonView& json) {
    return to_address(json);
}

std::vector<StorageChange> parse_storage(const JsonView& json) {
    if (!json.is_object()) json.fail("expected an object of slots");
    std::map<Uint256, Uint256> slots;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const auto [key, value] = json.member(i);
        const auto slot = hash_from_hex(key);
        if (!slot) value.fail("expected a slot of 32 bytes as the name");
        slots.insert_or_assign(to_word(*slot), to_word(to_hash32(value)));
    }
    std::vector<StorageChange> changes;
    changes.reserve(slots.size());
    for (const auto& [slot, value] : slots)
        changes.push_back({slot, value});
    return changes;
}

AccountOverride parse_account(const JsonView& json) {
    AccountOverride account;
    if (json.is_null()) return account;  // as for whoever overrides nothing
    read(json, "nonce", account.nonce, to_uint64);
    read(json, "balance", account.balance, to_uint256);
    read(json, "code", account.code, to_bytes);
    read(json, "state", account.state, parse_storage);
    read(json, "stateDiff", account.state_diff, parse_storage);
    read(json, "movePrecompileToAddress", account.move_precompile_to, parse_address);
    return account;
}

std::vector<Withdrawal> parse_override_withdrawals(const JsonView& json) {
    if (!json.is_array()) json.fail("expected a list");
    // What is left out is zero, as for geth.
    const auto number = [](const std::optional<JsonView>& value) {
        return value ? to_uint64(*value) : 0;
    };
    std::vector<Withdrawal> withdrawals;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonView item = json.element(i);
        const auto address = item.find("address");
        withdrawals.push_back({number(item.find("index")), number(item.find("validatorIndex")),
                               address ? parse_address(*address) : Address{},
                               number(item.find("amount"))});
    }
    return withdrawals;
}

/// Moves precompiled contracts about and remembers where they went.
class PrecompileMoves {
public:
    PrecompileMoves(const StateOverrides& overrides, vm::PrecompileTable& table)
        : overrides_(overrides), table_(table) {}

    /// To be called for each overridden account in turn.
    void visit(const Address& address, const AccountOverride& account) {
        if (destinations_.contains(address))
            fail("account {} has already been overridden by a precompile", address);
        const auto found = table_.find(address);
        const bool is_precompile = found != table_.end();
        if (account.move_precompile_to) {
            const Address& destination = *account.move_precompile_to;
            if (!is_precompile) fail("account {} is not a precompile", address);
            if (overrides_.contains(destination))
                fail("account {} is already overridden", destination);
            table_.insert_or_assign(destination, std::uint32_t{found->second});
            destinations_.insert(destination);
        }
        if (is_precompile) table_.erase(address);
    }

private:
    [[noreturn]] static void fail(fmt::format_string<std::string> format, const Address& address) {
        throw Failure(FailureKind::refused, fmt::format(format, to_checksum_string(address)));
    }

    const StateOverrides& overrides_;
    vm::PrecompileTable& table_;
    std::set<Address> destinations_;
};

/// @return nullopt: nothing of the account is another.
std::optional<AccountChange> change_of(const Address& address, const AccountOverride& wanted,
                                       const StateView& state, StateDiff& diff) {
    if (wanted.state && wanted.state_diff)
        throw Failure(FailureKind::refused,
                      fmt::format("account {} has both 'state' and 'stateDiff'",
                                  to_checksum_string(address)));
    if (!wanted.nonce && !wanted.balance && !wanted.code && !wanted.state &&
        (!wanted.state_diff || wanted.state_diff->empty()))
        return std::nullopt;
    AccountChange change;
    change.address = address;
    Account account = state.account(address).value_or(Account{});
    if (wanted.nonce) account.nonce = *wanted.nonce;
    if (wanted.balance) account.balance = *wanted.balance;
    if (wanted.code) {
        account.code_hash = keccak256(*wanted.code);
        if (!wanted.code->empty()) diff.codes.push_back({account.code_hash, *wanted.code});
    }
    change.account = account;
    change.storage_cleared = wanted.state.has_value();
    if (wanted.state) change.storage = *wanted.state;
    if (wanted.state_diff) change.storage = *wanted.state_diff;
    return change;
}

}  // namespace

StateOverrides parse_state_overrides(const JsonView& json) {
    if (!json.is_object()) json.fail("expected an object of accounts");
    StateOverrides overrides;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const auto [key, value] = json.member(i);
        overrides.insert_or_assign(to_address(key), parse_account(value));
    }
    return overrides;
}

StateDiff apply(const StateOverrides& overrides, const StateView& state,
                vm::PrecompileTable& precompiles) {
    StateDiff diff;
    PrecompileMoves moves(overrides, precompiles);
    for (const auto& [address, account] : overrides) {
        moves.visit(address, account);
        if (auto change = change_of(address, account, state, diff))
            diff.accounts.push_back(*std::move(change));
    }
    return diff;
}

BlockOverrides parse_block_overrides(const JsonView& json) {
    if (!json.is_object()) json.fail("expected an object");
    BlockOverrides overrides;
    read(json, "number", overrides.number, to_uint256);
    read(json, "difficulty", overrides.difficulty, to_uint256);
    read(json, "time", overrides.time, to_uint64);
    read(json, "gasLimit", overrides.gas_limit, to_uint64);
    read(json, "feeRecipient", overrides.fee_recipient, parse_address);
    read(json, "prevRandao", overrides.prev_randao, to_hash32);
    read(json, "baseFeePerGas", overrides.base_fee_per_gas, to_uint256);
    read(json, "blobBaseFee", overrides.blob_base_fee, to_uint256);
    read(json, "beaconRoot", overrides.beacon_root, to_hash32);
    read(json, "withdrawals", overrides.withdrawals, parse_override_withdrawals);
    return overrides;
}

Revision held_to_number(const ChainConfig& config, const BlockEnv& env) {
    const bool has_london = config.london_block.has_value() && env.number >= *config.london_block;
    if (has_london || env.revision < Revision::paris) return env.revision;
    return config.revision(env.number, env.timestamp, false);
}

void apply(const BlockOverrides& overrides, const ChainConfig& config, BlockEnv& env) {
    const bool is_merged = env.revision >= Revision::paris;
    if (overrides.beacon_root)
        throw Failure(FailureKind::refused,
                      "block override \"beaconRoot\" is not supported for this RPC method");
    if (overrides.withdrawals)
        throw Failure(FailureKind::refused,
                      "block override \"withdrawals\" is not supported for this RPC method");
    if (overrides.number) {
        if (!overrides.number->fits_uint64())
            throw Failure(FailureKind::refused, "block number is beyond 64 bits");
        env.number = overrides.number->low64();
    }
    if (overrides.difficulty && !is_merged) env.difficulty = *overrides.difficulty;
    if (overrides.time) env.timestamp = *overrides.time;
    // As for geth: who gives randomness means a block that has it.
    if (overrides.number || overrides.time || overrides.prev_randao)
        env.revision = config.revision(env.number, env.timestamp,
                                       is_merged || overrides.prev_randao.has_value());
    env.revision = held_to_number(config, env);
    if (overrides.gas_limit) env.gas_limit = *overrides.gas_limit;
    if (overrides.fee_recipient) env.beneficiary = *overrides.fee_recipient;
    if (overrides.prev_randao) env.prev_randao = *overrides.prev_randao;
    if (overrides.base_fee_per_gas) env.base_fee_per_gas = *overrides.base_fee_per_gas;
    if (overrides.blob_base_fee) env.blob_base_fee = *overrides.blob_base_fee;
}

}  // namespace heddle::node::simulation
