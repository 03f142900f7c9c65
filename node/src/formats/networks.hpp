// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule sets by the names that test fixtures and geth's tools use: one fork from genesis on
// ("Cancun"), or a transition ("ShanghaiToCancunAtTime15k"). Real chains come from genesis files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/chain_config.hpp>
#include <types/fork.hpp>

namespace heddle::node {

class JsonView;

/// Blob schedule of a chain. `table` is a `blobSchedule` object by fork name in any case; a fork
/// that it does not list takes what heddle::make_blob_schedule() gives it.
/// Errors: InputError for malformed entries.
[[nodiscard]] std::vector<BlobParameters> parse_blob_schedule(const BlobForkTimes& times,
                                                              const std::optional<JsonView>& table);

/// Whether `table` lists the fork.
[[nodiscard]] bool has_blob_entry(const JsonView& table, const Fork& fork);

/// One entry of it, without the time from which on it holds. Errors: InputError where it is
/// malformed or cannot be.
[[nodiscard]] BlobParameters parse_blob_entry(const JsonView& entry);

struct Network {
    ChainConfig config;
    BlobForkTimes blob_fork_times;
};

/// @return nullopt for an unknown name.
[[nodiscard]] std::optional<Network> find_network(std::string_view name);

/// Names of single forks, for messages.
[[nodiscard]] std::string known_networks();

}  // namespace heddle::node
