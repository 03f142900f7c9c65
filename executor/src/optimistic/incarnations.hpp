// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The collaborative scheduler of Block-STM (Gelashvili et al., algorithms 4 and 5): which attempt
// of each position stands, who waits for whose next one, and from where on attempts are to be
// looked at again. The protocol and nothing else: what an attempt is and how it is looked at is its
// user's business. An incarnation is an attempt by its number.
//
// Each position has a word: the position itself, the number n of its incarnation, and a state.
//
//   state         event                                             next            who
//   any           arrive(): the place is used for this position     absent(0)       the dispatcher
//   absent        release()                                         ready(0)        the dispatcher
//   ready(n)      begin(): taken to be attempted                    executing(n)    a worker
//   executing(n)  suspend(): read what q will write again           blocked(n+1)    that worker
//   blocked(n)    q is executed, or committed                       ready(n)        who did that
//   executing(n)  executed(): its values are published              executed(n)     that worker
//   executing(n)  stopped(): it has left none                       stopped(n)      that worker
//   executed(n)   taken_back(): overtaken before its turn           ready(n+1)      who looked
//   executed(n)   retry(): overtaken at its turn                    ready(n+1)      the committer
//   executing(n)  retry(): overtaken while it was made              ready(n+1)      that worker
//   any           commit(): its turn has come                       committed       the committer
//
// Who looks at an attempt or commits it has taken the task for itself (try_take()), so of these
// only stopped() and commit() can meet, and stopped() then gives way.
//
// Values of incarnations before n are estimates: whoever reads one waits. It puts itself on the
// stack of those who wait for q, after its own word says so, and looks at q once more; whoever
// executes or commits q changes the word of q and takes the stack then. All four are sequentially
// consistent, so one of the two sees the other, and taking the stack is an exchange, so each is
// resumed once. One who puts itself on the stack of a place that another position has by now finds
// that out by the same look, and resumes all it finds there: to be resumed too early costs an
// attempt, no more. Nobody waits for a later position, so the first one that is not committed waits
// for nobody.
//
// Attempts are looked at in waves: a counter runs over the positions, up to the last one executed,
// and is set back to where something has changed that later ones may have read. Whoever sets it
// back has changed that something before, and whoever moves it on looks afterwards. The wave only
// saves work: a look that is missed is made when the turn has come. It stays within kWave positions
// from the next one to be committed, so that one change costs no more than so many looks, and what
// is committed pays for all of them: kLooksEach for each position, of which kSaved are saved up.
// Else a block of small transactions that all leave something else than they were seen to leave
// would have as many looked at after every one of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <types/assert.hpp>

#include "state/version_list.hpp"
#include "stream/position_ring.hpp"
#include "workers/atomics.hpp"

namespace heddle::executor {

/// Thread safety: as the table says; what it does not name, any.
template <typename Atomics>
class BasicIncarnations {
public:
    enum class State : std::uint8_t {
        absent,
        ready,
        executing,
        blocked,
        executed,
        stopped,
        committed,
    };
    static constexpr std::uint64_t kWave = 256;
    /// Looks for each position that is committed: where attempts mostly hold, one or two are made.
    static constexpr std::uint64_t kLooksEach = 16;
    static constexpr std::uint64_t kSaved = 2 * kWave;

    /// @param capacity  Most positions in flight.
    explicit BasicIncarnations(std::size_t capacity) : nodes_(capacity) {}

    // --- The dispatcher --------------------------------------------------------------------------
    /// `resume(position)` is called for each that is ready now.
    template <typename Resume>
    void arrive(std::uint64_t position, Resume&& resume) {
        Node& node = nodes_.make(position);
        // Whoever still looks for the one before finds it over, with this word or the last.
        node.word.store(word(position, 0, State::absent), std::memory_order_relaxed);
        resume_all(node, resume);
    }
    /// Before it is put where workers find it, which publishes this.
    void release(std::uint64_t position) noexcept {
        set(position, 0, State::ready, std::memory_order_relaxed);
    }

