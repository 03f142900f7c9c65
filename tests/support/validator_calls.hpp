// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the owner of a contract of validators sends to it, as wallets encode it.
#pragma once

#include <array>
#include <cstdint>

#include <consensus_adapter/cometbft/abci_host.hpp>
#include <types/bytes.hpp>
#include <types/uint256.hpp>

namespace heddle::test {

/// Call data of setValidator(): adds one, changes its power, or with power 0 ends it.
inline Bytes set_validator_call(const consensus_adapter::cometbft::Validator& validator) {
    Bytes call{0x9a, 0x0b, 0x35, 0xdb};
    call.insert(call.end(), validator.ed25519_key.begin(), validator.ed25519_key.end());
    std::array<std::uint8_t, 32> power{};
    store_be(Uint256{static_cast<std::uint64_t>(validator.power)}, power.data());
    call.insert(call.end(), power.begin(), power.end());
    return call;
}

}  // namespace heddle::test
