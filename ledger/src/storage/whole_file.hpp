// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are read and written whole: marks, what names others, parts of snapshots. Whoever
// reads one says how large it may be, since somebody else may have put it there.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>

#include <types/bytes.hpp>

#include <ledger/ledger_error.hpp>

namespace heddle::ledger {

/// What is in it is on the disk once the call returns; its name, if it is new, once the folder is
/// forced (sync_folder()). Errors: no_space, denied, bad_path, io_error.
[[nodiscard]] std::expected<void, LedgerError> write_file(const std::string& path, BytesView bytes);
/// At most one byte more than `max_bytes`, so that a longer file shows. nullopt: no such file.
/// @param if_not_regular  The error where something else than a file is there.
/// Errors: that one, denied, bad_path, io_error.
[[nodiscard]] std::expected<std::optional<Bytes>, LedgerError> read_file(
    const std::string& path, std::size_t max_bytes, LedgerErrorCode if_not_regular);

}  // namespace heddle::ledger