    // --- Whoever runs the position ---------------------------------------------------------------
    void begin(std::uint64_t position) noexcept {
        // To others the same as what it was.
        set(position, number_at(position), State::executing, std::memory_order_relaxed);
    }
    /// @param on  Whose next incarnation it waits for; before it.
    template <typename Resume>
    void suspend(std::uint64_t position, std::uint64_t on, Resume&& resume) noexcept {
        HEDDLE_DASSERT(on < position);
        set(position, number_at(position) + 1, State::blocked);
        push(nodes_.at(on), position);
        // From here on somebody else may run it.
        if (is_over(on)) resume_all(nodes_.at(on), resume);
    }
    template <typename Resume>
    void executed(std::uint64_t position, Resume&& resume) noexcept {
        set(position, number_at(position), State::executed);
        resume_all(nodes_.at(position), resume);
    }
    /// After the position was handed to the committer, which may be done with it; an attempt
    /// stands.
    /// @param has_new_places  Whether it has changed what the last incarnation had not.
    /// @return whether it is to be looked at itself, as no wave is going to.
    [[nodiscard]] bool handed_over(std::uint64_t position, bool has_new_places) noexcept {
        raise_front(position + 1);
        if (wave_.load(std::memory_order_seq_cst) <= position) return false;
        if (has_new_places) look_from(position);
        return !has_new_places;
    }
    /// The same; no attempt stands.
    void stopped(std::uint64_t position) noexcept {
        Atomic& at = nodes_.at(position).word;
        std::uint64_t seen = at.load(std::memory_order_relaxed);
        while (position_in(seen) == position && state_in(seen) == State::executing)
            if (at.compare_exchange_weak(seen, word(position, number_in(seen), State::stopped),
                                         std::memory_order_seq_cst, std::memory_order_relaxed))
                return;
    }

    // --- Whoever alone has the position ----------------------------------------------------------
    /// It is overtaken: its values are estimates, and it is ready to be executed again.
    void taken_back(std::uint64_t position) noexcept {
        set(position, number_at(position) + 1, State::ready);
        look_from(position + 1);
    }
    void retry(std::uint64_t position) noexcept {
        set(position, number_at(position) + 1, State::ready);
    }
    /// @param has_changed  Whether what it leaves is not what an attempt has published.
    template <typename Resume>
    void commit(std::uint64_t position, bool has_changed, Resume&& resume) noexcept {
        set(position, 0, State::committed);
        if (has_changed) look_from(position + 1);
        resume_all(nodes_.at(position), resume);
    }

    // --- Anybody ---------------------------------------------------------------------------------
    [[nodiscard]] bool is_estimate(Stamp stamp) const noexcept {
        const std::uint64_t position = position_of(stamp);
        const std::uint64_t seen = nodes_.at(position).word.load(std::memory_order_acquire);
        return position_in(seen) == position && attempt_of(stamp) < number_in(seen);
    }
    /// The next position that is to be looked at, for the caller alone. 0: there is none.
    /// @param committed  All positions below are, so that this one's turn has come.
    [[nodiscard]] std::uint64_t take_look(std::uint64_t committed) noexcept {
        if (!has_look(committed) || !pay_look(committed)) return 0;
        std::uint64_t at = wave_.load(std::memory_order_seq_cst);
        for (;;) {
            const std::uint64_t next = std::max(at, committed + 1);
            if (next >= end_of_wave(committed)) return 0;
            if (wave_.compare_exchange_weak(at, next + 1, std::memory_order_seq_cst)) return next;
        }
    }
    /// Whether there is one; out of date at once.
    [[nodiscard]] bool has_look(std::uint64_t committed) const noexcept {
        return std::max(wave_.load(std::memory_order_seq_cst), committed + 1) <
                   end_of_wave(committed) &&
               paid_.load(std::memory_order_relaxed) < most_paid(committed);
    }

private:
    using Atomic = typename Atomics::template Atomic<std::uint64_t>;

    struct alignas(64) Node {
        Atomic word{0};
        /// The last position that has begun to wait for this one; 0: none waits.
        Atomic waiting{0};
        /// While this position waits: the one that has begun before it. Its own worker's until it
        /// is on the stack, then whoever takes it.
        std::uint64_t waits_before = 0;
    };

    static constexpr unsigned kStateBits = 3;
    static constexpr unsigned kShift = kStateBits + kAttemptBits;

