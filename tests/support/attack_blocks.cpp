// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/assert.hpp>
#include <types/hash.hpp>
#include <types/signing.hpp>
#include <vm/system_contracts.hpp>

#include "adversarial_contracts.hpp"
#include "adversarial_programs.hpp"
#include "attack_parts.hpp"
#include "code.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

Address heir_at(std::uint64_t i) {
    return address_from_low64(0x41e'0000 + i);
}

/// Each leaves a request (EIP-7002, 7251, 8282) and burns where the contract that keeps them has
/// not been paid for the one before. What it keeps is hot, and each block's end moves it.
/// @param bytes  Of a request.
Attack on_requests(const Address& keeper, std::uint64_t bytes) {
    const Uint256 fee = Uint256{1} << 60;  // which thousands of requests do not make too little
    const Bytecode request =
        drop(CallCode{.to = push(keeper), .value = push(fee), .input_size = bytes});
    Attack attack;
    attack.contracts.push_back(
        contract(victim_at(0),
                 good_or_burn(push(keeper) + Bytecode{OP_BALANCE} + arg(0) + OP_EQ, request,
                              burns()[1].code),
                 Uint256{1} << 90));
    attack.fill = [fee](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({fee * Uint256{i}});
    };
    return attack;
}

/// Asks for the hash of the block before, which is stored as its own block begins (EIP-2935).
Attack on_history() {
    const Bytecode ask =
        mstore(0, push(1) + OP_NUMBER + OP_SUB) + drop(CallCode{.to = push(kHistoryStorageAddress),
                                                                .input_size = 32,
                                                                .output_offset = 32,
                                                                .output_size = 32});
    return on_one(good_or_burn(ask + push(32) + OP_MLOAD, OP_STOP, burns()[1].code));
}

/// Each looks at what withdrawals have left, which the end of the block before has to have added.
Attack on_withdrawals() {
    constexpr std::uint64_t kGwei = 1'000'000'000;
    Attack attack = on_one(good_or_burn(push(3 * kGwei) + push(1) + OP_NUMBER + OP_SUB + OP_MUL +
                                            push(heir_at(0)) + OP_BALANCE + OP_EQ,
                                        OP_STOP, burns()[1].code));
    for (std::uint64_t i = 0; i < 3; ++i)
        attack.withdrawals.push_back({i, i, heir_at(0), 1});
    return attack;
}

/// Fees and withdrawals go to a contract that transactions make and destroy by turns, and others
/// look whether it is there.
Attack on_a_mortal_beneficiary() {
    const Address mortal = adversarial_child(1);
    Attack attack;
    attack.revision = Revision::shanghai;  // what was made before is destroyed, too
    attack.beneficiary = mortal;
    attack.withdrawals = {{0, 0, mortal, 1}, {1, 1, kFactory, 1}};
    attack.contracts.push_back(
        contract(victim_at(0),
                 good_or_burn(push(mortal) + Bytecode{OP_EXTCODESIZE} + OP_ISZERO + arg(0) + OP_EQ,
                              OP_STOP, burns()[1].code)));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        const bool looks = i % 2 == 1;
        const bool is_gone = i % 4 == 3;
        const std::uint64_t part = i % 4 == 0 ? 1 : 4;  // create, destroy
        tx.to = looks ? victim_at(0) : kFactory;
        tx.data = looks ? words({Uint256{is_gone ? 1U : 0U}})
                        : words({part, 1, 0, to_word(heir_at(0)), 0});
    };
    return attack;
}

Bytes delegation_to(const Address& target) {
    Bytes code(std::begin(kDelegationPrefix), std::end(kDelegationPrefix));
    code.insert(code.end(), target.bytes.begin(), target.bytes.end());
    return code;
}

/// What one account delegates to (EIP-7702) is set, cleared, and set to another one that delegates;
/// whoever comes in between calls it where it has the code that it should have.
Attack on_changing_delegations() {
    const Hash secret = to_hash(Uint256{0xde1e'9a7e});
    const Address authority = *address_from_secret(secret);
    const Address another = heir_at(1);
    Attack attack;
    attack.contracts.push_back(contract(
        victim_at(0), good_or_burn(push(authority) + Bytecode{OP_EXTCODEHASH} + arg(0) + OP_EQ,
                                   drop(CallCode{.to = push(authority), .gas = push(100'000)}),
                                   burns()[0].code)));
    attack.contracts.push_back(contract(victim_at(1), add_to_slot(push(0), push(1))));
    attack.contracts.push_back({another, 1, 0, delegation_to(victim_at(1)), {}});
    attack.fill = [secret, another](Transaction& tx, std::uint64_t i) {
        const std::uint64_t turn = i / 2;
        const Address targets[] = {victim_at(1), Address{}, another};
        const Address& target = targets[turn % 3];
        const Hash hash = target == Address{} ? kEmptyCodeHash : keccak256(delegation_to(target));
        tx.to = victim_at(0);
        tx.data = words({to_word(hash)});
        if (i % 2 == 1) return;
        tx.type = TransactionType::set_code;
        Authorization& authorization = tx.authorization_list.emplace_back();
        authorization.chain_id = *tx.chain_id;
        authorization.address = target;
        authorization.nonce = turn;
        HEDDLE_ASSERT(sign_authorization(authorization, secret));
    };
    return attack;
}

/// One takes long and writes at its end what all those behind it look for.
Attack behind_a_straggler() {
    constexpr std::uint64_t kPeriod = 40;
    const Bytecode work = 4 * drop(push(400'000) + push(0) + OP_KECCAK256);
    Attack attack = on_one(
        good_or_burn(when(arg(1), work + sstore(0, arg(0)) + OP_STOP) + sload(0) + arg(0) + OP_EQ,
                     OP_STOP, burns()[0].code));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({i / kPeriod + 1, i % kPeriod == 0 ? 1 : 0});
    };
    return attack;
}

}  // namespace

Attack transfers_in_a_ring() {
    constexpr std::uint64_t kMembers = 1'024;
    Attack attack;
    for (std::uint64_t i = 0; i < kMembers; ++i)
        attack.contracts.push_back({heir_at(i), 0, Uint256{1} << 90, {}, {}});
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.sender = heir_at(i % kMembers);
        tx.nonce = i / kMembers;
        tx.gas_limit = 21'000;
        tx.to = heir_at((i + 1) % kMembers);
        tx.value = 1;
    };
    return attack;
}

NamedAttacks block_attacks() {
    return {{"requests", [] { return on_requests(kWithdrawalRequestAddress, 56); }},
            {"consolidations", [] { return on_requests(kConsolidationRequestAddress, 96); }},
            {"exits of builders",
             [] {
                 Attack attack = on_requests(kBuilderExitAddress, 48);
                 attack.revision = Revision::amsterdam;
                 return attack;
             }},
            {"history", on_history},
            {"withdrawals", on_withdrawals},
            {"mortal beneficiary", on_a_mortal_beneficiary},
            {"changing delegations", on_changing_delegations},
            {"straggler", behind_a_straggler},
            {"ring", transfers_in_a_ring}};
}

}  // namespace heddle::test
