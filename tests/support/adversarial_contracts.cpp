// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_contracts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <types/signing.hpp>

#include "adversarial_programs.hpp"
#include "system_contracts.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

const Uint256 kEther{1'000'000'000'000'000'000};
/// Where the factory remembers its children: this plus the salt.
constexpr std::uint64_t kChildSlots = 1'000;

Bytecode counter() {
    return add_to_slot(arg(0), arg(1)) + when(arg(2), revert_range(0, 0));
}

Bytecode pool() {
    const Bytecode out = push(64) + OP_MLOAD;
    const Bytecode denominator = arg(0) + sload(0) + OP_ADD;
    const Bytecode numerator = arg(0) + sload(1) + OP_MUL;
    return mstore(64, denominator + numerator + OP_DIV) +
           when(arg(1) + out + OP_LT, revert_range(0, 0)) + sstore(0, arg(0) + sload(0) + OP_ADD) +
           sstore(1, out + sload(1) + OP_SUB) + add_to_slot(OP_CALLER, out) +
           add_to_slot(push(2), push(1)) + push(7) + push(32) + push(64) + numbered(OP_LOG0, 1) +
           when(arg(2), call_with(OP_CALLER, arg(2) + out + OP_MOD, {}) + OP_POP);
}

Bytecode maze() {
    const Bytecode value = sload(0);
    const auto modulo = [&](std::uint64_t by) { return push(by) + value + OP_MOD; };
    const Bytecode third = push(3) + value + OP_DIV;
    const Bytecode neighbour = push(7) + third + OP_AND + push(kFirstNeighbour) + OP_ADD;
    return add_to_slot(modulo(16) + push(16) + OP_ADD, push(1)) +
           when(modulo(2), add_to_slot(push(31) + third + OP_AND + push(64) + OP_ADD, arg(0))) +
           when(modulo(3) + OP_ISZERO, sstore(200, neighbour + OP_BALANCE)) +
           when(modulo(5) + OP_ISZERO,
                call_with(push(kCounter), push(0), {modulo(4), push(1)}) + OP_POP) +
           when(modulo(7) + OP_ISZERO, call_with(neighbour, push(1), {}) + OP_POP) +
           sstore(0, push(3) + value + OP_MUL + arg(0) + OP_ADD + push(1) + OP_ADD);
}

Bytecode payer() {
    const Bytecode half = push(2) + OP_ADDRESS + OP_BALANCE + OP_DIV;
    return when(Bytecode{OP_CALLDATASIZE} + OP_ISZERO, OP_STOP) +
           when(arg(1), add_to_slot(arg(0), call_with(arg(0), arg(1), {}))) +
           when(arg(1) + OP_ISZERO, add_to_slot(arg(0), call_with(arg(0), half, {})));
}

Bytecode watcher(Revision revision) {
    std::vector<Bytecode> seen = {arg(0) + OP_BALANCE, arg(0) + OP_EXTCODESIZE,
                                  OP_COINBASE + OP_BALANCE, OP_ADDRESS + OP_BALANCE};
    if (revision >= Revision::constantinople) seen.push_back(arg(0) + OP_EXTCODEHASH);
    if (revision >= Revision::istanbul) seen.emplace_back(OP_SELFBALANCE);
    Bytecode code;
    for (std::size_t i = 0; i < seen.size(); ++i)
        code += mstore(32 * i, seen[i]);
    code += push(seen.size() * 32) + push(0) + OP_LOG0;
    for (std::size_t i = 0; i < seen.size(); ++i)
        code += when(arg(1), sstore(i, push(32 * i) + OP_MLOAD));
    return code;
}

Bytecode bomb() {
    return add_to_slot(push(0), push(1)) + when(arg(1), Bytecode{OP_ADDRESS} + OP_SELFDESTRUCT) +
           when(arg(0), arg(0) + OP_SELFDESTRUCT);
}

