// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/block_streams.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/json_writer.hpp"
#include "logging/log.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/filters.hpp"

namespace heddle::node::rpc {
namespace {

/// What a notification has beside the block and what is known of it.
constexpr std::size_t kFrameBytes = 512;

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
    const auto sets = chain.ledger().encoded_object_sets(number);
    if (sets.has_value() && sets->has_value()) write_member("objectSets", **sets, out);
}

/// Up to the stream's name. What is told of the stream follows, and the ends of two objects.
void begin_notification(std::string_view id, JsonWriter& out) {
    out.begin_object();
    out.key("jsonrpc");
    out.string("2.0");
    out.key("method");
    out.string("heddle_subscription");
    out.key("params");
    out.begin_object();
    out.key("subscription");
    out.string(id);
}

/// @param block  Null: only how far the primary is.
std::string notification(std::string_view id, const Chain& chain, const ledger::StoredBlock* block,
                         const std::optional<StreamProgress>& progress) {
    std::string text;
    JsonWriter out{text, JsonWriter::Style::compact};
    begin_notification(id, out);
    out.key("result");
    out.begin_object();
    if (progress.has_value()) {
        out.key("head");
        out.quantity(progress->kept);
        out.key("acknowledged");
        out.quantity(progress->shown);
    }
    if (block != nullptr) {
        out.key("number");
        out.quantity(block->block.header.number);
        Bytes encoded;
        encode_block(block->block, encoded);
        // Room for the sets, too: they are about as long. Growing would touch the pages twice.
        text.reserve(text.size() + 4 * encoded.size() + kFrameBytes);
        write_member("block", encoded, out);
        write_accesses(chain, *block, out);
    }
    out.end_object();
    out.end_object();
    out.end_object();
    return text;
}

std::string last_notification(std::string_view id, std::string_view why) {
    std::string text;
    JsonWriter out{text, JsonWriter::Style::compact};
    begin_notification(id, out);
    out.key("error");
    out.begin_object();
    out.key("code");
    out.raw(fmt::format("{}", static_cast<int>(Code::server_error)));
    out.key("message");
    out.string(why);
    out.end_object();
    out.end_object();
    out.end_object();
    return text;
}

}  // namespace

BlockStreams::BlockStreams(Chain& chain)
    : chain_(chain),
      thread_([this] { run(); }),
      made_(chain.made().subscribe([this](const SharedBlock& block) {
          const std::scoped_lock lock{state_->mutex};
          state_->made = block;
          if (!state_->streams.empty()) state_->changed.notify_all();
      })),
      kept_(chain.kept().subscribe([this](const SharedBlock& block) {
          const std::scoped_lock lock{state_->mutex};
          state_->kept = block->block.header.number;
          state_->made = nullptr;  // `block` is the same one, so nothing is freed here
          if (!state_->streams.empty()) state_->changed.notify_all();
      })),
      heads_(chain.heads().subscribe([this](const SharedBlock& block) {
          const std::scoped_lock lock{state_->mutex};
          state_->head = block->block.header.number;
          if (!state_->streams.empty()) state_->changed.notify_all();
      })),
      rewinds_(chain.rewinds().subscribe([this](const SharedBlock& block) {
          // Followers are sent what comes in the place of blocks that were taken back, and see for
          // themselves that it does not follow what they have.
          const std::scoped_lock lock{state_->mutex};
          take_back(block->block.header.number);
          state_->changed.notify_all();
      })) {
    const std::scoped_lock lock{state_->mutex};
    state_->head = std::max(state_->head, chain.head().header.number);
    state_->kept = std::max(state_->kept, chain.kept_head().header.number);
}

BlockStreams::~BlockStreams() {
    heads_ = {};
    rewinds_ = {};
    kept_ = {};
    made_ = {};
    {
        const std::scoped_lock lock{state_->mutex};
        state_->stops = true;
        state_->changed.notify_all();
    }
    thread_.join();
}

