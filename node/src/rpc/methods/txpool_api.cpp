// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/txpool_api.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <types/assert.hpp>

#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/codec.hpp"

namespace heddle::node::rpc {
namespace {

using Transactions = std::vector<SharedTransaction>;
using Write = std::function<void(const PooledTransaction&, JsonWriter&)>;

void write_in_full(const PooledTransaction& pooled, JsonWriter& out) {
    write_transaction(pooled.tx, pooled.hash, std::nullopt, out);
}

/// One line for people.
void write_summary(const PooledTransaction& pooled, JsonWriter& out) {
    const Transaction& tx = pooled.tx;
    out.string(fmt::format("{}: {} wei + {} gas × {} wei",
                           tx.to.has_value() ? to_checksum_string(*tx.to) : "contract creation",
                           to_decimal(tx.value), tx.gas_limit, to_decimal(tx.max_fee_per_gas)));
}

void write_nonce(const PooledTransaction& pooled, const Write& write, JsonWriter& out) {
    out.key(std::to_string(pooled.tx.nonce));
    write(pooled, out);
}

/// `{sender: {nonce: …}}` of transactions that are sorted by both.
void write_by_sender(const Transactions& transactions, const Write& write, const Call& call,
                     JsonWriter& out) {
    std::optional<Address> sender;
    out.begin_object();
    for (const SharedTransaction& pooled : transactions) {
        call.check_deadline();
        HEDDLE_ASSERT(pooled->tx.sender.has_value());
        if (sender != pooled->tx.sender) {
            if (sender.has_value()) out.end_object();
            sender = pooled->tx.sender;
            out.key(to_checksum_string(*sender));
            out.begin_object();
        }
        write_nonce(*pooled, write, out);
    }
    if (sender.has_value()) out.end_object();
    out.end_object();
}

Handler get_content(const Services& services, const Write& write) {
    return at_most(0, [services, write](const Call& call, JsonWriter& out) {
        const Mempool::Content content = services.mempool.content();
        out.begin_object();
        out.key("pending");
        write_by_sender(content.pending, write, call, out);
        out.key("queued");
        write_by_sender(content.queued, write, call, out);
        out.end_object();
    });
}

void write_by_nonce(const Transactions& transactions, JsonWriter& out) {
    out.begin_object();
    for (const SharedTransaction& pooled : transactions)
        write_nonce(*pooled, write_in_full, out);
    out.end_object();
}

/// What could be in the next block, whoever sent it, as hardhat shows it.
Handler get_pending(const Services& services) {
    return at_most(0, [services](const Call& call, JsonWriter& out) {
        out.begin_array();
        for (const SharedTransaction& pooled : services.mempool.content().pending) {
            call.check_deadline();
            write_in_full(*pooled, out);
        }
        out.end_array();
    });
}

Handler get_content_of_sender(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const Mempool::Content content =
            services.mempool.content_of(address_argument(call.params, 0));
        out.begin_object();
        out.key("pending");
        write_by_nonce(content.pending, out);
        out.key("queued");
        write_by_nonce(content.queued, out);
        out.end_object();
    });
}

Handler get_status(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        const MempoolStatus status = services.mempool.status();
        out.begin_object();
        out.key("pending");
        out.quantity(std::uint64_t{status.pending});
        out.key("queued");
        out.quantity(std::uint64_t{status.queued});
        out.end_object();
    });
}

}  // namespace

void add_txpool_methods(MethodTable& table, const Services& services) {
    table.add({"txpool_content", get_content(services, write_in_full), Weight::heavy});
    table.add({"txpool_contentFrom", get_content_of_sender(services), Weight::heavy});
    table.add({"txpool_inspect", get_content(services, write_summary), Weight::heavy});
    table.add({"txpool_status", get_status(services)});
    table.add({"eth_pendingTransactions", get_pending(services), Weight::heavy});
}

}  // namespace heddle::node::rpc
