// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_application.hpp>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/transaction.hpp>

#include <consensus_adapter/lanes/move.hpp>
#include <consensus_adapter/lanes/placement.hpp>

#include "lanes/field_reader.hpp"

namespace heddle::consensus_adapter::lanes {

namespace {

using cometbft::OrderedHead;
using cometbft::OrderedItems;
using cometbft::OrderingTurn;
using cometbft::Refusal;

constexpr std::array<std::uint8_t, 4> kCutMagic = {'H', 'L', 'C', '1'};
/// What CometBFT counts for an item beside its bytes, at most.
constexpr std::size_t kItemOverhead = 8;
constexpr std::uint64_t kUsPerMs = 1'000;
/// What a block of a lane has beside its items, at most.
constexpr std::size_t kLaneBlockOverhead = 64 + kMaxLanes * sizeof(std::uint64_t);
constexpr std::size_t kRoomForItems = kMaxLaneBlockBytes - kLaneBlockOverhead;

std::unexpected<Refusal> refuse(LaneRefusal code, std::string reason) {
    return std::unexpected(Refusal{static_cast<std::uint32_t>(code), std::move(reason)});
}

std::unexpected<Refusal> there_already() {
    return refuse(LaneRefusal::there_already, "is in the log already");
}

CutRules cut_rules(const LaneLogHead& head) {
    CutRules rules;
    rules.lane_count = head.lane_count;
    rules.leading = head.leading;
    return rules;
}

bool is_about(const Placement& placement, const Address& sender) {
    return std::ranges::any_of(placement.units, [&](const UnitPlacement& unit) {
        return unit.unit.address == sender && unit.unit.first_slot.is_zero();
    });
}

}  // namespace

Bytes encode_cut(const Cut& cut) {
    Bytes result(kCutMagic.begin(), kCutMagic.end());
    put(static_cast<std::uint8_t>(cut.heights.size()), result);
    for (const std::uint64_t height : cut.heights)
        put(height, result);
    put(cut.silent.bits(), result);
    return result;
}

std::optional<Cut> decode_cut(BytesView item, std::size_t lane_count) {
    FieldReader reader{item};
    if (!equal(reader.bytes(kCutMagic.size()), BytesView{kCutMagic})) return std::nullopt;
    if (reader.integer<std::uint8_t>() != lane_count) return std::nullopt;
    Cut cut;
    for (std::size_t i = 0; i < lane_count; ++i)
        cut.heights.push_back(reader.integer<std::uint64_t>());
    cut.silent = LaneSet{reader.integer<std::uint64_t>()};
    if (!reader.is_good() || reader.left() != 0) return std::nullopt;
    return cut;
}

LaneBlock lane_block_of(const LaneLogHead& head, const OrderingTurn& turn,
                        std::span<const BytesView> items) {
    LaneBlock block;
    block.lane = head.lane;
    block.height = turn.height;
    block.time_ms = turn.time_ms;
    if (head.lane == head.leading && !items.empty())
        block.cut = decode_cut(items.front(), head.lane_count);
    for (const BytesView item : items.subspan(block.cut.has_value() ? 1 : 0))
        block.items.emplace_back(item.begin(), item.end());
    return block;
}

LaneApplication::LaneApplication(LaneStore& store, LaneRules rules, LaneClocks clocks,
                                 PayerCheck payers)
    : store_(store),
      rules_(std::move(rules)),
      clocks_(std::move(clocks)),
      payers_(std::move(payers)),
      cuts_(cut_rules(rules_.head), rules_.silence_ms, steady_ms(), rules_.witnesses) {
    recall();
}

std::uint64_t LaneApplication::steady_ms() const {
    return clocks_.steady() / kUsPerMs;
}

bool LaneApplication::saw(Witness witness, std::uint64_t height) {
    const bool is_doubted = [&] {
        const std::scoped_lock lock{mutex_};
        const std::uint64_t now_ms = steady_ms();
        cuts_.saw(witness, height, now_ms);
        return cuts_.is_doubted(witness, now_ms);
    }();
    seen_.notify_all();
    return !is_doubted;
}

std::size_t LaneApplication::doubted() const {
    const std::scoped_lock lock{mutex_};
    const std::uint64_t now_ms = steady_ms();
    std::size_t count = 0;
    for (std::size_t lane = 0; lane < rules_.witnesses.size(); ++lane)
        for (std::size_t number = 0; number < rules_.witnesses[lane]; ++number)
            if (cuts_.is_doubted({static_cast<LaneNumber>(lane), number}, now_ms)) ++count;
    return count;
}

std::size_t LaneApplication::waiting() const {
    const std::scoped_lock lock{mutex_};
    return waiting_.size();
}

OrderedHead LaneApplication::committed() const {
    OrderedHead head;
    head.height = store_.height();
    const Hash digest = store_.digest();
    if (head.height != 0) head.app_hash.assign(digest.bytes.begin(), digest.bytes.end());
    return head;
}

std::expected<void, std::string> LaneApplication::begin(const cometbft::ChainStart& start) {
    if (start.chain_id == rules_.comet_chain_id) return {};
    return std::unexpected(fmt::format(
        "CometBFT's chain is {}, and lane {} is that of {}; one of the two folders belongs to "
        "another network",
        start.chain_id, rules_.head.lane, rules_.comet_chain_id));
}

auto LaneApplication::look_at(BytesView item, std::uint64_t min_fee_per_gas) const
    -> std::expected<Transaction, Refusal> {
    const auto entry = decode_entry(item, rules_.head.lane, rules_.head.lane_count);
    if (!entry.has_value())
        return refuse(LaneRefusal::no_entry, std::string{to_string(entry.error())});
    // Every entry brings the transaction, so that in each lane somebody has signed for its room.
    auto transaction = decode_transaction(entry->payload);
    if (!transaction.has_value())
        return refuse(LaneRefusal::no_transaction,
                      fmt::format("brings no transaction: {}", to_string(transaction.error())));
    if (transaction->type == TransactionType::blob)
        return refuse(LaneRefusal::no_transaction, "blobs are not kept by lanes");
    if (transaction->chain_id != rules_.chain_id)
        return refuse(LaneRefusal::no_transaction,
                      fmt::format("the transaction is not of chain {}", rules_.chain_id));
    if (transaction->max_fee_per_gas < Uint256{min_fee_per_gas})
        return refuse(LaneRefusal::low_fee,
                      fmt::format("offers less than {} wei for a gas", min_fee_per_gas));
    transaction->sender = recover_sender(*transaction);
    if (!transaction->sender.has_value() || !has_low_s(transaction->s))
        return refuse(LaneRefusal::no_transaction, "nobody has signed the transaction");
    if (entry->placement.new_home.has_value()) {
        if (!allows_move(*transaction, entry->placement, rules_.mover))
            return refuse(LaneRefusal::no_move, "nobody who may has signed the move");
    } else if (!is_about(entry->placement, *transaction->sender)) {
        return refuse(
            LaneRefusal::not_its_sender,
            fmt::format("its units are not about its sender, {}", to_string(*transaction->sender)));
    }
    return *std::move(transaction);
}

std::optional<std::uint64_t> LaneApplication::gas_of_waiting(const Hash& item) const {
    const std::scoped_lock lock{mutex_};
    const auto found = waiting_.find(item);
    if (found == waiting_.end()) return std::nullopt;
    return found->second.checked.gas;
}

auto LaneApplication::known_locked(const Hash& item) const -> std::optional<Verdict> {
    const auto found = waiting_.find(item);
    if (found != waiting_.end()) return found->second.checked.gas;
    if (ordered_.contains(item)) return there_already();
    if (waiting_.size() >= rules_.max_waiting)
        return refuse(LaneRefusal::too_many, fmt::format("{} entries wait", waiting_.size()));
    return std::nullopt;
}

auto LaneApplication::known(const Hash& item) const -> std::optional<Verdict> {
    const std::scoped_lock lock{mutex_};
    return known_locked(item);
}

auto LaneApplication::let_in(const Hash& item, const Checked& checked) -> Verdict {
    const std::uint64_t height = store_.height();
    const std::scoped_lock lock{mutex_};
    if (auto verdict = known_locked(item)) return *std::move(verdict);
    std::size_t& of_sender = waiting_of_[checked.sender];
    if (of_sender >= rules_.max_waiting_of_sender)
        return refuse(LaneRefusal::too_many,
                      fmt::format("{} entries of {} wait", of_sender, to_string(checked.sender)));
    ++of_sender;
    waiting_.emplace(item, Waiting{checked, height});
    arrivals_.emplace_back(height, item);
    return checked.gas;
}

std::expected<std::uint64_t, Refusal> LaneApplication::check(BytesView item) {
    return check_all({&item, 1}).front();
}

/// Cheap things first: nobody looks at what has no room, and nobody is asked about what is wrong.
std::vector<std::expected<std::uint64_t, Refusal>> LaneApplication::check_all(
    std::span<const BytesView> items) {
    std::vector<Verdict> verdicts(items.size());
    std::vector<Transaction> transactions;  // of those that are good in themselves
    std::vector<std::pair<std::size_t, Hash>> places;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Hash hash = keccak256(items[i]);
        if (auto verdict = known(hash)) {
            verdicts[i] = *std::move(verdict);
        } else if (auto transaction = look_at(items[i], rules_.min_fee_per_gas)) {
            transactions.push_back(*std::move(transaction));
            places.emplace_back(i, hash);
        } else {
            verdicts[i] = std::unexpected(std::move(transaction).error());
        }
    }
    if (transactions.empty()) return verdicts;
    std::vector<std::optional<std::string>> reasons(transactions.size());
    if (payers_) reasons = payers_(transactions);
    HEDDLE_ASSERT(reasons.size() == transactions.size());
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        const auto& [place, hash] = places[i];
        verdicts[place] = reasons[i].has_value()
                              ? refuse(LaneRefusal::cannot_pay, *std::move(reasons[i]))
                              : let_in(hash, {*transactions[i].sender, transactions[i].gas_limit});
    }
    return verdicts;
}