void BlockStreams::take_back(std::uint64_t head) {
    state_->head = state_->kept = head;
    ++state_->rewinds;
    for (const auto& [id, stream] : state_->streams) {
        stream->next = std::min(stream->next, head + 1);
        stream->waits_for_rewind = false;
        // Nobody can acknowledge them any more.
        while (!stream->outstanding.empty() && stream->outstanding.back().first > head) {
            stream->outstanding_bytes -= stream->outstanding.back().second;
            stream->outstanding.pop_back();
        }
    }
}

void BlockStreams::check(const Request& request) const {
    const std::uint64_t first = chain_.ledger().first_block();
    if (request.from <= first)
        throw RpcError(Code::server_error, fmt::format("blocks are kept from {} on", first + 1));
    const auto before = take(request.backup ? chain_.kept_header(request.from - 1)
                                            : chain_.header(request.from - 1));
    if (!before.has_value())
        throw RpcError(Code::server_error, fmt::format("there is no block {}", request.from - 1));
    if (request.parent.has_value() && *request.parent != before->hash)
        throw RpcError(Code::server_error, fmt::format("block {} is {} here", request.from - 1,
                                                       to_string(before->hash)));
}

BlockStreams::SharedStream BlockStreams::make_room(const Stream& wanted) const {
    std::size_t count = 0;
    std::unordered_map<std::uint64_t, std::size_t> held;  // of each other client
    std::size_t mine = 1;
    for (const auto& [id, stream] : state_->streams) {
        if (stream->backup) continue;  // backups are few, and make room for nobody
        ++count;
        ++(stream->client == wanted.client ? mine : held[stream->client]);
    }
    if (count < kMaxStreams) return nullptr;
    const auto most =
        std::ranges::max_element(held, {}, [](const auto& each) { return each.second; });
    if (most == held.end() || most->second <= mine)
        throw RpcError(Code::limit_exceeded,
                       fmt::format("too many streams of blocks: {}", kMaxStreams));
    SharedStream newest;
    for (const auto& [id, stream] : state_->streams)
        if (!stream->backup && stream->client == most->first &&
            (!newest || stream->serial > newest->serial))
            newest = stream;
    return newest;
}

