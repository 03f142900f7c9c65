// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The settings that decide what a node does, by name, as recordings keep them. Nothing else of a
// configuration is here, so nothing that is secret.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "building/chain_application.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

using RecordedSettings = std::vector<std::pair<std::string, std::string>>;

/// Scheduler and workers decide nothing, and are kept for who asks.
[[nodiscard]] RecordedSettings settings_of(const MempoolOptions& mempool,
                                           const ChainApplicationOptions& application);
/// That of a member of a replicated chain, beside the others: what it shows is recorded.
inline constexpr const char* kReplicationSetting = "replication.mode";
[[nodiscard]] bool is_of_member(const RecordedSettings& settings);
/// The reverse; names that begin with `genesis.` and kReplicationSetting are somebody else's.
/// Errors: InputError for a name or a value that is not known here.
void apply_settings(const RecordedSettings& settings, MempoolOptions& mempool,
                    ChainApplicationOptions& application);

}  // namespace heddle::node
