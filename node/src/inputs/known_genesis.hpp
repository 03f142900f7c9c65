// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a genesis file was found to say, remembered beside the ledger it was compared with. Finding
// it out takes a state root over every account of the file; knowing that the file is the same takes
// a digest of its bytes. Nothing depends on what is remembered: without it the file is read anew.
//
// It is the file `genesis.known` in the data directory, three lines of text: the SHA-256 of the
// genesis file, the hash of its block, the SHA-256 of the rules that the data directory held when
// they were found to be those of the file (zero: they were not compared).
#pragma once

#include <optional>
#include <string>

#include <ledger/durable_ledger.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "inputs/chain_input.hpp"

namespace heddle::node {

/// Thread safety: one thread at a time.
class KnownGenesis {
public:
    /// Reads the whole genesis file once, in parts. What can be read once only, as a pipe, is left
    /// to who makes a block of it, and never known. Errors: InputError where it cannot be read.
    KnownGenesis(const std::string& datadir, const std::string& genesis_file);

    /// Whether the file's block is known to be this one.
    [[nodiscard]] bool is_block(const Hash& hash) const noexcept;
    /// Whether its rules, too, are known to be these.
    /// @param rules  As the ledger keeps them.
    [[nodiscard]] bool is_chain(const Hash& hash, BytesView rules) const;

    /// The file's block is this one. Where it cannot be written down it is found out again.
    void remember_block(const Hash& hash);
    /// Its rules, too, are these.
    void remember_chain(const Hash& hash, BytesView rules);

private:
    struct Facts {
        Hash file;
        Hash block;
        Hash rules;  // zero: not known
    };
    [[nodiscard]] std::optional<Facts> read() const;
    void write(const Hash& block, const Hash& rules);

    const std::string path_;
    const std::optional<Hash> file_;  // SHA-256 of the genesis file
    std::optional<Facts> known_;      // of this very file
};

/// Remembers where a ledger that was just made comes from. Nothing is known of the file's rules
/// where the built-in ones of a chain have taken their place.
void remember_created(const ChainInput& input, const std::string& datadir,
                      const ledger::DurableLedger& made);

}  // namespace heddle::node
