// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// An account as execution sees it (YP 4.1). The storage root belongs to the trie and is not part of
// it: nothing the EVM does depends on the root.
#pragma once

#include <cstdint>

#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle {

struct Account {
    std::uint64_t nonce = 0;
    Uint256 balance;  // wei
    Hash code_hash = kEmptyCodeHash;

    friend bool operator==(const Account&, const Account&) = default;
    /// EIP-161: no code, zero nonce, zero balance.
    [[nodiscard]] bool is_empty() const noexcept {
        return nonce == 0 && balance.is_zero() && code_hash == kEmptyCodeHash;
    }
    [[nodiscard]] bool has_code() const noexcept { return code_hash != kEmptyCodeHash; }
};

}  // namespace heddle
