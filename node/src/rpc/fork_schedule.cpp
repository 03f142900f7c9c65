// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/fork_schedule.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rpc/block_selector.hpp"

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

std::vector<std::uint64_t> fork_blocks(const ChainConfig& config) {
    std::vector<std::uint64_t> blocks;
    for (const auto& block :
         {config.homestead_block, config.dao_fork_block, config.tangerine_whistle_block,
          config.spurious_dragon_block, config.byzantium_block, config.constantinople_block,
          config.petersburg_block, config.istanbul_block, config.muir_glacier_block,
          config.berlin_block, config.london_block, config.arrow_glacier_block,
          config.gray_glacier_block, config.merge_netsplit_block})
        if (block.has_value() && *block != 0) blocks.push_back(*block);
    return sorted(std::move(blocks));
}

/// Forks by time, those that change only the number of blobs among them (EIP-7892).
std::vector<std::uint64_t> fork_times(const ChainConfig& config) {
    std::vector<std::uint64_t> times;
    for (const auto& time :
         {config.shanghai_time, config.cancun_time, config.prague_time, config.osaka_time})
        if (time.has_value()) times.push_back(*time);
    for (const BlobParameters& parameters : config.blob_schedule)
        times.push_back(parameters.activation_time);
    return sorted(std::move(times));
}

struct Precompile {
    std::string_view name;
    std::uint64_t address;
};
/// Names as EIP-7910 lists them.
constexpr std::array<Precompile, 9> kFirstPrecompiles{{{"ECREC", 1},
                                                       {"SHA256", 2},
                                                       {"RIPEMD160", 3},
                                                       {"ID", 4},
                                                       {"MODEXP", 5},
                                                       {"BN254_ADD", 6},
                                                       {"BN254_MUL", 7},
                                                       {"BN254_PAIRING", 8},
                                                       {"BLAKE2F", 9}}};
constexpr std::array<Precompile, 1> kCancunPrecompiles{{{"KZG_POINT_EVALUATION", 0x0a}}};
constexpr std::array<Precompile, 7> kPraguePrecompiles{{{"BLS12_G1ADD", 0x0b},
                                                        {"BLS12_G1MSM", 0x0c},
                                                        {"BLS12_G2ADD", 0x0d},
                                                        {"BLS12_G2MSM", 0x0e},
                                                        {"BLS12_PAIRING_CHECK", 0x0f},
                                                        {"BLS12_MAP_FP_TO_G1", 0x10},
                                                        {"BLS12_MAP_FP2_TO_G2", 0x11}}};
constexpr std::array<Precompile, 1> kOsakaPrecompiles{{{"P256VERIFY", 0x100}}};

template <std::size_t size>
void write_precompiles(const std::array<Precompile, size>& precompiles, JsonWriter& out) {
    for (const Precompile& precompile : precompiles) {
        Hash word = to_hash(Uint256{precompile.address});
        out.key(precompile.name);
        out.hex(BytesView{word.bytes}.last(20));
    }
}

void write_system_contracts(const ChainConfig& config, Revision revision, JsonWriter& out) {
    const auto write = [&](std::string_view name, std::string_view address) {
        out.key(name);
        out.string(address);
    };
    if (revision >= Revision::cancun)  // EIP-4788
        write("BEACON_ROOTS_ADDRESS", "0x000f3df6d732807ef1319fb7b8bb8522d0beac02");
    if (revision < Revision::prague) return;
    // EIP-7251, 6110, 2935, 7002.
    write("CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS", "0x0000bbddc7ce488642fb579f8b00f3a590007251");
    write("DEPOSIT_CONTRACT_ADDRESS", to_string(config.deposit_contract_address));
    write("HISTORY_STORAGE_ADDRESS", "0x0000f90827f1c53a10cb7a02335b175320002935");
    write("WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS", "0x00000961ef480eb55e80d19ad83579a64c007002");
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
    write_precompiles(kFirstPrecompiles, out);
    if (revision >= Revision::cancun) write_precompiles(kCancunPrecompiles, out);
    if (revision >= Revision::prague) write_precompiles(kPraguePrecompiles, out);
    if (revision >= Revision::osaka) write_precompiles(kOsakaPrecompiles, out);
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
