// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 for whoever in vm needs it besides the precompiled contract (versioned hashes, the
// requests hash).
#pragma once

#include <cstdint>
#include <span>

#include <types/bytes.hpp>

namespace heddle::vm::precompiles {

void sha256_digest(BytesView data, std::span<std::uint8_t, 32> digest) noexcept;

}  // namespace heddle::vm::precompiles
