// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <types/sender_recovery.hpp>
#include <types/transaction.hpp>

#include "targets.hpp"

namespace heddle::fuzz {

void transaction(BytesView input) {
    if (const auto tx = decode_transaction(input)) {
        Bytes out;
        encode_transaction(*tx, out);
        require(equal(out, input), "a transaction changed");
        require(transaction_hash(*tx) == keccak256(input), "a transaction's hash");
        (void)signing_hash(*tx);
        (void)recover_sender(*tx);
        std::vector<Authorization> authorizations = tx->authorization_list;
        remember_authorities(authorizations);
    }
    rlp::Reader reader(input);
    if (const auto tx = decode_transaction_item(reader)) {
        Bytes out;
        encode_transaction_item(*tx, out);
        require(equal(out, input.first(reader.offset())), "a body's transaction changed");
    }
}

}  // namespace heddle::fuzz
