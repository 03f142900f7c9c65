// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/block_streams.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <types/object_codec.hpp>

#include "formats/json_writer.hpp"
#include "logging/log.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/filters.hpp"

namespace heddle::node::rpc {
namespace {

void write_member(std::string_view name, BytesView bytes, JsonWriter& out) {
    out.key(name);
    out.hex(bytes);
}

/// What is known beforehand of what the block accesses: its list, else the sets of its
/// transactions, else nothing. What cannot be read is nothing known, too.
void write_accesses(const Chain& chain, const ledger::StoredBlock& block, JsonWriter& out) {
    const std::uint64_t number = block.block.header.number;
    const auto list = chain.ledger().access_list(number);
    if (list.has_value() && list->has_value()) return write_member("accessList", **list, out);
    const auto sets = chain.ledger().object_sets(number);
    if (!sets.has_value() || !sets->has_value() || (*sets)->empty() ||
        (*sets)->size() != block.block.transactions.size())
        return;
    Bytes encoded;
    encode_object_sets(**sets, encoded);
    write_member("objectSets", encoded, out);
}

std::string notification(std::string_view id, const Chain& chain,
                         const ledger::StoredBlock& block) {
    std::string text;
    JsonWriter out{text, JsonWriter::Style::compact};
    out.begin_object();
    out.key("jsonrpc");
    out.string("2.0");
    out.key("method");
    out.string("heddle_subscription");
    out.key("params");
    out.begin_object();
    out.key("subscription");
    out.string(id);
    out.key("result");
    out.begin_object();
    out.key("number");
    out.quantity(block.block.header.number);
    Bytes encoded;
    encode_block(block.block, encoded);
    write_member("block", encoded, out);
    write_accesses(chain, block, out);
    out.end_object();
    out.end_object();
    out.end_object();
    return text;
}

}  // namespace

BlockStreams::BlockStreams(Chain& chain)
    : chain_(chain),
      thread_([this] { run(); }),
      heads_(chain.heads().subscribe([this](const SharedBlock& block) {
          const std::scoped_lock lock{state_->mutex};
          state_->head = block->block.header.number;
          state_->changed.notify_all();
      })) {
    const std::scoped_lock lock{state_->mutex};
    state_->head = std::max(state_->head, chain.head().header.number);
}

BlockStreams::~BlockStreams() {
    heads_ = {};
    {
        const std::scoped_lock lock{state_->mutex};
        state_->stops = true;
        state_->changed.notify_all();
    }
    thread_.join();
}

void BlockStreams::check(const Request& request) const {
    const std::uint64_t first = chain_.ledger().first_block();
    if (request.from <= first)
        throw RpcError(Code::server_error, fmt::format("blocks are kept from {} on", first + 1));
    const auto before = take(chain_.header(request.from - 1));
    if (!before.has_value())
        throw RpcError(Code::server_error, fmt::format("there is no block {}", request.from - 1));
    if (request.parent.has_value() && *request.parent != before->hash)
        throw RpcError(Code::server_error, fmt::format("block {} is {} here", request.from - 1,
                                                       to_string(before->hash)));
}

std::string BlockStreams::add(const std::shared_ptr<Session>& session, const Request& request) {
    check(request);
    auto stream = std::make_shared<Stream>();
    stream->session = session;
    stream->id = random_id();
    stream->next = request.from;
    stream->window = std::clamp<std::uint64_t>(request.window, 1, kMaxWindow);
    {
        const std::scoped_lock lock{state_->mutex};
        if (state_->streams.size() >= kMaxStreams)
            throw RpcError(Code::limit_exceeded,
                           fmt::format("too many streams of blocks: {}", kMaxStreams));
        state_->streams.emplace(stream->id, stream);
        state_->changed.notify_all();
    }
    // It may run at once, so not with the lock.
    session->on_close([state = std::weak_ptr{state_}, id = stream->id] {
        SharedStream removed;  // freed outside the lock
        if (const auto alive = state.lock()) {
            const std::scoped_lock lock{alive->mutex};
            if (auto node = alive->streams.extract(id)) removed = std::move(node.mapped());
        }
    });
    return stream->id;
}

BlockStreams::SharedStream BlockStreams::find(const Session* session, std::string_view id) const {
    const auto found = state_->streams.find(std::string{id});
    if (found == state_->streams.end() || found->second->session.get() != session) return nullptr;
    return found->second;
}

bool BlockStreams::acknowledge(const Session* session, std::string_view id, std::uint64_t number) {
    const std::scoped_lock lock{state_->mutex};
    const SharedStream stream = find(session, id);
    if (!stream || number >= stream->next) return false;
    while (!stream->outstanding.empty() && stream->outstanding.front().first <= number) {
        stream->outstanding_bytes -= stream->outstanding.front().second;
        stream->outstanding.pop_front();
    }
    state_->changed.notify_all();
    return true;
}

bool BlockStreams::remove(const Session* session, std::string_view id) {
    SharedStream removed;  // freed outside the lock
    const std::scoped_lock lock{state_->mutex};
    removed = find(session, id);
    return removed && state_->streams.erase(removed->id) != 0;
}

std::vector<BlockStreams::SharedStream> BlockStreams::ready() const {
    std::vector<SharedStream> found;
    for (const auto& [id, stream] : state_->streams)
        if (stream->next <= state_->head && stream->outstanding.size() < stream->window &&
            stream->outstanding_bytes < kMaxOutstandingBytes)
            found.push_back(stream);
    return found;
}

void BlockStreams::run() {
    for (;;) {
        std::vector<SharedStream> streams;
        {
            std::unique_lock lock{state_->mutex};
            state_->changed.wait(lock, [&] {
                streams = ready();
                return state_->stops || !streams.empty();
            });
            if (state_->stops) return;
        }
        for (const SharedStream& stream : streams)
            send_next(stream);
    }
}

void BlockStreams::send_next(const SharedStream& stream) {
    const std::uint64_t number = stream->next;  // only this thread moves it
    const auto block = chain_.block(number);
    std::string text;
    bool is_sent = false;
    if (block.has_value() && block->has_value()) {
        text = notification(stream->id, chain_, **block);
        const std::size_t bytes = text.size();
        {
            // Before it is out, for its acknowledgement may come at once.
            const std::scoped_lock lock{state_->mutex};
            ++stream->next;
            stream->outstanding.emplace_back(number, bytes);
            stream->outstanding_bytes += bytes;
        }
        is_sent = stream->session->send(std::move(text));
    } else {
        logger(Component::rpc).warn("block {} cannot be read for a follower", number);
    }
    if (is_sent) return;
    const std::scoped_lock lock{state_->mutex};
    state_->streams.erase(stream->id);  // `stream` is freed by the caller
}

}  // namespace heddle::node::rpc
