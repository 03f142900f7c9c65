// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/merger.hpp>

#include <algorithm>
#include <deque>
#include <utility>

#include <types/assert.hpp>

#include "lanes/field_reader.hpp"
#include "lanes/graph.hpp"
#include "lanes/stable_walk.hpp"

namespace heddle::consensus_adapter::lanes {

std::string_view to_string(RejectionReason reason) noexcept {
    switch (reason) {
        case RejectionReason::incomplete:
            return "entries missing for too long";
        case RejectionReason::silent_lane:
            return "entries missing in a silent lane";
        case RejectionReason::cleared:
            return "entries missing while others had waited too long";
        case RejectionReason::no_content:
            return "no entry brings what is to be executed";
    }
    return "unknown reason";
}

namespace {

/// Entries whose memory is fetched together: enough to hide it, few enough to stay in the cache.
constexpr std::size_t kBatch = 32;

void put_rules(const MergeRules& rules, Bytes& out) {
    put(std::uint64_t{rules.lane_count}, out);
    put(rules.max_age_cuts, out);
    put(rules.max_held_cuts, out);
    put(std::uint64_t{rules.max_waiting}, out);
    put(std::uint64_t{rules.remembered}, out);
}

}  // namespace

struct Merger::Impl {
    explicit Impl(const MergeRules& given)
        : rules(given), graph(given, work), walk(graph, work), places(given.lane_count) {
        HEDDLE_ASSERT(given.lane_count >= 1 && given.lane_count <= kMaxLanes);
    }

    struct Waiting {
        VertexLink link;
        std::uint64_t cut = 0;  // since when
    };
    /// Where the walk over the entries of a cut stands in one lane.
    struct Place {
        std::size_t block = 0;
        std::size_t entry = 0;
    };

    /// Entries on their way in, with the hashes of their objects.
    struct Batch {
        std::vector<Arrival> arrivals;
        std::vector<std::uint64_t> object_hashes;
    };

    void insert_all(std::span<const std::vector<const MergeBlock*>> lanes, MergedCut& result);
    void gather(std::span<const std::vector<const MergeBlock*>> lanes, Batch& into);
    void insert(const Arrival& arrival, MergedCut& result);
    void release_waiters(std::uint32_t slot);
    void reject(std::uint32_t slot, RejectionReason reason, MergedCut& result);
    void reject_old(MergedCut& result);
    void reject_silent(LaneSet silent, MergedCut& result);
    void clear_all(MergedCut& result);
    [[nodiscard]] bool must_clear();
    void walk_all();
    void decide(MergedCut& result);
    void remember_new();

