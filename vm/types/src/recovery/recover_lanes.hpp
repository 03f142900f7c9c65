// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Recovery of public keys from signatures (SEC 1, 4.1.6), eight in lock-step.
//
// For public values only, never for what signs: time and memory depend on what is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <types/sender_recovery.hpp>
#include <types/uint256.hpp>

namespace heddle::recovery {

/// A public key, by its affine coordinates.
struct PublicKey {
    Uint256 x;
    Uint256 y;
};

enum class Recovered : std::uint8_t {
    key,
    nothing,      // no key has made this signature
    exceptional,  // left to somebody who looks at every case
};

struct LaneResult {
    Recovered kind = Recovered::exceptional;
    PublicKey key;
};

/// Whether this processor has what recover_in_lanes() needs.
[[nodiscard]] bool has_lanes() noexcept;

/// At once at most.
inline constexpr std::size_t kMostInLanes = 64;

/// All results follow from the signatures alone. Only where has_lanes().
void recover_in_lanes(std::span<const SignedMessage> messages, std::span<LaneResult> results);

}  // namespace heddle::recovery
