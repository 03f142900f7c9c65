// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/validator_updates.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <openssl/evp.h>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::size_t kKeyBytes = 32;

std::expected<void, std::string> check(std::span<const Validator> wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Validator& validator = wanted[i];
        if (validator.ed25519_key.size() != kKeyBytes)
            return std::unexpected("a validator's key has " +
                                   std::to_string(validator.ed25519_key.size()) +
                                   " bytes instead of 32");
        if (validator.power < 0 || validator.power > kMaxTotalPower)
            return std::unexpected("the validator with the key " + to_hex(validator.ed25519_key) +
                                   " has the power " + std::to_string(validator.power) +
                                   ", which is not from 0 to " + std::to_string(kMaxTotalPower));
        if (i != 0 && wanted[i - 1].ed25519_key == validator.ed25519_key)
            return std::unexpected("the validator with the key " + to_hex(validator.ed25519_key) +
                                   " is there twice");
    }
    return {};
}

/// Each power is within bounds, so that the sum passes the limit long before it overflows.
std::expected<void, std::string> check_result(
    const std::map<std::array<std::uint8_t, 20>, std::int64_t>& powers) {
    if (powers.empty()) return std::unexpected("no validator would be left");
    if (powers.size() > kMaxValidators)
        return std::unexpected("there would be " + std::to_string(powers.size()) +
                               " validators; the most is " + std::to_string(kMaxValidators));
    std::int64_t total = 0;
    for (const auto& [address, power] : powers) {
        total += std::clamp<std::int64_t>(power, 0, kMaxTotalPower);
        if (total > kMaxTotalPower)
            return std::unexpected("the power of all validators would be above " +
                                   std::to_string(kMaxTotalPower));
    }
    return {};
}

}  // namespace

std::array<std::uint8_t, 20> validator_address(BytesView ed25519_key) {
    std::array<std::uint8_t, 32> digest{};
    const int done = EVP_Digest(ed25519_key.data(), ed25519_key.size(), digest.data(), nullptr,
                                EVP_sha256(), nullptr);
    HEDDLE_ASSERT(done == 1);
    std::array<std::uint8_t, 20> address{};
    std::copy_n(digest.begin(), address.size(), address.begin());
    return address;
}

std::expected<std::vector<Validator>, std::string> validator_updates(
    std::span<const Member> members, std::vector<Validator> wanted) {
    std::ranges::sort(wanted, {}, &Validator::ed25519_key);
    if (auto checked = check(wanted); !checked.has_value())
        return std::unexpected(std::move(checked).error());
    std::map<std::array<std::uint8_t, 20>, std::int64_t> powers;
    for (const Member& member : members)
        powers.emplace(member.address, member.power);

    std::vector<Validator> updates;
    for (Validator& validator : wanted) {
        const auto address = validator_address(validator.ed25519_key);
        const auto member = powers.find(address);
        const std::int64_t power = member == powers.end() ? 0 : member->second;
        if (power == validator.power) continue;
        if (validator.power == 0)
            powers.erase(member);
        else
            powers[address] = validator.power;
        updates.push_back(std::move(validator));
    }
    if (updates.empty()) return updates;
    if (auto checked = check_result(powers); !checked.has_value())
        return std::unexpected(std::move(checked).error());
    return updates;
}

}  // namespace heddle::consensus_adapter::cometbft
