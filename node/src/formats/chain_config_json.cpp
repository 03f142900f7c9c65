// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/chain_config_json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <types/fork.hpp>
#include <types/text_bytes.hpp>

#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "formats/networks.hpp"

namespace heddle::node {

namespace {

/// Names that geth does not have.
constexpr std::string_view kMergeBlock = "heddleMergeBlock";
constexpr std::string_view kBlobParameters = "heddleBlobParameters";
constexpr std::string_view kHeddle = "heddle";
constexpr std::string_view kValidatorContract = "validatorContract";
constexpr std::string_view kEpochBlocks = "epochBlocks";
/// What geth has of the blob parameters, by fork.
constexpr std::string_view kBlobSchedule = "blobSchedule";

void write_members(const BlobParameters& parameters, JsonWriter& json) {
    json.key("target");
    json.number(parameters.target);
    json.key("max");
    json.number(parameters.max);
    json.key("baseFeeUpdateFraction");
    json.number(parameters.base_fee_update_fraction);
}

void write_blob_parameters(const ChainConfig& config, JsonWriter& json) {
    json.begin_array();
    for (const BlobParameters& parameters : config.blob_schedule) {
        json.begin_object();
        json.key("activationTime");
        json.number(parameters.activation_time);
        write_members(parameters, json);
        json.end_object();
    }
    json.end_array();
}

/// Of each of kForks the entry of the blob schedule that is its own; null: there is none.
using BlobsByFork = std::array<const BlobParameters*, kForks.size()>;

/// What a schedule, which is by time, is of by fork. What is of no fork with a time of its own is
/// of the blob-parameter-only forks, one after the other.
BlobsByFork blobs_by_fork(const ChainConfig& config) {
    BlobsByFork found{};
    std::vector<const BlobParameters*> left;
    left.reserve(config.blob_schedule.size());
    for (const BlobParameters& parameters : config.blob_schedule)
        left.push_back(&parameters);
    const BlobForkTimes times = blob_fork_times(config);
    // From the back: of forks that begin at once the later one has the later entry.
    for (std::size_t i = kForks.size(); i-- > 0;) {
        if (!times[i].has_value()) continue;
        const auto own = std::ranges::find_if(
            left.rbegin(), left.rend(),
            [&](const BlobParameters* one) { return one->activation_time == *times[i]; });
        if (own == left.rend()) continue;
        found[i] = *own;
        left.erase(std::next(own).base());
    }
    auto next = left.begin();
    for (std::size_t i = 0; i < kForks.size() && next != left.end(); ++i)
        if (kForks[i].blobs != ForkBlobs::none && kForks[i].member == nullptr) found[i] = *next++;
    return found;
}

void write_blob_schedule(const BlobsByFork& blobs, JsonWriter& json) {
    json.begin_object();
    for (std::size_t i = 0; i < kForks.size(); ++i) {
        if (blobs[i] == nullptr) continue;
        json.key(kForks[i].key());
        json.begin_object();
        write_members(*blobs[i], json);
        json.end_object();
    }
    json.end_object();
}

std::vector<BlobParameters> parse_blob_parameters(const JsonView& json) {
    std::vector<BlobParameters> schedule;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonView entry = json.element(i);
        schedule.push_back(parse_blob_entry(entry));
        schedule.back().activation_time = entry.at("activationTime").uint64();
    }
    return schedule;
}

enum class Form : std::uint8_t { stored, geth };

std::string format(const ChainConfig& config,
                   const std::optional<ValidatorContractConfig>& validators, Form form) {
    const BlobsByFork blobs = form == Form::geth ? blobs_by_fork(config) : BlobsByFork{};
    std::string text;
    JsonWriter json(text, JsonWriter::Style::compact);
    const auto optional = [&](std::string_view name, const std::optional<std::uint64_t>& value) {
        if (!value.has_value()) return;
        json.key(name);
        json.number(*value);
    };
    json.begin_object();
    json.key("chainId");
    json.number(config.chain_id);
    for (std::size_t i = 0; i < kForks.size(); ++i) {
        const Fork& fork = kForks[i];
        if (fork.member != nullptr)
            for (const std::string_view field : fork.fields)
                if (!field.empty()) optional(field, config.*fork.member);
        if (fork.member == &ChainConfig::dao_fork_block) {
            json.key("daoForkSupport");
            json.boolean(config.dao_fork_support);
        }
        if (fork.activation == ForkActivation::total_difficulty &&
            config.terminal_total_difficulty.has_value()) {
            json.key(fork.fields[0]);
            const std::string number = to_decimal(*config.terminal_total_difficulty);
            if (form == Form::geth)
                json.raw(number);
            else
                json.string(number);
        }
        if (fork.member == nullptr && blobs[i] != nullptr)
            optional(fork.fields[0], blobs[i]->activation_time);
    }
    json.key("depositContractAddress");
    json.address(config.deposit_contract_address);
    if (form == Form::geth && !config.blob_schedule.empty()) {
        json.key(kBlobSchedule);
        write_blob_schedule(blobs, json);
    }
    if (config.strict_access_lists) {
        json.key("accessLists");
        json.string("strict");
    }
    if (config.equal_timestamps) {
        json.key("equalTimestamps");
        json.boolean(true);
    }
    optional(kMergeBlock, config.merge_block);
    json.key(kBlobParameters);
    write_blob_parameters(config, json);
    if (validators.has_value()) {
        json.key(kHeddle);
        json.begin_object();
        json.key(kValidatorContract);
        json.address(validators->address);
        json.key(kEpochBlocks);
        json.number(validators->epoch_blocks);
        json.end_object();
    }
    json.end_object();
    return text;
}

}  // namespace

