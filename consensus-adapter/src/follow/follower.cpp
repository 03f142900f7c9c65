// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/follow/follower.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <executor/ordered_block.hpp>
#include <types/assert.hpp>
#include <types/expected.hpp>

#include "block_window.hpp"
#include "pauses.hpp"

namespace heddle::consensus_adapter::follow {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How often in a row an origin must say that it has another chain before it is believed: behind
/// one address there may be several nodes, one of which is not right for a moment.
constexpr unsigned kConfirmations = 3;
/// How often in a row an origin that has called no block finalized yet must refuse to say which one
/// is, with an error that may pass, before its blocks are taken by their depth: half a minute with
/// the pauses in between.
constexpr unsigned kFinalityRefusals = 8;
/// How long the executor is left with what it has before it is waited for.
constexpr milliseconds kNoWait{0};
/// How long one waits for a block without looking at anything else.
constexpr milliseconds kPatience{200};

FollowError of_block(const BlockError& error) {
    if (error.code == BlockErrorCode::storage_failed)
        return {FollowFault::storage_failed, to_string(error)};
    return {FollowFault::invalid_block,
            fmt::format("the origin's block is not valid: {}", to_string(error))};
}

/// @param here  A block that is kept; the origin has `there` in its place.
std::expected<void, FollowError> check_same(const BlockId& here, const Hash& there) {
    if (here.hash == there) return {};
    return std::unexpected(FollowError{
        FollowFault::reorganised,
        fmt::format("block {} is {} here and {} at the origin: a reorganisation has taken back "
                    "what was final. Find out which is right; `heddle db rollback --to NUMBER` "
                    "takes blocks back here, --follow-depth says how deep is final",
                    here.number, to_string(here.hash), to_string(there))});
}

bool is_other_chain(const FollowError& error) {
    return error.fault == FollowFault::other_chain || error.fault == FollowFault::reorganised;
}

}  // namespace

std::expected<void, FollowError> check_identity(const ChainIdentity& ours,
                                                const ChainIdentity& theirs) {
    if (theirs.chain_id != ours.chain_id)
        return std::unexpected(FollowError{
            FollowFault::other_chain,
            fmt::format("the origin has chain {}, this node has chain {}; follow another node, or "
                        "choose another --datadir",
                        theirs.chain_id, ours.chain_id)});
    if (theirs.genesis != ours.genesis)
        return std::unexpected(FollowError{
            FollowFault::other_chain,
            fmt::format("the origin's genesis block is {}, this node's is {}; follow another node, "
                        "or choose another --datadir",
                        to_string(theirs.genesis), to_string(ours.genesis))});
    return {};
}

struct Follower::Impl {
    Impl(FollowedChain& the_chain, MakeOrigin the_make_origin, FollowOptions the_options)
        : chain(the_chain),
          make_origin(std::move(the_make_origin)),
          options(std::move(the_options)),
          pauses(options.pause, options.max_pause, options.seed) {
        HEDDLE_ASSERT(make_origin != nullptr);
        status.starting = chain.head().number;
        thread = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
    }

    void run(const std::stop_token& stop);
    /// @return how the follower ends; nullopt: it goes on.
    std::optional<FollowError> end_of(const FollowError& error);
    /// One conversation, until it fails or is to stop.
    std::expected<void, FollowError> round(const std::stop_token& stop);
    /// @return what the origin says it is.
    std::expected<ChainIdentity, FollowError> check_chain(Origin& origin);
    /// Whether what the origin calls final, where that is not beyond what is kept, is kept here.
    /// @param has_changed  Its chain has: what was compared before says nothing any more.
    std::expected<void, FollowError> check_final(Origin& origin, const OriginHead& head,
                                                 bool has_changed);
    /// Asks where the origin's chain ends. @return the newest block that is to be taken.
    std::expected<std::uint64_t, FollowError> look(Origin& origin);
    /// @return whether it has changed other than by growing.
    bool note_head(const OriginHead& head);
    /// Whether it is too early to believe that the origin knows no finality.
    [[nodiscard]] bool is_finality_open(const OriginHead& head);
    std::uint64_t final_of(const OriginHead& head);
    /// Takes blocks up to `last`, until all are kept or it is time to look again.
    std::expected<void, FollowError> take(BlockWindow& window, std::uint64_t last,
                                          const std::stop_token& stop);
    /// Waits until what the executor was given is kept.
    std::expected<void, FollowError> settle();
    void count_reorganisation() { ++reorganisations; }
    void tell(const std::string& news) const {
        if (options.on_news) options.on_news(news);
    }

    FollowedChain& chain;
    const MakeOrigin make_origin;
    const FollowOptions options;
    SharedCounters shared;
    std::atomic<std::uint64_t> reorganisations = 0;
    std::atomic<std::uint64_t> refused_blocks = 0;

