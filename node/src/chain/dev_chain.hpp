// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain of `heddle node --dev`: merged and at the newest fork from its first block on, with
// funded accounts whose keys everybody knows.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <types/address.hpp>
#include <types/genesis.hpp>
#include <types/hash.hpp>
#include <types/revision.hpp>
#include <workload/options.hpp>

namespace heddle::node {

struct DevAccount {
    Hash secret;
    Address address;
};

/// The ten accounts that development chains of other tools fund as well: the first of the mnemonic
/// "test test test test test test test test test test test junk" (BIP-44, m/44'/60'/0'/0/i).
[[nodiscard]] std::span<const DevAccount> dev_accounts();

/// What each of them owns, in wei: 10,000 ether.
[[nodiscard]] const Uint256& dev_balance();

/// With the system contracts of the EIPs and the deployment proxy that contract tools look for.
/// @param revision  Its rules from the first block on; workload::kFirstRevision or later.
[[nodiscard]] Genesis dev_genesis(Revision revision = workload::kDefaultRevision,
                                  std::uint64_t chain_id = workload::Options{}.chain_id);

/// The accounts with their keys and a warning, for people.
[[nodiscard]] std::string describe_dev_accounts();

}  // namespace heddle::node
