// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Local transactions on disk, so that they survive a restart. Each record is its length and the
// first four bytes of the Keccak-256 of its content, both little-endian, then the content. Losing
// the last few is no harm; what they are is the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include <types/bytes.hpp>

namespace heddle::node {

/// Failures are logged once as a warning, and end the journal until it is rewritten.
/// Thread safety: any.
class TransactionJournal {
public:
    /// @param path  Empty: nothing is kept.
    explicit TransactionJournal(std::string path) : path_(std::move(path)) {}
    ~TransactionJournal();
    TransactionJournal(const TransactionJournal&) = delete;
    TransactionJournal& operator=(const TransactionJournal&) = delete;

    [[nodiscard]] bool is_enabled() const noexcept { return !path_.empty(); }
    /// Calls back with every record in order. What follows a damaged one is left out.
    void read(const std::function<void(BytesView)>& on_record) const;
    void append(BytesView record);
    /// Replaces the journal by the records that `write_all` appends.
    void rewrite(const std::function<void(const std::function<void(BytesView)>&)>& write_all);
    /// Since the journal was rewritten.
    [[nodiscard]] std::size_t appended_bytes() const;

private:
    [[nodiscard]] bool write(int file, BytesView bytes) const;
    void fail(const char* what, int error);
    void close_file();

    const std::string path_;
    mutable std::mutex mutex_;
    int file_ = -1;  // for appending; guarded by mutex_, as what follows
    bool has_failed_ = false;
    std::size_t appended_bytes_ = 0;
};

}  // namespace heddle::node
