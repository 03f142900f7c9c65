// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads of a forked chain's state go to another node and may fail, and StateView has no way to say
// so. A scope around a piece of work notes what could not be read by its thread: whoever opened it
// asks afterwards, and throws away what came out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <types/address.hpp>
#include <types/uint256.hpp>

namespace heddle::node {

/// What was asked of a state and is not at hand.
struct MissingRead {
    /// Of the state that was asked: that after this block.
    std::uint64_t block = 0;
    Address address;
    std::optional<Uint256> slot;  // nullopt: the account itself
};

/// Thread safety: of the thread that made it. Scopes nest: what fails is noted by the innermost.
class ReadScope {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    enum class Mode : std::uint8_t {
        wait,    // what is not at hand is waited for
        gather,  // it is noted, and reads as nothing: for fetching all of it at once
        hurry,   // a block that is not in memory reads as none: others wait for this thread
    };
    /// Most of what one scope notes as missing.
    static constexpr std::size_t kMostMissing = 4'096;

    /// @param deadline  After it nothing is waited for any more.
    explicit ReadScope(Mode mode = Mode::wait, TimePoint deadline = TimePoint::max()) noexcept;
    ~ReadScope();
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;

    /// Whether something could not be read: what was computed from it is worth nothing.
    [[nodiscard]] bool has_failed() const noexcept { return !failure_.empty(); }
    /// The first failure in one sentence; empty: there was none.
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
    /// What was not at hand; with Mode::gather.
    [[nodiscard]] const std::vector<MissingRead>& missing() const noexcept { return missing_; }

    /// Whether a block was not in memory: what was computed is worth nothing; with Mode::hurry.
    [[nodiscard]] bool is_postponed() const noexcept { return is_postponed_; }

    // Of the innermost scope of the calling thread; without one nothing is noted.
    [[nodiscard]] static Mode mode() noexcept;
    /// That of the scope, or of the ones around it where that is earlier.
    [[nodiscard]] static TimePoint deadline() noexcept;
    /// Whether the innermost has failed: nothing more needs to be waited for.
    [[nodiscard]] static bool is_failed() noexcept;
    static void fail(std::string why);
    static void miss(const MissingRead& read);
    /// Before a block is read that is not in memory.
    /// @return whether that is left to somebody who has more time.
    [[nodiscard]] static bool postpones() noexcept;

private:
    const Mode mode_;
    const TimePoint deadline_;
    ReadScope* const outer_;
    bool is_postponed_ = false;
    std::string failure_;
    std::vector<MissingRead> missing_;
};

}  // namespace heddle::node
