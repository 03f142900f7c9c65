// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a node are started with, out of its configuration. Everything that can be wrong
// with a configuration is found here, before anything is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <consensus_adapter/follow/follower.hpp>
#include <consensus_adapter/solo.hpp>
#include <ledger/durable_ledger.hpp>

#include "building/chain_application.hpp"
#include "chain/execution_log.hpp"
#include "follow/endpoint.hpp"
#include "follow/rpc_connection.hpp"
#include "inputs/contract_artifacts.hpp"
#include "inputs/memory_plan.hpp"
#include "mempool/mempool.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/queries/services.hpp"
#include "rpc/transport/server.hpp"
#include "service/node_config.hpp"

namespace heddle::node {

enum class Engine : std::uint8_t { solo, cometbft, follow, lanes };

// Errors, of each: InputError that names the option.
[[nodiscard]] Engine engine_of(const NodeConfig& config);
[[nodiscard]] MemoryPlan memory_plan(const NodeConfig& config);
[[nodiscard]] ledger::DurableLedgerOptions ledger_options(const NodeConfig& config);
[[nodiscard]] MempoolOptions mempool_options(const NodeConfig& config);
/// The secret in a file. Errors: InputError that names `option`.
[[nodiscard]] Bytes read_jwt_secret(const std::string& path, std::string_view option);
/// Of rpc.jwt_secret; empty: there is none.
[[nodiscard]] Bytes jwt_secret(const NodeConfig& config);
/// Of `executor` and `building`, with a cache of code of its own; nobody watches.
[[nodiscard]] ChainApplicationOptions building_options(const NodeConfig& config);
[[nodiscard]] Address beneficiary_of(const NodeConfig& config);
[[nodiscard]] consensus_adapter::SoloOptions solo_options(const NodeConfig& config);
/// What to say of a chain whose head is ahead of this machine's clock, both in seconds since 1970.
/// nullopt: it is not, or so little that clocks of good machines differ.
[[nodiscard]] std::optional<std::string> chain_ahead_of_clock(std::uint64_t head,
                                                              std::uint64_t clock);
[[nodiscard]] rpc::ServerOptions server_options(const NodeConfig& config, bool is_dev);
[[nodiscard]] rpc::ResponderLimits responder_limits(const NodeConfig& config, bool is_dev);
/// Null: nobody watches how blocks run.
[[nodiscard]] std::unique_ptr<ExecutionLog> execution_log(const NodeConfig& config);
/// Says how many were found, and what was left out.
/// Errors: InputError that names the option.
[[nodiscard]] ContractArtifacts contract_artifacts(const NodeConfig& config);
[[nodiscard]] rpc::MethodLimits method_limits(const NodeConfig& config);
/// Of --dev: ChainConfig::equal_timestamps.
[[nodiscard]] bool has_equal_timestamps(const NodeConfig& config);
/// What web3_clientVersion says.
[[nodiscard]] std::string told_version(const NodeConfig& config, const std::string& version);
[[nodiscard]] rpc::LocalCallers local_callers(const NodeConfig& config, bool is_dev);
[[nodiscard]] follow::Endpoint follow_origin(const NodeConfig& config);
[[nodiscard]] follow::ConnectionLimits follow_limits(const NodeConfig& config);
[[nodiscard]] consensus_adapter::follow::FollowOptions follow_options(const NodeConfig& config);
/// Errors also where the development chain would be open to others than programs on this machine:
/// whoever reaches it may spend its accounts and decide when there are blocks.
void check_dev_address(const NodeConfig& config);
/// Errors also where engine, --dev, forking and recording do not go together.
void check_combinations(const NodeConfig& config, bool is_dev);

}  // namespace heddle::node
