// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_feed.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>

#include "lanes/field_reader.hpp"

namespace heddle::consensus_adapter::lanes {

namespace {

/// Hashes of blocks that are merged, kept to tell a second block of a height from the same again.
constexpr std::size_t kRememberedBlocks = 1024;

/// A block whose items have been looked at.
struct ReadyBlock {
    Hash hash;
    std::size_t bytes = 0;
    std::uint64_t time_ms = 0;
    std::optional<Cut> cut;
    MergeBlock entries;
    std::vector<Entry> contents;  // those that `entries` names from `first_content` on
    std::uint64_t first_content = 0;
    std::vector<RefusedItem> refused;
};

}  // namespace

std::string to_string(const Equivocation& evidence) {
    return fmt::format("lane {} has two blocks of height {}: {} and {}", evidence.lane,
                       evidence.height, to_string(evidence.first), to_string(evidence.second));
}

struct LaneFeed::Impl {
    explicit Impl(const FeedRules& given)
        : rules(given),
          merger(given.merge),
          cut(first_cut(given.cut)),
          lanes(given.cut.lane_count) {
        HEDDLE_ASSERT(given.cut.lane_count == given.merge.lane_count);
    }

    struct Lane {
        std::map<std::uint64_t, ReadyBlock> ahead;  // by height, beyond `merged`
        std::deque<Hash> past;                      // up to `merged`, the last one last
        std::uint64_t merged = 0;
        std::size_t bytes = 0;
    };

    [[nodiscard]] const Hash* hash_at(const Lane& lane, std::uint64_t height) const;
    [[nodiscard]] ReadyBlock read(LaneBlock block);
    [[nodiscard]] std::optional<Cut> coming_cut() const;
    [[nodiscard]] std::optional<Missing> missing() const;
    [[nodiscard]] MergedBlock merge(const Cut& to);
    void finish(MergedCut merged, MergedBlock& result);

    const FeedRules rules;
    Merger merger;
    Cut cut;
    std::vector<Lane> lanes;
    /// What waiting transactions will execute, by content.
    std::unordered_map<std::uint64_t, Entry> contents;
    std::uint64_t next_content = 1;
    std::optional<Equivocation> evidence;
};

const Hash* LaneFeed::Impl::hash_at(const Lane& lane, std::uint64_t height) const {
    if (height > lane.merged) {
        const auto found = lane.ahead.find(height);
        return found == lane.ahead.end() ? nullptr : &found->second.hash;
    }
    const std::uint64_t back = lane.merged - height;
    return back < lane.past.size() ? &lane.past[lane.past.size() - 1 - back] : nullptr;
}

ReadyBlock LaneFeed::Impl::read(LaneBlock block) {
    ReadyBlock result;
    result.time_ms = block.time_ms;
    result.cut = std::move(block.cut);
    result.first_content = next_content;
    for (std::size_t i = 0; i < block.items.size(); ++i) {
        auto entry = decode_entry(block.items[i], block.lane, rules.cut.lane_count);
        if (!entry.has_value()) {
            result.refused.push_back({block.lane, block.height, i, entry.error()});
            continue;
        }
        MergeEntry merged{entry->placement.id, entry->digest, lanes_of(entry->placement)};
        const bool has_content = !entry->payload.empty() || entry->placement.new_home.has_value();
        // The whole entry is kept while it waits, with what it says of other lanes.
        if (has_content) {
            merged.content = next_content++;
            merged.content_bytes = static_cast<std::uint32_t>(block.items[i].size());
        }
        result.entries.add(merged, accesses_in(entry->placement, block.lane));
        if (has_content) result.contents.push_back(*std::move(entry));
    }
    return result;
}

std::optional<Cut> LaneFeed::Impl::coming_cut() const {
    const Lane& leading = lanes[rules.cut.leading];
    const auto next = leading.ahead.find(leading.merged + 1);
    if (next == leading.ahead.end()) return std::nullopt;
    LaneBlock block;
    block.height = next->first;
    block.cut = next->second.cut;
    return next_cut(rules.cut, cut, block);
}

std::optional<LaneFeed::Missing> LaneFeed::Impl::missing() const {
    const std::optional<Cut> to = coming_cut();
    if (!to.has_value()) return Missing{rules.cut.leading, lanes[rules.cut.leading].merged + 1};
    for (std::size_t i = 0; i < lanes.size(); ++i)
        for (std::uint64_t height = lanes[i].merged + 1; height <= to->heights[i]; ++height)
            if (!lanes[i].ahead.contains(height))
                return Missing{static_cast<LaneNumber>(i), height};
    return std::nullopt;
}

MergedBlock LaneFeed::Impl::merge(const Cut& to) {
    MergedBlock result;
    result.number = to.heights[rules.cut.leading];
    result.cut = to;
    std::vector<std::vector<const MergeBlock*>> blocks(lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i)
        for (auto at = lanes[i].ahead.begin();
             at != lanes[i].ahead.end() && at->first <= to.heights[i]; ++at) {
            ReadyBlock& block = at->second;
            if (i == rules.cut.leading) result.time_ms = block.time_ms;
            blocks[i].push_back(&block.entries);
            for (std::size_t c = 0; c < block.contents.size(); ++c)
                contents.emplace(block.first_content + c, std::move(block.contents[c]));
            result.refused.insert(result.refused.end(), block.refused.begin(), block.refused.end());
        }
    finish(merger.merge(blocks, to.silent), result);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        Lane& lane = lanes[i];
        while (!lane.ahead.empty() && lane.ahead.begin()->first <= to.heights[i]) {
            lane.past.push_back(lane.ahead.begin()->second.hash);
            if (lane.past.size() > kRememberedBlocks) lane.past.pop_front();
            lane.bytes -= lane.ahead.begin()->second.bytes;
            lane.ahead.erase(lane.ahead.begin());
        }
        lane.merged = to.heights[i];
    }
    cut = to;
    return result;
}

