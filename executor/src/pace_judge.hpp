// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether attempting the transactions of blocks ahead of their turn pays, by the clock: there are
// blocks for which it does not, and what they cost is not seen in counts of gas. Now and then a few
// blocks are run another way and timed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace heddle::executor {

/// How the transactions of a block are run by the stream.
enum class Pace : std::uint8_t {
    ahead,     // as the policy has it
    in_order,  // one after the other; what else a block takes is done beside the next one
    alone,     // by the serial executor: others only hash its leaves and read ahead for it
};

/// Now and then two stretches of blocks are timed one after the other, one as usual and one another
/// way. Each begins and ends with nothing in flight, so that all that is executed in its time is
/// its own: what is attempted beside a block that runs in order slows it down and makes others seem
/// fast, and blocks whose turn has not come are executed while one that is slow holds up the
/// stream. Time counts while anything is in flight, and per gas, as blocks differ.
///
/// A stream may be over before a stretch is. Then stretches are of whole streams, whose pauses and
/// empty caches are a part of what they take.
///
/// The other ways do one after the other what is done beside each other ahead of its turn. Where
/// that has been executed for much longer than it took, they are hardly faster, and are timed much
/// later. Not never: what is executed beside each other slows each other down. Blocks overlap if
/// those of the phase were executed for kOverlap percent of what they took. The first ones have
/// nothing before them to overlap with: it is known when kFirstInterval rounds have ended, from
/// kSomeOverlap percent on when twice as many have.
///
/// Blocks are counted by the round: one block, or as many as take kRoundNs together. Where blocks
/// are tiny, a few of them take no longer than the pauses at both ends of a stretch, in which
/// nothing overlaps.
///
///   phase    rounds                             event               next, with nothing in flight
///   usual    interval, at first kFirstInterval  have begun, and     base
///                                               blocks do not
///                                               overlap
///            kAfterOverlap since the last trial have begun          base
///   base     kStretch, timed                    have ended          warm_up
///            the same, less than kAfterOverlap  have ended, and     usual, as if it had lost,
///            since the last trial               they overlap        but for nothing
///   warm_up  kWarmUp another way; of Pace::     have ended: what    trial
///            alone more, while each is faster   they read is in
///            than the one before                its caches now
///   warm_up  as above                           alone: no end in    usual, as if it had lost
///                                               sight; kHopeless
///                                               percent slower, in
///                                               order twice that
///   trial    as many blocks as base, the same   have ended, or lose usual, and by what was
///            way, timed                         by kLoss percent    found, below
///   base                                        the stream ends     warm_up if they have ended,
///                                                                   else base, of whole streams
///   trial                                       the stream ends     usual; judged if half of them
///                                                                   have ended, else it has lost;
///                                                                   the next of whole streams
///   warm_up                                     the stream ends     usual, as if it had lost; the
///                                                                   next trial of whole streams
///   usual                                       the stream ends     usual
///
/// Of whole streams the same, but phases that are complete end with the stream, or as soon as what
/// is tried is seen to lose. A phase that is complete ends, too, when kLongStream rounds of its
/// stream have begun; from then on stretches are not of whole streams. Where few streams are all
/// that there is, as in a measurement, each one that is run a slower way is a good part of them. So
/// Pace::in_order needs no warm_up, as every stream begins with empty caches, but has lost as soon
/// as it is seen to be hopeless; and what is not faster when a stream ends has lost, once half of
/// the trial's rounds have ended.
///
///   it was faster by                                                from here on
///   kClearGain percent, and not because of a single block           that way
///   kGain percent, the second time running                          that way
///   kGain percent, the first time                                   base after kConfirmAfter
///   less                                                            twice the interval
///
/// Of the two other ways one is tried, the next time the other one; after a change first the one of
/// before.
///
/// Blocks may become larger meanwhile. So warm_up ends, too, when its blocks have used as much gas
/// as those of base, and trial when half as many blocks as kStretch have used kMostOfBase times as
/// much. Where no block of base has used kLeastGas there is nothing to compare with: each ends with
/// the first block that has.
///
/// What that costs, whatever the blocks are: a trial is four pauses and at most 2 * kStretch rounds
/// that may be slower, and a way that has cost the time of n rounds is not tried for n * kWorth
/// rounds. So all trials of a way but the first take at most 1 / kWorth of the time. Each time
/// that a change is taken back within kSettled, the next trial waits twice as long, up to kSettled,
/// until one has stood for so long: blocks that change their kind every few blocks get one way or
/// the other for all of them, not one after the other.
///
/// Thread safety: all by one thread, but ended(): any, one at a time.
class PaceJudge {
public:
    static constexpr std::uint64_t kFirstInterval = 4;  // rounds
    static constexpr std::uint64_t kLongestInterval = 1024;
    static constexpr std::uint64_t kSettled = 256;
    static constexpr std::uint64_t kConfirmAfter = 2;
    static constexpr std::uint64_t kWarmUp = 2;          // rounds
    static constexpr std::uint64_t kStretch = 8;         // rounds
    static constexpr std::uint64_t kRoundNs = 625'000;   // pauses are some two percent of a stretch
    static constexpr std::uint64_t kMostInRound = 64;    // blocks, however little they take
    static constexpr std::int64_t kGain = 3;             // percent
    static constexpr std::int64_t kClearGain = 15;       // percent
    static constexpr std::int64_t kLoss = 20;            // percent
    static constexpr std::int64_t kHopeless = 50;        // percent, while it warms up
    static constexpr std::uint64_t kMostOfBase = 4;      // times its gas, of a trial
    static constexpr std::uint64_t kOverlap = 140;       // percent
    static constexpr std::uint64_t kSomeOverlap = 115;   // percent
    static constexpr std::uint64_t kAfterOverlap = 128;  // rounds
    static constexpr std::uint64_t kLongStream = 4 * kStretch;  // rounds
    static constexpr std::uint64_t kWorth = 80;

