// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "account_leaf.hpp"

#include <types/expected.hpp>

namespace heddle::ledger {

void encode_account_leaf(const Account& account, const Hash& storage_root, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_uint64(account.nonce, out);
    rlp::encode_uint256(account.balance, out);
    rlp::encode_hash(storage_root, out);
    rlp::encode_hash(account.code_hash, out);
    rlp::wrap_list(begin, out);
}

rlp::Result<ProvenAccount> decode_account_leaf(BytesView bytes) {
    rlp::Reader outer(bytes);
    HEDDLE_TRY(auto fields, outer.read_list());
    HEDDLE_TRY(const auto nonce, fields.read_uint64());
    HEDDLE_TRY(const auto balance, fields.read_uint256());
    HEDDLE_TRY(const auto storage_root, fields.read_hash());
    HEDDLE_TRY(const auto code_hash, fields.read_hash());
    HEDDLE_CHECK(fields.expect_end());
    HEDDLE_CHECK(outer.expect_end());
    return ProvenAccount{Account{.nonce = nonce, .balance = balance, .code_hash = code_hash},
                         storage_root};
}

}  // namespace heddle::ledger
