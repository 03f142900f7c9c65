// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Between the generated messages and our types.
#pragma once

#include <cstdint>
#include <string>

#include <types/bytes.hpp>

#include "cometbft/abci.pb.h"

namespace heddle::consensus_adapter::cometbft {

/// A `bytes` field.
[[nodiscard]] inline BytesView as_bytes(const std::string& field) noexcept {
    return {reinterpret_cast<const std::uint8_t*>(field.data()), field.size()};
}
[[nodiscard]] inline std::string as_field(BytesView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Numbers of CometBFT are signed.
[[nodiscard]] inline std::int64_t as_signed(std::uint64_t number) noexcept {
    return number > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(number);
}

}  // namespace heddle::consensus_adapter::cometbft
