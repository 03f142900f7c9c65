// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A state of any size, given in any order, taken in the order of the tables: an external sort.
// Records are gathered in memory; when that is full they are sorted and written to a temporary
// file, a run. In the end the runs are merged, each of 16 parts of the keys by itself, so that
// several threads can.
//
// Runs are merged beforehand where there are many: kRunsPerLevel of one level become one of the
// next. So with L levels at most L × (kRunsPerLevel − 1) are open, and each record is written L
// times at most, where the memory holds a 32^L-th part of the state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include <ledger/ledger_error.hpp>

#include "loading/record_buffer.hpp"
#include "loading/temporary_file.hpp"

namespace heddle::ledger {

/// Runs of one level before they are merged into one of the next.
inline constexpr std::size_t kRunsPerLevel = 32;

/// Whether what is under way is wanted no more. Asked now and then, by any thread.
using IsGivenUp = std::function<bool()>;

/// Protocol: add_slot() and add_account() in any order, seal(), then visit() for each part.
/// Thread safety: one thread at a time; once sealed, visit() by any number.
class StateSorter {
public:
    /// @param folder        Where there is room for all records twice.
    /// @param memory_bytes  About, for records and for reading them back.
    /// @param is_given_up   May be empty. Once it says so, reading records back fails, in visit()
    ///                      and where runs are merged, with unavailable.
    StateSorter(std::string folder, std::size_t memory_bytes, WorkerCrew& crew,
                IsGivenUp is_given_up = {});

    /// Errors: no_space, io_error; unavailable.
    [[nodiscard]] std::expected<void, LedgerError> add_slot(const Hash& account,
                                                            const Uint256& slot,
                                                            const Uint256& value);
    [[nodiscard]] std::expected<void, LedgerError> add_account(const Address& address,
                                                               const Account& account);
    /// Sorts what is in memory. Errors: no_space, io_error; unavailable.
    [[nodiscard]] std::expected<void, LedgerError> seal();

    using Visit = std::function<std::expected<void, LedgerError>(const StateRecord&)>;
    /// All records of a part, ascending by key; equal keys follow each other.
    /// @param threads  That visit parts at the same time: they share the memory.
    /// Errors: io_error, unavailable, and those of `visit`, which end it.
    [[nodiscard]] std::expected<void, LedgerError> visit(std::size_t part, unsigned threads,
                                                         const Visit& visit) const;
    /// Accounts are records of a part, too; a part without any is empty.
    [[nodiscard]] bool has_part(std::size_t part) const noexcept;

    [[nodiscard]] std::size_t runs() const noexcept { return runs_.size(); }
    /// Written to temporary files so far.
    [[nodiscard]] std::uint64_t bytes_spilled() const noexcept { return spilled_; }

private:
    struct Run {
        TemporaryFile file;
        std::array<std::uint64_t, kStateParts + 1> bounds{};  // of the parts in the file
        std::size_t level = 0;
    };
    [[nodiscard]] std::expected<void, LedgerError> spill_if_full();
    [[nodiscard]] std::expected<void, LedgerError> spill();
    /// The last runs of one level, as many as make one of the next, into that one.
    [[nodiscard]] std::expected<void, LedgerError> merge_full_levels();
    [[nodiscard]] std::expected<Run, LedgerError> merge(std::size_t first_run) const;
    [[nodiscard]] std::expected<void, LedgerError> visit_runs(std::size_t first_run,
                                                              std::size_t part,
                                                              std::size_t memory_bytes,
                                                              const Visit& visit) const;
    /// Before the record with this number is visited.
    [[nodiscard]] std::expected<void, LedgerError> check_wanted(std::size_t record) const;

    std::string folder_;
    std::size_t memory_bytes_;
    WorkerCrew& crew_;
    IsGivenUp is_given_up_;
    RecordBuffer buffer_;
    std::vector<Run> runs_;  // levels descend
    std::uint64_t spilled_ = 0;
};

}  // namespace heddle::ledger