    // The thread's own.
    Pauses pauses;
    executor::Executor* executor = nullptr;  // while a round is on
    std::optional<OriginHead> last_head;     // of this round
    std::optional<std::uint64_t> compared;   // the same: a block that is final there
    unsigned denials = 0;                    // times in a row that the chain was another one
    /// What the origin has called finalized last: that it does not say so for a moment does not
    /// make it one that knows no finality, whose blocks are taken by their depth.
    std::optional<std::uint64_t> known_final;
    unsigned finality_refusals = 0;  // in a row, before that
    bool has_told_silence = false;   // about that since it did
    bool has_told_depth = false;

    mutable std::mutex mutex;
    std::condition_variable_any wakeup;
    FollowStatus status;  // guarded by mutex

    std::jthread thread;  // last: it uses everything above
};

void Follower::Impl::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const std::uint64_t before = chain.head().number;
        const auto result = round(stop);
        executor = nullptr;
        last_head.reset();
        compared.reset();
        if (stop.stop_requested() || result.has_value()) return;
        const FollowError& error = result.error();
        {
            const std::scoped_lock lock{mutex};
            status.is_connected = false;
            status.error = error.sentence;
        }
        if (const auto end = end_of(error)) {
            if (options.on_failure) options.on_failure(*end);
            return;
        }
        if (chain.head().number != before) pauses.reset();
        const milliseconds pause = pauses.next(error.rest);
        ++shared.retries;
        if (options.on_retry) options.on_retry(error, pause);
        std::unique_lock lock{mutex};
        (void)wakeup.wait_for(lock, stop, pause, [] { return false; });
    }
}

std::optional<FollowError> Follower::Impl::end_of(const FollowError& error) {
    if (error.fault == FollowFault::invalid_block) ++refused_blocks;
    if (error.fault == FollowFault::disconnected) count_reorganisation();
    if (error.fault == FollowFault::storage_failed) return error;
    // That nobody was reached says nothing about whose chain it is.
    if (is_other_chain(error))
        ++denials;
    else if (error.fault == FollowFault::disconnected || error.fault == FollowFault::invalid_block)
        denials = 0;
    if (denials < kConfirmations) return std::nullopt;
    return error;
}

std::expected<void, FollowError> Follower::Impl::round(const std::stop_token& stop) {
    const std::unique_ptr<Origin> origin = make_origin(stop);
    HEDDLE_TRY(const ChainIdentity theirs, check_chain(*origin));
    denials = 0;
    auto begun = chain.begin();
    if (!begun.has_value()) return std::unexpected(of_block(begun.error()));
    executor = *begun;
    FollowOptions fetching = options;
    if (theirs.has_streams) fetching.connections = 1;
    BlockWindow window(make_origin, fetching, chain, shared);
    while (!stop.stop_requested()) {
        HEDDLE_TRY(const std::uint64_t last, look(*origin));
        window.extend(last);
        HEDDLE_CHECK(take(window, last, stop));
        if (window.parent().number < last) continue;
        HEDDLE_CHECK(origin->wait_for_head(options.poll));
    }
    return {};
}

std::expected<ChainIdentity, FollowError> Follower::Impl::check_chain(Origin& origin) {
    HEDDLE_TRY(ChainIdentity theirs, origin.identify());
    HEDDLE_CHECK(check_identity(chain.identity(), theirs));
    const BlockId head = chain.head();
    HEDDLE_TRY(const std::optional<Hash> there, origin.hash_of(head.number));
    if (there.has_value()) {
        HEDDLE_CHECK(check_same(head, *there));
    } else {
        // One that is behind says nothing about blocks that it does not have yet.
        HEDDLE_TRY(const OriginHead newest, origin.head());
        HEDDLE_CHECK(check_final(origin, newest, true));
    }
    bool is_new = false;
    {
        const std::scoped_lock lock{mutex};
        is_new = !status.is_connected;
        status.is_connected = true;
        status.client = theirs.client;
        status.error.clear();
    }
    if (is_new)
        tell(fmt::format("following {}, from block {} on",
                         theirs.client.empty() ? "a node" : theirs.client, head.number));
    return theirs;
}

std::expected<void, FollowError> Follower::Impl::check_final(Origin& origin, const OriginHead& head,
                                                             bool has_changed) {
    std::uint64_t number = 0;
    if (options.depth.has_value())
        number = head.newest.number - std::min(*options.depth, head.newest.number);
    else if (head.finalized.has_value())
        number = std::min(*head.finalized, head.newest.number);
    if (number > chain.head().number) return {};
    // The newest block kept came from there, on top of all others.
    const bool is_known = number == chain.head().number || compared == number;
    if (!has_changed && is_known) return {};
    compared = number;
    const std::optional<Hash> here = chain.hash_of(number);
    if (!here.has_value()) return {};
    HEDDLE_TRY(const std::optional<Hash> there, origin.hash_of(number));
    return there.has_value() ? check_same({number, *here}, *there)
                             : std::expected<void, FollowError>{};
}

