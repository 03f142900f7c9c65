// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Randomness for the ledger's tests: every test that uses it says its seed first, and
// HEDDLE_TEST_SEED repeats a run.
#pragma once

#include <cstdint>
#include <random>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/state_diff.hpp>
#include <types/uint256.hpp>

#include "announced_seed.hpp"

namespace heddle::test {

class Random {
public:
    explicit Random(std::uint64_t default_seed) : engine_(announced_seed(default_seed)) {}

    /// Uniform below `bound`.
    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
    }
    bool one_in(std::size_t n) { return below(n) == 0; }

    Bytes bytes(std::size_t size) {
        Bytes result(size);
        for (std::uint8_t& byte : result)
            byte = static_cast<std::uint8_t>(below(256));
        return result;
    }

    Uint256 word() { return load_be(bytes(32).data()); }

    Account account() {
        Account account{.nonce = below(3), .balance = one_in(2) ? Uint256(below(100)) : word()};
        if (one_in(4)) account.code_hash = keccak256(bytes(8));
        return account;
    }

    /// Changes to some of `address_count` accounts, addresses 1, 2, …; each at most once.
    /// Creations, deletions, clearings, slots set, rewritten and removed all occur, the same key
    /// again and again.
    StateDiff diff(std::size_t address_count, std::size_t slot_count) {
        StateDiff diff;
        for (std::size_t i = 1; i <= address_count; ++i) {
            if (one_in(2)) continue;
            AccountChange& change = diff.accounts.emplace_back();
            change.address = address_from_low64(i);
            if (one_in(5)) {
                change.storage_cleared = one_in(2);
                continue;
            }
            change.account = account();
            change.storage_cleared = one_in(6);
            for (std::size_t slot = 0; slot < slot_count; ++slot)
                if (one_in(2)) change.storage.push_back({slot, one_in(3) ? Uint256() : word()});
        }
        return diff;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace heddle::test
