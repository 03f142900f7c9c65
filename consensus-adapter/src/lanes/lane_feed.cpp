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

/// What encode_entry() gives at least: the fixed fields of a placement and of one unit.
constexpr std::size_t kMinEntryBytes = 53 + 33;

Bytes encoding_of(const LaneBlock& block) {
    Bytes encoded;
    encode_lane_block(block, encoded);
    return encoded;
}

}  // namespace

/// Of what it has, `entries` and `contents` go to the feed when it is merged.
struct PreparedBlock::Contents {
    LaneNumber lane = 0;
    std::uint64_t height = 0;
    Hash hash;
    std::size_t bytes = 0;
    std::uint64_t time_ms = 0;
    std::optional<Cut> cut;
    /// What they bring to be executed is numbered from 1 on until the block is taken.
    MergeBlock entries;
    std::vector<Entry> contents;
    std::uint64_t first_content = 0;  // when it is taken: the number of the first of `contents`
    std::vector<RefusedItem> refused;
};

PreparedBlock::PreparedBlock(const LaneBlock& block, BytesView encoded, std::size_t lane_count)
    : contents_(std::make_unique<Contents>()) {
    Contents& result = *contents_;
    result.lane = block.lane;
    result.height = block.height;
    result.hash = keccak256(encoded);
    result.bytes = encoded.size();
    result.time_ms = block.time_ms;
    result.cut = block.cut;
    // Items that are too short to be entries claim no memory.
    const std::size_t most = std::min(block.items.size(), encoded.size() / kMinEntryBytes);
    result.entries.entries.reserve(most);
    result.contents.reserve(most);
    std::vector<LaneAccess> accesses;
    for (std::size_t i = 0; i < block.items.size(); ++i) {
        auto entry = decode_entry(block.items[i], block.lane, lane_count);
        if (!entry.has_value()) {
            result.refused.push_back({block.lane, block.height, i, entry.error()});
            continue;
        }
        MergeEntry merged{entry->placement.id, entry->digest, lanes_of(entry->placement)};
        const bool has_content = !entry->payload.empty() || entry->placement.new_home.has_value();
        // The whole entry is kept while it waits, with what it says of other lanes.
        if (has_content) {
            merged.content = result.contents.size() + 1;
            merged.content_bytes = static_cast<std::uint32_t>(block.items[i].size());
        }
        accesses.clear();
        append_accesses_in(entry->placement, block.lane, accesses);
        result.entries.add(merged, accesses);
        if (has_content) result.contents.push_back(*std::move(entry));
    }
}

PreparedBlock::PreparedBlock(const LaneBlock& block, std::size_t lane_count)
    : PreparedBlock(block, encoding_of(block), lane_count) {}
PreparedBlock::~PreparedBlock() = default;
PreparedBlock::PreparedBlock(PreparedBlock&&) noexcept = default;
PreparedBlock& PreparedBlock::operator=(PreparedBlock&&) noexcept = default;

LaneNumber PreparedBlock::lane() const noexcept {
    return contents_->lane;
}
std::uint64_t PreparedBlock::height() const noexcept {
    return contents_->height;
}
const Hash& PreparedBlock::hash() const noexcept {
    return contents_->hash;
}
std::size_t PreparedBlock::bytes() const noexcept {
    return contents_->bytes;
}

std::size_t memory_of(const MergedBlock& merged) noexcept {
    std::size_t bytes = sizeof merged;
    for (const OrderedEntry& entry : merged.order) {
        bytes += sizeof entry + entry.payload.size();
        for (const UnitPlacement& unit : entry.placement.units)
            bytes += sizeof unit + unit.accesses.size() * sizeof(Access);
    }
    return bytes;
}

std::string to_string(const Equivocation& evidence) {
    return fmt::format("lane {} has two blocks of height {}: {} and {}", evidence.lane,
                       evidence.height, to_string(evidence.first), to_string(evidence.second));
}

struct LaneFeed::Impl {
    using ReadyBlock = PreparedBlock::Contents;

    explicit Impl(const FeedRules& given)
        : rules(given),
          merger(given.merge),
          cut(first_cut(given.cut)),
          lanes(given.cut.lane_count) {
        HEDDLE_ASSERT(given.cut.lane_count == given.merge.lane_count);
    }

    struct Lane {
        std::map<std::uint64_t, std::unique_ptr<ReadyBlock>> ahead;  // by height, beyond `merged`
        std::deque<Hash> past;  // up to `merged`, the last one last
        std::uint64_t merged = 0;
        std::size_t bytes = 0;
    };

