// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/debug_raw_api.hpp"

#include <vector>

#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/block_access_lists.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

Handler get_raw_block(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const BlockSelector selector = argument(call.params, 0, to_selector);
        const SharedBlock block = find_stored_block(services.chain, selector);
        // As geth does: a number that is not there is nothing, a hash that is not there an error.
        if (!block && selector.hash.has_value())
            throw RpcError(Code::server_error, "block " + to_string(*selector.hash) + " not found");
        Bytes encoded;
        if (block) encode_block(block->block, encoded);
        out.hex(encoded);
    });
}

Handler get_raw_header(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const BlockSelector selector = argument(call.params, 0, to_selector);
        const auto block = find_block(services.chain, selector);
        if (!block.has_value() && selector.hash.has_value())
            throw RpcError(Code::server_error,
                           "header " + to_string(*selector.hash) + " not found");
        Bytes encoded;
        if (block.has_value() && !block->is_pending) encode_header(block->header.header, encoded);
        out.hex(encoded);
    });
}

Handler get_raw_access_list(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const auto encoded =
            find_access_list(services.chain, argument(call.params, 0, to_selector));
        if (!encoded.has_value()) throw RpcError(Code::not_found, "Resource not found");
        out.hex(*encoded);
    });
}

void write_encoded(const std::vector<Receipt>& receipts, JsonWriter& out) {
    for (const Receipt& receipt : receipts) {
        Bytes encoded;
        encode_receipt(receipt, encoded);
        out.hex(encoded);
    }
}

Handler get_raw_receipts(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const BlockSelector selector = argument(call.params, 0, to_selector);
        const SharedBlock block = find_stored_block(services.chain, selector);
        // As geth does: a hash or a pending block that is not there has no receipts.
        if (!block && selector.tag == BlockSelector::Tag::none && !selector.hash.has_value())
            return out.null();
        out.begin_array();
        if (block) write_encoded(block->receipts, out);
        out.end_array();
    });
}

/// Of a block, in its order; none where the block is not there.
Handler get_raw_transactions(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const SharedBlock block =
            find_stored_block(services.chain, argument(call.params, 0, to_selector));
        out.begin_array();
        if (block) {
            for (const Transaction& tx : block->block.transactions) {
                Bytes encoded;
                encode_transaction(tx, encoded);
                out.hex(encoded);
            }
        }
        out.end_array();
    });
}

Handler get_raw_transaction(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const Hash hash = hash_argument(call.params, 0);
        Bytes encoded;
        if (const auto place = take(services.chain.find_transaction(hash)); place.has_value()) {
            const auto block = take(services.chain.stored_block(place->number));
            if (block && place->index < block->block.transactions.size())
                encode_transaction(block->block.transactions[place->index], encoded);
        } else if (const SharedTransaction pooled = services.mempool.find(hash)) {
            encode_transaction(pooled->tx, encoded);
        }
        out.hex(encoded);
    });
}

}  // namespace

void add_debug_raw_methods(MethodTable& table, const Services& services) {
    table.add({"debug_getRawBlock", get_raw_block(services), Weight::heavy});
    table.add({"debug_getRawHeader", get_raw_header(services)});
    table.add({"debug_getRawBlockAccessList", get_raw_access_list(services), Weight::heavy});
    table.add({"debug_getRawReceipts", get_raw_receipts(services), Weight::heavy});
    table.add({"debug_getRawTransaction", get_raw_transaction(services), Weight::reading});
    table.add({"debug_getRawTransactions", get_raw_transactions(services), Weight::heavy});
}

}  // namespace heddle::node::rpc
