// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/block_source.hpp>

#include <fmt/format.h>

namespace heddle::consensus_adapter {

std::string_view to_string(SourceErrorCode code) noexcept {
    switch (code) {
        case SourceErrorCode::cannot_open:
            return "cannot be opened";
        case SourceErrorCode::read_failed:
            return "cannot be read";
        case SourceErrorCode::unknown_format:
            return "neither an RLP chain file nor an era1 file";
        case SourceErrorCode::truncated:
            return "ends inside an item";
        case SourceErrorCode::too_large:
            return "item above the size limit";
        case SourceErrorCode::malformed_block:
            return "malformed block";
        case SourceErrorCode::malformed_entry:
            return "malformed era1 entry";
        case SourceErrorCode::bad_compression:
            return "malformed snappy data";
        case SourceErrorCode::bad_checksum:
            return "snappy checksum mismatch";
        case SourceErrorCode::wrong_genesis:
            return "genesis block of another chain";
        case SourceErrorCode::wrong_number:
            return "block number out of order";
        case SourceErrorCode::total_difficulty_mismatch:
            return "total difficulty mismatch";
        case SourceErrorCode::accumulator_mismatch:
            return "accumulator mismatch";
        case SourceErrorCode::receipts_mismatch:
            return "stored receipts do not match the header";
        case SourceErrorCode::not_a_sidecar:
            return "not a sidecar of object sets";
        case SourceErrorCode::unknown_version:
            return "sidecar of an unknown version";
        case SourceErrorCode::malformed_sets:
            return "malformed object sets";
        case SourceErrorCode::wrong_chain:
            return "differs from the block that is there already";
        case SourceErrorCode::read_elsewhere:
            return "cannot be read";
        case SourceErrorCode::write_failed:
            return "cannot be written";
    }
    return "unknown source error";
}

std::string to_string(const SourceError& error) {
    std::string text;
    if (!error.file.empty()) text = fmt::format("{}: at byte {}: ", error.file, error.offset);
    if (error.number.has_value()) text += fmt::format("block {}: ", *error.number);
    text += to_string(error.code);
    if (!error.reason.empty()) text += fmt::format(" ({})", error.reason);
    return text;
}

}  // namespace heddle::consensus_adapter