std::string BlockStreams::add(const std::shared_ptr<Session>& session, const Request& request) {
    check(request);
    auto stream = std::make_shared<Stream>();
    stream->session = session;
    stream->id = random_id();
    stream->client = request.client;
    stream->next = request.from;
    stream->window = std::clamp<std::uint64_t>(request.window, 1, kMaxWindow);
    stream->backup = request.backup;
    stream->ahead = request.backup != nullptr && request.ahead;
    stream->told_kept = request.from - 1;  // it has it
    SharedStream giver;                    // freed outside the lock
    bool is_new_session = false;
    {
        const std::scoped_lock lock{state_->mutex};
        if (!state_->ended.empty()) throw RpcError(Code::server_error, state_->ended);
        // Followers must not keep backups out.
        if (!stream->backup) giver = make_room(*stream);
        if (giver) state_->streams.erase(giver->id);
        stream->serial = state_->next_serial++;
        state_->streams.emplace(stream->id, stream);
        is_new_session = state_->sessions.insert(session.get()).second;
        state_->changed.notify_all();
    }
    if (giver)
        (void)giver->session->send(
            last_notification(giver->id, "another client needs room for a stream of blocks"));
    // It may run at once, so not with the lock.
    if (is_new_session)
        session->on_close([state = std::weak_ptr{state_}, key = session.get()] {
            std::vector<SharedStream> removed;  // freed outside the lock
            if (const auto alive = state.lock()) {
                const std::scoped_lock lock{alive->mutex};
                alive->sessions.erase(key);
                for (const auto& [id, other] : alive->streams)
                    if (other->session.get() == key) removed.push_back(other);
                for (const SharedStream& other : removed)
                    alive->streams.erase(other->id);
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
    SharedStream stream;  // freed outside the lock
    std::shared_ptr<replication::BackupSession> backup;
    {
        const std::scoped_lock lock{state_->mutex};
        stream = find(session, id);
        if (!stream || number >= stream->next) return false;
        while (!stream->outstanding.empty() && stream->outstanding.front().first <= number) {
            stream->outstanding_bytes -= stream->outstanding.front().second;
            stream->outstanding.pop_front();
        }
        state_->changed.notify_all();
        backup = stream->backup;
    }
    if (backup) backup->acknowledged(number);
    return true;
}

bool BlockStreams::remove(const Session* session, std::string_view id) {
    SharedStream removed;  // freed outside the lock
    const std::scoped_lock lock{state_->mutex};
    removed = find(session, id);
    return removed && state_->streams.erase(removed->id) != 0;
}

void BlockStreams::end(std::string_view why) {
    std::unordered_map<std::string, SharedStream> ending;
    {
        const std::scoped_lock lock{state_->mutex};
        state_->ended = why;
        ending.swap(state_->streams);
    }
    for (const auto& [id, stream] : ending)
        (void)stream->session->send(last_notification(id, why));  // who is gone needs none
}

std::vector<BlockStreams::SharedStream> BlockStreams::ready() const {
    std::vector<SharedStream> found;
    for (const auto& [id, stream] : state_->streams)
        if (has_block(*stream) || has_news(*stream)) found.push_back(stream);
    return found;
}

bool BlockStreams::has_block(const Stream& stream) const {
    if (stream.waits_for_rewind) return false;
    std::uint64_t newest = stream.backup ? state_->kept : state_->head;
    if (stream.ahead && state_->made) newest = state_->made->block.header.number;
    return stream.next <= newest && stream.outstanding.size() < stream.window &&
           stream.outstanding_bytes < kMaxOutstandingBytes;
}

bool BlockStreams::has_news(const Stream& stream) const {
    if (stream.backup == nullptr) return false;
    const bool is_ahead = stream.told_kept + 1 < stream.next;  // has one that it may not keep yet
    return stream.told_shown != state_->head || (is_ahead && stream.told_kept < state_->kept);
}

StreamProgress BlockStreams::take_progress(Stream& stream) const {
    stream.told_shown = state_->head;
    stream.told_kept = state_->kept;
    return {state_->kept, state_->head};
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
    bool has_block_now = false;
    {
        const std::scoped_lock lock{state_->mutex};
        has_block_now = has_block(*stream);
    }
    if (has_block_now ? send_block(stream) : send_shown(stream)) return;
    const std::scoped_lock lock{state_->mutex};
    state_->streams.erase(stream->id);  // `stream` is freed by the caller
}

bool BlockStreams::send_shown(const SharedStream& stream) {
    StreamProgress progress;
    {
        const std::scoped_lock lock{state_->mutex};
        progress = take_progress(*stream);
    }
    return stream->session->send(notification(stream->id, chain_, nullptr, progress));
}

bool BlockStreams::send_block(const SharedStream& stream) {
    std::uint64_t number = 0;
    std::uint64_t rewinds = 0;
    SharedBlock made;
    std::optional<StreamProgress> progress;
    {
        const std::scoped_lock lock{state_->mutex};
        number = stream->next;
        rewinds = state_->rewinds;
        if (stream->backup) {
            if (number > state_->kept) made = state_->made;
            progress = take_progress(*stream);
        }
    }
    Chain::Found<ledger::StoredBlock> kept;
    if (!made) {
        kept = stream->backup ? chain_.kept_block(number) : chain_.block(number);
        const bool is_absent = kept.has_value() && !kept->has_value();
        if (is_absent && number > chain_.ledger().first_block()) {
            // It was told of, so it is being taken back, which is going to be told of as well.
            const std::scoped_lock lock{state_->mutex};
            stream->waits_for_rewind = state_->rewinds == rewinds;
            return true;
        }
        if (!kept.has_value() || is_absent) {
            logger(Component::rpc).warn("block {} cannot be read for a follower", number);
            return false;
        }
    }
    std::string text = notification(stream->id, chain_, made ? made.get() : &**kept, progress);
    const std::size_t bytes = text.size();
    {
        // Before it is out, for its acknowledgement may come at once.
        const std::scoped_lock lock{state_->mutex};
        if (state_->rewinds != rewinds) return true;  // there is another one in its place
        ++stream->next;
        stream->outstanding.emplace_back(number, bytes);
        stream->outstanding_bytes += bytes;
    }
    return stream->session->send(std::move(text));
}

}  // namespace heddle::node::rpc
