// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/half_placements.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

#include <types/transaction.hpp>
#include <vm/validate.hpp>

namespace heddle::node::lanes {
namespace {

using consensus_adapter::lanes::HalfPlaced;

/// What accounts can pay for, as far as it is not spoken for.
class Means {
public:
    Means(const StateView& head, std::uint64_t nonces_ahead)
        : head_(head), nonces_ahead_(nonces_ahead) {}

    /// Whether the sender can pay for it beside what was promised before, which is then promised.
    bool promise(const Transaction& transaction, const Address& sender) {
        const auto cost = vm::upfront_cost(transaction);
        if (!cost.has_value()) return false;
        auto [found, is_new] = accounts_.try_emplace(sender);
        Account& account = found->second;
        if (is_new) {
            const auto there = head_.account(sender);
            if (there.has_value()) account = {there->nonce, there->balance, {}};
        }
        const std::uint64_t nonce = transaction.nonce;
        if (nonce < account.next_nonce || nonce - account.next_nonce >= nonces_ahead_) return false;
        if (account.balance < *cost || !account.promised.insert(nonce).second) return false;
        account.balance -= *cost;
        return true;
    }

private:
    struct Account {
        std::uint64_t next_nonce = 0;
        Uint256 balance;
        std::set<std::uint64_t> promised;  // nonces
    };
    const StateView& head_;
    const std::uint64_t nonces_ahead_;
    std::unordered_map<Address, Account, AddressHasher> accounts_;
};

}  // namespace

HalfPlacements half_placements_due(const consensus_adapter::lanes::LaneFeed& feed,
                                   const OpenPlacements& open) {
    HalfPlacements result;
    for (const std::uint64_t age : kCompletingAges) {
        auto own = feed.half_placed(age, kMostCompletedBytes,
                                    [&](const Hash& digest) { return open.has(digest); });
        result.own.insert(result.own.end(), std::make_move_iterator(own.begin()),
                          std::make_move_iterator(own.end()));
    }
    result.others = feed.half_placed(kOthersAge, kMostCompletedBytes,
                                     [&](const Hash& digest) { return !open.has(digest); });
    return result;
}

std::vector<SentEntry> to_complete(HalfPlacements halves, const StateView& head,
                                   const CompletingBounds& bounds) {
    std::vector<SentEntry> chosen;
    chosen.reserve(halves.own.size() + std::min(halves.others.size(), bounds.most));
    for (HalfPlaced& half : halves.own)
        chosen.push_back({half.digest, std::move(half.entry), half.missing});
    const std::size_t own = chosen.size();
    Means means(head, bounds.nonces_ahead);
    std::size_t looked_at = 0;
    for (HalfPlaced& half : halves.others) {
        if (chosen.size() - own == bounds.most || ++looked_at > bounds.most_looked_at) break;
        const auto transaction = decode_transaction(half.payload);
        if (!transaction.has_value()) continue;
        const auto sender = recover_sender(*transaction);
        if (!sender.has_value() || !means.promise(*transaction, *sender)) continue;
        chosen.push_back({half.digest, std::move(half.entry), half.missing});
    }
    return chosen;
}

}  // namespace heddle::node::lanes