/// Remembers when it was made and with how much, and is a bomb from then on.
Bytecode child_init() {
    return sstore(1, Bytecode{OP_NUMBER}) + sstore(2, OP_ADDRESS + OP_BALANCE) + deploy(bomb());
}

Bytecode factory(Revision revision) {
    const Bytecode init = child_init();
    const Bytecode slot = arg(1) + push(kChildSlots) + OP_ADD;
    const Bytecode child = slot + OP_SLOAD;
    const Bytecode make = revision >= Revision::constantinople
                              ? arg(1) + push(init.size()) + push(0) + arg(2) + OP_CREATE2
                              : push(init.size()) + push(0) + arg(2) + OP_CREATE;
    const Bytecode create_child =
        store_code(init) + make +
        when(numbered(OP_DUP1, 1), numbered(OP_DUP1, 1) + slot + OP_SSTORE) + OP_POP;
    const Bytecode call_child = add_to_slot(push(0), call_with(child, push(0), {}));
    const Bytecode destroy_child = call_with(child, push(0), {arg(3), arg(4)}) + OP_POP;
    const auto bit = [](std::uint64_t mask) { return push(mask) + arg(0) + OP_AND; };
    return when(bit(1), create_child) + when(bit(2), call_child) + when(bit(4), destroy_child) +
           when(bit(8), create_child) + when(bit(32), call_child) +
           when(bit(16), revert_range(0, 0));
}

Bytecode tree() {
    const Bytecode bit_set = push(1) + arg(1) + OP_AND;
    const Bytecode leaf = when(bit_set, revert_range(0, 0)) +
                          add_to_slot(push(7) + arg(1) + OP_AND, push(1)) + OP_STOP;
    const Bytecode less = push(1) + arg(0) + OP_SUB;
    const auto part = [](std::uint64_t by) { return push(by) + arg(1) + OP_DIV; };
    const auto branch = [&](std::uint64_t by) {
        return add_to_slot(push(200) + arg(0) + OP_ADD,
                           call_with(OP_ADDRESS, push(0), {less, part(by)}));
    };
    return when(arg(0) + OP_ISZERO, leaf) + add_to_slot(push(100) + arg(0) + OP_ADD, push(1)) +
           branch(2) + branch(3) + call_with(push(kCounter), push(0), {arg(0), push(1)}) + OP_POP +
           when(push(11) + arg(1) + OP_MOD + OP_ISZERO, revert_range(0, 0));
}

Bytecode sweeper() {
    return when(arg(0), call_with(arg(0), OP_ADDRESS + OP_BALANCE, {}) + OP_POP);
}

