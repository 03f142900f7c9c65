// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The graph as bytes, and back. Transactions are named by their places in the order of arrival;
// what refers to decided ones is left out, for nothing looks at it. Numbers are little-endian.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <types/assert.hpp>

#include "lanes/field_reader.hpp"
#include "lanes/graph.hpp"

namespace heddle::consensus_adapter::lanes {

namespace {

constexpr std::uint8_t kWaits = 1;
constexpr std::uint8_t kRejected = 2;
constexpr std::uint8_t kHasWaited = 4;
constexpr std::uint8_t kAllFlags = kWaits | kRejected | kHasWaited;

void put(const Hash& hash, Bytes& out) {
    out.insert(out.end(), hash.bytes.begin(), hash.bytes.end());
}

/// A number of things of which each takes at least so many bytes; one that cannot be is not good.
std::size_t read_count(FieldReader& in, std::size_t least_bytes) {
    const auto count = in.integer<std::uint32_t>();
    return in.expect(count <= in.left() / least_bytes) ? count : 0;
}

}  // namespace

std::vector<std::uint32_t> Graph::save(Bytes& out) const {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < vertices_.size(); ++slot)
        if (serials_[slot] != 0) slots.push_back(slot);
    std::ranges::sort(slots, {}, [this](std::uint32_t slot) { return serials_[slot]; });
    std::vector<std::uint32_t> places(vertices_.size(), kNone);
    for (std::uint32_t place = 0; place < slots.size(); ++place)
        places[slots[place]] = place;
    put(next_serial_, out);
    put(first_there_, out);
    put(static_cast<std::uint32_t>(slots.size()), out);
    for (const std::uint32_t slot : slots)
        save_vertex(slot, places, out);
    for (const ObjectTails& tails : tails_)
        save_tails(tails, places, out);
    for (const auto* const half : {&known_.past(), &known_.present()}) {
        put(static_cast<std::uint32_t>(half->size()), out);
        for (const KnownTransactions::Record& record : *half) {
            put(record.digest, out);
            put(is_there(record.slot, record.serial) ? places[record.slot] : kNone, out);
        }
    }
    return places;
}

void Graph::save_links(const LinkList& list, std::span<const std::uint32_t> places,
                       Bytes& out) const {
    std::vector<std::uint32_t> there;
    LinkCursor cursor;
    VertexLink link;
    while (links_.next(list, cursor, link))
        if (is_there(link)) there.push_back(places[link.slot]);
    put(static_cast<std::uint32_t>(there.size()), out);
    for (const std::uint32_t place : there)
        put(place, out);
}

void Graph::save_vertex(std::uint32_t slot, std::span<const std::uint32_t> places,
                        Bytes& out) const {
    const Vertex& vertex = vertices_[slot];
    const bool waits = vertex.state == VertexState::waiting;
    // Between two cuts there is nothing else.
    HEDDLE_ASSERT(waits || vertex.state == VertexState::incomplete);
    put(serials_[slot], out);
    put(vertex.lanes.bits(), out);
    put(vertex.seen.bits(), out);
    put(vertex.weight, out);
    put(waits ? places[vertex.hangs_on] : kNone, out);
    put(static_cast<std::uint8_t>((waits ? kWaits : 0) | (vertex.is_rejected ? kRejected : 0) |
                                  (vertex.has_waited ? kHasWaited : 0)),
        out);
    put(vertex.cut, out);
    put(vertex.content, out);
    put(vertex.id.counter, out);
    put(vertex.id.lane, out);
    put(vertex.digest, out);
    save_links(vertex.edges, places, out);
}

void Graph::save_tails(const ObjectTails& tails, std::span<const std::uint32_t> places,
                       Bytes& out) const {
    const auto is_needed = [this](const ObjectTails::Record& record) {
        if (is_there(record.writer_slot, record.writer_serial)) return true;
        LinkCursor cursor;
        VertexLink reader;
        while (links_.next(record.readers, cursor, reader))
            if (is_there(reader)) return true;
        return false;
    };
    const auto count = std::ranges::count_if(tails.records(), is_needed);
    put(static_cast<std::uint32_t>(count), out);
    for (const ObjectTails::Record& record : tails.records()) {
        if (!is_needed(record)) continue;
        const auto& address = record.object.address.bytes;
        out.insert(out.end(), address.begin(), address.end());
        put(static_cast<std::uint8_t>(record.object.kind), out);
        put(to_hash(record.object.slot), out);
        const bool has_writer = is_there(record.writer_slot, record.writer_serial);
        put(has_writer ? places[record.writer_slot] : kNone, out);
        save_links(record.readers, places, out);
    }
}

bool Graph::restore(FieldReader& in) {
    HEDDLE_ASSERT(vertices_.empty());
    next_serial_ = in.integer<std::uint64_t>();
    first_there_ = in.integer<std::uint64_t>();
    if (!in.expect(first_there_ >= 1 && first_there_ <= next_serial_)) return false;
    constexpr std::size_t kLeastVertex = 100;
    const std::size_t count = read_count(in, kLeastVertex);
    vertices_.resize(count);
    serials_.resize(count);
    // What an edge or a waiting one names may come later than itself: serials first.
    std::vector<PendingEdges> edges(count);
    for (std::uint32_t slot = 0; slot < count && in.is_good(); ++slot)
        restore_vertex(slot, edges[slot], in);
    if (!in.is_good()) return false;
    for (std::uint32_t slot = 0; slot < count; ++slot)
        for (const std::uint32_t from : edges[slot])
            links_.append(vertices_[slot].edges, link_to(from));
    for (std::uint32_t slot = 0; slot < count; ++slot)
        if (!hang(slot)) return false;
    for (ObjectTails& tails : tails_)
        restore_tails(tails, in);
    return restore_known(in) && in.is_good();
}

