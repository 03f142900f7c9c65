// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_engine.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

#include <consensus_adapter/cometbft/comet_rpc.hpp>
#include <consensus_adapter/lanes/homes_contract.hpp>
#include <consensus_adapter/lanes/move.hpp>

#include "lanes/lane_clock.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

namespace fs = std::filesystem;
namespace homes = consensus_adapter::lanes;
using consensus_adapter::cometbft::BroadcastResult;
using consensus_adapter::cometbft::CometError;
using consensus_adapter::cometbft::CometRpc;
using homes::LaneFeed;
using homes::LaneNumber;
using homes::LaneSet;
using homes::LaneStore;

/// After which a transaction that is in no block is handed in again, whatever is known of it here:
/// OpenPlacements knows earlier, of what it has.
constexpr std::uint64_t kResendBlocks = 32;
/// A node that is further behind the leading lane completes nothing, for it knows old halves only.
constexpr std::uint64_t kRightBehind = 4;

MergedChainRules chain_rules(const LaneEngineOptions& options) {
    return {homes::make_even_ranges(options.lanes.size()), options.mover};
}

LanePlacer::Send make_send(const LaneEngineOptions& options) {
    // Shared because a std::function is copied; only the forwarder's thread uses it.
    const auto clients = std::make_shared<std::vector<CometRpc>>();
    for (const std::string& address : options.comets) {
        auto client = CometRpc::create(address, options.comet_timeout);
        if (!client.has_value()) fail_input("lanes.comets: {}", to_string(client.error()));
        clients->push_back(*std::move(client));
    }
    return [clients](LaneNumber lane, std::span<const Bytes> entries)
               -> std::expected<std::vector<BroadcastResult>, CometError> {
        return (*clients)[lane].broadcast(entries);
    };
}

}  // namespace

LaneTrust make_trust(const LaneEngineOptions& options, std::size_t lane) {
    return {options.validators[lane], follow::parse_endpoint(options.comets[lane], "lanes.comets"),
            fmt::format("{}/lane-{}.validators", options.folder, lane)};
}

LaneEngine::LaneEngine(Chain& chain, Mempool& mempool, consensus_adapter::Application& application,
                       LaneEngineOptions options)
    : chain_(chain),
      mempool_(mempool),
      options_(std::move(options)),
      starting_(chain.head().header.number),
      feed_(feed_rules(options_.lanes.size(), options_.leading)),
      merged_(chain, application, chain_rules(options_),
              [this](const Hash& digest, const std::string& reason) {
                  placed_.note_failed(digest, reason);
              }) {
    status_.leading = options_.leading;
    merged_digests_.resize(options_.lanes.size());
    check_contract();
    if (const auto doubt = doubt_of_trusted()) fail_input("{}", *doubt);
    restore();
    offered_digests_ = merged_digests_;
    open_logs();
    make_placer();
    joining_ =
        std::make_unique<JoinSource>(chain_, options_.folder + "/joining", options_.snapshots);
}

LaneEngine::~LaneEngine() {
    stop();
}

/// Whoever follows other lanes than the chain was made for, or takes moves from somebody else,
/// would only see it when blocks are refused.
void LaneEngine::check_contract() const {
    const auto contract = homes::homes_contract_in(chain_.state());
    if (!contract.has_value())
        return logger(Component::consensus)
            .warn("homes cannot be moved: the genesis file has no contract for them at {}",
                  to_string(homes::homes_address()));
    if (contract->lane_count != options_.lanes.size())
        fail_input("lanes.addresses: {}; the chain's genesis file is for {}",
                   counted(options_.lanes.size(), "lane"), contract->lane_count);
    if (contract->mover != options_.mover)
        fail_input("lanes.mover: {}; the chain's genesis file says {}",
                   options_.mover.has_value() ? to_string(*options_.mover) : "nobody",
                   contract->mover.has_value() ? to_string(*contract->mover) : "nobody");
}