std::string format_chain_config(const ChainConfig& config,
                                const std::optional<ValidatorContractConfig>& validators) {
    return format(config, validators, Form::stored);
}

std::string format_geth_chain_config(const ChainConfig& config) {
    return format(config, std::nullopt, Form::geth);
}

bool is_stored_chain_config(const JsonView& json) {
    return json.find(kBlobParameters).has_value();
}

ChainConfig parse_stored_chain_config(BytesView text, const std::string& name) {
    JsonParser parser;
    return parse_stored_chain_config(parser.parse(text_of(text), name));
}

ChainConfig parse_stored_chain_config(const JsonView& json) {
    ChainConfig config = parse_known_chain_config(json);
    config.merge_block.reset();
    if (const auto block = json.find(kMergeBlock)) config.merge_block = block->uint64();
    config.blob_schedule = parse_blob_parameters(json.at(kBlobParameters));
    return config;
}

std::optional<ValidatorContractConfig> parse_validator_contract(const JsonView& config) {
    const auto section = config.find(kHeddle);
    if (!section) return std::nullopt;
    // A misspelt name would leave a node with other validators than the rest of the network.
    for (std::size_t i = 0; i < section->size(); ++i)
        if (const auto name = section->member(i).first;
            name != kValidatorContract && name != kEpochBlocks)
            section->fail(fmt::format("\"{}\" is not known here", name));
    ValidatorContractConfig validators;
    validators.address = section->at(kValidatorContract).address();
    validators.epoch_blocks = section->at(kEpochBlocks).uint64();
    if (validators.epoch_blocks < kMinEpochBlocks)
        section->at(kEpochBlocks)
            .fail(fmt::format("an epoch has at least {} blocks", kMinEpochBlocks));
    return validators;
}

std::optional<ValidatorContractConfig> parse_stored_validator_contract(BytesView text,
                                                                       const std::string& name) {
    JsonParser parser;
    return parse_validator_contract(parser.parse(text_of(text), name));
}

std::optional<ValidatorContractConfig> load_validator_contract(const std::string& genesis_path) {
    JsonParser parser;
    return parse_validator_contract(parser.parse_file(genesis_path).at("config"));
}

}  // namespace heddle::node
