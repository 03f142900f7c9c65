// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/block_source.hpp>

#include <fmt/format.h>

namespace heddle::consensus_adapter {
namespace {

constexpr std::string_view kUnknown = "unknown source error";

}  // namespace

std::string_view to_string(FileFault fault) noexcept {
    switch (fault) {
        case FileFault::cannot_open:
            return "cannot be opened";
        case FileFault::read_failed:
            return "cannot be read";
        case FileFault::write_failed:
            return "cannot be written";
        case FileFault::truncated:
            return "ends inside an item";
        case FileFault::too_large:
            return "item above the size limit";
    }
    return kUnknown;
}

std::string_view to_string(ContentFault fault) noexcept {
    switch (fault) {
        case ContentFault::unknown_format:
            return "neither an RLP chain file nor an era1 or ere file";
        case ContentFault::malformed_block:
            return "malformed block";
        case ContentFault::too_many_transactions:
            return "more transactions than the gas limit allows";
        case ContentFault::wrong_access_list:
            return "wrong access list";
    }
    return kUnknown;
}

std::string_view to_string(EraFault fault) noexcept {
    switch (fault) {
        case EraFault::malformed_entry:
            return "malformed era entry";
        case EraFault::bad_compression:
            return "malformed snappy data";
        case EraFault::bad_checksum:
            return "snappy checksum mismatch";
        case EraFault::wrong_number:
            return "block number out of order";
        case EraFault::total_difficulty_mismatch:
            return "total difficulty mismatch";
        case EraFault::accumulator_mismatch:
            return "accumulator mismatch";
        case EraFault::receipts_mismatch:
            return "stored receipts do not match the header";
    }
    return kUnknown;
}

std::string_view to_string(SidecarFault fault) noexcept {
    switch (fault) {
        case SidecarFault::not_a_sidecar:
            return "not a sidecar of object sets";
        case SidecarFault::unknown_version:
            return "sidecar of an unknown version";
        case SidecarFault::malformed_sets:
            return "malformed object sets";
    }
    return kUnknown;
}

std::string_view to_string(LaneLogFault fault) noexcept {
    switch (fault) {
        case LaneLogFault::not_a_lane_log:
            return "not the log of a lane";
        case LaneLogFault::unknown_version:
            return "log of a lane of an unknown version";
        case LaneLogFault::malformed_block:
            return "malformed block of a lane";
        case LaneLogFault::wrong_place:
            return "block of a lane out of place";
    }
    return kUnknown;
}

std::string_view to_string(StreamFault fault) noexcept {
    switch (fault) {
        case StreamFault::wrong_genesis:
            return "genesis block of another chain";
        case StreamFault::wrong_chain:
            return "differs from the block that is there already";
        case StreamFault::gap:
            return "the file begins behind a gap";
        case StreamFault::read_elsewhere:
            return "cannot be read";
    }
    return kUnknown;
}

std::string_view to_string(const SourceErrorCode& code) noexcept {
    return std::visit([](auto fault) { return to_string(fault); }, code.fault_);
}

std::string to_string(const SourceError& error) {
    std::string text;
    if (!error.file.empty()) text = error.file + ": ";
    if (!error.file.empty() && error.code != FileFault::cannot_open)
        text += fmt::format("at byte {}: ", error.offset);
    if (error.number.has_value()) text += fmt::format("block {}: ", *error.number);
    text += to_string(error.code);
    if (!error.reason.empty()) text += fmt::format(" ({})", error.reason);
    return text;
}

}  // namespace heddle::consensus_adapter
