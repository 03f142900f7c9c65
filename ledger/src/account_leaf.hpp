// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The leaf of an account (YP 4.1: nonce, balance, storage root, code hash) that came from somebody
// else. Its encoding is schema.hpp's.
#pragma once

#include <ledger/proof_check.hpp>
#include <types/bytes.hpp>
#include <types/rlp.hpp>

namespace heddle::ledger {

[[nodiscard]] rlp::Result<ProvenAccount> decode_account_leaf(BytesView bytes);

}  // namespace heddle::ledger
