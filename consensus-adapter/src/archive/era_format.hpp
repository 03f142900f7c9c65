// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Telling era1 and ere files apart, which begin alike.
#pragma once

#include <cstdint>
#include <expected>

#include "file_reader.hpp"

namespace heddle::consensus_adapter {

enum class EraFormat : std::uint8_t {
    none,  // neither
    era1,
    ere,
};

/// By the types of the first entries: of an era1 file a header, a body and receipts in the form of
/// the wire. The reader stands where it stood.
/// Errors: read_failed.
[[nodiscard]] std::expected<EraFormat, SourceError> era_format_of(const FileReader& file);

}  // namespace heddle::consensus_adapter