std::expected<std::uint64_t, FollowError> Follower::Impl::look(Origin& origin) {
    HEDDLE_TRY(const OriginHead head, origin.head());
    HEDDLE_CHECK(check_final(origin, head, note_head(head)));
    if (is_finality_open(head))
        return std::unexpected(FollowError{FollowFault::refused, head.finality_refusal});
    // Never back: what is kept here stays, and whether it is still theirs is for check_chain().
    const std::uint64_t last = std::max(final_of(head), chain.head().number);
    const std::scoped_lock lock{mutex};
    status.newest = head.newest.number;
    status.final = last;
    return last;
}

bool Follower::Impl::note_head(const OriginHead& head) {
    const std::optional<OriginHead> before = std::exchange(last_head, head);
    if (!before.has_value() || before->newest == head.newest) return false;
    const bool is_other_branch =
        head.newest.number <= before->newest.number ||
        (head.newest.number == before->newest.number + 1 && head.parent != before->newest.hash);
    if (!is_other_branch) return false;
    count_reorganisation();
    tell(fmt::format("the origin's chain has changed: block {} {} comes after block {} {}",
                     head.newest.number, to_string(head.newest.hash), before->newest.number,
                     to_string(before->newest.hash)));
    return true;
}

bool Follower::Impl::is_finality_open(const OriginHead& head) {
    if (options.depth.has_value() || known_final.has_value() || head.finalized.has_value() ||
        head.finality_refusal.empty()) {
        finality_refusals = 0;
        return false;
    }
    finality_refusals = std::min(finality_refusals + 1, kFinalityRefusals);
    return finality_refusals < kFinalityRefusals;
}

std::uint64_t Follower::Impl::final_of(const OriginHead& head) {
    if (!options.depth.has_value()) {
        if (head.finalized.has_value()) {
            if (!known_final.has_value() && has_told_depth)
                tell(
                    fmt::format("the origin calls block {} finalized now: blocks are taken up to "
                                "that one",
                                *head.finalized));
            known_final = head.finalized;
            has_told_silence = false;
        }
        if (known_final.has_value()) {
            if (!head.finalized.has_value() && !std::exchange(has_told_silence, true))
                tell(
                    "the origin does not say any more which block is finalized: none is taken "
                    "until it does");
            return std::min(*known_final, head.newest.number);
        }
    }
    const std::uint64_t depth = options.depth.value_or(options.unknown_finality_depth);
    if (!options.depth.has_value() && !std::exchange(has_told_depth, true))
        tell(
            fmt::format("the origin calls no block finalized: blocks are taken once {} are on top "
                        "of them; --follow-depth sets that",
                        depth));
    return head.newest.number - std::min(depth, head.newest.number);
}

std::expected<void, FollowError> Follower::Impl::take(BlockWindow& window, std::uint64_t last,
                                                      const std::stop_token& stop) {
    const Clock::time_point look_again = Clock::now() + options.poll;
    while (window.parent().number < last && !stop.stop_requested()) {
        auto block = window.next(kNoWait);
        if (block.has_value() && !block->has_value()) {
            HEDDLE_CHECK(settle());
            if (Clock::now() >= look_again) return {};
            block = window.next(kPatience);
        }
        if (!block.has_value()) {
            HEDDLE_CHECK(settle());  // a block that is wrong says more than what came of it
            return std::unexpected(std::move(block).error());
        }
        if (!block->has_value()) continue;
        // A refusal is of an earlier block, which settle() names.
        if (!executor::run(*executor, std::move((*block)->block))) break;
    }
    return settle();
}

std::expected<void, FollowError> Follower::Impl::settle() {
    if (const auto drained = executor->drain(); !drained.has_value())
        return std::unexpected(of_block(drained.error()));
    return {};
}

Follower::Follower(FollowedChain& chain, MakeOrigin make_origin, FollowOptions options)
    : impl_(std::make_unique<Impl>(chain, std::move(make_origin), std::move(options))) {}

Follower::~Follower() {
    stop();
}

FollowStatus Follower::status() const {
    const std::scoped_lock lock{impl_->mutex};
    return impl_->status;
}

FollowCounters Follower::counters() const {
    return {.fetched_blocks = impl_->shared.fetched_blocks,
            .fetched_bytes = impl_->shared.fetched_bytes,
            .retries = impl_->shared.retries,
            .reorganisations = impl_->reorganisations,
            .refused_blocks = impl_->refused_blocks};
}

void Follower::stop() {
    impl_->thread.request_stop();
    if (impl_->thread.joinable()) impl_->thread.join();
}

}  // namespace heddle::consensus_adapter::follow
