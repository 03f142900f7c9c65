// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the user of a development chain has set beside transactions (ADR 26), from one run to the
// next. It is in a file of the data directory while nobody runs the chain: `amendments.rlp`, a list
// of the Keccak of all that follows in it (older files are without) and then of [number, hash of
// the block, accounts, codes]. Who is killed leaves no such file, and what was
// set and is in no block yet is lost, as is what older blocks were executed on.
#pragma once

#include <string>

#include "chain/chain.hpp"

namespace heddle::node {

/// Writes the file; where nothing was set there is none. A failure is logged, and then there is
/// none either.
void keep_amendments(const std::string& datadir, const Chain& chain);

/// Reads the file, and removes it. What belongs to another block than the chain has is left out.
/// Before anybody uses the chain, which is a development chain. Errors: InputError for a file that
/// is none of these.
void restore_amendments(const std::string& datadir, Chain& chain);

}  // namespace heddle::node
