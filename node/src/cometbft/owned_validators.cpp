// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/owned_validators.hpp"

#include <string_view>
#include <utility>

#include <types/assert.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include "cometbft/validator_contract.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::cometbft::Validator;

// Slot 0 is the owner, slot 1 how many entries there are; entry i has its key in slot 2 + 2i and
// its power in the next. Each line is explained above it: @name is PUSH2 of where it is, a number
// in hex is pushed, after the semicolon is what then lies on the stack (n entries, i the one it is
// at, s its slot, p and q places in memory) or what was done. A name alone is the selector of that
// function, `event` the topic of ValidatorSet(bytes32,uint64).
constexpr std::string_view kCode =
    // CALLVALUE @fail JUMPI ; takes no ether
    "3461003557"
    // PUSH0 CALLDATALOAD e0 SHR ; sel
    "5f3560e01c"
    // DUP1 validators EQ @validators JUMPI
    "8063ca1e78191461003957"
    // DUP1 set EQ @set JUMPI
    "80639a0b35db1461008a57"
    // DUP1 owner EQ @owner JUMPI
    "80638da5cb5b1461012057"
    // transfer EQ @transfer JUMPI
    "63f2fde38b1461012957"
    // fail: PUSH0 PUSH0 REVERT
    "5b5f5ffd"

    // validators: 01 SLOAD ; sel n
    "5b600154"
    // 40 PUSH0 MSTORE DUP1 40 MSTORE ; where the keys are; how many
    "60405f5280604052"
    // DUP1 05 SHL 60 ADD DUP1 20 MSTORE ; sel n p: where the powers are
    "8060051b60600180602052"
    // DUP2 DUP2 MSTORE 20 ADD PUSH0 ; sel n q i: how many; the first of them
    "8181526020015f"
    // next: DUP3 DUP2 LT ISZERO @done JUMPI
    "5b8281101561008357"
    // DUP1 01 SHL 02 ADD ; sel n q i s
    "8060011b600201"
    // DUP1 SLOAD DUP3 05 SHL 60 ADD MSTORE ; key
    "80548260051b60600152"
    // 01 ADD SLOAD DUP2 05 SHL DUP4 ADD MSTORE ; sel n q i: power
    "600101548160051b830152"
    // 01 ADD @next JUMP
    "60010161005756"
    // done: 05 SHL ADD PUSH0 RETURN
    "5b60051b015ff3"

    // set: 44 CALLDATASIZE LT @fail JUMPI
    "5b6044361061003557"
    // PUSH0 SLOAD CALLER XOR @fail JUMPI ; the owner only
    "5f54331861003557"
    // 04 CALLDATALOAD DUP1 ISZERO @fail JUMPI ; sel key: not zero
    "600435801561003557"
    // 24 CALLDATALOAD DUP1 28 SHR @fail JUMPI ; sel key power: below 2^40
    "6024358060281c61003557"
    // 01 SLOAD PUSH0 ; sel key power n i
    "6001545f"
    // find: DUP2 DUP2 LT ISZERO @append JUMPI
    "5b818110156100d357"
    // DUP1 01 SHL 02 ADD ; sel key power n i s
    "8060011b600201"
    // DUP1 SLOAD DUP6 EQ @store JUMPI
    "805485146100ef57"
    // POP 01 ADD @find JUMP
    "506001016100b356"
    // append: 03e8 DUP2 LT ISZERO @fail JUMPI ; at most 1,000
    "5b6103e881101561003557"
    // DUP1 01 ADD 01 SSTORE ; one more
    "80600101600155"
    // DUP1 01 SHL 02 ADD DUP5 DUP2 SSTORE ; sel key power n i s: key
    "8060011b600201848155"
    // store: DUP4 DUP2 01 ADD SSTORE ; power
    "5b838160010155"
    // DUP4 PUSH0 MSTORE DUP5 event 20 PUSH0 LOG2 STOP
    "835f52847f63d58295e3a45a079da8d1b52b42b846bbf037082675a03d52368c3420fee77060205f"
    "a200"

    // owner: PUSH0 SLOAD PUSH0 MSTORE 20 PUSH0 RETURN
    "5b5f545f5260205ff3"

    // transfer: 24 CALLDATASIZE LT @fail JUMPI
    "5b6024361061003557"
    // PUSH0 SLOAD CALLER XOR @fail JUMPI
    "5f54331861003557"
    // 04 CALLDATALOAD DUP1 a0 SHR @fail JUMPI ; an address
    "6004358060a01c61003557"
    // PUSH0 SSTORE STOP
    "5f5500";

Uint256 key_of(const Validator& validator) {
    HEDDLE_ASSERT(validator.ed25519_key.size() == 32);
    return load_be(validator.ed25519_key.data());
}

Uint256 power_of(const Validator& validator) {
    HEDDLE_ASSERT(validator.power >= 0);
    return Uint256{static_cast<std::uint64_t>(validator.power)};
}

}  // namespace

Bytes owned_validators_code() {
    auto code = from_hex(kCode);
    HEDDLE_ASSERT(code.has_value());
    return *std::move(code);
}

GenesisAccount owned_validators_account(const Address& address, const Address& owner,
                                        std::span<const Validator> validators) {
    HEDDLE_ASSERT(validators.size() <= kMaxValidators);
    GenesisAccount account;
    account.address = address;
    account.nonce = 1;  // as a contract that was deployed (EIP-161)
    account.code = owned_validators_code();
    std::uint64_t slot = 0;
    const auto store = [&](const Uint256& value) {
        if (!value.is_zero()) account.storage.emplace_back(Uint256{slot}, value);
        ++slot;
    };
    store(to_word(owner));
    store(Uint256{validators.size()});
    for (const Validator& validator : validators) {
        store(key_of(validator));
        store(power_of(validator));
    }
    return account;
}

}  // namespace heddle::node
