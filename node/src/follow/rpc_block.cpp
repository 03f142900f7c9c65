// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/rpc_block.hpp"

#include <utility>

#include <fmt/format.h>
#include <types/object_codec.hpp>

#include "formats/fixture_codec.hpp"
#include "formats/json_writer.hpp"

namespace heddle::node::follow {
namespace {

void expect_hash(const JsonView& json, const Hash& computed) {
    if (const Hash claimed = json.at("hash").hash(); claimed != computed)
        json.fail(fmt::format("what is said of it has the hash {}, and its hash is said to be {}",
                              to_string(computed), to_string(claimed)));
}

}  // namespace

RebuiltBlock rebuild_block(const JsonView& json) {
    RebuiltBlock rebuilt;
    rebuilt.block.header = parse_rpc_header(json);
    rebuilt.hash = header_hash(rebuilt.block.header);
    expect_hash(json, rebuilt.hash);
    const JsonView transactions = json.at("transactions");
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        const JsonView element = transactions.element(i);
        Transaction& tx =
            rebuilt.block.transactions.emplace_back(parse_signed_transaction(element));
        remember_hash(tx);
        expect_hash(element, *tx.hash.value);
    }
    const auto uncles = json.find("uncles");
    for (std::size_t i = 0; uncles.has_value() && i < uncles->size(); ++i)
        rebuilt.ommers.push_back(uncles->element(i).hash());
    if (const auto withdrawals = json.find("withdrawals"))
        rebuilt.block.withdrawals = parse_withdrawals(*withdrawals);
    return rebuilt;
}

BlockHeader rebuild_ommer(const JsonView& json, const Hash& wanted) {
    BlockHeader header = parse_rpc_header(json);
    if (const Hash hash = header_hash(header); hash != wanted)
        json.fail(fmt::format("what is said of the ommer has the hash {}, and {} was wanted",
                              to_string(hash), to_string(wanted)));
    return header;
}

consensus_adapter::follow::FetchedBlock make_fetched_block(Block block, const Hash& hash,
                                                           std::size_t size_bytes) {
    consensus_adapter::follow::FetchedBlock fetched;
    fetched.block = executor::make_ordered_block(std::move(block));
    fetched.block.start.encoded_size_bytes = size_bytes;
    fetched.hash = hash;
    return fetched;
}

std::expected<consensus_adapter::follow::FetchedBlock, std::string> read_streamed_block(
    const JsonView& result, const consensus_adapter::GasBound& bound) {
    const Bytes encoded = result.at("block").bytes();
    auto block = consensus_adapter::decode_paid_block(encoded, bound);
    if (!block.has_value()) return std::unexpected(std::move(block).error());
    const Hash hash = header_hash(block->header);
    auto fetched = make_fetched_block(*std::move(block), hash, encoded.size());
    // Both are advice, which the executor checks.
    if (const auto list = result.find("accessList"))
        fetched.block.start.access_list = list->bytes();
    if (const auto sets = result.find("objectSets")) {
        const Bytes encoded_sets = sets->bytes();
        const auto count = count_object_sets(encoded_sets);
        if (!count.has_value()) return std::unexpected(to_string(count.error()));
        if (*count != fetched.block.transactions.size()) return fetched;
        auto decoded = decode_object_sets(encoded_sets);
        if (!decoded.has_value()) return std::unexpected(to_string(decoded.error()));
        fetched.block.object_sets = *std::move(decoded);
    }
    return fetched;
}

std::string quoted_quantity(std::uint64_t number) {
    return fmt::format("\"{}\"", to_quantity(number));
}

}  // namespace heddle::node::follow
