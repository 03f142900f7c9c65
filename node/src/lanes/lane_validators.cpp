// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_validators.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "logging/log.hpp"
#include "program/durable_file.hpp"
#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

namespace cometbft = consensus_adapter::cometbft;
using cometbft::SignedHeader;
using cometbft::TrustedValidators;

std::unexpected<HeaderDoubt> fault(std::string sentence) {
    return std::unexpected(HeaderDoubt{std::move(sentence), true});
}

std::expected<SignedHeader, HeaderDoubt> ask_commit(CommitClient& client, std::uint64_t height) {
    auto header = client.commit(height);
    if (!header.has_value()) return std::unexpected(HeaderDoubt{header.error()});
    if (static_cast<std::uint64_t>(header->header.height) != height)
        return fault(fmt::format("the header is that of height {}", header->header.height));
    return *std::move(header);
}

void write_validators(const TrustedValidators& validators, JsonWriter& out) {
    out.begin_array();
    for (const TrustedValidators::Validator& validator : validators.validators) {
        out.begin_object();
        out.key("key");
        out.hex(validator.public_key);
        out.key("power");
        out.number(validator.power);
        out.end_object();
    }
    out.end_array();
}

std::vector<TrustedValidators::Validator> read_validators(const JsonView& json) {
    std::vector<TrustedValidators::Validator> result(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonView validator = json.element(i);
        const Hash key = validator.at("key").hash();
        std::ranges::copy(key.bytes, result[i].public_key.begin());
        result[i].power = validator.at("power").uint64();
    }
    return result;
}

}  // namespace

LaneValidators::LaneValidators(TrustedValidators first, std::string path) : path_(std::move(path)) {
    const Hash hash = cometbft::validators_hash(first);
    epochs_.push_back({0, std::move(first), hash});
    load();
}

/// The hash of each set is kept beside it, so that a damaged file is seen.
void LaneValidators::load() {
    std::error_code error;
    if (path_.empty() || !std::filesystem::exists(path_, error)) return;
    const std::string network = epochs_.front().validators.chain_id;
    try {
        JsonParser parser;
        const JsonView json = parser.parse_file(path_);
        if (json.at("chain_id").string() != network)
            json.fail("of another network than " + network);
        std::vector<Epoch> epochs;
        const JsonView list = json.at("epochs");
        for (std::size_t i = 0; i < list.size(); ++i) {
            const JsonView one = list.element(i);
            Epoch epoch;
            epoch.after = one.at("after").uint64();
            epoch.validators = {network, read_validators(one.at("validators"))};
            epoch.hash = cometbft::validators_hash(epoch.validators);
            if (epoch.hash != one.at("hash").hash()) one.fail("validators with another hash");
            if (!epochs.empty() && epochs.back().after >= epoch.after) one.fail("out of order");
            epochs.push_back(std::move(epoch));
        }
        if (epochs.empty()) list.fail("nobody");
        epochs_ = std::move(epochs);
    } catch (const InputError& problem) {
        fail_input(
            "{}; remove the file, and name validators of now in lanes.genesis if they have changed",
            problem.what());
    }
}

const LaneValidators::Epoch& LaneValidators::epoch_at(std::uint64_t height) const {
    std::size_t index = epochs_.size() - 1;
    while (index > 0 && epochs_[index].after >= height)
        --index;
    return epochs_[index];
}

const TrustedValidators& LaneValidators::at(std::uint64_t height) const {
    return epoch_at(height).validators;
}

std::expected<LaneValidators::Epoch, HeaderDoubt> LaneValidators::ask(CommitClient& client,
                                                                      std::uint64_t height,
                                                                      BytesView hash) const {
    auto list = client.validators(height);
    if (!list.has_value()) return std::unexpected(HeaderDoubt{list.error()});
    Epoch epoch{height - 1, {epochs_.front().validators.chain_id, *std::move(list)}, {}};
    epoch.hash = cometbft::validators_hash(epoch.validators);
    if (equal(epoch.hash.view(), hash)) return epoch;
    return fault(fmt::format(
        "the validators that its CometBFT gives for height {} are not those that were signed",
        height));
}

