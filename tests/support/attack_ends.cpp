// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <iterator>

#include <types/assert.hpp>
#include <types/hash.hpp>
#include <types/signing.hpp>

#include "adversarial_programs.hpp"
#include "attack_parts.hpp"
#include "code.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

Address heir_at(std::uint64_t i) {
    return address_from_low64(0xe4d'0000 + i);
}
/// About 640,000 gas the first time, 300,000 from then on: anywhere in a program.
Bytecode long_work() {
    return 4 * drop(push(400'000) + push(0) + OP_KECCAK256);
}
Bytes delegation_to(const Address& target) {
    Bytes code(std::begin(kDelegationPrefix), std::end(kDelegationPrefix));
    code.insert(code.end(), target.bytes.begin(), target.bytes.end());
    return code;
}

/// Nobody burns anything: each works for long, and with its last gas counts up what all count up.
Attack honest_until_the_end() {
    return on_one(count_down(20'000) + sstore(0, push(1) + sload(0) + OP_ADD));
}

/// The same, and at last each notes what the beneficiary of all fees has by then.
Attack fees_at_last() {
    Attack attack = on_one(count_down() + Bytecode{OP_COINBASE} + OP_BALANCE + arg(0) + OP_SSTORE);
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.max_priority_fee_per_gas = Uint256{i % 3};
        tx.data = words({Uint256{i}});
    };
    return attack;
}

/// Accounts that are there and empty: the first who touches one removes it (EIP-161), after long
/// work; the next one comes to it, too.
Attack on_empty_accounts() {
    constexpr std::uint64_t kAccounts = 512;
    const auto touch = [](unsigned i) {
        return arg(i) + OP_EXTCODEHASH + OP_POP + drop(CallCode{.to = arg(i)}) + arg(i) +
               OP_BALANCE + OP_POP;
    };
    Attack attack = on_one(count_down() + touch(0) + touch(1));
    for (std::uint64_t i = 0; i < kAccounts; ++i)
        attack.contracts.push_back({heir_at(i), 0, 0, {}, {}});
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({to_word(heir_at(i % kAccounts)), to_word(heir_at((i + 1) % kAccounts))});
    };
    return attack;
}

/// Accounts that run a code which creates (EIP-7702): whoever calls one changes its nonce at the
/// end of long work, without which its own transaction, the next one, is not valid.
Attack on_a_senders_nonce() {
    constexpr std::uint64_t kAccounts = 8;
    Attack attack;
    attack.contracts.push_back(
        contract(victim_at(0), count_down() + drop(push(0) + push(0) + push(0) + OP_CREATE)));
    attack.contracts.push_back(contract(victim_at(1), count_down()));
    for (std::uint64_t i = 0; i < kAccounts; ++i)
        attack.contracts.push_back(
            {heir_at(i), 1, Uint256{1} << 90, delegation_to(victim_at(0)), {}});
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        const Address account = heir_at(i / 2 % kAccounts);
        tx.to = i % 2 == 0 ? account : victim_at(1);
        if (i % 2 == 0) return;
        tx.sender = account;
        tx.nonce = 2 + 2 * (i / (2 * kAccounts));
    };
    return attack;
}

/// What is looked at is the balance of a precompiled contract, which each step pays.
Attack on_a_precompiles_balance() {
    const Bytecode precompile = push(2);
    Attack attack;
    attack.contracts.push_back(
        contract(victim_at(0),
                 good_or_burn(precompile + OP_BALANCE + arg(0) + OP_EQ,
                              drop(CallCode{.to = precompile, .value = push(1)}), burns()[1].code),
                 1'000'000));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({i});
    };
    return attack;
}

/// Two accounts that delegate to each other and to a code in turn, in each transaction anew. Out of
/// order their authorizations are worth nothing, and they have another code than is looked for.
Attack on_a_circle_of_delegations() {
    const Hash secrets[] = {to_hash(Uint256{0xc14c1e}), to_hash(Uint256{0xc14c1f})};
    const Address accounts[] = {*address_from_secret(secrets[0]), *address_from_secret(secrets[1])};
    const Bytecode calls = drop(CallCode{.to = push(accounts[0]), .gas = push(50'000)}) +
                           drop(CallCode{.to = push(accounts[1]), .gas = push(50'000)});
    Attack attack;
    attack.contracts.push_back(contract(
        victim_at(0), good_or_burn(push(accounts[0]) + Bytecode{OP_EXTCODEHASH} + arg(0) + OP_EQ,
                                   calls, burns()[0].code)));
    attack.contracts.push_back(contract(victim_at(1), add_to_slot(push(0), push(1))));
    attack.fill = [secrets = std::array{secrets[0], secrets[1]},
                   accounts = std::array{accounts[0], accounts[1]}](Transaction& tx,
                                                                    std::uint64_t i) {
        const bool is_circle = i % 2 == 0;
        tx.to = victim_at(0);
        tx.data =
            words({to_word(keccak256(delegation_to(is_circle ? accounts[1] : victim_at(1))))});
        tx.type = TransactionType::set_code;
        for (std::size_t j = 0; j < 2; ++j) {
            Authorization& authorization = tx.authorization_list.emplace_back();
            authorization.chain_id = *tx.chain_id;
            authorization.address = is_circle ? accounts[1 - j] : victim_at(1);
            authorization.nonce = i;
            HEDDLE_ASSERT(sign_authorization(authorization, secrets[j]));
        }
    };
    return attack;
}

/// Contracts that each call the next one; the last of them steps or burns.
Attack down_a_chain() {
    constexpr std::uint64_t kLinks = 250;
    Attack attack;
    for (std::uint64_t i = 0; i < kLinks; ++i)
        attack.contracts.push_back(
            contract(victim_at(i),
                     mstore(0, arg(0)) + CallCode{.to = push(victim_at(i + 1)), .input_size = 32}));
    attack.contracts.push_back(contract(victim_at(kLinks), step_or_burn(burns()[0].code)));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({i});
    };
    return attack;
}

/// Of each forty, the first and the last take long, and the last one depends on the first; between
/// them are transfers.
Attack at_both_ends() {
    constexpr std::uint64_t kPeriod = 40;
    Attack attack;
    attack.contracts.push_back(contract(
        victim_at(0), when(arg(1), long_work() + sstore(0, arg(0)) + OP_STOP) +
                          good_or_burn(sload(0) + arg(0) + OP_EQ, OP_STOP, burns()[0].code)));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        const std::uint64_t at = i % kPeriod;
        tx.to = victim_at(0);
        tx.data = words({i / kPeriod + 1, at == 0 ? 1 : 0});
        if (at == 0 || at + 1 == kPeriod) return;
        tx.to = heir_at(i);
        tx.data.clear();
        tx.value = 1;
        tx.gas_limit = 21'000;
    };
    return attack;
}

/// Each works for long, and then looks at what withdrawals have left to the contract itself.
Attack on_a_contracts_withdrawals() {
    constexpr std::uint64_t kGwei = 1'000'000'000;
    const Bytecode due = push(2 * kGwei) + push(1) + OP_NUMBER + OP_SUB + OP_MUL;
    Attack attack =
        on_one(good_or_burn(count_down() + due + OP_SELFBALANCE + OP_EQ, OP_STOP, burns()[0].code));
    for (std::uint64_t i = 0; i < 2; ++i)
        attack.withdrawals.push_back({i, i, victim_at(0), 1});
    return attack;
}

}  // namespace

NamedAttacks end_attacks() {
    return {{"honest until the end", honest_until_the_end},
            {"fees at last", fees_at_last},
            {"empty accounts", on_empty_accounts},
            {"sender's nonce", on_a_senders_nonce},
            {"precompile's balance", on_a_precompiles_balance},
            {"circle of delegations", on_a_circle_of_delegations},
            {"down a chain", down_a_chain},
            {"both ends", at_both_ends},
            {"contract's withdrawals", on_a_contracts_withdrawals}};
}

}  // namespace heddle::test
