// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The leaf of an account in the trie (YP 4.1, eq. for p: nonce, balance, storage root, code hash),
// also one that came from somebody else.
#pragma once

#include <ledger/proof_check.hpp>
#include <types/account.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/rlp.hpp>

namespace heddle::ledger {

/// Appends it.
void encode_account_leaf(const Account& account, const Hash& storage_root, Bytes& out);
[[nodiscard]] rlp::Result<ProvenAccount> decode_account_leaf(BytesView bytes);

}  // namespace heddle::ledger