std::optional<std::string> LaneEngine::doubt_of_trusted() const {
    if (!options_.trusted.has_value()) return std::nullopt;
    const TrustedBlock& trusted = *options_.trusted;
    const auto found = chain_.kept_header(trusted.number);
    if (!found.has_value() || !found->has_value() || (*found)->hash == trusted.hash)
        return std::nullopt;
    return fmt::format(
        "block {} is {} here, and lanes.trust_hash says {}: it is of another chain, or what this "
        "node has joined by was wrong about what waited. Remove the data directory and join by "
        "another node",
        trusted.number, to_string((*found)->hash), to_string(trusted.hash));
}

void LaneEngine::open_logs() {
    std::error_code error;
    fs::create_directories(options_.folder, error);
    if (error) fail_input("{}: cannot be created: {}", options_.folder, error.message());
    for (std::size_t i = 0; i < options_.lanes.size(); ++i) {
        const homes::LaneLogHead head{static_cast<LaneNumber>(i),
                                      static_cast<std::uint8_t>(options_.lanes.size()),
                                      options_.leading};
        const std::string path = fmt::format("{}/lane-{}.log", options_.folder, i);
        // One that is not there begins where merging stands.
        auto store = LaneStore::open(path, head, {cut_.heights[i], merged_digests_[i]});
        if (!store.has_value()) fail_input("{}", to_string(store.error()));
        if ((*store)->dropped_bytes() != 0)
            logger(Component::consensus)
                .warn("{}: {} bytes at its end were not whole; lane {} is asked for them again",
                      path, (*store)->dropped_bytes(), i);
        lanes_.push_back({*std::move(store), nullptr});
    }
}

void LaneEngine::make_placer() {
    PlacerOptions options;
    options.is_opportunistic = options_.is_opportunistic;
    options.overshoot_us = options_.overshoot_us;
    options.clock = now_us;
    options.offset_us = [this](LaneNumber lane) { return lanes_[lane].subscription->offset_us(); };
    options.silent = [this] {
        const std::scoped_lock lock{mutex_};
        return cut_.silent;
    };
    placer_ = std::make_unique<LanePlacer>(PlacerParts{chain_, mempool_, merged_, placed_, open_},
                                           std::move(options), make_send(options_));
}

void LaneEngine::start() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        SubscriptionOptions options;
        options.endpoint = options_.lanes[i];
        options.head = {static_cast<LaneNumber>(i), static_cast<std::uint8_t>(lanes_.size()),
                        options_.leading};
        options.chain_id = chain_.config().chain_id;
        if (!options_.validators.empty()) options.trust = make_trust(options_, i);
        options.clock = now_us;
        options.on_blocks = [this] {
            // Whoever looked before the log grew is waiting by now.
            {
                const std::scoped_lock lock{mutex_};
            }
            wakeup_.notify_all();
        };
        options.on_failure = [this](const std::string& reason) { fail(reason); };
        lanes_[i].subscription =
            std::make_unique<LaneSubscription>(std::move(options), *lanes_[i].store);
        lanes_[i].subscription->merged(cut_.heights[i]);
    }
    sender_ = std::make_unique<EntrySender>(make_send(options_), open_);
    ForwarderOptions forwarding;
    forwarding.resend_blocks = kResendBlocks;
    forwarder_ = std::make_unique<TransactionForwarder>(
        mempool_,
        [this](std::span<const Bytes> transactions) { return placer_->broadcast(transactions); },
        forwarding);
    executing_ = std::jthread{[this] { execute(); }};
    ordering_ = std::jthread{[this](const std::stop_token& stop) { order(stop); }};
}

void LaneEngine::stop() {
    if (placer_) placer_->stop();
    ordering_.request_stop();
    if (ordering_.joinable()) ordering_.join();
    if (executing_.joinable()) executing_.join();
    if (forwarder_) forwarder_->stop();
    if (sender_) sender_->stop();
    for (Lane& lane : lanes_)
        if (lane.subscription) lane.subscription->stop();
}

void LaneEngine::fail(const std::string& reason) {
    options_.on_failure(reason);
}

void LaneEngine::order(const std::stop_token& stop) {
    order_all(stop);
    handover_.close();
}