std::vector<Bytes> LaneApplication::propose(const OrderingTurn&, std::span<const BytesView> pending,
                                            std::size_t max_bytes) {
    std::vector<Bytes> result;
    std::size_t room = std::min(max_bytes, kRoomForItems);
    if (leads()) {
        const std::scoped_lock lock{mutex_};
        result.push_back(encode_cut(cuts_.next(steady_ms())));
        room -= std::min(room, result.back().size() + kItemOverhead);
    }
    // Those that say when they are to be inserted stand by that time, after those that do not.
    const std::uint64_t now = clocks_.wall();
    std::vector<std::pair<std::uint64_t, std::size_t>> due;  // with the place in `pending`
    due.reserve(pending.size());
    for (std::size_t i = 0; i < pending.size(); ++i) {
        const auto entry = decode_entry(pending[i], rules_.head.lane, rules_.head.lane_count);
        if (!entry.has_value()) continue;
        const std::uint64_t at = entry->placement.insert_at_us;
        if (at > now && at - now <= rules_.max_hold_us) continue;
        due.emplace_back(at > now ? 0 : at, i);
    }
    std::ranges::sort(due);
    for (const auto& [at, i] : due) {
        const BytesView item = pending[i];
        if (item.size() + kItemOverhead > room) break;
        room -= item.size() + kItemOverhead;
        result.emplace_back(item.begin(), item.end());
    }
    return result;
}

