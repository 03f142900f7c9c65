// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/fork_schedule.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/fork.hpp>
#include <vm/precompile.hpp>
#include <vm/system_contracts.hpp>

#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

/// CRC-32 of IEEE 802.3, bit by bit: the input is a handful of bytes.
std::uint32_t crc32(std::uint32_t crc, BytesView bytes) noexcept {
    constexpr std::uint32_t kPolynomial = 0xedb88320;
    crc = ~crc;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    }
    return ~crc;
}

std::uint32_t crc32(std::uint32_t crc, std::uint64_t number) noexcept {
    std::array<std::uint8_t, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(number >> 8 * (7 - i));
    return crc32(crc, bytes);
}

/// Ascending, each once.
std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> points) {
    std::ranges::sort(points);
    const auto rest = std::ranges::unique(points);
    points.erase(rest.begin(), rest.end());
    return points;
}

/// When the forks of this kind begin.
std::vector<std::uint64_t> activations(const ChainConfig& config, ForkActivation kind) {
    std::vector<std::uint64_t> points;
    for (const Fork& fork : kForks)
        if (fork.activation == kind && fork.member != nullptr)
            if (const auto& activation = config.*fork.member) points.push_back(*activation);
    return points;
}

std::vector<std::uint64_t> fork_blocks(const ChainConfig& config) {
    std::vector<std::uint64_t> blocks = activations(config, ForkActivation::block_number);
    std::erase(blocks, 0);
    return sorted(std::move(blocks));
}

/// Forks by time, those that change only the number of blobs among them (EIP-7892).
std::vector<std::uint64_t> fork_times(const ChainConfig& config) {
    std::vector<std::uint64_t> times = activations(config, ForkActivation::timestamp);
    for (const BlobParameters& parameters : config.blob_schedule)
        times.push_back(parameters.activation_time);
    return sorted(std::move(times));
}

void write_precompiles(Revision revision, JsonWriter& out) {
    for (const vm::Precompile& precompile : vm::kPrecompiles) {
        if (revision < precompile.since) continue;
        out.key(precompile.name);
        out.address(address_from_low64(precompile.index));
    }
}

/// By name. The deposit contract is one of them here, though blocks only listen to it.
void write_system_contracts(const ChainConfig& config, Revision revision, JsonWriter& out) {
    std::map<std::string_view, Address> contracts;
    for (const vm::SystemContract& contract : vm::kSystemContracts)
        if (revision >= contract.since) contracts.emplace(contract.name, contract.address);
    if (revision >= vm::kDepositRequestsSince)
        contracts.emplace(vm::kDepositContractName, config.deposit_contract_address);
    for (const auto& [name, address] : contracts) {
        out.key(name);
        out.address(address);
    }
}

void write_blob_schedule(const BlobParameters* parameters, JsonWriter& out) {
    out.key("blobSchedule");
    if (parameters == nullptr) return out.null();
    out.begin_object();
    out.key("target");
    out.number(parameters->target);
    out.key("max");
    out.number(parameters->max);
    out.key("baseFeeUpdateFraction");
    out.number(parameters->base_fee_update_fraction);
    out.end_object();
}

/// The rules from `time` on.
void write_fork(std::string_view name, const ChainConfig& config,
                const ledger::StoredHeader& genesis, std::optional<std::uint64_t> time,
                JsonWriter& out) {
    out.key(name);
    if (!time.has_value()) return out.null();
    // Forks by time follow the merge.
    const Revision revision = config.revision(config.london_block.value_or(0), *time, true);
    out.begin_object();
    out.key("activationTime");
    out.number(genesis.header.timestamp >= *time ? 0 : *time);
    write_blob_schedule(config.blob_parameters(*time), out);
    out.key("chainId");
    out.quantity(config.chain_id);
    out.key("forkId");
    out.string(
        fmt::format("0x{:08x}", fork_id(config, genesis.hash, genesis.header.timestamp, *time)));
    out.key("precompiles");
    out.begin_object();
    write_precompiles(revision, out);
    out.end_object();
    out.key("systemContracts");
    out.begin_object();
    write_system_contracts(config, revision, out);
    out.end_object();
    out.end_object();
}

}  // namespace

std::uint32_t fork_id(const ChainConfig& config, const Hash& genesis_hash,
                      std::uint64_t genesis_time, std::uint64_t timestamp) {
    std::uint32_t id = crc32(0, genesis_hash.view());
    for (const std::uint64_t block : fork_blocks(config))
        id = crc32(id, block);
    for (const std::uint64_t time : fork_times(config))
        if (time > genesis_time && time <= timestamp) id = crc32(id, time);
    return id;
}

void write_fork_schedule(const Chain& chain, JsonWriter& out) {
    const ChainConfig& config = chain.config();
    const std::uint64_t now = chain.head().header.timestamp;
    const auto genesis = take(chain.header(0));
    if (!genesis.has_value())
        throw RpcError(Code::server_error, "the first block of the chain is not kept here");
    std::optional<std::uint64_t> current;
    std::optional<std::uint64_t> next;
    std::optional<std::uint64_t> last;
    for (const std::uint64_t time : fork_times(config)) {
        if (time <= now) {
            current = time;
            continue;
        }
        if (!next.has_value()) next = time;
        last = time;
    }
    out.begin_object();
    write_fork("current", config, *genesis, current, out);
    write_fork("next", config, *genesis, next, out);
    write_fork("last", config, *genesis, last, out);
    out.end_object();
}

}  // namespace heddle::node::rpc
