// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_block_api.hpp"

#include <functional>
#include <string>
#include <utility>

#include "formats/block_access_list_json.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/block_access_lists.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/served_block_codec.hpp"

namespace heddle::node::rpc {
namespace {

using Tag = BlockSelector::Tag;

/// How a method names its block: by number or tag, or by hash.
using ReadSelector = std::function<BlockSelector(const Params&)>;

BlockSelector number_selector(const Params& params) {
    return argument(params, 0, to_number_selector);
}

BlockSelector hash_selector(const Params& params) {
    return {.tag = Tag::none, .hash = hash_argument(params, 0)};
}

Handler get_block(const Services& services, const ReadSelector& read,
                  const SharedPendingBlocks& pending) {
    return at_most(2, [services, read, pending](const Call& call, JsonWriter& out) {
        const BlockSelector selector = read(call.params);
        const bool with_transactions = bool_argument(call.params, 1);
        if (selector.tag == Tag::pending) {
            const SharedPendingBlock next = pending->get(call);
            return write_pending_block(next->block, next->transaction_hashes, with_transactions,
                                       out);
        }
        const SharedServedBlock block = find_served_block(services.chain, selector);
        if (!block) return out.null();
        write_block(block->stored->block,
                    {block->stored->hash, block->transaction_hashes, block->size_bytes},
                    with_transactions, out);
    });
}

Handler get_header(const Services& services, const ReadSelector& read) {
    return at_most(1, [services, read](const Call& call, JsonWriter& out) {
        const auto block = find_block(services.chain, read(call.params));
        if (!block.has_value() || block->is_pending) return out.null();
        out.begin_object();
        write_header_members(block->header.header, block->header.hash, out);
        out.end_object();
    });
}

/// Counts something of a block.
Handler get_count(const Services& services, const ReadSelector& read,
                  const SharedPendingBlocks& pending,
                  const std::function<std::size_t(const Block&)>& count) {
    return at_most(1, [services, read, pending, count](const Call& call, JsonWriter& out) {
        const BlockSelector selector = read(call.params);
        if (selector.tag == Tag::pending)
            return out.quantity(std::uint64_t{count(pending->get(call)->block)});
        const SharedBlock block = find_stored_block(services.chain, selector);
        if (!block) return out.null();
        out.quantity(std::uint64_t{count(block->block)});
    });
}

std::size_t count_transactions(const Block& block) {
    return block.transactions.size();
}

std::size_t count_ommers(const Block& block) {
    return block.ommers.size();
}

Handler get_ommer(const Services& services, const ReadSelector& read) {
    return at_most(2, [services, read](const Call& call, JsonWriter& out) {
        const BlockSelector selector = read(call.params);
        const std::uint64_t index = uint64_argument(call.params, 1);
        const SharedBlock block = find_stored_block(services.chain, selector);
        if (!block || index >= block->block.ommers.size()) return out.null();
        write_ommer(block->block.ommers[index], out);
    });
}

BlockSelector any_selector(const Params& params) {
    return argument(params, 0, to_selector);
}

Handler get_access_list(const Services& services, const ReadSelector& read) {
    return at_most(1, [services, read](const Call& call, JsonWriter& out) {
        const auto encoded = find_access_list(services.chain, read(call.params));
        if (!encoded.has_value()) return out.null();
        const auto list = decode_block_access_list(*encoded);
        if (!list.has_value()) throw RpcError(Code::internal_error, to_string(list.error()));
        write_block_access_list(*list, out);
    });
}

/// As geth: with a hash of the block as it stands, which no block will have. Clients want one.
void write_pending_receipts(const PendingBlock& pending, JsonWriter& out) {
    const BlockHeader& header = pending.block.header;
    const Hash hash = header_hash(header);
    std::uint32_t first_log_index = 0;
    for (std::uint32_t i = 0; i < pending.receipts.size(); ++i) {
        const Receipt& receipt = pending.receipts[i];
        write_receipt(receipt, pending.block.transactions[i], pending.transaction_hashes[i],
                      {place_of(header, hash, i), first_log_index, pending.blob_base_fee}, out);
        first_log_index += static_cast<std::uint32_t>(receipt.logs.size());
    }
}

Handler get_block_receipts(const Services& services, const SharedPendingBlocks& pending) {
    return at_most(1, [services, pending](const Call& call, JsonWriter& out) {
        const BlockSelector selector = argument(call.params, 0, to_selector);
        const bool is_pending = selector.tag == Tag::pending;
        const SharedServedBlock block =
            is_pending ? nullptr : find_served_block(services.chain, selector);
        if (!block && !is_pending) return out.null();
        out.begin_array();
        if (block)
            write_receipts(services.chain, *block, out);
        else
            write_pending_receipts(*pending->get(call), out);
        out.end_array();
    });
}

}  // namespace

void add_eth_block_methods(MethodTable& table, const Services& services,
                           const SharedPendingBlocks& pending) {
    const auto add = [&](std::string name, Handler handler, Weight weight = Weight::reading) {
        table.add({.name = std::move(name), .handler = std::move(handler), .weight = weight});
    };
    const auto add_with_pending = [&](std::string name, Handler handler) {
        table.add(
            {.name = std::move(name), .handler = std::move(handler), .weigh = pending_weight});
    };
    add_with_pending("eth_getBlockByNumber", get_block(services, number_selector, pending));
    add("eth_getBlockByHash", get_block(services, hash_selector, pending));
    add("eth_getHeaderByNumber", get_header(services, number_selector), Weight::light);
    add("eth_getHeaderByHash", get_header(services, hash_selector), Weight::light);
    add_with_pending("eth_getBlockTransactionCountByNumber",
                     get_count(services, number_selector, pending, count_transactions));
    add("eth_getBlockTransactionCountByHash",
        get_count(services, hash_selector, pending, count_transactions));
    add_with_pending("eth_getUncleCountByBlockNumber",
                     get_count(services, number_selector, pending, count_ommers));
    add("eth_getUncleCountByBlockHash", get_count(services, hash_selector, pending, count_ommers));
    add("eth_getUncleByBlockNumberAndIndex", get_ommer(services, number_selector));
    add("eth_getUncleByBlockHashAndIndex", get_ommer(services, hash_selector));
    add_with_pending("eth_getBlockReceipts", get_block_receipts(services, pending));
    // One answer under the names that geth and reth have for it.
    add("eth_getBlockAccessList", get_access_list(services, any_selector), Weight::heavy);
    add("debug_getBlockAccessList", get_access_list(services, any_selector), Weight::heavy);
    add("eth_getBlockAccessListByBlockNumber", get_access_list(services, number_selector),
        Weight::heavy);
    add("eth_getBlockAccessListByBlockHash", get_access_list(services, hash_selector),
        Weight::heavy);
}

}  // namespace heddle::node::rpc