/// What no height above `verified` needs any more goes.
std::expected<void, HeaderDoubt> LaneValidators::add(Epoch epoch, std::uint64_t verified) {
    std::vector<Epoch> epochs = epochs_;
    std::erase_if(epochs, [&](const Epoch& other) { return other.after >= epoch.after; });
    logger(Component::consensus)
        .info("{}: other validators sign from height {} on: {} of them", epoch.validators.chain_id,
              epoch.after + 1, epoch.validators.validators.size());
    epochs.push_back(std::move(epoch));
    while (epochs.size() > 1 && epochs[1].after < verified)
        epochs.erase(epochs.begin());
    if (!path_.empty()) {
        std::string text;
        JsonWriter out{text};
        out.begin_object();
        out.key("chain_id");
        out.string(epochs.front().validators.chain_id);
        out.key("epochs");
        out.begin_array();
        for (const Epoch& one : epochs) {
            out.begin_object();
            out.key("after");
            out.number(one.after);
            out.key("hash");
            out.hash(one.hash);
            out.key("validators");
            write_validators(one.validators, out);
            out.end_object();
        }
        out.end_array();
        out.end_object();
        text += '\n';
        const std::string next = path_ + ".next";
        const Bytes bytes(text.begin(), text.end());
        if (!write_durably(next, bytes) || std::rename(next.c_str(), path_.c_str()) != 0 ||
            !sync_folder(std::filesystem::path{path_}.parent_path().string()))
            return std::unexpected(
                HeaderDoubt{fmt::format("{}: cannot be written: {}; is the disk full?", path_,
                                        std::generic_category().message(errno))});
    }
    epochs_ = std::move(epochs);
    return {};
}

/// Checks the signatures of a header by those who are known for its height, and learns from it who
/// signs the next.
std::expected<void, HeaderDoubt> LaneValidators::believe(CommitClient& client,
                                                         std::uint64_t verified,
                                                         const SignedHeader& header) {
    const auto height = static_cast<std::uint64_t>(header.header.height);
    const Epoch& epoch = epoch_at(height);
    if (const auto checked = cometbft::check_commit(epoch.validators, header); !checked.has_value())
        return fault(checked.error());
    if (equal(header.header.next_validators_hash, epoch_at(height + 1).hash.view())) return {};
    HEDDLE_TRY(Epoch next, ask(client, height + 1, header.header.next_validators_hash));
    return add(std::move(next), verified);
}

std::expected<SignedHeader, HeaderDoubt> LaneValidators::header(CommitClient& client,
                                                                std::uint64_t verified,
                                                                std::uint64_t height) {
    HEDDLE_TRY(SignedHeader wanted, ask_commit(client, height));
    if (!equal(wanted.header.validators_hash, epoch_at(height).hash.view())) {
        for (std::uint64_t between = verified + 1; between < height; ++between) {
            HEDDLE_TRY(const SignedHeader header, ask_commit(client, between));
            if (auto believed = believe(client, verified, header); !believed.has_value()) {
                believed.error().sentence.insert(0, fmt::format("height {}: ", between));
                return std::unexpected(std::move(believed).error());
            }
        }
    }
    HEDDLE_CHECK(believe(client, verified, wanted));
    return wanted;
}

std::expected<SignedHeader, HeaderDoubt> LaneValidators::jump(CommitClient& client,
                                                              std::uint64_t height) {
    HEDDLE_TRY(SignedHeader wanted, ask_commit(client, height));
    const Epoch& known = epoch_at(height);
    if (!equal(wanted.header.validators_hash, known.hash.view())) {
        HEDDLE_TRY(Epoch others, ask(client, height, wanted.header.validators_hash));
        if (const auto checked = cometbft::check_commit(others.validators, wanted);
            !checked.has_value())
            return fault(checked.error());
        const cometbft::SignedPower power = cometbft::signed_power(known.validators, wanted);
        if (3 * power.has_signed <= power.total)
            return fault(fmt::format(
                "its validators have changed since those that are known, of whom {} of a power of "
                "{} have signed it, and more than a third must; name its validators of now in "
                "lanes.genesis",
                power.has_signed, power.total));
        HEDDLE_CHECK(add(std::move(others), height));
    }
    HEDDLE_CHECK(believe(client, height, wanted));
    return wanted;
}

}  // namespace heddle::node::lanes