    /// @param round_ns  Where it is zero a round is one block, however tiny it is.
    explicit PaceJudge(std::uint64_t round_ns = kRoundNs) : round_ns_(round_ns) {}

    /// A new stream: nothing is under way. What was learned stays.
    void start();
    /// Whether everything that has begun must have ended before next().
    [[nodiscard]] bool wants_pause() const noexcept;
    /// How the next block is to be run.
    [[nodiscard]] Pace next();
    /// Whether another way is being tried, or was faster and is going to be tried again soon.
    /// Changes in next() and start() only.
    [[nodiscard]] bool is_undecided() const noexcept;
    /// That block begins. @param now_ns  Of a clock that does not go back.
    void begin(std::uint64_t now_ns);
    /// The oldest block that has begun was accepted.
    /// @param gas        What it used.
    /// @param worked_ns  How long it was executed, all threads together, as far as it is known.
    void ended(std::uint64_t gas, std::uint64_t now_ns, std::uint64_t worked_ns = 0) noexcept;
    /// Why the pace has changed, in words, once.
    [[nodiscard]] std::optional<std::string> take_reason();

private:
    enum class Phase : std::uint8_t { usual, base, warm_up, trial };
    struct Sum {
        std::uint64_t ns = 0;
        std::uint64_t gas = 0;

        Sum& operator+=(const Sum& other) noexcept {
            ns += other.ns;
            gas += other.gas;
            return *this;
        }
    };
    /// Blocks that use less, such as three transfers, run alike every way.
    static constexpr std::uint64_t kLeastGas = 64'000;
    /// Of blocks that use less much of the time is that of everything else: which one has stood
    /// still does not show by its gas.
    static constexpr std::uint64_t kTellingGas = 1'000'000;

