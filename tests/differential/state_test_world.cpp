// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state_test_world.hpp"

#include <iterator>
#include <utility>

#include "code.hpp"
#include "state_test_edges.hpp"

namespace heddle::test {
namespace {

constexpr std::size_t kProgramBytes = 1'500;  // of randomness for all programs of a test

}  // namespace

Hash secret_number(std::uint64_t number) {
    return keccak256(to_hash(Uint256{number}).view());
}

StateTestWorld::StateTestWorld(std::uint64_t seed, std::optional<Revision> revision)
    : random_(seed),
      revision_(revision.has_value() ? *revision : draw_revision()),
      bytes_(draw_bytes()),
      source_(bytes_),
      generator_(source_) {}

Revision StateTestWorld::draw_revision() {
    if (one_in(2)) return kLatestRevision;
    return static_cast<Revision>(random_.below(static_cast<std::uint32_t>(kRevisionCount)));
}

Bytes StateTestWorld::draw_bytes() {
    Bytes bytes(kProgramBytes);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random_.next());
    return bytes;
}

void StateTestWorld::make(bool descends) {
    make_contracts(descends);
    make_authorities();
}

void StateTestWorld::add(GenesisAccount account) {
    state_.add(account);
    pre_.push_back(std::move(account));
}

std::vector<Address> StateTestWorld::meet_neighbours() const {
    std::vector<Address> met(std::begin(fuzz::kAccounts), std::end(fuzz::kAccounts));
    for (const Address& address :
         {kEmpty, kBeneficiary, sender_, address_from_low64(0xabc'def), create_address(sender_, 0)})
        met.push_back(address);
    for (std::uint64_t i = 0; i < kAuthorities; ++i)
        met.push_back(address_from_secret(secret_number(kFirstAuthority + i)).value());
    for (const Address& address : fuzz::kAccounts)
        met.push_back(create_address(address, 1));
    return met;
}

const Address& StateTestWorld::any_neighbour() {
    return neighbours_[random_.below(static_cast<std::uint32_t>(neighbours_.size()))];
}

Bytes StateTestWorld::draw_init_program() {
    return one_in(2) ? generator_.generate(20) : wild_.init_code();
}

Bytes StateTestWorld::draw_code() {
    if (one_in(32)) return draw_container();
    if (random_.below(revision_ < kLatestRevision ? 8 : 2) != 1) return wild_.program(8);
    if (random_.below(6) != 0) return generator_.generate(4 + random_.below(40));
    return draw_delegation();
}

/// What no fork takes any more (EIP-3541), but may have been there before: code that looks like
/// EVM Object Format, or begins as a delegation does.
Bytes StateTestWorld::draw_container() {
    Bytes code{0xef, static_cast<std::uint8_t>(random_.below(3)),
               static_cast<std::uint8_t>(random_.below(3))};
    const Bytes body = wild_.program(3);
    code.resize(1 + random_.below(3));
    if (!one_in(4)) code.insert(code.end(), body.begin(), body.end());
    return code;
}

Bytes StateTestWorld::draw_delegation() {
    Bytes code(std::begin(vm::kDelegationPrefix), std::end(vm::kDelegationPrefix));
    Address target = one_in(3) ? any_neighbour() : any_account();
    if (one_in(12)) target = address_from_low64(random_.below(0x13));
    code.insert(code.end(), target.bytes.begin(), target.bytes.end());
    if (one_in(24)) code.pop_back();
    if (one_in(24)) code.push_back(0);
    if (one_in(24)) code[1 + random_.below(2)] ^= 1;
    return code;
}

void StateTestWorld::make_contracts(bool descends) {
    add({kEmpty, 0, {}, {}, {}});
    for (std::size_t i = 0; i + 1 < std::size(fuzz::kAccounts); ++i) {
        // Nonces as high as they can be and next to it (EIP-2681).
        static constexpr std::uint64_t kNonces[] = {1, 1, 1, 1, 1, 0, ~0ULL, ~0ULL - 1};
        const std::uint64_t nonce = kNonces[random_.below(std::size(kNonces))];
        const Uint256 balance = random_.below(8);
        GenesisAccount account{fuzz::kAccounts[i], nonce, balance, draw_code(), {}};
        if (descends && i == 0) account.code = draw_descent(random_, wild_);
        for (std::uint32_t slot = random_.below(4); slot > 0; --slot)
            account.storage.emplace_back(slot - 1, 1 + random_.below(2));
        add(std::move(account));
    }
    if (one_in(4))
        for (GenesisAccount& account : draw_reserved_accounts(random_, wild_))
            add(std::move(account));
    // The last of them has no code: empty, rich, or not there.
    const std::uint32_t wealth = random_.below(3);
    if (wealth < 2) add({*std::rbegin(fuzz::kAccounts), 0, Uint256{wealth}, {}, {}});
    // Where something is created, somebody may be.
    for (const Address& address :
         {create_address(sender_, 0), create_address(fuzz::kAccounts[0], 1)})
        if (const std::uint32_t kind = random_.below(8); kind < 3)
            add({address,
                 kind == 1 ? 1u : 0u,
                 Uint256{kind == 0 ? 1u : 0u},
                 kind == 2 ? Bytes{0} : Bytes{},
                 {}});
}

/// Those that authorize have something already, a delegation or code that forbids it among it.
void StateTestWorld::make_authorities() {
    for (std::size_t i = 0; i < kAuthorities; ++i) {
        const Address who = address_from_secret(secret_number(kFirstAuthority + i)).value();
        const std::uint32_t has = random_.below(3);
        if (has == 2) continue;
        static constexpr std::uint64_t kNonces[] = {0, 0, 0, 1, kMostNonce - 1, kMostNonce};
        GenesisAccount account{who, pick(kNonces), Uint256{has}, {}, {}};
        if (one_in(3)) account.code = one_in(6) ? wild_.program(2) : draw_delegation();
        if (!account.code.empty() && one_in(2)) account.storage.emplace_back(0, 1);
        nonces_[i] = account.nonce;
        add(std::move(account));
    }
}

}  // namespace heddle::test
