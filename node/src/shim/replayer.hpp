// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The shim that gives the inputs of a recording again, and compares what comes out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "shim/block_shim.hpp"
#include "shim/digest.hpp"
#include "shim/log_reader.hpp"
#include "shim/shim.hpp"

namespace heddle::node {

/// Where this run and the recorded one part.
struct Difference {
    LogicalTime at;
    std::string what;
    std::string recorded;
    std::string found;
};
/// One sentence.
[[nodiscard]] std::string to_string(const Difference& difference);

/// Goes through the events of a log. What begins, whoever drives it takes from the log and calls;
/// what happens meanwhile is given here, and answers are compared.
///
///     state    event                              next     does
///     in step  the event that comes is recorded   in step  compares
///     in step  the log ends                       in step  nothing more: there is nothing to say
///     in step  another event is recorded          lost     remembers it as a difference
///     lost     any                                lost     nothing
///
/// Thread safety: one thread at a time, which drives application and mempool, or keeps the block of
/// a stream while the other waits for it.
class Replayer final : public BlockShim {
public:
    /// Gives transactions to the mempool, in this order, all of one origin.
    using Feed = std::function<void(std::span<const BytesView> encoded, std::uint8_t origin)>;

    /// Blocks up to this one are shown.
    using Show = std::function<void(std::uint64_t number)>;

    /// @param log  Outlives it.
    Replayer(LogReader& log, Feed feed, Show show)
        : log_(log), feed_(std::move(feed)), show_(std::move(show)) {}

    /// The next event; those for the mempool are given first. Null: there are no more.
    [[nodiscard]] const Event* next();
    /// Takes it.
    Event take();
    /// What the event taken next is.
    [[nodiscard]] LogicalTime time() const noexcept { return time_; }
    /// Another run of the recorded process, or the first one, begins after this block.
    void begin_after(std::uint64_t number) noexcept {
        time_ = {number + 1, 0};
        now_ms_ = 0;
    }
    /// Gives nothing at or behind this point.
    void stop_at(LogicalTime stop) noexcept { stop_ = stop; }

    [[nodiscard]] const std::optional<Difference>& first_difference() const noexcept {
        return first_;
    }
    [[nodiscard]] std::uint64_t differences() const noexcept { return differences_; }
    /// Whether what this run does is not what was recorded next.
    [[nodiscard]] bool is_lost() const noexcept { return is_lost_; }
    /// A disk that failed in the recorded run: what was said. Nothing that this process did
    /// follows.
    [[nodiscard]] const std::optional<std::string>& storage_failure() const noexcept {
        return storage_failure_;
    }
    /// After that: leaves out what the process was still told. @return whether another one follows.
    [[nodiscard]] bool leave_failed_process();
    void note(std::string what, std::string recorded, std::string found);

    [[nodiscard]] bool keeps_order() const noexcept override { return true; }
    [[nodiscard]] TimePoint now() override;
    void before(PoolStep step) override;
    void reached(PoolStep step, const PoolCounts& counts) override;
    void admitted(const Admission& admission) override;
    void prepare_ends(const Prepared& result) override;
    void process_ends(const Processed& result) override;
    void finalize_ends(const Finalized& result) override;
    void commit_ends(const Committed& result) override;
    void block_ends(const Taken& result) override;

private:
    void feed();
    [[nodiscard]] bool is_over() const noexcept;
    /// The next event, if it is an End; null where the log is over or this run is lost.
    template <typename End>
    [[nodiscard]] std::optional<End> answer(std::string_view what);
    /// The block is right, wrong, or could not be kept; `compare` looks at one that is right twice.
    template <typename Recorded, typename Result, typename Compare>
    void block_ends_as(const std::optional<Recorded>& recorded, const Result& result,
                       Compare&& compare);
    void compare_hash(const Hash& recorded, const Hash& found);
    void compare_block(const FinalizeEnds& recorded,
                       const consensus_adapter::FinalizedBlock& found);
    void compare_receipts(std::span<const std::uint32_t> recorded,
                          std::span<const std::uint32_t> found);

    LogReader& log_;
    const Feed feed_;
    const Show show_;
    LogicalTime time_;
    std::optional<LogicalTime> stop_;
    std::int64_t now_ms_ = 0;
    std::optional<Difference> first_;
    std::uint64_t differences_ = 0;
    bool is_lost_ = false;
    std::optional<std::string> storage_failure_;
    Digester digester_;
};

}  // namespace heddle::node