    [[nodiscard]] const Hash* hash_at(const Lane& lane, std::uint64_t height) const;
    void take(Lane& lane, std::unique_ptr<ReadyBlock> block);
    /// The next one, as far as it is known: whether a lane goes as far as the leading one says
    /// depends on how many bytes its blocks have.
    [[nodiscard]] std::optional<Cut> coming_cut() const;
    /// The height that the lane goes on to, where a cut names `height`.
    [[nodiscard]] std::uint64_t within_bytes(const Lane& lane, std::uint64_t height) const;
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
        return found == lane.ahead.end() ? nullptr : &found->second->hash;
    }
    const std::uint64_t back = lane.merged - height;
    return back < lane.past.size() ? &lane.past[lane.past.size() - 1 - back] : nullptr;
}

std::optional<Cut> LaneFeed::Impl::coming_cut() const {
    const Lane& leading = lanes[rules.cut.leading];
    const auto next = leading.ahead.find(leading.merged + 1);
    if (next == leading.ahead.end()) return std::nullopt;
    LaneBlock block;
    block.height = next->first;
    block.cut = next->second->cut;
    Cut result = next_cut(rules.cut, cut, block);
    for (std::size_t i = 0; i < lanes.size(); ++i)
        result.heights[i] = within_bytes(lanes[i], result.heights[i]);
    return result;
}

std::uint64_t LaneFeed::Impl::within_bytes(const Lane& lane, std::uint64_t height) const {
    std::uint64_t bytes = 0;
    for (std::uint64_t at = lane.merged + 1; at <= height; ++at) {
        const auto block = lane.ahead.find(at);
        if (block == lane.ahead.end()) return height;  // which is missing
        bytes += block->second->bytes;
        if (bytes >= rules.cut.max_bytes) return at;
    }
    return height;
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
            ReadyBlock& block = *at->second;
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
            lane.past.push_back(lane.ahead.begin()->second->hash);
            if (lane.past.size() > kRememberedBlocks) lane.past.pop_front();
            lane.bytes -= lane.ahead.begin()->second->bytes;
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

void LaneFeed::Impl::take(Lane& lane, std::unique_ptr<ReadyBlock> block) {
    block->first_content = next_content;
    for (MergeEntry& entry : block->entries.entries)
        if (entry.content != 0) entry.content += next_content - 1;
    next_content += block->contents.size();
    lane.bytes += block->bytes;
    const std::uint64_t height = block->height;
    lane.ahead.emplace(height, std::move(block));
}

std::expected<Offered, Equivocation> LaneFeed::offer(const LaneBlock& block) {
    return offer(PreparedBlock{block, impl_->lanes.size()});
}

std::expected<Offered, Equivocation> LaneFeed::offer(PreparedBlock prepared) {
    Impl& impl = *impl_;
    Impl::ReadyBlock& block = *prepared.contents_;
    if (impl.evidence.has_value()) return std::unexpected(*impl.evidence);
    if (block.lane >= impl.lanes.size() || block.height == 0) return Offered::no_lane;
    Impl::Lane& lane = impl.lanes[block.lane];
    const Hash hash = block.hash;
    if (const Hash* const there = impl.hash_at(lane, block.height); there != nullptr) {
        if (*there == hash) return Offered::known;
        impl.evidence = Equivocation{block.lane, block.height, *there, hash};
        return std::unexpected(*impl.evidence);
    }
    if (block.height <= lane.merged) return Offered::known;
    const bool fits = block.height - lane.merged <= impl.rules.max_blocks_ahead &&
                      lane.bytes + block.bytes <= impl.rules.max_bytes_ahead;
    // What the next merged block waits for is taken whatever else is held: else nothing would ever
    // be merged. How much that can be, the rules for cuts say.
    if (!fits && impl.missing() != Missing{block.lane, block.height}) return Offered::too_far;
    impl.take(lane, std::move(prepared.contents_));
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

std::vector<HalfPlaced> LaneFeed::half_placed(
    std::uint64_t age, std::size_t most_bytes,
    const std::function<bool(const Hash& digest)>& wants) const {
    std::vector<HalfPlaced> result;
    std::size_t bytes = 0;
    for (const IncompleteTransaction& incomplete : impl_->merger.incomplete_of_age(age)) {
        const auto found = impl_->contents.find(incomplete.content);
        if (found == impl_->contents.end() || !wants(incomplete.digest)) continue;
        HalfPlaced half{incomplete.digest, incomplete.missing, {}, found->second.payload};
        encode_entry(found->second, half.entry);
        bytes += half.entry.size() + half.payload.size();
        if (bytes > most_bytes) break;
        result.push_back(std::move(half));
    }
    return result;
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