void LaneEngine::order_all(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        if (auto merged = feed_.next()) {
            // Only what the cut needs was offered, so that all of it is merged.
            merged_digests_ = offered_digests_;
            const bool is_for_joining =
                options_.snapshot_interval != 0 && merged->number % options_.snapshot_interval == 0;
            Ordered ordered{*std::move(merged), feed_.merger().memory(), {}, {}};
            const std::uint64_t there = lanes_[options_.leading].store->height();
            if (there <= ordered.block.number + kRightBehind)
                ordered.halves = half_placements_due(feed_, open_);
            if (++ordered_since_ >= options_.checkpoint_blocks || is_for_joining) {
                ordered.state = order_state(is_for_joining);
                ordered_since_ = 0;
            }
            const std::size_t weight = homes::memory_of(ordered.block);
            if (!handover_.give(std::move(ordered), weight)) return;
            continue;
        }
        const auto missing = feed_.missing();
        if (!missing.has_value()) return fail("the lanes cannot be merged any more");
        if (!wait_for(*missing, stop)) return;
        if (!offer(*missing)) return;
    }
}

/// After the last merged block, whatever was offered since.
LaneEngine::OrderState LaneEngine::order_state(bool is_for_joining) const {
    OrderState state;
    feed_.save(state.feed);
    state.log_digests = merged_digests_;
    state.cut = feed_.cut();
    state.is_for_joining = is_for_joining;
    return state;
}

void LaneEngine::execute() {
    while (auto ordered = handover_.take()) {
        std::optional<OrderState> state = std::move(ordered->state);
        if (!execute_one(*std::move(ordered))) return handover_.refuse();
        is_checkpoint_due_ = !state.has_value();
        if (state.has_value()) keep_checkpoint(*std::move(state));
    }
    // Nothing is ordered any more, and what was is executed.
    if (is_checkpoint_due_) keep_checkpoint(order_state(false));
}

bool LaneEngine::wait_for(const LaneFeed::Missing& missing, const std::stop_token& stop) {
    const LaneStore& store = *lanes_[missing.lane].store;
    std::unique_lock lock{mutex_};
    return wakeup_.wait(lock, stop, [&] { return store.height() >= missing.height; });
}

/// As the lane's thread has prepared it, or out of the log. nullopt: the log is damaged, which is
/// said.
std::optional<homes::PreparedBlock> LaneEngine::prepared(const LaneFeed::Missing& missing) {
    const Lane& lane = lanes_[missing.lane];
    if (auto there = lane.subscription->take_prepared(missing.height)) return there;
    const auto encoded = lane.store->read(missing.height);
    if (!encoded.has_value()) {
        fail(to_string(encoded.error()));
        return std::nullopt;
    }
    const auto block = homes::decode_lane_block(*encoded);
    if (!block.has_value()) {
        fail(fmt::format("height {} of lane {} in the log kept here is no block of a lane: {}",
                         missing.height, missing.lane, to_string(block.error())));
        return std::nullopt;
    }
    return homes::PreparedBlock{*block, *encoded, lanes_.size()};
}

bool LaneEngine::offer(const LaneFeed::Missing& missing) {
    auto block = prepared(missing);
    if (!block.has_value()) return false;
    const Hash hash = block->hash();
    const auto offered = feed_.offer(*std::move(block));
    if (!offered.has_value()) {
        fail(to_string(offered.error()));
        return false;
    }
    Hash& digest = offered_digests_[missing.lane];
    if (*offered == homes::Offered::taken) digest = homes::next_digest(digest, hash);
    return true;
}

bool LaneEngine::execute_one(Ordered ordered) {
    const homes::Cut cut = ordered.block.cut;
    const std::uint64_t number = ordered.block.number;
    const std::uint64_t before = chain_.head().header.number;
    const std::size_t count = ordered.block.order.size();
    std::vector<Hash> decided;
    decided.reserve(count + ordered.block.rejected.size());
    for (const homes::OrderedEntry& entry : ordered.block.order)
        decided.push_back(entry.digest);
    for (const homes::RejectedTransaction& rejected : ordered.block.rejected)
        decided.push_back(rejected.digest);
    const auto executed = merged_.execute(std::move(ordered.block));
    if (!executed.has_value()) {
        fail(executed.error().sentence);
        return false;
    }
    publish(cut, number, ordered.waiting);
    const ledger::StoredHeader head = chain_.head();
    if (head.header.number == before) return true;
    const std::uint64_t trusted = options_.trusted.has_value() ? options_.trusted->number : 0;
    if (before < trusted && trusted <= head.header.number) {
        if (const auto doubt = doubt_of_trusted()) {
            fail(*doubt);
            return false;
        }
    }
    tend_placements(number, cut.silent, decided, std::move(ordered.halves));
    forwarder_->on_head(head.header.number);
    logger(Component::consensus)
        .info("block {} {}: cut {}, {}, {} gas", head.header.number, to_string(head.hash), number,
              counted(count, "transaction"), head.header.gas_used);
    return true;
}

