// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_growth.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "adversarial_programs.hpp"
#include "adversarial_transactions.hpp"
#include "system_contracts.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL
using Stage = AdversarialStage;

constexpr std::uint64_t kTransactionGasCap = 1 << 24;  // EIP-7825; the rest is the reservoir

/// From hardly anything over what one new account costs (EIP-8037) to more than a transaction may
/// execute with.
std::uint64_t draw_gas(Stage& stage) {
    switch (stage.below(7)) {
        case 0:
            return 22'000 + stage.below(80'000);
        case 1:
            return 200'000 + stage.below(200'000);
        case 2:
            return 205'000 + stage.below(30'000);
        case 3:
            return 1'000'000 + stage.below(2'000'000);
        case 4:
            if (stage.revision() < Revision::amsterdam) return 700'000;
            return kTransactionGasCap + stage.below(6'000'000);
        default:
            return 400'000 + stage.below(600'000);
    }
}

std::uint64_t draw_end(Stage& stage) {
    return stage.one_in(2) ? 0 : stage.below(4);
}

/// Call data of the scribe: few slots and few values, so that each is set, cleared and set back.
std::vector<Uint256> draw_script(Stage& stage) {
    const std::uint32_t count = 1 + stage.below(9);
    const std::uint64_t end = draw_end(stage);
    std::vector<Uint256> words = {count, end};
    const bool has_far_slots = stage.one_in(4);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint64_t slot =
            has_far_slots && stage.one_in(2) ? 1'000 + stage.below(1'000'000) : stage.below(6);
        words.emplace_back(slot);
        words.emplace_back(stage.below(3));
    }
    return words;
}

/// Call data of the maker: init code that fits a word.
std::vector<Uint256> draw_creation(Stage& stage) {
    static constexpr std::uint32_t kSizes[] = {0,      1,      32,     4'000,  24'576,
                                               24'577, 40'000, 65'535, 65'536, 65'537};
    Bytecode init;
    const std::uint32_t kind = stage.below(7);
    if (kind == 0) init = Bytecode{OP_ADDRESS} + OP_SELFDESTRUCT;
    if (kind == 1) init = Bytecode{OP_CALLER} + OP_SELFDESTRUCT;
    if (kind == 2) init = push(stage.fresh()) + OP_SELFDESTRUCT;
    if (kind == 3) {
        // Drawn before the expression: in which order it draws is up to the compiler.
        const std::uint32_t first = stage.below(3), second = stage.below(3);
        init = sstore(first, 1) + sstore(second, stage.below(2));
    }
    if (kind == 4) init = sstore(0, 1) + (stage.one_in(2) ? revert_range(0, 0) : OP_INVALID);
    if (kind == 5) init = sstore(stage.below(3), 1);
    if (kind >= 5) init += return_range(0, kSizes[stage.below(std::size(kSizes))]);
    Bytes word = init.bytes();
    word.resize(32);
    const std::uint64_t value = stage.one_in(2) ? stage.below(4) : 0;
    const std::uint64_t salt = stage.one_in(2) ? 1 + stage.below(40) : 0;
    return {load_be(word.data()), init.size(), value, salt, draw_end(stage)};
}

/// Call data of a relay to somebody, which may be another one.
std::vector<Uint256> draw_relay(Stage& stage, std::uint32_t depth) {
    std::vector<Uint256> inner;
    Address to;
    switch (stage.below(depth == 0 ? 5 : 7)) {
        case 0:
            to = kScribe;
            inner = draw_script(stage);
            break;
        case 1:
            to = kMaker;
            inner = draw_creation(stage);
            break;
        case 2:
            to = stage.one_in(2) ? stage.fresh() : stage.once_fresh();
            break;
        case 3:  // empty, or precompiled contracts, of which nobody has paid to most
            to = stage.one_in(2) ? adversarial_dead(0, stage.below(kDead))
                                 : address_from_low64(1 + stage.below(0x12));
            break;
        case 4:
            to = stage.hot();
            break;
        default:
            to = kRelay;
            inner = draw_relay(stage, depth - 1);
    }
    const std::uint64_t value = stage.one_in(3) ? 0 : stage.below(4);
    const std::uint64_t gas = stage.one_in(4) ? stage.below(300'000) : 0;
    std::vector<Uint256> words = {to_word(to), value, gas, draw_end(stage)};
    words.insert(words.end(), inner.begin(), inner.end());
    return words;
}

void add_call(Stage& stage, const Address& to, const std::vector<Uint256>& words) {
    Transaction tx = stage.call(to, words);
    tx.gas_limit = draw_gas(stage);
    if (stage.one_in(4)) tx.value = stage.below(5);
    stage.add(std::move(tx));
}

/// Somebody who has the gas limit's worth of ether, with enough for what is stored.
Transaction draft_request(Stage& stage, const Address& contract, Bytes data) {
    Transaction tx = stage.draft(stage.rich());
    tx.to = contract;
    tx.data = std::move(data);
    tx.gas_limit = stage.one_in(4) ? draw_gas(stage) : 900'000 + stage.below(300'000);
    return tx;
}

}  // namespace