void LaneFeed::Impl::finish(MergedCut merged, MergedBlock& result) {
    result.order.reserve(merged.order.size());
    for (const MergedTransaction& transaction : merged.order) {
        const auto found = contents.find(transaction.content);
        HEDDLE_ASSERT(found != contents.end());
        Entry& entry = found->second;
        result.order.push_back(
            {std::move(entry.placement), entry.digest, std::move(entry.payload)});
        contents.erase(found);
    }
    for (const RejectedTransaction& rejected : merged.rejected)
        contents.erase(rejected.content);
    for (const std::uint64_t content : merged.unused)
        contents.erase(content);
    result.rejected = std::move(merged.rejected);
    result.ignored_entries = merged.ignored_entries;
    result.components = merged.components;
    result.largest_component = merged.largest_component;
    result.is_clearing = merged.is_clearing;
}

LaneFeed::LaneFeed(const FeedRules& rules) : impl_(std::make_unique<Impl>(rules)) {}
LaneFeed::~LaneFeed() = default;
LaneFeed::LaneFeed(LaneFeed&&) noexcept = default;
LaneFeed& LaneFeed::operator=(LaneFeed&&) noexcept = default;

std::expected<Offered, Equivocation> LaneFeed::offer(LaneBlock block) {
    Impl& impl = *impl_;
    if (impl.evidence.has_value()) return std::unexpected(*impl.evidence);
    if (block.lane >= impl.lanes.size() || block.height == 0) return Offered::no_lane;
    Impl::Lane& lane = impl.lanes[block.lane];
    Bytes encoded;
    encode_lane_block(block, encoded);
    const Hash hash = keccak256(encoded);
    if (const Hash* const there = impl.hash_at(lane, block.height); there != nullptr) {
        if (*there == hash) return Offered::known;
        impl.evidence = Equivocation{block.lane, block.height, *there, hash};
        return std::unexpected(*impl.evidence);
    }
    if (block.height <= lane.merged) return Offered::known;
    // The next ones are taken whatever else is held: else nothing would ever be merged.
    const std::uint64_t distance = block.height - lane.merged;
    const bool is_next = distance <= impl.rules.cut.max_blocks;
    if (!is_next && (distance > impl.rules.max_blocks_ahead ||
                     lane.bytes + encoded.size() > impl.rules.max_bytes_ahead))
        return Offered::too_far;
    const std::uint64_t height = block.height;
    ReadyBlock ready = impl.read(std::move(block));
    ready.hash = hash;
    ready.bytes = encoded.size();
    lane.bytes += encoded.size();
    lane.ahead.emplace(height, std::move(ready));
    return Offered::taken;
}