    [[nodiscard]] static constexpr std::uint64_t word(std::uint64_t position, unsigned number,
                                                      State state) noexcept {
        return position << kShift | std::uint64_t{number} << kStateBits |
               static_cast<std::uint64_t>(state);
    }
    [[nodiscard]] static constexpr std::uint64_t position_in(std::uint64_t word) noexcept {
        return word >> kShift;
    }
    [[nodiscard]] static constexpr unsigned number_in(std::uint64_t word) noexcept {
        return static_cast<unsigned>(word >> kStateBits) & kLastAttempt;
    }
    [[nodiscard]] static constexpr State state_in(std::uint64_t word) noexcept {
        return static_cast<State>(word & ((1U << kStateBits) - 1));
    }

    /// By the only one who may change it: what it reads is what was written last.
    [[nodiscard]] unsigned number_at(std::uint64_t position) const noexcept {
        return number_in(nodes_.at(position).word.load(std::memory_order_relaxed));
    }
    void set(std::uint64_t position, unsigned number, State state,
             std::memory_order order = std::memory_order_seq_cst) noexcept {
        nodes_.at(position).word.store(word(position, number, state), order);
    }
    /// Whether nobody has to wait for the position.
    [[nodiscard]] bool is_over(std::uint64_t position) const noexcept {
        const std::uint64_t seen = nodes_.at(position).word.load(std::memory_order_seq_cst);
        return position_in(seen) != position || state_in(seen) == State::executed ||
               state_in(seen) == State::committed;
    }
    void push(Node& node, std::uint64_t position) noexcept {
        std::uint64_t& before = nodes_.at(position).waits_before;
        std::uint64_t top = node.waiting.load(std::memory_order_relaxed);
        do {
            before = top;
            // Release pairs with resume_all().
        } while (!node.waiting.compare_exchange_weak(top, position, std::memory_order_seq_cst,
                                                     std::memory_order_relaxed));
    }
    template <typename Resume>
    void resume_all(Node& node, Resume&& resume) noexcept {
        if (node.waiting.load(std::memory_order_seq_cst) == 0) return;
        std::uint64_t position = node.waiting.exchange(0, std::memory_order_seq_cst);
        while (position != 0) {
            // Once it is ready, somebody else may have it.
            const std::uint64_t next = nodes_.at(position).waits_before;
            set(position, number_at(position), State::ready);
            resume(position);
            position = next;
        }
    }
    void look_from(std::uint64_t position) noexcept {
        std::uint64_t at = wave_.load(std::memory_order_seq_cst);
        while (at > position)
            if (wave_.compare_exchange_weak(at, position, std::memory_order_seq_cst)) return;
    }
    void raise_front(std::uint64_t end) noexcept {
        std::uint64_t at = front_.load(std::memory_order_relaxed);
        while (at < end)
            if (front_.compare_exchange_weak(at, end, std::memory_order_seq_cst)) return;
    }
    [[nodiscard]] std::uint64_t end_of_wave(std::uint64_t committed) const noexcept {
        return std::min(front_.load(std::memory_order_seq_cst), committed + kWave);
    }

    [[nodiscard]] static constexpr std::uint64_t most_paid(std::uint64_t committed) noexcept {
        return kLooksEach * committed + kSaved;
    }
    /// Whoever takes a look has this counted first; nothing is handed over by it, so it is relaxed.
    [[nodiscard]] bool pay_look(std::uint64_t committed) noexcept {
        std::uint64_t seen = paid_.load(std::memory_order_relaxed);
        std::uint64_t now = 0;
        do {
            now = std::max(seen, kLooksEach * committed);
            if (now >= most_paid(committed)) return false;
        } while (!paid_.compare_exchange_weak(seen, now + 1, std::memory_order_relaxed));
        return true;
    }

    PositionRing<Node> nodes_;
    alignas(64) Atomic wave_{0};  // the next position to be looked at
    /// Looks that were taken, and those that committed positions have paid for and nobody wanted.
    Atomic paid_{0};
    alignas(64) Atomic front_{0};  // all positions executed so far are below
};

using Incarnations = BasicIncarnations<StreamAtomics>;

}  // namespace heddle::executor
