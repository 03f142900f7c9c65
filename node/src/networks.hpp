// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule sets by the names that test fixtures and geth's tools use: one fork from genesis on
// ("Cancun"), or a transition ("ShanghaiToCancunAtTime15k"). Real chains come from genesis files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/chain_config.hpp>

namespace heddle::node {

class JsonView;

/// Forks that bring blob parameters, in order of activation; names as in geth's genesis format.
inline constexpr std::array<std::string_view, 8> kBlobForks = {"cancun", "prague", "osaka", "bpo1",
                                                               "bpo2",   "bpo3",   "bpo4",  "bpo5"};

/// Activation of each of kBlobForks in seconds.
using BlobForkTimes = std::array<std::optional<std::uint64_t>, kBlobForks.size()>;

/// Blob schedule of a chain. `table` is a `blobSchedule` object by fork name in any case; a fork
/// that it does not list takes the default parameters of that fork (bpo forks: the ones before it).
/// Errors: InputError for malformed entries.
[[nodiscard]] std::vector<BlobParameters> make_blob_schedule(const BlobForkTimes& times,
                                                             const std::optional<JsonView>& table);

struct Network {
    ChainConfig config;
    BlobForkTimes blob_fork_times;
};

/// @return nullopt for an unknown name.
[[nodiscard]] std::optional<Network> find_network(std::string_view name);

/// Names of single forks, for messages.
[[nodiscard]] std::string known_networks();

}  // namespace heddle::node
