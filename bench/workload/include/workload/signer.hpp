// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys that follow from a seed, and signatures by them. Deterministic (RFC 6979), so that the same
// seed gives the same bytes. The keys are public knowledge: never put value on them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include <types/address.hpp>
#include <types/transaction.hpp>

namespace heddle::workload {

struct Key {
    std::array<std::uint8_t, 32> secret{};
    Address address;
};

/// Thread safety: const functions may be called concurrently.
class Signer {
public:
    Signer();
    ~Signer();
    Signer(const Signer&) = delete;
    Signer& operator=(const Signer&) = delete;

    /// The `index`-th key of one purpose.
    [[nodiscard]] Key derive_key(std::uint64_t seed, std::string_view purpose,
                                 std::uint64_t index) const;
    /// Fills y_parity, r, s and sender. Everything else must be set before.
    void sign(Transaction& tx, const Key& key) const;
    /// Fills y_parity, r and s (EIP-7702).
    void sign(Authorization& authorization, const Key& key) const;

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

}  // namespace heddle::workload
