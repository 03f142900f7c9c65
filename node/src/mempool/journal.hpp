// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Local transactions on disk, so that they survive a restart. Each record is its length and the
// first four bytes of the Keccak-256 of its content, both little-endian, then the content. Losing
// the last few is no harm; what they are is the caller's business.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include <types/bytes.hpp>

namespace heddle::node {

/// Failures are logged once as a warning, and end the journal until it is rewritten, which
/// is_to_be_tried_again() asks for.
/// Thread safety: any.
class TransactionJournal {
public:
    /// @param path  Empty: nothing is kept.
    explicit TransactionJournal(std::string path) : path_(std::move(path)) {}
    ~TransactionJournal();
    TransactionJournal(const TransactionJournal&) = delete;
    TransactionJournal& operator=(const TransactionJournal&) = delete;

    [[nodiscard]] bool is_enabled() const noexcept { return !path_.empty(); }
    /// Calls back with every record in order. Damaged ones are left out, and what follows one whose
    /// size cannot be right.
    /// @return false: there was a damaged one; what is appended is worth nothing before rewrite().
    bool read(const std::function<void(BytesView)>& on_record) const;
    void append(BytesView record);
    /// Replaces the journal by the records that `write_all` appends, and what is appended
    /// meanwhile, which waits for none of it.
    void rewrite(const std::function<void(const std::function<void(BytesView)>&)>& write_all);
    /// Whether so much was appended since it was rewritten that doing so again writes no more than
    /// appending did: as much as it had then, and at least so much.
    [[nodiscard]] bool has_doubled(std::size_t least_bytes) const;
    /// Asked after each block. True at times while it has failed: the disk may have room again.
    [[nodiscard]] bool is_to_be_tried_again();

private:
    [[nodiscard]] static bool write(int file, BytesView bytes);
    [[nodiscard]] bool write_new(
        int file, std::size_t& written,
        const std::function<void(const std::function<void(BytesView)>&)>& write_all);
    void fail(const char* what, int error);
    void close_file();

    const std::string path_;
    std::mutex rewriting_;  // held by whoever rewrites it; before mutex_
    mutable std::mutex mutex_;
    int file_ = -1;  // for appending; guarded by mutex_, as what follows
    bool has_failed_ = false;
    std::size_t asked_since_ = 0;  // it failed, or was tried again
    bool is_rewritten_ = false;    // now
    Bytes meanwhile_;              // what was appended since that began
    std::size_t rewritten_bytes_ = 0;
    std::size_t appended_bytes_ = 0;  // since then
};

}  // namespace heddle::node
