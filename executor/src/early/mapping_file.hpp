// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that says which shards there are, what lies in them, and which threads run which class:
//
//   # up to the end of a line nothing counts
//   shards 2                          how many; 1 to 64
//   threads 4                         how many; 1 to 64
//   by contract                       or "by key", see ShardKey; may be left out
//   shard 0 ADDRESS                   an account and its storage lie in shard 0
//   shard 1 ADDRESS SLOT SLOT         its slots from the first to the last one lie in shard 1
//   class write-0 sequential 0 2      a class, how it is run, and its threads
//   class read-0 concurrent 0 2
//
// `shards` and `threads` come before what uses them. Either every class is named or none; where
// none is, they are mapped as they are without a file. Addresses and slots are hexadecimal.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "early/class_mapping.hpp"
#include "early/shard_map.hpp"

namespace heddle::executor {

/// Longer files are refused.
inline constexpr std::size_t kMaxMappingFileBytes = std::size_t{1} << 20;

struct MappingFile {
    ShardOptions shards;
    unsigned threads = 1;
    std::optional<ClassMapping> mapping;
};

/// Errors: the line and what is wrong with it, or the rule that is broken, in words.
[[nodiscard]] std::expected<MappingFile, std::string> parse_mapping(std::string_view text);
/// Errors: the same, or that the file cannot be read; with its name.
[[nodiscard]] std::expected<MappingFile, std::string> read_mapping_file(const std::string& path);

}  // namespace heddle::executor
