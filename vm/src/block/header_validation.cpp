// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include <types/expected.hpp>

#include <vm/block.hpp>
#include <vm/validate.hpp>

#include "reject.hpp"

namespace heddle::vm {

namespace {

constexpr std::size_t kMaxExtraDataBytes = 32;
constexpr std::uint64_t kMinimumGasLimit = 5'000;
constexpr std::uint64_t kMaximumGasLimit = 0x7fff'ffff'ffff'ffff;
constexpr std::uint64_t kGasLimitBoundDivisor = 1'024;
/// Blocks from the DAO fork on that carry its mark, so that nodes find peers of their side.
constexpr std::uint64_t kDaoExtraDataBlocks = 10;
constexpr std::string_view kDaoExtraData = "dao-hard-fork";

using Check = std::expected<void, BlockError>;

std::string presence(bool is_present) {
    return is_present ? "present" : "absent";
}

Check check_presence(const BlockHeader& header, BlockErrorCode code, bool is_present, bool is_due,
                     std::string_view field) {
    if (is_present == is_due) return {};
    return reject(code, header.number, presence(is_present), presence(is_due), std::string{field});
}

/// Fields come with their fork, none earlier and none missing.
Check check_fields(const BlockHeader& header, Revision revision) {
    using enum BlockErrorCode;
    HEDDLE_CHECK(check_presence(header, invalid_base_fee, header.base_fee_per_gas.has_value(),
                                revision >= Revision::london, "base fee"));
    HEDDLE_CHECK(check_presence(header, invalid_withdrawals, header.withdrawals_root.has_value(),
                                revision >= Revision::shanghai, "withdrawals root"));
    const bool cancun = revision >= Revision::cancun;
    HEDDLE_CHECK(check_presence(header, invalid_header_fields, header.blob_gas_used.has_value(),
                                cancun, "blob gas used"));
    HEDDLE_CHECK(check_presence(header, invalid_header_fields, header.excess_blob_gas.has_value(),
                                cancun, "excess blob gas"));
    HEDDLE_CHECK(check_presence(header, invalid_header_fields,
                                header.parent_beacon_block_root.has_value(), cancun,
                                "parent beacon block root"));
    HEDDLE_CHECK(check_presence(header, invalid_header_fields, header.requests_hash.has_value(),
                                revision >= Revision::prague, "requests hash"));
    const bool amsterdam = revision >= Revision::amsterdam;
    HEDDLE_CHECK(check_presence(header, invalid_header_fields,
                                header.block_access_list_hash.has_value(), amsterdam,
                                "block access list hash"));
    return check_presence(header, invalid_header_fields, header.slot_number.has_value(), amsterdam,
                          "slot number");
}

/// EIP-779 on the chain that took the fork; on the other one the mark is forbidden.
Check check_dao_extra_data(const BlockHeader& header, const ChainConfig& config) {
    if (!config.dao_fork_block.has_value() || header.number < *config.dao_fork_block ||
        header.number - *config.dao_fork_block >= kDaoExtraDataBlocks)
        return {};
    const bool has_mark = std::ranges::equal(
        header.extra_data, kDaoExtraData,
        [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
    if (has_mark == config.dao_fork_support) return {};
    return reject(BlockErrorCode::invalid_dao_extra_data, header.number, to_hex(header.extra_data),
                  config.dao_fork_support ? std::string{kDaoExtraData} : std::string{});
}

Check check_proof_of_stake(const BlockHeader& header) {
    if (!header.difficulty.is_zero())
        return reject(BlockErrorCode::invalid_difficulty, header.number,
                      to_decimal(header.difficulty), "0");
    if (header.nonce != std::array<std::uint8_t, 8>{})
        return reject(BlockErrorCode::invalid_nonce, header.number, to_hex(header.nonce),
                      "0x0000000000000000");
    if (header.ommers_hash != kEmptyListHash)
        return reject(BlockErrorCode::invalid_ommers_hash, header.number,
                      to_string(header.ommers_hash), to_string(kEmptyListHash));
    return {};
}

Check check_proof_of_work(const BlockHeader& header, const BlockHeader& parent,
                          const ChainConfig& config) {
    const Uint256 difficulty = next_difficulty(parent, header.number, header.timestamp, config);
    if (header.difficulty != difficulty)
        return reject(BlockErrorCode::invalid_difficulty, header.number,
                      to_decimal(header.difficulty), to_decimal(difficulty));
    return check_dao_extra_data(header, config);
}

Check check_fees(const BlockHeader& header, const BlockHeader& parent, const ChainConfig& config) {
    if (header.base_fee_per_gas.has_value()) {
        const Uint256 base_fee = next_base_fee(parent, config);
        if (*header.base_fee_per_gas != base_fee)
            return reject(BlockErrorCode::invalid_base_fee, header.number,
                          to_decimal(*header.base_fee_per_gas), to_decimal(base_fee));
    }
    if (header.excess_blob_gas.has_value()) {
        const std::uint64_t excess = next_excess_blob_gas(parent, header.timestamp, config);
        if (*header.excess_blob_gas != excess)
            return reject(BlockErrorCode::invalid_excess_blob_gas, header.number,
                          std::to_string(*header.excess_blob_gas), std::to_string(excess));
    }
    return {};
}

}  // namespace

bool is_merged(const BlockHeader& header, const std::optional<Uint256>& parent_total_difficulty,
               const ChainConfig& config) noexcept {
    if (config.merge_block.has_value()) return header.number >= *config.merge_block;
    if (!config.terminal_total_difficulty.has_value()) return false;
    if (parent_total_difficulty.has_value())
        return *parent_total_difficulty >= *config.terminal_total_difficulty;
    return header.difficulty.is_zero();
}

std::expected<void, BlockError> validate_gas_limit(const BlockHeader& header,
                                                   const BlockHeader& parent,
                                                   const ChainConfig& config) {
    if (header.gas_limit > kMaximumGasLimit || header.gas_limit < kMinimumGasLimit)
        return reject(BlockErrorCode::invalid_gas_limit, header.number,
                      std::to_string(header.gas_limit), {}, "outside 5000 to 2^63 - 1");
    // EIP-1559: the first block with elasticity may use twice its parent's gas.
    const bool is_first_london = config.london_block.has_value() &&
                                 header.number >= *config.london_block &&
                                 parent.number < *config.london_block;
    const std::uint64_t before = is_first_london ? parent.gas_limit * 2 : parent.gas_limit;
    const std::uint64_t change =
        header.gas_limit > before ? header.gas_limit - before : before - header.gas_limit;
    if (change >= before / kGasLimitBoundDivisor)
        return reject(BlockErrorCode::invalid_gas_limit, header.number,
                      std::to_string(header.gas_limit), {},
                      "1/1024 or more away from " + std::to_string(before));
    return {};
}

std::expected<void, BlockError> validate_header(const BlockHeader& header,
                                                const BlockHeader& parent,
                                                const ChainConfig& config, bool is_merged) {
    if (header.number != parent.number + 1)
        return reject(BlockErrorCode::invalid_number, header.number, std::to_string(header.number),
                      std::to_string(parent.number + 1));
    const Revision revision = config.revision(header.number, header.timestamp, is_merged);
    if (header.extra_data.size() > kMaxExtraDataBytes)
        return reject(BlockErrorCode::extra_data_too_long, header.number,
                      std::to_string(header.extra_data.size()) + " bytes", {}, "at most 32 bytes");
    if (header.timestamp < parent.timestamp ||
        (header.timestamp == parent.timestamp && !config.equal_timestamps))
        return reject(BlockErrorCode::invalid_timestamp, header.number,
                      std::to_string(header.timestamp), {},
                      "not after the parent's " + std::to_string(parent.timestamp));
    if (is_merged)
        HEDDLE_CHECK(check_proof_of_stake(header));
    else
        HEDDLE_CHECK(check_proof_of_work(header, parent, config));
    HEDDLE_CHECK(check_fields(header, revision));
    HEDDLE_CHECK(validate_gas_limit(header, parent, config));
    if (header.gas_used > header.gas_limit)
        return reject(BlockErrorCode::gas_used_above_limit, header.number,
                      std::to_string(header.gas_used), {},
                      "gas limit " + std::to_string(header.gas_limit));
    return check_fees(header, parent, config);
}

BlockEnv make_block_env(const BlockHeader& header, const ChainConfig& config,
                        bool is_merged) noexcept {
    BlockEnv env;
    env.revision = config.revision(header.number, header.timestamp, is_merged);
    env.chain_id = config.chain_id;
    env.number = header.number;
    env.timestamp = header.timestamp;
    env.gas_limit = header.gas_limit;
    env.beneficiary = header.beneficiary;
    if (is_merged)
        env.prev_randao = header.prev_randao;
    else
        env.difficulty = header.difficulty;
    env.base_fee_per_gas = header.base_fee_per_gas.value_or(Uint256{});
    env.slot_number = header.slot_number.value_or(0);
    env.strict_access_lists = config.strict_access_lists;
    env.code_may_send = config.code_may_send;
    env.any_code_size = config.any_code_size;
    if (env.revision >= Revision::cancun) {
        if (const BlobParameters* blobs = config.blob_parameters(header.timestamp)) {
            env.blob_base_fee =
                blob_base_fee(header.excess_blob_gas.value_or(0), blobs->base_fee_update_fraction);
            env.max_blob_gas_per_block = blobs->max * kGasPerBlob;
        }
    }
    return env;
}

}  // namespace heddle::vm
