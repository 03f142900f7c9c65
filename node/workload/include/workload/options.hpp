// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a generated chain shall look like.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <types/revision.hpp>

namespace heddle::workload {

enum class Workload : std::uint8_t {
    transfers,  // plain ether
    erc20,      // token transfers, some approvals and transfers by a spender
    swaps,      // constant-product swaps
    storage,    // many slots written, read and cleared
    creations,  // contracts created by transactions, CREATE and CREATE2
    mixed,      // 30 % transfers, 40 % tokens, 20 % swaps, 8 % storage, 2 % creations
};
[[nodiscard]] std::string_view to_string(Workload workload) noexcept;
[[nodiscard]] std::optional<Workload> workload_from_string(std::string_view text) noexcept;

inline constexpr std::uint32_t kMinAccounts = 2;
/// With tokens an account takes 8 kB of memory and 2 kB of the genesis file, whose size readers
/// limit.
inline constexpr std::uint32_t kMaxAccounts = 400'000;
/// An idle account takes 70 bytes of the genesis file.
inline constexpr std::uint32_t kMaxIdleAccounts = 12'000'000;
/// The latest that public networks have.
inline constexpr Revision kDefaultRevision = Revision::osaka;
/// Generated chains have blobs and system contracts from the start.
inline constexpr Revision kFirstRevision = Revision::cancun;
inline constexpr std::uint32_t kMillion = 1'000'000;

struct Options {
    std::uint64_t seed = 1;
    Workload workload = Workload::mixed;
    std::uint32_t accounts = 1'000;  // funded senders, kMinAccounts to kMaxAccounts
    /// Accounts besides, up to kMaxIdleAccounts, that send nothing. Plain ether goes to any
    /// account.
    std::uint32_t idle_accounts = 0;
    /// How many of a million transactions go to the one hot recipient, token, pool or contract.
    /// An integer, because a floating-point product may differ between machines.
    std::uint32_t contention_ppm = 0;
    std::uint64_t chain_id = 1337;
    Revision revision = kDefaultRevision;  // kFirstRevision or later
    /// When these rules begin, in seconds since 1970; those of the fork before hold until then, and
    /// that must be a revision of kFirstRevision or later. 0: with the genesis block.
    std::uint64_t fork_time = 0;
};

}  // namespace heddle::workload