void adversarial_scribble(Stage& stage) {
    for (std::uint32_t i = 0, count = 1 + stage.below(3); i < count; ++i)
        add_call(stage, kScribe, draw_script(stage));
}

void adversarial_relay(Stage& stage) {
    add_call(stage, kRelay, draw_relay(stage, 2));
}

void adversarial_make(Stage& stage) {
    const std::vector<Uint256> words = draw_creation(stage);
    add_call(stage, kMaker, words);
    // At the same address, where the salt says so.
    if (stage.one_in(4)) add_call(stage, kMaker, words);
}

void adversarial_deploy(Stage& stage) {
    static constexpr std::uint32_t kSizes[] = {24'576, 24'577, 65'535, 65'536, 65'536, 65'537};
    static constexpr std::uint32_t kInitSizes[] = {49'152, 49'153, 131'072, 131'073};
    const std::uint32_t size =
        stage.one_in(2) ? stage.below(70'000) : kSizes[stage.below(std::size(kSizes))];
    Transaction tx = stage.draft(stage.rich());
    tx.to.reset();
    tx.data = return_range(0, size).bytes();
    if (stage.one_in(12)) tx.data.resize(kInitSizes[stage.below(std::size(kInitSizes))]);
    if (stage.one_in(2)) tx.value = stage.below(3);
    const bool pays_for_state = stage.revision() >= Revision::amsterdam;
    const std::uint64_t deposit = std::uint64_t{size} * (pays_for_state ? 1'530 : 200);
    tx.gas_limit = stage.one_in(4) ? draw_gas(stage)
                                   : std::uint64_t{64} * tx.data.size() + deposit + 200'000 +
                                         stage.below(200'000);
    stage.add(std::move(tx));
}

void adversarial_request(Stage& stage) {
    static constexpr struct {
        Address contract;
        std::uint32_t bytes;
    } kKinds[] = {{kWithdrawalRequestAddress, 56},
                  {kConsolidationRequestAddress, 96},
                  {kBuilderDepositAddress, 184},
                  {kBuilderExitAddress, 48}};
    const std::uint32_t known = stage.revision() >= Revision::amsterdam ? 4 : 2;
    const auto& kind = kKinds[stage.below(known)];
    // Now and then more than the end of a block takes, so that the next ones have them, too.
    static constexpr std::uint32_t kCounts[] = {1, 1, 2, 2, 3, 3, 12, 40};
    for (std::uint32_t i = 0, count = kCounts[stage.below(std::size(kCounts))]; i < count; ++i) {
        Bytes data(kind.bytes, static_cast<std::uint8_t>(1 + stage.below(200)));
        Uint256 value = stage.below(30);
        if (kind.contract == kBuilderDepositAddress) {
            // What is deposited, in gwei, stands behind public key and credentials.
            static constexpr std::uint64_t kLeast = 1'000'000'000;
            const std::uint64_t amount = kLeast - (stage.one_in(6) ? 1 : 0) + stage.below(5);
            for (std::size_t byte = 0; byte < 8; ++byte)
                data[80 + byte] = static_cast<std::uint8_t>(amount >> (8 * (7 - byte)));
            value += Uint256{amount} * Uint256{1'000'000'000};
        }
        if (stage.one_in(6)) data.pop_back();
        Transaction tx = draft_request(stage, kind.contract, std::move(data));
        tx.value = value;
        stage.add(std::move(tx));
    }
}

void adversarial_deposit(Stage& stage) {
    static constexpr std::uint64_t kOffsets[] = {160, 256, 320, 384, 512};
    static constexpr std::uint64_t kLengths[] = {48, 32, 8, 96, 8};
    Bytes data(576, static_cast<std::uint8_t>(1 + stage.below(200)));
    for (std::size_t i = 0; i < std::size(kOffsets); ++i) {
        store_be(Uint256{kOffsets[i]}, data.data() + 32 * i);
        store_be(Uint256{kLengths[i]}, data.data() + kOffsets[i]);
    }
    stage.add(draft_request(stage, kDepositBox, std::move(data)));
}

}  // namespace heddle::test