Bytecode clock() {
    const auto ask = [](const Address& contract, const Bytecode& word, std::uint64_t slot) {
        return mstore(0, word) +
               CallCode{.to = push(contract),
                        .gas = push(60'000),
                        .input_size = 32,
                        .output_offset = 32,
                        .output_size = 32} +
               OP_POP + sstore(slot, push(32) + OP_MLOAD);
    };
    const Bytecode before = push(1) + OP_NUMBER + OP_SUB;
    return sstore(0, before + OP_BLOCKHASH + sload(0) + OP_ADD) + sstore(1, arg(0) + OP_BLOCKHASH) +
           ask(kBeaconRootsAddress, arg(1), 2) + ask(kHistoryStorageAddress, before, 3);
}

Bytecode prober(Revision revision) {
    const auto log = [](const Bytecode& word) {
        return mstore(0, word) + push(32) + push(0) + OP_LOG0 + OP_STOP;
    };
    const Bytecode cost =
        OP_GAS + call_with(arg(0), push(1), {}) + OP_POP + OP_GAS + numbered(OP_SWAP1, 1) + OP_SUB;
    const Bytecode balance = when(push(2) + arg(1) + OP_EQ, log(arg(0) + OP_BALANCE));
    if (revision < Revision::constantinople) return balance + log(cost);
    return balance + when(arg(1), log(cost)) + log(arg(0) + OP_EXTCODEHASH);
}

Bytecode burner() {
    const Bytecode body = push(1) + OP_POP;
    // Back to the JUMPDEST: it, the body, the condition and PUSH1 lie before PC.
    const Bytecode condition = arg(0) + OP_GAS + OP_GT;
    const Bytecode loop = OP_JUMPDEST + body + condition;
    return add_to_slot(push(0), push(1)) + loop + push_sized(1, loop.size() + 2) + OP_PC + OP_SUB +
           OP_JUMPI;
}

/// As the argument says; what is to be done again is not here.
Bytecode end_as(unsigned argument) {
    const auto is = [&](AdversarialEnd end) {
        return push(static_cast<std::uint64_t>(end)) + arg(argument) + OP_EQ;
    };
    return when(is(AdversarialEnd::revert), revert_range(0, 0)) +
           when(is(AdversarialEnd::halt), OP_INVALID);
}
Bytecode when_again(unsigned argument, const Bytecode& body) {
    return when(push(static_cast<std::uint64_t>(AdversarialEnd::again)) + arg(argument) + OP_EQ,
                body);
}

/// Whoever merely pays gets through.
Bytecode payable() {
    return when(Bytecode{OP_CALLDATASIZE} + OP_ISZERO, OP_STOP);
}

Bytecode scribe() {
    const Bytecode index = push(0) + OP_MLOAD;
    const auto pair_at = [&](std::uint64_t offset) {
        return push(64) + index + OP_MUL + push(offset) + OP_ADD + OP_CALLDATALOAD;
    };
    const Bytecode body = pair_at(96) + pair_at(64) + OP_SSTORE + push(1) + index + OP_ADD +
                          push(0) + OP_MSTORE + arg(0) + index + OP_LT;
    const Bytecode loop = OP_JUMPDEST + body;
    return payable() + loop + push_sized(1, loop.size() + 2) + OP_PC + OP_SUB + OP_JUMPI +
           end_as(1);
}

Bytecode relay() {
    const std::uint64_t head = 4 * 32;
    const Bytecode size = push(head) + OP_CALLDATASIZE + OP_SUB;
    const Bytecode gas = arg(2) + OP_ISZERO + OP_GAS + OP_MUL + arg(2) + OP_ADD;
    const Bytecode copy = size + push(head) + push(0) + OP_CALLDATACOPY;
    const Bytecode pass = push(0) + push(0) + size + push(0) + arg(1) + arg(0) + gas + OP_CALL;
    const Bytecode once = copy + mstore(0, pass) + push(32) + push(0) + OP_LOG0;
    return payable() + once + when_again(3, once) + end_as(3);
}

Bytecode maker(Revision revision) {
    const Bytecode plain = mstore(32, arg(1) + push(0) + arg(2) + OP_CREATE);
    const Bytecode salted = mstore(32, arg(3) + arg(1) + push(0) + arg(2) + OP_CREATE2);
    const Bytecode made = push(32) + OP_MLOAD;
    const Bytecode make = revision >= Revision::constantinople
                              ? when(arg(3) + OP_ISZERO, plain) + when(arg(3), salted)
                              : plain;
    return payable() + mstore(0, arg(0)) + make + push(32) + push(32) + OP_LOG0 +
           when_again(4, call_with(made, push(1), {}) + OP_POP) + end_as(4);
}

Bytecode deposit_box() {
    static constexpr std::string_view kEvent = "DepositEvent(bytes,bytes,bytes,bytes,bytes)";
    const Hash topic =
        keccak256({reinterpret_cast<const std::uint8_t*>(kEvent.data()), kEvent.size()});
    return payable() + OP_CALLDATASIZE + push(0) + push(0) + OP_CALLDATACOPY +
           push(to_word(topic)) + OP_CALLDATASIZE + push(0) + numbered(OP_LOG0, 1);
}

GenesisAccount contract(const Address& address, const Bytecode& code, const Uint256& balance) {
    return {
        .address = address, .nonce = 1, .balance = balance, .code = code.bytes(), .storage = {}};
}

void append_contracts(std::vector<GenesisAccount>& alloc, Revision revision) {
    alloc.push_back(contract(kCounter, counter(), 0));
    GenesisAccount& reserves = alloc.emplace_back(contract(kPool, pool(), 100'000));
    reserves.storage = {{0, 1'000'000}, {1, 3'000'000}};
    GenesisAccount& start = alloc.emplace_back(contract(kMaze, maze(), 1'000));
    start.storage = {{0, 12'345}};
    alloc.push_back(contract(kPayer, payer(), 5'000));
    alloc.push_back(contract(kWatcher, watcher(revision), 0));
    alloc.push_back(contract(kFactory, factory(revision), 1'000'000));
    alloc.push_back(contract(kTree, tree(), 0));
    alloc.push_back(contract(kSweeper, sweeper(), kEther));
    alloc.push_back(contract(kClock, clock(), 0));
    alloc.push_back(contract(kBurner, burner(), 0));
    alloc.push_back(contract(kProber, prober(revision), kEther));
    GenesisAccount& page = alloc.emplace_back(contract(kScribe, scribe(), 0));
    page.storage = {{0, 1}, {1, 2}, {2, 3}};
    alloc.push_back(contract(kRelay, relay(), kEther));
    alloc.push_back(contract(kMaker, maker(revision), kEther));
    alloc.push_back(contract(kDepositBox, deposit_box(), 0));
    for (std::uint64_t i = 0; i < kBombs; ++i) {
        GenesisAccount& one = alloc.emplace_back(
            contract(address_from_low64(kFirstBomb + i), bomb(), i % 2 == 0 ? 77 : 0));
        one.storage = {{5, 55}};
    }
    for (std::uint64_t i = 0; i < kDelegations; ++i) {
        GenesisAccount& one = alloc.emplace_back();
        one.address = address_from_low64(kFirstDelegation + i);
        one.nonce = 1;
        one.code = {0xef, 0x01, 0x00};
        const Address target = i == 0 ? kCounter : kPayer;
        one.code.insert(one.code.end(), target.bytes.begin(), target.bytes.end());
    }
}

}  // namespace

bool AdversarialCast::is_sender(const Address& address) const {
    return std::ranges::find(senders, address) != senders.end();
}

AdversarialCast make_adversarial_cast() {
    AdversarialCast cast;
    for (std::uint64_t i = 0; i < kSenders; ++i) {
        cast.secrets.push_back(to_hash(Uint256{0x5ec3e7 + i}));
        cast.senders.push_back(*address_from_secret(cast.secrets.back()));
    }
    for (std::uint64_t i = 0; i < kIdle; ++i) {
        cast.idle_secrets.push_back(to_hash(Uint256{0x1d1e + i}));
        cast.idle.push_back(*address_from_secret(cast.idle_secrets.back()));
    }
    cast.hot = cast.senders;
    for (const Address& address : {kCounter, kPool, kMaze, kPayer, kFactory, kSweeper})
        cast.hot.push_back(address);
    for (std::uint64_t i = 0; i < kBombs; ++i)
        cast.hot.push_back(address_from_low64(kFirstBomb + i));
    for (std::uint64_t i = 0; i < kDelegations; ++i)
        cast.hot.push_back(address_from_low64(kFirstDelegation + i));
    for (std::uint64_t i = 0; i < kNeighbours; ++i)
        cast.hot.push_back(address_from_low64(kFirstNeighbour + i));
    for (std::uint64_t i = 0; i < 3; ++i)
        cast.hot.push_back(adversarial_child(i));
    return cast;
}

std::vector<GenesisAccount> make_adversarial_alloc(const AdversarialCast& cast, Revision revision,
                                                   workload::Random& random) {
    std::vector<GenesisAccount> alloc;
    for (std::uint64_t i = 0; i < kSenders; ++i) {
        GenesisAccount& sender = alloc.emplace_back();
        sender.address = cast.senders[i];
        sender.balance = i < kRichSenders
                             ? Uint256{1'000'000} * kEther
                             : Uint256{random.below(2'000'000'000)} * Uint256{1'000'000};
    }
    // Half of the neighbours are there; of the others some are there and empty, as good as dead
    // (EIP-161) until somebody pays them, and some are made by whoever pays them first.
    for (std::uint64_t i = 0; i < kNeighbours; ++i) {
        if (i % 4 == 3) continue;
        GenesisAccount& neighbour = alloc.emplace_back();
        neighbour.address = address_from_low64(kFirstNeighbour + i);
        if (i % 2 == 0) neighbour.balance = i + 1;
    }
    alloc.push_back({kTill, 0, 1, {}, {}});
    for (const Address& idle : cast.idle)
        alloc.emplace_back().address = idle;
    for (std::uint64_t i = 0; i < kDead; ++i)
        alloc.emplace_back().address = adversarial_dead(0, i);
    append_contracts(alloc, revision);
    // Storage where a contract is still to be made (EIP-7610).
    if (random.below(2) == 0) {
        GenesisAccount& squatter = alloc.emplace_back();
        squatter.address = adversarial_child(2);
        squatter.balance = random.below(2);
        squatter.storage = {{7, 7}};
    }
    for (std::uint64_t i = 0; i < kPrograms; ++i) {
        const Bytecode code = make_adversarial_program(cast, revision, random);
        alloc.push_back(contract(address_from_low64(kFirstProgram + i), code, random.below(50)));
    }
    for (std::size_t i = 0; i < kSystemContracts.size(); ++i)
        alloc.push_back(contract(kSystemContracts[i].address,
                                 from_hex_code(workload::kSystemContractCodes[i]), 0));
    return alloc;
}

void vary_system_contract(std::vector<GenesisAccount>& alloc, workload::Random& random) {
    const SystemContract& chosen =
        kSystemContracts[random.below(static_cast<std::uint32_t>(kSystemContracts.size()))];
    const auto found = std::ranges::find(alloc, chosen.address, &GenesisAccount::address);
    const std::uint32_t way = random.below(4);
    if (way < 2) {
        constexpr Address kDelegate = address_from_low64(0x5c0de);
        GenesisAccount delegate = contract(kDelegate, Bytecode{found->code}, 0);
        found->code = {0xef, 0x01, 0x00};
        found->code.insert(found->code.end(), kDelegate.bytes.begin(), kDelegate.bytes.end());
        alloc.push_back(std::move(delegate));
        return;
    }
    if (chosen.place == SystemCallPlace::begin_block && way == 2) {
        alloc.erase(found);
        return;
    }
    // Counts its calls; what it returns is a request of whatever length.
    Bytecode code = add_to_slot(push(0), push(1));
    code += sstore(1, Bytecode{OP_NUMBER});
    const bool fails = chosen.place == SystemCallPlace::begin_block && random.below(2) == 0;
    code += fails ? Bytecode{OP_INVALID} : return_range(0, random.below(100));
    found->code = code.bytes();
    found->balance = 1;
}

Address adversarial_dead(std::uint64_t block, std::uint64_t i) noexcept {
    return address_from_low64(kFirstDead + (block * kDeadPerBlock + i) % kDead);
}

Address adversarial_living(const AdversarialCast& cast, std::uint64_t i) noexcept {
    static constexpr Address kContracts[] = {kCounter, kPool, kMaze, kPayer, kWatcher, kTree};
    const std::uint64_t one = i % (2 * std::size(kContracts));
    return one < std::size(kContracts) ? kContracts[one] : cast.senders[one % kRichSenders];
}

Address adversarial_child(std::uint64_t salt) {
    return create2_address(kFactory, salt, keccak256(child_init().bytes()));
}

Bytes adversarial_child_init_code() {
    return child_init().bytes();
}

Bytes call_words(const std::vector<Uint256>& words) {
    Bytes data(32 * words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
        store_be(words[i], data.data() + 32 * i);
    return data;
}

}  // namespace heddle::test