std::expected<void, std::string> LaneApplication::judge_cut(const Cut& cut) {
    {
        const std::scoped_lock lock{mutex_};
        if (cut.silent.intersects(cuts_.speaking(steady_ms())))
            return std::unexpected("its cut calls lanes silent that are not");
    }
    const auto is_seen = [&] {
        const Cut seen = cuts_.next(steady_ms());
        for (std::size_t lane = 0; lane < cut.heights.size(); ++lane)
            if (lane != rules_.head.leading && cut.heights[lane] > seen.heights[lane]) return false;
        return true;
    };
    std::unique_lock lock{mutex_};
    if (seen_.wait_for(lock, rules_.cut_patience, is_seen)) return {};
    return std::unexpected("its cut names heights of other lanes that are not known here");
}

std::expected<void, std::string> LaneApplication::judge(const OrderingTurn&,
                                                        std::span<const BytesView> items) {
    std::size_t bytes = 0;
    for (const BytesView item : items)
        bytes += item.size() + kItemOverhead;
    if (bytes > kRoomForItems)
        return std::unexpected(fmt::format(
            "its items are more than the {} bytes that a block of a lane has", kMaxLaneBlockBytes));
    std::set<Hash> there;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i == 0 && leads()) {
            const auto cut = decode_cut(items[i], rules_.head.lane_count);
            if (!cut.has_value()) return std::unexpected("it does not begin with a cut");
            HEDDLE_CHECK(judge_cut(*cut));
            continue;
        }
        const Hash hash = keccak256(items[i]);
        if (!there.insert(hash).second)
            return std::unexpected(fmt::format("item {} is there twice", i));
        if (gas_of_waiting(hash).has_value()) continue;
        // What is taken for too little is each validator's own business, or those who ask for
        // more would refuse what the others propose.
        const auto checked = look_at(items[i], 0);
        if (!checked.has_value())
            return std::unexpected(fmt::format("item {}: {}", i, checked.error().reason));
    }
    if (items.empty() && leads()) return std::unexpected("it does not begin with a cut");
    return {};
}

