// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "formats/witness_file.hpp"

#include <fmt/format.h>

#include "formats/fixture_codec.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json_counts.hpp"

namespace heddle::node {

namespace {

/// Senders are those that the file names; recovery must agree with them.
void set_sender(Transaction& tx, const JsonView& json) {
    const Address from = json.at("from").address();
    const auto recovered = recover_sender(tx);
    if (recovered != from)
        json.fail(fmt::format("the sender is {}, but the signature gives {}", to_string(from),
                              recovered ? to_string(*recovered) : "none"));
    tx.sender = from;
}

}  // namespace

Block parse_full_block(const JsonView& json) {
    Block block;
    block.header = parse_rpc_header(json);
    const Hash hash = header_hash(block.header);
    if (const Hash claimed = json.at("hash").hash(); hash != claimed)
        json.fail(fmt::format("the header's hash is {}, but the file says {}", to_string(hash),
                              to_string(claimed)));
    const JsonView transactions = json.at("transactions");
    const std::size_t count = element_count(transactions);
    block.transactions.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const JsonView tx = transactions.element(i);
        block.transactions.push_back(parse_signed_transaction(tx));
        set_sender(block.transactions.back(), tx);
    }
    if (const auto withdrawals = json.find("withdrawals"))
        block.withdrawals = parse_withdrawals(*withdrawals);
    return block;
}

Witness parse_witness(const JsonView& json) {
    Witness witness;
    witness.block = parse_full_block(json.at("block"));
    for (const auto& account : parse_alloc(json.at("preState")))
        witness.state.add(account);
    if (const auto hashes = json.find("blockHashes"))
        for (std::size_t i = 0; i < member_count(*hashes); ++i) {
            const auto [number, value] = hashes->member(i);
            const Uint256 key = uint256_from_key(number, *hashes);
            if (!key.fits_uint64()) hashes->fail(fmt::format("\"{}\" is no block number", number));
            witness.block_hashes.emplace(key.low64(), value.hash());
        }
    return witness;
}

Witness load_witness(JsonParser& parser, const std::string& file) {
    return parse_witness(parser.parse_file(file));
}

executor::OrderedBlock make_ordered_block(const Witness& witness) {
    executor::OrderedBlock block =
        executor::make_ordered_block(witness.block, executor::BlockMode::witness);
    block.start.ommers.clear();
    return block;
}

}  // namespace heddle::node
