// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// From the validators that a chain wants to the changes that CometBFT takes: one that it does not
// take ends every node of the network, so none is sent that might not be. Where the wish is written
// down is not its business.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include <types/bytes.hpp>

#include <consensus_adapter/cometbft/abci_host.hpp>

namespace heddle::consensus_adapter::cometbft {

/// Largest total power and largest number of validators that CometBFT takes.
inline constexpr std::int64_t kMaxTotalPower = INT64_MAX / 8;
inline constexpr std::size_t kMaxValidators = 10'000;

/// A validator in a commit of CometBFT, which names it by address.
struct Member {
    std::array<std::uint8_t, 20> address{};
    std::int64_t power = 0;
};

/// The first 20 bytes of the key's SHA-256.
[[nodiscard]] std::array<std::uint8_t, 20> validator_address(BytesView ed25519_key);

/// What changes `members` into what is wanted: validators with another power than they have, and
/// with power 0 members that are to be none. Members that are not mentioned stay as they are. In
/// the order of the keys, whatever the order of `wanted`.
///
/// Errors: why the wish cannot be fulfilled; nothing may change then.
/// Thread safety: pure.
[[nodiscard]] std::expected<std::vector<Validator>, std::string> validator_updates(
    std::span<const Member> members, std::vector<Validator> wanted);

}  // namespace heddle::consensus_adapter::cometbft
