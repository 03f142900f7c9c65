// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder of a recording: its segments in order, and the genesis file of the chain.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace heddle::node {

struct SegmentFile {
    std::uint64_t number = 0;  // from 1 on, without gaps but below the oldest
    std::string path;
    std::uint64_t bytes = 0;
};

/// Ascending. A folder that is not there has none. Errors: why it cannot be read.
[[nodiscard]] std::expected<std::vector<SegmentFile>, std::string> find_segments(
    const std::string& folder);

[[nodiscard]] std::string segment_path(const std::string& folder, std::uint64_t number);
/// A copy of the genesis file that the recorded node was given; absent where it had none.
[[nodiscard]] std::string recorded_genesis_path(const std::string& folder);

}  // namespace heddle::node
