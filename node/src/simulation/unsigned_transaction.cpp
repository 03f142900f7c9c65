// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/unsigned_transaction.hpp"

#include <types/rlp.hpp>

namespace heddle::node::simulation {

void encode_unsigned(const Transaction& tx, Bytes& out) {
    if (tx.type != TransactionType::legacy) {
        Transaction unsigned_tx = tx;
        unsigned_tx.y_parity = 0;
        unsigned_tx.r = 0;
        unsigned_tx.s = 0;
        return encode_transaction(unsigned_tx, out);
    }
    const std::size_t begin = out.size();
    rlp::encode_uint64(tx.nonce, out);
    rlp::encode_uint256(tx.max_fee_per_gas, out);
    rlp::encode_uint64(tx.gas_limit, out);
    rlp::encode_string(tx.to ? tx.to->view() : BytesView{}, out);
    rlp::encode_uint256(tx.value, out);
    rlp::encode_string(tx.data, out);
    for (int i = 0; i < 3; ++i)
        rlp::encode_uint64(0, out);  // v, r, s
    rlp::wrap_list(begin, out);
}

void encode_unsigned_item(const Transaction& tx, Bytes& out) {
    if (tx.type == TransactionType::legacy) return encode_unsigned(tx, out);
    const std::size_t begin = out.size();
    encode_unsigned(tx, out);
    rlp::wrap_string(begin, out);
}

Hash unsigned_hash(const Transaction& tx) {
    Bytes encoded;
    encode_unsigned(tx, encoded);
    return keccak256(encoded);
}

}  // namespace heddle::node::simulation
