// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Takes candidates from their source, a batch at a time: as many as may change places, as the block
// has room for, and as are paid for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include <types/address.hpp>
#include <types/uint256.hpp>

#include <executor/block_building.hpp>

#include "aria/batch_execution.hpp"

namespace heddle::executor {

/// What a batch may take.
struct BatchBounds {
    std::uint32_t transactions = 0;
    std::uint64_t gas = 0;            // limits of all together; one alone may be above it
    std::uint64_t room_gas = 0;       // that the block has left: a limit above it does not fit
    std::uint64_t room_blob_gas = 0;  // the same of blobs
};

/// Thread safety: none.
class CandidateBatches {
public:
    CandidateBatches(CandidateSource& source, const BuildLimits& limits, const BlockEnv& env,
                     unsigned tolerance_percent)
        : source_(source),
          limits_(limits),
          env_(env),
          kept_percent_(100 - std::min(tolerance_percent, 100U)) {}

    /// Takes candidates from the source, so that so many wait for next(): for when the time for it
    /// costs nothing. What next() gives is the same without it.
    void look_ahead(std::size_t count);
    /// The next ones; none: no more are wanted.
    [[nodiscard]] std::vector<Trial> next(const BatchBounds& bounds);

    /// It does not go in, so none of its sender's later ones can.
    void drop(const Trial& trial);
    /// The same, for want of room in a block that has so much gas left.
    void drop_misfit(const Trial& trial, std::uint64_t room_gas);
    [[nodiscard]] bool is_dropped(const Trial& trial) const;
    /// None is wanted any more.
    [[nodiscard]] bool is_over() const noexcept { return misfits_ >= limits_.max_misfits; }

private:
    struct Offer {
        std::size_t number = 0;
        Candidate candidate;
        std::optional<Uint256> upfront_cost;  // wei; absent: nobody can own as much
        Uint256 tip;                          // wei per gas, to the proposer
        Uint256 standing;  // wei per gas: the least that it and those taken before it pay
    };
    [[nodiscard]] std::optional<Offer> ask_source();
    /// One whose sender's earlier ones are all in the block or on the way.
    [[nodiscard]] std::optional<Offer> take_offer();
    [[nodiscard]] static Trial make_trial(const Offer& offer);
    [[nodiscard]] bool fits(const Candidate& candidate, const BatchBounds& bounds) const;
    void count_misfit(std::uint64_t room_gas);
    void drop(const Address& sender, std::size_t number);

    CandidateSource& source_;
    const BuildLimits& limits_;
    const BlockEnv& env_;
    const unsigned kept_percent_;  // of what the best of a batch pays, the worst pays at least

    std::deque<Offer> ahead_;    // taken from the source beforehand
    std::optional<Offer> held_;  // of the next batch
    std::size_t next_number_ = 0;
    std::optional<Uint256> standing_;
    std::size_t bytes_ = 0;
    unsigned misfits_ = 0;
    /// Senders of whom nothing from this number on can go in.
    std::unordered_map<Address, std::size_t, AddressHasher> dropped_;
};

}  // namespace heddle::executor
