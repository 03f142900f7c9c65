// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether an attempt that is under way goes on. It looks every few microseconds:
//
//   it sees                                              then                         told to
//   its turn has come, what it read holds                runs to its end, unwatched,  nobody
//                                                        and lends what it uses
//   the same, but what it has not used yet of an         looks on; draws on credit    nobody
//   account that it looked at has changed
//   its turn has come, what it read does not hold        ends                         Speculation
//   its turn has come, another has the committer's role  looks on as before its turn  nobody
//   what it read has a newer value                       ends                         Speculation
//   it has read a restless account                       ends                         nobody
//   it has read a value that is going to be replaced     ends                         the policy
//   it keeps much code (vm::Evm::keeps_much_code())      ends                         nobody
//   there is no budget for more                          waits for it, or its turn    nobody
//   it has waited in vain, or has no credit              ends                         nobody
//
// What keeps much code runs at its turn: one transaction may make its machine keep hundreds of
// megabytes, and does so alone.
//
// Nobody tells it to stop: it looks at how far the stream is committed, which whoever commits
// announces anyway. When its turn has come, nothing can be committed before it is, so what it finds
// to hold then holds for good, and what it reads from then on is final. What it has ended is run in
// order by whoever commits; that is mostly itself, as it takes the committer's role next. Those who
// wait for budget see that what is next to be committed is attempted, and go on waiting
// (Speculation::is_getting_on()), however long it takes: at its turn an attempt waits for nobody.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <vm/supervisor.hpp>

#include "stream/speculation.hpp"
#include "stream/standing.hpp"
#include "stream/task.hpp"
#include "stream/window.hpp"
#include "stream/worker.hpp"
#include "workers/look_pause.hpp"

namespace heddle::executor {

class BlockFinisher;
/// What it looks at. Borrowed: everything outlives it.
struct SupervisorParts {
    const Window& window;
    const BlockFinisher& finisher;
    StandingJudge& judge;  // the committer
    Speculation& speculation;
};

/// Of one attempt. Thread safety: none, its worker's.
class AttemptSupervisor final : public vm::Supervisor {
public:
    AttemptSupervisor(const SupervisorParts& parts, Worker& worker, Task& task, Attempt& attempt)
        : parts_(parts), worker_(worker), task_(task), attempt_(attempt) {
        parts_.speculation.under_way().begin(worker_.index, task_.position);
    }
    AttemptSupervisor(const AttemptSupervisor&) = delete;
    AttemptSupervisor& operator=(const AttemptSupervisor&) = delete;
    /// The attempt has ended.
    ~AttemptSupervisor() override { parts_.speculation.under_way().end(worker_.index); }

    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override;
    /// Since it was asked for the first time, in StreamAtomics::ticks(); 0: it was not.
    [[nodiscard]] std::int64_t ticks() const noexcept;
    /// The same without what it waited for budget, or, as far as that is seen, for a processor.
    [[nodiscard]] std::int64_t worked_ticks() const noexcept;

    /// What an attempt of the task will have drawn when it has used so much gas.
    [[nodiscard]] static std::int64_t drawn_by(const Task& task, std::int64_t gas) noexcept;

private:
    // In gas. A look reads what other threads write with every commit and may wait for the line:
    // most transactions take a few, each at twice the gas of the one before, and only long ones at
    // regular steps. The longest step is some microseconds.
    static constexpr std::int64_t kFirstLook = 4'000;
    static constexpr std::int64_t kLongestStep = 16'000;
    /// So often one that holds for good lends to others: mostly its end comes first.
    static constexpr std::int64_t kLentStep = 32'000;
    /// What was read is compared when so much was used, and whenever that has doubled: all looks
    /// together compare about as much as was read.
    static constexpr std::int64_t kFirstComparison = 16'000;
    /// In ticks: a tenth of a millisecond or more. Between two looks an attempt does not work
    /// longer: its thread was not running, or waited for a disk.
    static constexpr std::int64_t kLongestLook = 500'000;

    /// Of further attempts all gas is drawn.
    [[nodiscard]] static std::int64_t free_gas(const Task& task) noexcept {
        return task.withdrawn == 0 ? Speculation::kFreeGas : 0;
    }
    /// Whether its turn has come, and what it read may hold for good.
    [[nodiscard]] bool is_to_be_judged(std::int64_t gas_used) const noexcept;
    /// @return when it is to be asked again.
    [[nodiscard]] std::int64_t lend(std::int64_t gas_used) noexcept;
    /// What follows at its turn; nullopt: that has not come, or nothing can be said yet.
    [[nodiscard]] std::optional<std::int64_t> judge(std::int64_t gas_used) noexcept;
    [[nodiscard]] bool is_overtaken(std::int64_t gas_used) noexcept;
    [[nodiscard]] bool draw(std::int64_t gas) noexcept;
    [[nodiscard]] static std::int64_t of_look(std::int64_t ticks) noexcept {
        return std::clamp<std::int64_t>(ticks, 0, kLongestLook);
    }
    [[nodiscard]] std::int64_t worth_of_time() noexcept;
    void count_waiting() noexcept;

    const SupervisorParts parts_;
    Worker& worker_;
    Task& task_;
    Attempt& attempt_;
    std::int64_t next_comparison_ = kFirstComparison;
    /// While it holds only so far, the same is true of what is judged.
    std::int64_t next_judgement_ = 0;
    std::int64_t began_ = 0;      // ticks
    std::int64_t last_look_ = 0;  // ticks
    std::int64_t spent_ = 0;      // ticks
    std::int64_t waited_ = 0;     // ticks, of these
    bool has_its_turn_ = false;   // and what it has read holds
    bool is_unwatched_ = false;   // nothing is looked at any more
};

/// Looks without a commit: some dozens of microseconds.
inline constexpr unsigned kBudgetPatience = LookPause::kSpins;

/// Waits for budget to come back or for the task's turn, and as long as the stream gets on; not for
/// long when it does not: the next one may be in this worker's hands. Where every worker waits, one
/// of them goes.
/// @param draw           Draws what there is, if it is enough.
/// @param is_getting_on  Whether somebody commits, this worker included, or runs what is next to be
///                       committed for good.
/// @return whether one of them has come.
template <typename Draw, typename IsGettingOn>
[[nodiscard]] bool wait_for_budget(const Window& window, const Task& task, WaitingWorkers& waiting,
                                   Draw&& draw, IsGettingOn&& is_getting_on) noexcept {
    WaitingWorkers::Stay stay(waiting);
    std::uint64_t committed = window.committed();
    LookPause pause;
    for (unsigned looks = 0; looks < kBudgetPatience; ++looks) {
        if (draw() || committed == task.position) return true;
        const bool is_on = is_getting_on();
        if (!is_on && stay.leave_if_all_wait()) return false;
        pause.take();
        const std::uint64_t now = window.committed();
        if (is_on || now != committed) looks = 0;
        committed = now;
    }
    return false;
}

}  // namespace heddle::executor
