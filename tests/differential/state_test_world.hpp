// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The accounts of a state test: contracts of every kind of program, who authorizes, and accounts
// that forks and creations meet. Beside them the draws that everything about a test is made by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <ledger/memory_state.hpp>
#include <types/genesis.hpp>
#include <types/revision.hpp>
#include <types/signing.hpp>
#include <workload/random.hpp>

#include "program_generator.hpp"
#include "wild_programs.hpp"

namespace heddle::test {

/// An account that is there and empty: nobody can tell but by its existence.
inline constexpr Address kEmpty = address_from_low64(0xe0);
inline constexpr Address kBeneficiary = address_from_low64(0xba5e);
inline constexpr std::uint64_t kMostNonce = ~std::uint64_t{0};  // EIP-2681
/// Who may delegate beside the sender, whose secret is the first.
inline constexpr std::uint64_t kFirstAuthority = 2;
inline constexpr std::uint32_t kAuthorities = 3;

[[nodiscard]] Hash secret_number(std::uint64_t number);

/// Thread safety: none.
class StateTestWorld {
public:
    /// @param revision  Whose instructions programs use: what is undefined ends them, so that those
    ///                  of the latest fork say little about old ones. nullopt: any.
    StateTestWorld(std::uint64_t seed, std::optional<Revision> revision);

    /// All but the sender. @param descends  Whether the first contract goes down (draw_descent()).
    void make(bool descends);
    void add(GenesisAccount account);

    [[nodiscard]] workload::Random& random() noexcept { return random_; }
    [[nodiscard]] bool one_in(std::uint32_t n) { return random_.below(n) == 0; }
    template <typename T, std::size_t N>
    [[nodiscard]] const T& pick(const T (&choices)[N]) {
        return choices[random_.below(static_cast<std::uint32_t>(N))];
    }
    [[nodiscard]] const Address& any_account() { return pick(fuzz::kAccounts); }
    /// Whom wild programs name, among them what may be created.
    [[nodiscard]] const Address& any_neighbour();
    [[nodiscard]] Bytes draw_init_program();
    /// Only from Prague on is this more than code; and sometimes only nearly one.
    [[nodiscard]] Bytes draw_delegation();

    [[nodiscard]] Revision revision() const noexcept { return revision_; }
    [[nodiscard]] const Address& sender() const noexcept { return sender_; }
    /// Of those that authorize.
    [[nodiscard]] std::uint64_t nonce(std::size_t authority) const { return nonces_.at(authority); }
    [[nodiscard]] const std::vector<GenesisAccount>& pre() const noexcept { return pre_; }
    [[nodiscard]] const ledger::MemoryState& state() const noexcept { return state_; }

private:
    [[nodiscard]] Revision draw_revision();
    [[nodiscard]] Bytes draw_bytes();
    [[nodiscard]] std::vector<Address> meet_neighbours() const;
    [[nodiscard]] Bytes draw_code();
    [[nodiscard]] Bytes draw_container();
    void make_contracts(bool descends);
    void make_authorities();

    workload::Random random_;
    const Revision revision_;
    const Bytes bytes_;
    fuzz::ByteSource source_;
    fuzz::ProgramGenerator generator_;
    const Address sender_ = address_from_secret(secret_number(1)).value();
    const std::vector<Address> neighbours_ = meet_neighbours();
    WildPrograms wild_{random_, neighbours_, revision_};
    std::array<std::uint64_t, kAuthorities> nonces_{};
    std::vector<GenesisAccount> pre_;
    ledger::MemoryState state_;
};

}  // namespace heddle::test
