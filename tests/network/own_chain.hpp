// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain of a test's own: its genesis file, funded accounts, transactions that say what they are
// to do and have the rest filled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/genesis.hpp>
#include <types/transaction.hpp>

#include "chain/dev_chain.hpp"
#include "program.hpp"

namespace heddle::test {

/// Writes a genesis in geth's format. @return the file.
/// @param heddle  What `config.heddle` says, e.g. `{"epochBlocks":4}`; empty: nothing.
[[nodiscard]] std::string write_genesis(const TemporaryFolder& folder, const Genesis& genesis,
                                        std::string_view heddle = {});

/// Accounts whose keys follow from a name.
[[nodiscard]] std::vector<node::DevAccount> make_accounts(std::string_view name, std::size_t count);

/// A call that pays enough for whatever the base fee becomes; to be changed, then signed.
[[nodiscard]] Transaction make_call(std::uint64_t nonce, std::optional<Address> to,
                                    std::uint64_t gas_limit = 21'000);
/// As blocks and eth_sendRawTransaction have it.
[[nodiscard]] Bytes signed_bytes(Transaction tx, const node::DevAccount& from);

}  // namespace heddle::test
