// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The world in which a workload runs: its accounts, its contracts, and the genesis allocation that
// puts them in place, so that the first block already carries nothing but workload.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/genesis.hpp>
#include <types/revision.hpp>

#include <workload/keys.hpp>
#include <workload/options.hpp>

namespace heddle::workload {

inline constexpr std::uint32_t kTokenCount = 9;
inline constexpr std::uint32_t kPoolCount = 8;  // pool i trades token i against token i + 1
inline constexpr std::uint32_t kStoreCount = 4;
inline constexpr std::uint32_t kFactoryCount = 8;
inline constexpr std::uint32_t kDelegatorCount = 64;
inline constexpr std::uint32_t kBeneficiaryCount = 4;

/// Contracts that the workload does not use are not there: their lists are empty.
struct World {
    std::vector<Key> accounts;    // funded senders
    std::vector<Key> delegators;  // authorities of EIP-7702, without funds
    std::vector<Address> beneficiaries;
    Address hot_recipient;
    std::vector<Address> tokens;
    std::vector<Address> pools;
    std::vector<Address> stores;
    std::vector<Address> factories;
    std::vector<GenesisAccount> alloc;

    /// The spender whom account `owner` lets move a token without limit, and that token.
    [[nodiscard]] std::uint32_t spender_of(std::uint32_t owner) const noexcept {
        return (owner + 1) % static_cast<std::uint32_t>(accounts.size());
    }
    [[nodiscard]] static std::uint32_t shared_token_of(std::uint32_t owner) noexcept {
        return owner % kTokenCount;
    }
    /// The pool, besides pool 0, that an account may trade in.
    [[nodiscard]] static std::uint32_t home_pool_of(std::uint32_t account) noexcept {
        return account % kPoolCount;
    }
};

/// The `index`-th of the accounts that only receive. They are not kept in a World, for there may be
/// millions. Thread safety: pure.
[[nodiscard]] Address idle_address(std::uint64_t seed, std::uint32_t index);

/// Arachnid's deterministic deployment proxy, which CREATE2 deployments of contract tools go
/// through; from Amsterdam on every chain has it (EIP-7997).
[[nodiscard]] GenesisAccount deployment_factory();
/// The contracts that a chain of this revision has: those that its blocks call by themselves
/// (EIP-4788, 2935, 7002, 7251, 8282), and from Amsterdam on deployment_factory().
[[nodiscard]] std::vector<GenesisAccount> system_contracts(Revision revision);

/// Thread safety: pure.
[[nodiscard]] World make_world(const Options& options);

inline constexpr std::uint64_t kGenesisTimestamp = 1'750'000'000;  // seconds
inline constexpr std::uint64_t kGenesisBaseFee = 1'000'000'000;    // wei

/// The first block: merged from the start, every fork up to `options.revision` active from
/// genesis, with the blob schedule of each. `gas_limit` is that of every block.
[[nodiscard]] Genesis make_genesis(std::vector<GenesisAccount> alloc, const Options& options,
                                   std::uint64_t gas_limit);

/// Writes a genesis of make_genesis() in geth's format, one account a line. The stream's state says
/// whether it worked.
/// @param more_config  Further members of the object `config`, as they stand in the file.
void write_genesis_json(const Genesis& genesis, std::ostream& out,
                        std::string_view more_config = {});

}  // namespace heddle::workload
