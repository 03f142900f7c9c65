// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of verify(): each looks at some tables, notes what is wrong and goes on. In
// verify_blocks.cpp, verify_state.cpp and verify_history.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <types/bytes.hpp>

#include <ledger/verify.hpp>

#include "storage/database.hpp"
#include "tools/marks.hpp"

namespace heddle::ledger {

/// Thread safety: none.
class Verifier {
public:
    using Result = std::expected<void, LedgerError>;

    Verifier(const Database& database, const VerifyOptions& options) noexcept
        : database_(database), options_(options) {}

    /// Everything. What a part's reads fail with is a problem, too.
    [[nodiscard]] VerifyReport run();

private:
    void note(std::string problem);
    void note(Table table, BytesView key, const std::string& problem);
    void note_block(std::uint64_t number, const std::string& problem);
    void progress(std::string_view doing, std::uint64_t done, std::uint64_t total) const;
    /// Notes what a part could not go on for.
    void check(const Result& result);

    [[nodiscard]] Result verify_blocks();
    [[nodiscard]] Result verify_header(const schema::HeaderRecord& record);
    [[nodiscard]] Result verify_block(const schema::HeaderRecord& record);
    [[nodiscard]] Result verify_access_list(const BlockHeader& header,
                                            std::size_t transaction_count);
    [[nodiscard]] Result verify_transactions(const Block& block);
    /// That those stored are those who have signed; of all together, which is cheaper.
    void verify_senders(const Block& block);
    /// Nothing stands in a table for blocks outside of these.
    [[nodiscard]] Result verify_range(Table table, std::uint64_t first, std::uint64_t last);
    [[nodiscard]] Result verify_places();

    [[nodiscard]] Result verify_state();
    /// From the state block to the head.
    [[nodiscard]] Result verify_unwritten();
    /// From the state block back, some blocks, and to it again.
    [[nodiscard]] Result verify_way_back();
    /// States in the past, from their leaves.
    [[nodiscard]] Result verify_past_states();

    [[nodiscard]] Result verify_history();
    [[nodiscard]] Result verify_changes(std::uint64_t number, const BlockChanges& changes,
                                        Cursor& cursor);
    [[nodiscard]] Result verify_value(std::uint64_t number, BytesView key, BytesView before,
                                      BytesView after, Cursor& cursor);
    /// The value in the flat tables as the history would have it.
    [[nodiscard]] std::expected<Bytes, LedgerError> flat_value(BytesView key) const;

    const Database& database_;
    const VerifyOptions& options_;
    Marks marks_;
    VerifyReport report_;
    std::uint64_t headers_ = 0;
};

}  // namespace heddle::ledger