    [[nodiscard]] bool is_trying() const noexcept { return phase_ >= Phase::warm_up; }
    /// The way that is tried, or the next time.
    [[nodiscard]] Pace other() const noexcept;
    [[nodiscard]] std::uint64_t& not_before(Pace pace) noexcept {
        return not_before_[static_cast<std::size_t>(pace)];
    }
    /// It is the turn of the other one of the two.
    void skip_other() noexcept { ++trials_; }
    /// @return picoseconds per gas; 0: nothing was timed.
    [[nodiscard]] static std::int64_t cost(const Sum& sum) noexcept;
    /// Whether a block was slower for what it is than another one.
    [[nodiscard]] static bool is_slower(const Sum& block, const Sum& other) noexcept;
    /// Of the trial's rounds from the first one on.
    [[nodiscard]] Sum tried(std::size_t first) const noexcept;
    /// How many of them have ended: of a trial only.
    [[nodiscard]] std::size_t tried_rounds() const noexcept {
        return std::min<std::size_t>(tried_count_ * kStretch / stretch_, kStretch);
    }
    /// What the trial's blocks cost, as it is judged.
    [[nodiscard]] std::int64_t tried_cost() const noexcept;
    /// Of the blocks before the trial, without the slowest one.
    [[nodiscard]] std::int64_t usual_cost_without_slowest() const noexcept;
    /// Whether what has ended makes it worth while to go on warming up.
    void look_at_warming(const Sum& block) noexcept;
    [[nodiscard]] std::uint64_t rounds_of(std::uint64_t blocks, std::uint64_t ns) const noexcept;
    /// Of those that have begun in this phase.
    [[nodiscard]] std::uint64_t rounds_of_phase() const noexcept;
    /// Of those of them that have ended.
    [[nodiscard]] std::uint64_t rounds_of_ended() const noexcept;
    /// All that have begun.
    [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_ + rounds_of_phase(); }
    /// Whether what has ended in this phase was executed for so much longer than it took.
    [[nodiscard]] bool overlaps_by(std::uint64_t percent) const noexcept;
    /// Whether that decides anything: not for ever.
    [[nodiscard]] bool may_be_put_off() const noexcept;
    [[nodiscard]] bool is_usual_over() const noexcept;
    /// Whether that is so many times the gas of the blocks before what is tried, or of kLeastGas.
    /// Where blocks have become larger, as many as there were before would be tried for far longer.
    [[nodiscard]] bool has_used(const Sum& sum, std::uint64_t times) const noexcept;
    /// What the phase is made of has begun.
    [[nodiscard]] bool is_phase_complete() const noexcept;
    /// The next one begins before the next block.
    [[nodiscard]] bool is_phase_over() const noexcept;
    /// Whether a stretch fits into the stream several times.
    [[nodiscard]] bool is_stream_long() const noexcept {
        return begun_in_stream_ != 0 && rounds() >= stream_began_at_ + kLongStream;
    }
    void enter_next();
    /// Whether that is so many percent more than what the usual way costs.
    [[nodiscard]] bool is_behind(std::int64_t cost, std::int64_t percent) const noexcept;
    /// What is tried is much slower, as far as it is known.
    [[nodiscard]] bool is_lost() const noexcept;
    /// A stream has ended, and what is tried is not faster: to win it would have to be in the rest.
    [[nodiscard]] bool is_behind_in_streams() const noexcept;
    void enter(Phase phase) noexcept;
    /// The other one of the two is the next, if the one whose turn it is has cost too much.
    /// @return rounds until then.
    [[nodiscard]] std::uint64_t choose_other() noexcept;
    void end_trial();
    void change(std::int64_t usual, std::int64_t tried);
    /// Rounds until what was tried may be tried again, for what it has cost.
    [[nodiscard]] std::uint64_t paid_off() const noexcept;

    const std::uint64_t round_ns_;
    mutable std::mutex lock_;          // of everything: a few operations a block
    std::deque<std::uint64_t> begun_;  // nanoseconds, of the blocks in flight
    std::uint64_t last_end_ns_ = 0;
    Pace pace_ = Pace::ahead;
    Pace came_from_ = Pace::ahead;  // the way before the last change
    std::uint64_t interval_ = kFirstInterval;
    std::uint64_t wait_ = kFirstInterval;    // rounds until the next time: interval_, or fewer
    std::uint64_t settle_ = kFirstInterval;  // interval_ when one goes back
    std::uint64_t changed_at_ = 0;           // rounds() of the last one
    bool has_won_ = false;                   // what is tried was faster the last time
    std::uint64_t trials_ = 0;
    std::uint64_t rounds_ = 0;                   // of the phases before this one
    std::array<std::uint64_t, 3> not_before_{};  // rounds() of these a way is tried
    Phase phase_ = Phase::usual;
    std::uint64_t begun_in_phase_ = 0;    // blocks
    std::uint64_t phase_ns_ = 0;          // what those of them took that have ended
    std::uint64_t worked_ns_ = 0;         // how long these were executed
    bool is_of_streams_ = false;          // stretches are of whole streams
    std::uint64_t begun_in_stream_ = 0;   // blocks
    std::uint64_t stream_began_at_ = 0;   // rounds()
    std::uint64_t tried_at_ = 0;          // rounds() when the last trial ended
    std::uint64_t block_ns_ = round_ns_;  // what one took in the phase before
    std::uint64_t stretch_ = 0;           // blocks of base, and of the trial
    std::uint64_t base_rounds_ = kStretch;
    std::uint64_t blocks_of_round_ = 1;  // of base, and of warm_up
    Sum base_;
    Sum slowest_;                 // block of it, per gas
    Sum warming_;                 // the round that warms up
    std::size_t warming_up_ = 0;  // blocks of it
    Sum warmed_;                  // the round before
    bool is_warm_ = false;
    bool is_hopeless_ = false;
    std::array<Sum, kStretch> tried_{};  // round by round
    std::size_t tried_count_ = 0;        // blocks
    Sum trial_;                          // all of its blocks, and those that it was warmed up with
    std::optional<std::string> reason_;
};

}  // namespace heddle::executor
