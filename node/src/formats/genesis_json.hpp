// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// geth's genesis format: chain configuration, header and allocation of the first block.
#pragma once

#include <string>

#include <types/genesis.hpp>

namespace heddle::node {

class JsonView;

/// Reads a genesis object. Numbers may be hexadecimal or decimal, strings or numbers. The header is
/// complete but for its state root: fields of forks active at genesis take geth's defaults.
/// Errors: InputError with the document's name and the path of the value.
[[nodiscard]] Genesis parse_genesis(const JsonView& genesis);

/// The object `config` of a genesis file. Errors: as parse_genesis().
[[nodiscard]] ChainConfig parse_chain_config(const JsonView& config);
/// One by which there are blocks already: forks whose order makes no sense are no error any more.
[[nodiscard]] ChainConfig parse_known_chain_config(const JsonView& config);

/// Reads a genesis file as a ledger is made of it (genesis_stream.hpp). Errors: InputError; for
/// malformed JSON with line and column.
[[nodiscard]] Genesis load_genesis(const std::string& path);

/// An account as genesis files, fixtures and t8n write it: balance, nonce, code, storage; all
/// optional. A slot that occurs twice fails.
[[nodiscard]] GenesisAccount parse_account(const Address& address, const JsonView& account);

/// All accounts of an `alloc` or `pre` object. An address that occurs twice fails.
[[nodiscard]] std::vector<GenesisAccount> parse_alloc(const JsonView& alloc);

}  // namespace heddle::node