void LaneEngine::tend_placements(std::uint64_t number, LaneSet silent,
                                 std::span<const Hash> decided, HalfPlacements halves) {
    note_lanes_that_answer(silent);
    auto due = open_.on_block(number, decided, [this](const Hash& hash) {
        const SharedTransaction transaction = mempool_.find(hash);
        return transaction != nullptr &&
               transaction->tx.nonce < mempool_.next_nonce(*transaction->tx.sender);
    });
    forwarder_->hand_again(due.place);
    sender_->give(std::move(due.send));
    sender_->give(to_complete(std::move(halves), chain_.state()));
}

/// Where a lane has decided something since nobody could hand it anything, somebody can again: else
/// only the next attempt would tell.
void LaneEngine::note_lanes_that_answer(LaneSet silent) {
    const LaneSet failing = open_.failing();
    std::erase_if(failed_at_, [&](const auto& lane) { return !failing.has(lane.first); });
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const auto lane = static_cast<LaneNumber>(i);
        if (!failing.has(lane)) continue;
        const std::uint64_t height = lanes_[i].store->height();
        const auto [first, is_new] = failed_at_.try_emplace(lane, height);
        // One may have been on its way from before.
        if (height >= first->second + 2 && !silent.has(lane)) open_.lane_answered(lane);
    }
}

void LaneEngine::publish(const homes::Cut& cut, std::uint64_t number,
                         const homes::MergeMemory& waiting) {
    const LanesReport& report = merged_.report();
    {
        const std::scoped_lock lock{mutex_};
        cut_ = cut;
        status_.merged_number = number;
        status_.waiting = waiting.waiting;
        status_.incomplete = waiting.incomplete;
        status_.transactions = report.transactions;
        status_.several_homes = report.several_homes;
        status_.components = report.components;
        status_.rejected = report.rejected;
        status_.refused = report.refused;
        status_.wrong_home = report.wrong_home;
        status_.left_out = report.left_out;
        status_.moves = report.moves;
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i)
        lanes_[i].subscription->merged(cut.heights[i]);
}

LanesStatus LaneEngine::status() const {
    LanesStatus status;
    homes::Cut cut;
    {
        const std::scoped_lock lock{mutex_};
        status = status_;
        cut = cut_;
    }
    if (sender_) status.sent_again = sender_->counters().sent;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        LaneState state;
        if (lanes_[i].subscription) state = lanes_[i].subscription->state();
        state.merged = cut.heights[i];
        state.is_silent = cut.silent.has(static_cast<LaneNumber>(i));
        status.lanes.push_back(std::move(state));
    }
    return status;
}

std::vector<LanesView::UnitHome> LaneEngine::homes_of(const Address& address) const {
    std::vector<UnitHome> result;
    for (const homes::HomeUnit& unit : merged_.units_of(address))
        result.push_back({unit, merged_.home_of(unit)});
    return result;
}

std::optional<PlacedTransaction> LaneEngine::placed(const Hash& hash) const {
    return placed_.find(hash);
}

std::uint64_t LaneEngine::peers() const {
    const LanesStatus now = status();
    return static_cast<std::uint64_t>(std::ranges::count_if(now.lanes, &LaneState::is_connected));
}

std::optional<SyncProgress> LaneEngine::catching_up() const {
    const LanesStatus now = status();
    const LaneState& leading = now.lanes[now.leading];
    // The leading lane has one height for each merged block.
    if (leading.height <= leading.merged + kRightBehind) return std::nullopt;
    const std::uint64_t head = chain_.head().header.number;
    return SyncProgress{starting_, head + (leading.height - leading.merged)};
}

}  // namespace heddle::node::lanes