    const MergeRules rules;
    MergeWork work;
    Graph graph;
    StableWalk walk;
    std::uint64_t cut = 0;
    LaneSet silent_before;
    // The entries that come next, in the order in which they count.
    std::vector<Place> places;  // by lane
    std::size_t next_lane = 0;
    Batch batch;
    Batch next_batch;
    /// Of this cut: vertices that came with it, in the order of arrival; and older ones that may
    /// have become stable by it.
    std::vector<std::uint32_t> arrived;
    std::vector<std::uint32_t> reopened;
    std::deque<Waiting> incomplete;  // by their first cut; some are complete or decided
    std::deque<Waiting> held;        // complete, by the cut since which; some are decided
    std::size_t incomplete_count = 0;
};

/// The next entries: the first one of every lane, then the second, so that no lane comes first only
/// because of its number. An empty batch: there are none.
void Merger::Impl::gather(std::span<const std::vector<const MergeBlock*>> lanes, Batch& into) {
    auto& [arrivals, object_hashes] = into;
    arrivals.clear();
    object_hashes.clear();
    for (std::size_t ended = 0; arrivals.size() < kBatch && ended < lanes.size();) {
        const std::size_t lane = next_lane;
        next_lane = next_lane + 1 == lanes.size() ? 0 : next_lane + 1;
        Place& place = places[lane];
        while (place.block < lanes[lane].size() &&
               place.entry == lanes[lane][place.block]->entries.size())
            place = {place.block + 1, 0};
        if (place.block == lanes[lane].size()) {
            ++ended;
            continue;
        }
        ended = 0;
        const MergeBlock& block = *lanes[lane][place.block];
        const MergeEntry& entry = block.entries[place.entry++];
        const auto accesses =
            std::span{block.accesses}.subspan(entry.first_access, entry.access_count);
        for (const LaneAccess& access : accesses)
            object_hashes.push_back(ObjectTails::hash_of(access.object));
        arrivals.push_back(
            {&entry, accesses, static_cast<LaneNumber>(lane), HashHasher{}(entry.digest), {}});
    }
    std::size_t first = 0;
    for (Arrival& arrival : arrivals) {
        arrival.object_hashes = std::span{object_hashes}.subspan(first, arrival.accesses.size());
        first += arrival.accesses.size();
    }
}

void Merger::Impl::insert_all(std::span<const std::vector<const MergeBlock*>> lanes,
                              MergedCut& result) {
    std::ranges::fill(places, Place{});
    next_lane = 0;
    // Memory is on its way while another batch is hashed or inserted: tables are asked for where to
    // look a batch ahead, for what is there once that has come.
    gather(lanes, batch);
    graph.prefetch_places(batch.arrivals);
    while (!batch.arrivals.empty()) {
        graph.prefetch_records(batch.arrivals);
        gather(lanes, next_batch);
        graph.prefetch_places(next_batch.arrivals);
        for (const Arrival& arrival : batch.arrivals)
            insert(arrival, result);
        std::swap(batch, next_batch);
    }
}

void Merger::Impl::insert(const Arrival& arrival, MergedCut& result) {
    HEDDLE_ASSERT(arrival.entry->lanes.bits() >> 1 >> (rules.lane_count - 1) == 0);
    const auto [what, slot, is_content_used] = graph.insert(arrival, cut);
    if (!is_content_used && arrival.entry->content != 0)
        result.unused.push_back(arrival.entry->content);
    switch (what) {
        case Inserted::ignored:
            ++result.ignored_entries;
            break;
        case Inserted::arrived:
            arrived.push_back(slot);
            if (graph.at(slot).state == VertexState::incomplete) ++incomplete_count;
            break;
        case Inserted::joined:
            break;
        case Inserted::completed:
            --incomplete_count;
            if (graph.at(slot).cut != cut) reopened.push_back(slot);
            release_waiters(slot);
            break;
    }
}

void Merger::Impl::release_waiters(std::uint32_t slot) {
    std::uint32_t next = std::exchange(graph.at(slot).waiters, kNone);
    while (next != kNone) {
        Vertex& waiter = graph.at(next);
        waiter.state = VertexState::fresh;
        waiter.hangs_on = kNone;
        if (waiter.cut != cut) reopened.push_back(next);
        next = std::exchange(waiter.next_waiter, kNone);
    }
}

void Merger::Impl::reject(std::uint32_t slot, RejectionReason reason, MergedCut& result) {
    Vertex& vertex = graph.at(slot);
    result.rejected.push_back(
        {vertex.id, vertex.digest, vertex.content, reason, vertex.lanes.without(vertex.seen)});
    vertex.is_rejected = true;
    vertex.state = VertexState::fresh;
    --incomplete_count;
    if (vertex.cut != cut) reopened.push_back(slot);
    release_waiters(slot);
}

void Merger::Impl::reject_old(MergedCut& result) {
    while (!incomplete.empty()) {
        ++work.age_checks;
        const Waiting& oldest = incomplete.front();
        const Vertex* const vertex = graph.find(oldest.link);
        if (vertex != nullptr && vertex->state == VertexState::incomplete) {
            if (cut - oldest.cut < rules.max_age_cuts) return;
            reject(oldest.link.slot, RejectionReason::incomplete, result);
        }
        incomplete.pop_front();
    }
}

void Merger::Impl::reject_silent(LaneSet silent, MergedCut& result) {
    const auto check = [&](std::uint32_t slot) {
        const Vertex& vertex = graph.at(slot);
        if (vertex.state == VertexState::incomplete &&
            vertex.lanes.without(vertex.seen).intersects(silent))
            reject(slot, RejectionReason::silent_lane, result);
    };
    // Those that came before were looked at when the lane fell silent.
    if (!silent.without(silent_before).is_empty())
        for (const Waiting& waiting : incomplete) {
            ++work.age_checks;
            if (graph.find(waiting.link) != nullptr) check(waiting.link.slot);
        }
    silent_before = silent;
    if (!silent.is_empty())
        for (const std::uint32_t slot : arrived)
            check(slot);
}

bool Merger::Impl::must_clear() {
    if (incomplete_count == 0) return false;
    if (graph.weight() - walk.stable_weight() > rules.max_waiting) return true;
    while (!held.empty()) {
        ++work.age_checks;
        const Vertex* const vertex = graph.find(held.front().link);
        if (vertex != nullptr && vertex->state == VertexState::waiting)
            return cut - held.front().cut >= rules.max_held_cuts;
        held.pop_front();
    }
    return false;
}

void Merger::Impl::clear_all(MergedCut& result) {
    result.is_clearing = true;
    const auto check = [&](std::uint32_t slot) {
        if (graph.at(slot).state == VertexState::incomplete)
            reject(slot, RejectionReason::cleared, result);
    };
    for (const Waiting& waiting : incomplete)
        if (graph.find(waiting.link) != nullptr) check(waiting.link.slot);
    incomplete.clear();
    for (const std::uint32_t slot : arrived)
        check(slot);
}

/// In the order of arrival: older ones first, for all of this cut came after them.
void Merger::Impl::walk_all() {
    std::ranges::sort(reopened, {}, [this](std::uint32_t slot) { return graph.serial_of(slot); });
    const auto visit_all = [this] {
        for (const std::uint32_t slot : reopened)
            walk.visit(slot);
        for (const std::uint32_t slot : arrived)
            walk.visit(slot);
    };
    visit_all();
    if (!walk.is_out_of_order()) return;
    walk.take_back();
    visit_all();
    HEDDLE_ASSERT(!walk.is_out_of_order());
}

void Merger::Impl::remember_new() {
    for (const std::uint32_t slot : arrived)
        if (graph.at(slot).state == VertexState::incomplete)
            incomplete.push_back({graph.link_to(slot), cut});
    for (const VertexLink link : walk.new_waiters())
        if (graph.at(link.slot).state == VertexState::waiting) held.push_back({link, cut});
}

void Merger::Impl::decide(MergedCut& result) {
    const std::span<std::uint32_t> members = walk.members();
    result.order.reserve(members.size());
    std::size_t begin = 0;
    for (const std::size_t end : walk.ends()) {
        const auto component = members.subspan(begin, end - begin);
        begin = end;
        if (component.size() > 1) {
            ++result.components;
            result.component_members += component.size();
            result.largest_component =
                std::max<std::uint64_t>(result.largest_component, component.size());
            std::ranges::sort(component, [this](std::uint32_t a, std::uint32_t b) {
                const Vertex& left = graph.at(a);
                const Vertex& right = graph.at(b);
                return left.id != right.id ? left.id < right.id : left.digest < right.digest;
            });
        }
        for (const std::uint32_t slot : component) {
            const Vertex& vertex = graph.at(slot);
            if (!vertex.is_rejected && vertex.content != 0)
                result.order.push_back({vertex.id, vertex.digest, vertex.content});
            else if (!vertex.is_rejected)
                result.rejected.push_back(
                    {vertex.id, vertex.digest, 0, RejectionReason::no_content, {}});
            graph.remove(slot);
        }
    }
}

Merger::Merger(const MergeRules& rules) : impl_(std::make_unique<Impl>(rules)) {}
Merger::~Merger() = default;
Merger::Merger(Merger&&) noexcept = default;
Merger& Merger::operator=(Merger&&) noexcept = default;

MergedCut Merger::merge(std::span<const std::vector<const MergeBlock*>> lanes, LaneSet silent) {
    Impl& impl = *impl_;
    HEDDLE_ASSERT(lanes.size() == impl.rules.lane_count);
    MergedCut result;
    ++impl.cut;
    impl.arrived.clear();
    impl.reopened.clear();
    impl.walk.begin();
    impl.graph.begin_cut();
    impl.insert_all(lanes, result);
    impl.reject_old(result);
    impl.reject_silent(silent, result);
    impl.walk_all();
    if (impl.must_clear()) {
        impl.clear_all(result);
        impl.walk.take_back();
        impl.walk_all();
    }
    impl.remember_new();
    impl.decide(result);
    return result;
}

void Merger::save(Bytes& out) const {
    const Impl& impl = *impl_;
    put_rules(impl.rules, out);
    put(impl.cut, out);
    put(impl.silent_before.bits(), out);
    const std::vector<std::uint32_t> places = impl.graph.save(out);
    const auto is_there = [&](const Impl::Waiting& held) { return impl.graph.has(held.link); };
    put(static_cast<std::uint32_t>(std::ranges::count_if(impl.held, is_there)), out);
    for (const Impl::Waiting& held : impl.held) {
        if (!is_there(held)) continue;
        put(places[held.link.slot], out);
        put(held.cut, out);
    }
}

std::optional<Merger> Merger::restore(const MergeRules& rules, BytesView bytes) {
    Bytes wanted;
    put_rules(rules, wanted);
    FieldReader in{bytes};
    if (!equal(in.bytes(wanted.size()), BytesView{wanted})) return std::nullopt;
    Merger merger(rules);
    Impl& impl = *merger.impl_;
    impl.cut = in.integer<std::uint64_t>();
    impl.silent_before = LaneSet{in.integer<std::uint64_t>()};
    if (!impl.graph.restore(in)) return std::nullopt;
    // In the order of arrival, which is that of the cuts at which they came.
    for (std::uint32_t slot = 0; slot < impl.graph.slots(); ++slot) {
        const Vertex& vertex = impl.graph.at(slot);
        if (vertex.cut > impl.cut) return std::nullopt;
        if (vertex.state != VertexState::incomplete) continue;
        ++impl.incomplete_count;
        impl.incomplete.push_back({impl.graph.link_to(slot), vertex.cut});
    }
    const auto held_count = in.integer<std::uint32_t>();
    for (std::uint32_t i = 0; i < held_count && in.is_good(); ++i) {
        const auto slot = in.integer<std::uint32_t>();
        const auto cut = in.integer<std::uint64_t>();
        const std::uint64_t before = impl.held.empty() ? 0 : impl.held.back().cut;
        if (slot >= impl.graph.slots() || cut < before || cut > impl.cut) return std::nullopt;
        impl.held.push_back({impl.graph.link_to(slot), cut});
    }
    if (!in.is_good() || in.left() != 0) return std::nullopt;
    return merger;
}

std::vector<MergedTransaction> Merger::waiting() const {
    std::vector<MergedTransaction> result;
    for (std::uint32_t slot = 0; slot < impl_->graph.slots(); ++slot) {
        const Vertex& vertex = impl_->graph.at(slot);
        if (vertex.state != VertexState::absent && !vertex.is_rejected && vertex.content != 0)
            result.push_back({vertex.id, vertex.digest, vertex.content});
    }
    return result;
}

std::vector<IncompleteTransaction> Merger::incomplete_of_age(std::uint64_t age) const {
    std::vector<IncompleteTransaction> result;
    if (age >= impl_->cut) return result;
    const auto came =
        std::ranges::equal_range(impl_->incomplete, impl_->cut - age, {}, &Impl::Waiting::cut);
    for (const Impl::Waiting& waiting : came) {
        const Vertex* const vertex = impl_->graph.find(waiting.link);
        if (vertex == nullptr || vertex->state != VertexState::incomplete) continue;
        result.push_back({vertex->digest, vertex->content, vertex->lanes.without(vertex->seen)});
    }
    return result;
}

const MergeWork& Merger::work() const noexcept {
    return impl_->work;
}

MergeMemory Merger::memory() const noexcept {
    MergeMemory memory;
    impl_->graph.count(memory);
    memory.incomplete = impl_->incomplete_count;
    return memory;
}

}  // namespace heddle::consensus_adapter::lanes
