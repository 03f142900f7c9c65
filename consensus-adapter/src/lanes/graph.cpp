// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/graph.hpp"

#include <types/assert.hpp>

namespace heddle::consensus_adapter::lanes {

namespace {

/// Fewer readers than this are never looked through for old ones.
constexpr std::uint32_t kMinimumPrune = 14;

}  // namespace

ObjectTails::Record& ObjectTails::at(const ObjectId& object, std::uint64_t hash) {
    const std::uint32_t found =
        index_.find(hash, [&](std::uint32_t i) { return records_[i].object == object; });
    if (found != PlaceIndex::kAbsent) return records_[found];
    index_.insert(hash);
    Record& made = records_.emplace_back();
    made.object = object;
    made.hash = static_cast<std::uint32_t>(hash);
    made.prune_at = kMinimumPrune;
    return made;
}

Graph::Graph(const MergeRules& rules, MergeWork& work)
    : work_(work), tails_(rules.lane_count), known_(rules.remembered) {}

void Graph::begin_cut() {
    if (size() == 0) first_there_ = next_serial_;
    for (ObjectTails& tails : tails_)
        if (tails.is_full()) forget_objects(tails);
}

void Graph::prefetch_places(std::span<const Arrival> arrivals) const noexcept {
    for (const Arrival& arrival : arrivals) {
        known_.prefetch(arrival.digest_hash);
        for (const std::uint64_t hash : arrival.object_hashes)
            tails_[arrival.lane].prefetch_place(hash);
    }
}

void Graph::prefetch_records(std::span<const Arrival> arrivals) const noexcept {
    for (const Arrival& arrival : arrivals)
        for (const std::uint64_t hash : arrival.object_hashes)
            tails_[arrival.lane].prefetch_record(hash);
}

Graph::Insertion Graph::insert(const Arrival& arrival, std::uint64_t cut) {
    const MergeEntry& entry = *arrival.entry;
    HEDDLE_ASSERT(entry.lanes.has(arrival.lane));
    ++work_.entries;
    const KnownTransactions::Record* const known = known_.find(arrival.digest_hash, entry.digest);
    if (known != nullptr && !is_there(known->slot, known->serial)) return {};
    Inserted what = Inserted::joined;
    std::uint32_t slot = kNone;
    if (known != nullptr) {
        slot = known->slot;
        // A rejected one waits for its turn, but for no more entries.
        if (vertices_[slot].seen.has(arrival.lane) || vertices_[slot].is_rejected) return {};
    } else {
        slot = make_vertex(arrival, cut);
        what = Inserted::arrived;
    }
    Vertex& vertex = vertices_[slot];
    vertex.seen.add(arrival.lane);
    const bool is_content_used = vertex.content == 0;
    std::size_t weight = arrival.accesses.size();
    if (is_content_used) {
        vertex.content = entry.content;
        weight += entry.content_bytes / kContentBytesPerWaiting;
    }
    vertex.weight += static_cast<std::uint32_t>(weight);
    weight_ += weight;
    work_.accesses += arrival.accesses.size();
    ObjectTails& tails = tails_[arrival.lane];
    for (std::size_t i = 0; i < arrival.accesses.size(); ++i) {
        const LaneAccess& access = arrival.accesses[i];
        place(tails.at(access.object, arrival.object_hashes[i]), slot, access.is_exclusive);
    }
    if (vertex.seen == vertex.lanes) {
        vertex.state = VertexState::fresh;
        if (what == Inserted::joined) what = Inserted::completed;
    }
    return {what, slot, is_content_used};
}

std::uint32_t Graph::make_vertex(const Arrival& arrival, std::uint64_t cut) {
    std::uint32_t slot = kNone;
    if (free_.empty()) {
        HEDDLE_ASSERT(vertices_.size() < kNone);
        slot = static_cast<std::uint32_t>(vertices_.size());
        vertices_.emplace_back();
        serials_.push_back(0);
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    const MergeEntry& entry = *arrival.entry;
    Vertex& vertex = vertices_[slot];
    vertex = {};
    vertex.cut = cut;
    vertex.id = entry.id;
    vertex.digest = entry.digest;
    vertex.lanes = entry.lanes;
    vertex.weight = 1;
    vertex.state = VertexState::incomplete;
    serials_[slot] = next_serial_++;
    ++weight_;
    known_.add(
        arrival.digest_hash, {entry.digest, serials_[slot], slot},
        [this](const KnownTransactions::Record& old) { return is_there(old.slot, old.serial); });
    return slot;
}

void Graph::place(ObjectTails::Record& record, std::uint32_t slot, bool is_exclusive) {
    const bool has_writer = is_there(record.writer_slot, record.writer_serial);
    const VertexLink writer{record.writer_slot, static_cast<std::uint32_t>(record.writer_serial)};
    if (!is_exclusive) {
        if (has_writer) add_edge(slot, writer);
        if (record.last_reader_serial < first_there_)
            links_.release(record.readers);
        else if (record.readers.count >= record.prune_at)
            prune(record);
        links_.append(record.readers, link_to(slot));
        record.last_reader_serial = serials_[slot];
        return;
    }
    // Where there are readers the writer before is theirs: it is not forgotten before they are.
    if (record.readers.count == 0 && has_writer) add_edge(slot, writer);
    LinkCursor cursor;
    VertexLink reader;
    if (record.last_reader_serial >= first_there_)
        while (links_.next(record.readers, cursor, reader))
            if (is_there(reader)) add_edge(slot, reader);
    links_.release(record.readers);
    record.prune_at = kMinimumPrune;
    record.writer_slot = slot;
    record.writer_serial = serials_[slot];
}

void Graph::add_edge(std::uint32_t slot, VertexLink from) {
    if (from.slot == slot) return;  // the same transaction, under another access
    ++work_.edges;
    links_.append(vertices_[slot].edges, from);
}

void Graph::prune(ObjectTails::Record& record) {
    LinkList kept;
    LinkCursor cursor;
    VertexLink reader;
    while (links_.next(record.readers, cursor, reader)) {
        ++work_.reader_moves;
        if (is_there(reader)) links_.append(kept, reader);
    }
    links_.release(record.readers);
    record.readers = kept;
    record.prune_at = std::max(kMinimumPrune, 2 * kept.count);
}

void Graph::forget_objects(ObjectTails& tails) {
    tails.forget([this](ObjectTails::Record& record) {
        ++work_.record_moves;
        if (record.last_reader_serial < first_there_)
            links_.release(record.readers);
        else if (record.readers.count != 0)
            prune(record);
        if (record.readers.count != 0) return true;
        return is_there(record.writer_slot, record.writer_serial);
    });
}

void Graph::remove(std::uint32_t slot) {
    Vertex& vertex = vertices_[slot];
    weight_ -= vertex.weight;
    links_.release(vertex.edges);
    serials_[slot] = 0;
    vertex.state = VertexState::absent;
    free_.push_back(slot);
}

void Graph::count(MergeMemory& memory) const noexcept {
    memory.waiting = size();
    memory.vertices = vertices_.size();
    memory.chunks = links_.chunk_count();
    memory.known = known_.size();
    memory.records = 0;
    for (const ObjectTails& tails : tails_)
        memory.records += tails.size();
}

}  // namespace heddle::consensus_adapter::lanes
