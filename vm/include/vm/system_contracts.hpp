// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The contracts that a block calls by itself, before its first transaction or after its last: a row
// each. What their code does is the chain's business, see the EIPs named.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/revision.hpp>

namespace heddle::vm {

namespace detail {
consteval Address address_literal(std::string_view digits) {
    // A hash literal whose last 20 bytes are the address.
    std::array<char, 64> padded{};
    padded.fill('0');
    std::copy(digits.begin(), digits.end(), padded.begin() + 24);
    const Hash hash = heddle::detail::hash_literal({padded.data(), padded.size()});
    Address address;
    std::copy(hash.bytes.begin() + 12, hash.bytes.end(), address.bytes.begin());
    return address;
}
}  // namespace detail

/// EIP-4788.
inline constexpr Address kBeaconRootsAddress =
    detail::address_literal("000f3df6d732807ef1319fb7b8bb8522d0beac02");
/// EIP-2935.
inline constexpr Address kHistoryStorageAddress =
    detail::address_literal("0000f90827f1c53a10cb7a02335b175320002935");
/// EIP-7002.
inline constexpr Address kWithdrawalRequestAddress =
    detail::address_literal("00000961ef480eb55e80d19ad83579a64c007002");
/// EIP-7251.
inline constexpr Address kConsolidationRequestAddress =
    detail::address_literal("0000bbddc7ce488642fb579f8b00f3a590007251");

/// EIP-8282: builders' deposits.
inline constexpr Address kBuilderDepositAddress =
    detail::address_literal("0000bff46984e3725691fa540a8c7589300d8282");
/// EIP-8282: builders' exits.
inline constexpr Address kBuilderExitAddress =
    detail::address_literal("000064d678505ad48f8ccb093bc65613800e8282");

/// When a contract is called, and what becomes of the call. At the begin nobody minds a contract
/// that is missing or fails; at the end its output is a request, and the block is invalid without.
enum class SystemCallPlace : std::uint8_t { begin_block, end_block };

/// With what it is called: a field of the block's header, or nothing.
enum class SystemCallInput : std::uint8_t { nothing, parent_beacon_block_root, parent_hash };

/// How a contract keeps requests until the end of a block takes them: its excess, its count, where
/// they begin and where they end in slots 0 to 3, then the requests.
struct RequestQueue {
    std::uint8_t request_slots = 0;  // of each
    std::uint8_t most_taken = 0;     // requests, by a block
};
inline constexpr std::uint64_t kQueueHeadSlot = 2;
inline constexpr std::uint64_t kQueueTailSlot = 3;
inline constexpr std::uint64_t kFirstQueuedSlot = 4;

struct SystemContract {
    Revision since = kLatestRevision;
    SystemCallPlace place = SystemCallPlace::begin_block;
    Address address;
    std::string_view name;  // in eth_config (EIP-7910)
    SystemCallInput input = SystemCallInput::nothing;
    std::uint8_t request_type = 0;  // of its output (EIP-7685); end_block only
    RequestQueue queue;             // end_block only
};

/// By place, within a place in the order of the calls, the oldest first.
inline constexpr std::array kSystemContracts{
    SystemContract{Revision::cancun,
                   SystemCallPlace::begin_block,
                   kBeaconRootsAddress,
                   "BEACON_ROOTS_ADDRESS",
                   SystemCallInput::parent_beacon_block_root,
                   0,
                   {}},
    SystemContract{Revision::prague,
                   SystemCallPlace::begin_block,
                   kHistoryStorageAddress,
                   "HISTORY_STORAGE_ADDRESS",
                   SystemCallInput::parent_hash,
                   0,
                   {}},
    SystemContract{Revision::prague,
                   SystemCallPlace::end_block,
                   kWithdrawalRequestAddress,
                   "WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS",
                   SystemCallInput::nothing,
                   1,
                   {3, 16}},
    SystemContract{Revision::prague,
                   SystemCallPlace::end_block,
                   kConsolidationRequestAddress,
                   "CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS",
                   SystemCallInput::nothing,
                   2,
                   {4, 2}},
    SystemContract{Revision::amsterdam,
                   SystemCallPlace::end_block,
                   kBuilderDepositAddress,
                   "BUILDER_DEPOSIT_CONTRACT_ADDRESS",
                   SystemCallInput::nothing,
                   3,
                   {6, 64}},
    SystemContract{Revision::amsterdam,
                   SystemCallPlace::end_block,
                   kBuilderExitAddress,
                   "BUILDER_EXIT_CONTRACT_ADDRESS",
                   SystemCallInput::nothing,
                   4,
                   {3, 16}},
};

static_assert(std::ranges::is_sorted(kSystemContracts,
                                     [](const SystemContract& a, const SystemContract& b) {
                                         return a.place != b.place ? a.place < b.place
                                                                   : a.since < b.since;
                                     }),
              "the contracts of a revision must be a prefix of those of their place");

/// The contract whose logs are deposits (EIP-6110); a chain's configuration has its address.
inline constexpr std::string_view kDepositContractName = "DEPOSIT_CONTRACT_ADDRESS";
inline constexpr Revision kDepositRequestsSince = Revision::prague;

/// The contracts that a block of this revision calls there, in the order of the calls.
[[nodiscard]] constexpr std::span<const SystemContract> system_contracts(
    SystemCallPlace place, Revision revision) noexcept {
    const auto first = std::ranges::find(kSystemContracts, place, &SystemContract::place);
    const auto last = std::find_if(first, kSystemContracts.end(), [&](const SystemContract& c) {
        return c.place != place || c.since > revision;
    });
    return {first, last};
}

}  // namespace heddle::vm