std::expected<OrderedItems, std::string> LaneApplication::finalize(
    const OrderingTurn& turn, std::span<const BytesView> items) {
    const LaneBlock block = lane_block_of(rules_.head, turn, items);
    OrderedItems result;
    Decided decided;
    if (block.cut.has_value()) result.is_good.push_back(true);
    for (const Bytes& item : block.items) {
        result.is_good.push_back(
            decode_entry(item, rules_.head.lane, rules_.head.lane_count).has_value());
        decided.items.push_back(keccak256(item));
    }
    encode_lane_block(block, decided.block);
    if (decided.block.size() > kMaxLaneBlockBytes)
        return std::unexpected(fmt::format(
            "height {} has {} bytes, and a lane's block at most {}; block.max_bytes of CometBFT's "
            "genesis file must be below that",
            turn.height, decided.block.size(), kMaxLaneBlockBytes));
    const Hash digest = next_digest(store_.digest(), decided.block);
    result.app_hash.assign(digest.bytes.begin(), digest.bytes.end());
    decided_ = std::move(decided);
    return result;
}

/// Rarely, for what is kept is written anew. The block that was decided is on the disk, and old
/// ones harm nobody: a validator that ended for them would take its vote from the lane. What the
/// log cannot go on after, a name that is not durable, the next block fails with.
void LaneApplication::give_up_old() {
    const std::uint64_t retained = rules_.retain_blocks;
    const std::uint64_t height = store_.height();
    if (retained == 0 || height - store_.given_up() <= 2 * retained || height < next_giving_up_)
        return;
    std::optional<std::string> why;
    if (const auto given_up = store_.give_up_to(height - retained); !given_up.has_value()) {
        why = to_string(given_up.error());
        next_giving_up_ = height + retained;
    }
    const std::scoped_lock lock{mutex_};
    why_old_are_kept_ = std::move(why);
}

std::optional<std::string> LaneApplication::why_old_are_kept() const {
    const std::scoped_lock lock{mutex_};
    return why_old_are_kept_;
}

std::expected<std::uint64_t, std::string> LaneApplication::commit() {
    HEDDLE_ASSERT(decided_.has_value());
    const auto kept = store_.append(decided_->block, LaneStore::Keeping::durable);
    if (!kept.has_value()) return std::unexpected(to_string(kept.error()));
    give_up_old();
    const std::uint64_t given_up = store_.given_up();
    const std::uint64_t first_needed = given_up == 0 ? 0 : given_up + 1;
    const std::scoped_lock lock{mutex_};
    for (const Hash& item : decided_->items) {
        forget(item);
        remember(item);
    }
    decided_.reset();
    forget_old();
    return first_needed;
}

void LaneApplication::remember(const Hash& item) {
    if (!ordered_.insert(item).second) return;
    in_order_.push_back(item);
    if (in_order_.size() <= rules_.remembered_entries) return;
    ordered_.erase(in_order_.front());
    in_order_.pop_front();
}

/// As far as it is there: what a log has given up is old, and each validator has its own.
void LaneApplication::recall() {
    std::vector<std::vector<Hash>> blocks;  // the newest first
    std::size_t count = 0;
    for (std::uint64_t height = store_.height();
         height > store_.given_up() && count < rules_.remembered_entries; --height) {
        const auto encoded = store_.read(height);
        if (!encoded.has_value()) break;
        const auto block = decode_lane_block(*encoded);
        if (!block.has_value()) break;
        std::vector<Hash>& items = blocks.emplace_back();
        for (const Bytes& item : block->items)
            items.push_back(keccak256(item));
        count += items.size();
    }
    const std::scoped_lock lock{mutex_};
    for (const std::vector<Hash>& items : std::views::reverse(blocks))
        for (const Hash& item : items)
            remember(item);
}

void LaneApplication::forget(const Hash& item) {
    const auto found = waiting_.find(item);
    if (found == waiting_.end()) return;
    const auto of_sender = waiting_of_.find(found->second.checked.sender);
    if (--of_sender->second == 0) waiting_of_.erase(of_sender);
    waiting_.erase(found);
}

void LaneApplication::forget_old() {
    const std::uint64_t height = store_.height();
    while (!arrivals_.empty() && arrivals_.front().first + rules_.max_waiting_heights < height) {
        const auto [came, item] = arrivals_.front();
        arrivals_.pop_front();
        // It may have come again since.
        if (const auto found = waiting_.find(item);
            found != waiting_.end() && found->second.height == came)
            forget(item);
    }
}

}  // namespace heddle::consensus_adapter::lanes
