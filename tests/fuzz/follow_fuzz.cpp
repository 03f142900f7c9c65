// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What another node says: blocks, receipts and messages of members as JSON. What is taken is what
// its hashes say, and written as this node writes it it is taken again.
#include <functional>
#include <string>
#include <string_view>

#include "follow/endpoint.hpp"
#include "follow/rpc_block.hpp"
#include "forking/block_record.hpp"
#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "formats/proven_block.hpp"
#include "formats/witness_file.hpp"
#include "program/error.hpp"
#include "replication/member_messages.hpp"
#include "rpc/queries/codec.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

using node::JsonView;
using node::JsonWriter;

/// Whether it was taken; what is not taken is named.
bool takes(const std::function<void()>& read) {
    try {
        read();
        return true;
    } catch (const node::InputError& error) {
        require(!std::string_view(error.what()).empty(), "an error without words");
        return false;
    }
}

void read_block(const JsonView& json) {
    const node::follow::RebuiltBlock rebuilt = node::follow::rebuild_block(json);
    require(header_hash(rebuilt.block.header) == rebuilt.hash, "the hash of a block");
    Block block = rebuilt.block;
    for (Transaction& tx : block.transactions)
        tx.sender = recover_sender(tx).value_or(Address{});
    std::string text;
    JsonWriter out(text);
    node::rpc::write_block(block, rebuilt.hash, true, 1, out);
    static node::JsonParser parser;
    const auto again = node::follow::rebuild_block(parser.parse(text, "written"));
    require(again.hash == rebuilt.hash, "a header as this node writes it");
    require(again.block.transactions == rebuilt.block.transactions,
            "transactions as this node writes them");
    require(again.block.withdrawals == rebuilt.block.withdrawals,
            "withdrawals as this node writes them");
    (void)takes([&] {
        const auto checked = node::forking::make_checked_block(rebuilt, {}, {}, Uint256{1});
        const std::string record = node::forking::to_record(checked);
        require(node::forking::parse_record(record).has_value(), "a block in a cache");
    });
}

template <typename Parse>
void read_message(const JsonView& json, Parse parse) {
    (void)takes([&] {
        const auto message = parse(json);
        if constexpr (requires(JsonWriter& out) { node::replication::write(message, out); }) {
            std::string text;
            JsonWriter out(text);
            node::replication::write(message, out);
            static node::JsonParser parser;
            (void)parse(parser.parse(text, "written"));
        }
    });
}

}  // namespace

void follow(BytesView input) {
    static node::JsonParser parser;
    // Text is bytes; there is no other way from one to the other.
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    (void)takes([&] { (void)node::follow::parse_endpoint(text, "--follow"); });
    if (const auto block = node::forking::parse_record(text))
        require(node::forking::parse_record(node::forking::to_record(*block)).has_value(),
                "a record of a block");
    if (const auto header = node::forking::parse_header_record(text))
        require(node::forking::parse_header_record(node::forking::to_header_record(*header))
                    .has_value(),
                "a record of a header");
    (void)takes([&] {
        const JsonView json = parser.parse(text, "answer");
        (void)takes([&] { read_block(json); });
        (void)takes([&] { (void)node::follow::rebuild_ommer(json, Hash{}); });
        (void)takes([&] { (void)node::follow::read_streamed_block(json, {}); });
        (void)takes([&] { (void)node::forking::parse_rpc_receipts(json); });
        (void)takes([&] { (void)node::parse_proven_block(json); });
        (void)takes([&] { (void)node::parse_witness(json); });
        read_message(json, node::replication::parse_replicate_request);
        read_message(json, node::replication::parse_replicate_answer);
        read_message(json, node::replication::parse_promise_request);
        read_message(json, node::replication::parse_member_status);
    });
}

}  // namespace heddle::fuzz