std::optional<MergedBlock> LaneFeed::next() {
    if (impl_->evidence.has_value() || impl_->missing().has_value()) return std::nullopt;
    return impl_->merge(*impl_->coming_cut());
}

std::optional<LaneFeed::Missing> LaneFeed::missing() const {
    return impl_->missing();
}

const std::optional<Equivocation>& LaneFeed::evidence() const noexcept {
    return impl_->evidence;
}

std::size_t LaneFeed::held_bytes() const noexcept {
    std::size_t result = 0;
    for (const Impl::Lane& lane : impl_->lanes)
        result += lane.bytes;
    return result;
}

std::size_t LaneFeed::waiting_contents() const noexcept {
    return impl_->contents.size();
}

const Merger& LaneFeed::merger() const noexcept {
    return impl_->merger;
}

const Cut& LaneFeed::cut() const noexcept {
    return impl_->cut;
}

void LaneFeed::save(Bytes& out) const {
    put(impl_->rules.cut.leading, out);
    put(impl_->rules.cut.max_blocks, out);
    for (const std::uint64_t height : impl_->cut.heights)
        put(height, out);
    put(impl_->cut.silent.bits(), out);
    put(impl_->next_content, out);
    // What blocks bring that are not merged is not among the contents yet.
    put(std::uint64_t{impl_->contents.size()}, out);
    Bytes encoded;
    for (const auto& [content, entry] : impl_->contents) {
        encoded.clear();
        encode_entry(entry, encoded);
        put(content, out);
        put(static_cast<std::uint32_t>(encoded.size()), out);
        out.insert(out.end(), encoded.begin(), encoded.end());
    }
    impl_->merger.save(out);
}

std::optional<LaneFeed> LaneFeed::restore(const FeedRules& rules, BytesView bytes) {
    FieldReader in{bytes};
    if (in.integer<LaneNumber>() != rules.cut.leading ||
        in.integer<std::uint64_t>() != rules.cut.max_blocks)
        return std::nullopt;
    LaneFeed feed(rules);
    Impl& impl = *feed.impl_;
    for (std::size_t i = 0; i < impl.lanes.size(); ++i)
        impl.lanes[i].merged = impl.cut.heights[i] = in.integer<std::uint64_t>();
    impl.cut.silent = LaneSet{in.integer<std::uint64_t>()};
    impl.next_content = in.integer<std::uint64_t>();
    const auto count = in.integer<std::uint64_t>();
    for (std::uint64_t i = 0; i < count && in.is_good(); ++i) {
        const auto content = in.integer<std::uint64_t>();
        const BytesView encoded = in.bytes(in.integer<std::uint32_t>());
        std::optional<Entry> entry;
        for (std::size_t lane = 0; lane < impl.lanes.size() && !entry.has_value(); ++lane)
            if (auto decoded =
                    decode_entry(encoded, static_cast<LaneNumber>(lane), impl.lanes.size()))
                entry = *std::move(decoded);
        if (!entry.has_value() || content >= impl.next_content) return std::nullopt;
        if (!impl.contents.emplace(content, *std::move(entry)).second) return std::nullopt;
    }
    if (!in.is_good()) return std::nullopt;
    auto merger = Merger::restore(rules.merge, in.rest());
    if (!merger.has_value()) return std::nullopt;
    impl.merger = *std::move(merger);
    // What is ordered later is looked up by its content.
    const std::vector<MergedTransaction> waiting = impl.merger.waiting();
    if (waiting.size() != impl.contents.size()) return std::nullopt;
    for (const MergedTransaction& transaction : waiting) {
        const auto found = impl.contents.find(transaction.content);
        if (found == impl.contents.end() || found->second.digest != transaction.digest)
            return std::nullopt;
    }
    return feed;
}

}  // namespace heddle::consensus_adapter::lanes
