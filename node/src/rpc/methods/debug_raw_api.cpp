// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/debug_raw_api.hpp"

#include <vector>

#include "mempool/admission.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/block_access_lists.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

/// What is not there by its number is empty, as for geth; anything else is an error.
void expect_maybe_absent(const BlockSelector& selector, std::string_view what) {
    if (selector.hash.has_value())
        throw RpcError(Code::server_error,
                       fmt::format("{} {} not found", what, to_string(*selector.hash)));
    if (selector.tag == BlockSelector::Tag::pending)
        throw RpcError(Code::server_error, fmt::format("pending {} not found", what));
}

Handler get_raw_block(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const BlockSelector selector = argument(call.params, 0, to_selector);
        const SharedBlock block = find_stored_block(services.chain, selector);
        // As geth does: a number that is not there is nothing, a hash that is not there an error.
        if (!block) expect_maybe_absent(selector, "block");
        Bytes encoded;
        if (block) encode_block(block->block, encoded);
        out.hex(encoded);
    });
}

Handler get_raw_header(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const BlockSelector selector = argument(call.params, 0, to_selector);
        auto block = find_block(services.chain, selector);
        if (block.has_value() && block->is_pending) block.reset();
        if (!block.has_value()) expect_maybe_absent(selector, "header");
        Bytes encoded;
        if (block.has_value()) encode_header(block->header.header, encoded);
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
            encoded = encode_network_form(*pooled);
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