void Graph::restore_vertex(std::uint32_t slot, PendingEdges& edges, FieldReader& in) {
    Vertex& vertex = vertices_[slot];
    const auto serial = in.integer<std::uint64_t>();
    const std::uint64_t before = slot == 0 ? first_there_ - 1 : serials_[slot - 1];
    in.expect(serial > before && serial < next_serial_);
    serials_[slot] = serial;
    vertex.lanes = LaneSet{in.integer<std::uint64_t>()};
    vertex.seen = LaneSet{in.integer<std::uint64_t>()};
    in.expect(!vertex.seen.is_empty() && vertex.seen.without(vertex.lanes).is_empty() &&
              vertex.lanes.bits() >> 1 >> (tails_.size() - 1) == 0);
    vertex.weight = in.integer<std::uint32_t>();
    weight_ += vertex.weight;
    vertex.hangs_on = in.integer<std::uint32_t>();
    const auto flags = in.integer<std::uint8_t>();
    in.expect((flags & ~kAllFlags) == 0);
    const bool waits = (flags & kWaits) != 0;
    vertex.state = waits ? VertexState::waiting : VertexState::incomplete;
    vertex.is_rejected = (flags & kRejected) != 0;
    vertex.has_waited = (flags & kHasWaited) != 0;
    in.expect(waits == (vertex.hangs_on != kNone));
    in.expect(waits == (vertex.is_rejected || vertex.seen == vertex.lanes));
    vertex.cut = in.integer<std::uint64_t>();
    vertex.content = in.integer<std::uint64_t>();
    vertex.id.counter = in.integer<std::uint64_t>();
    vertex.id.lane = in.integer<LaneNumber>();
    vertex.digest = in.array<Hash>();
    edges = restore_places(in);
}

std::vector<std::uint32_t> Graph::restore_places(FieldReader& in) const {
    std::vector<std::uint32_t> result(read_count(in, sizeof(std::uint32_t)));
    for (std::uint32_t& place : result) {
        place = in.integer<std::uint32_t>();
        if (!in.expect(place < vertices_.size())) return {};
    }
    return result;
}

/// Into the list of those that hang on what it hangs on.
bool Graph::hang(std::uint32_t slot) {
    Vertex& vertex = vertices_[slot];
    if (vertex.state != VertexState::waiting) return true;
    if (vertex.hangs_on >= vertices_.size()) return false;
    Vertex& incomplete = vertices_[vertex.hangs_on];
    if (incomplete.state != VertexState::incomplete) return false;
    vertex.next_waiter = std::exchange(incomplete.waiters, slot);
    return true;
}

void Graph::restore_tails(ObjectTails& tails, FieldReader& in) {
    constexpr std::size_t kLeastRecord = 61;
    const std::size_t count = read_count(in, kLeastRecord);
    for (std::size_t i = 0; i < count; ++i) {
        ObjectId object;
        object.address = in.array<Address>();
        const auto kind = in.integer<std::uint8_t>();
        in.expect(kind <= static_cast<std::uint8_t>(ObjectKind::storage_all));
        object.kind = static_cast<ObjectKind>(kind);
        object.slot = load_be(in.array<Hash>().bytes.data());
        const auto writer = in.integer<std::uint32_t>();
        in.expect(writer == kNone || writer < vertices_.size());
        const std::vector<std::uint32_t> readers = restore_places(in);
        if (!in.is_good()) return;
        ObjectTails::Record& record = tails.at(object, ObjectTails::hash_of(object));
        if (!in.expect(tails.size() == i + 1)) return;  // the same object twice
        if (writer != kNone) {
            record.writer_slot = writer;
            record.writer_serial = serials_[writer];
        }
        for (const std::uint32_t reader : readers) {
            links_.append(record.readers, link_to(reader));
            record.last_reader_serial = std::max(record.last_reader_serial, serials_[reader]);
        }
        record.prune_at = std::max(record.prune_at, 2 * record.readers.count);
    }
}

bool Graph::restore_known(FieldReader& in) {
    std::vector<bool> is_known(vertices_.size());
    for (const bool is_present : {false, true}) {
        constexpr std::size_t kRecord = 36;
        const std::size_t count = read_count(in, kRecord);
        for (std::size_t i = 0; i < count; ++i) {
            KnownTransactions::Record record;
            record.digest = in.array<Hash>();
            record.slot = in.integer<std::uint32_t>();
            if (!in.is_good()) return false;
            const std::uint64_t hash = HashHasher{}(record.digest);
            if (known_.find(hash, record.digest) != nullptr) return false;
            if (record.slot != kNone) {
                if (record.slot >= vertices_.size() || is_known[record.slot] ||
                    vertices_[record.slot].digest != record.digest)
                    return false;
                is_known[record.slot] = true;
                record.serial = serials_[record.slot];
            }
            known_.put_back(is_present, hash, record);
        }
    }
    return std::ranges::all_of(is_known, std::identity{});
}

}  // namespace heddle::consensus_adapter::lanes
