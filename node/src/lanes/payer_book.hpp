// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who can pay for entries of a lane, as nodes say. A lane knows no state, and an entry costs who
// has no ether nothing but its signature, one that others have sent before not even that. So a
// validator asks what accounts have at the heads of its nodes, and lets one in with what its
// balance covers, with nonces that it has not used yet.
//
// | of an account | when it is                                                                   |
// |---------------|------------------------------------------------------------------------------|
// | asked about   | unknown, known for `period`, or refused by what was known `again` ago        |
// | let in        | its nonce is not used, and its balance covers the transaction beside the     |
// |               | others that were let in; the same one `most_of_one` times, for it may be     |
// |               | placed again                                                                 |
// | begun anew    | asked about `period` after it was begun: what was let in before is merged by |
// |               | then, and shows in nonce and balance                                         |
//
// So much comes of hostile senders in each period, beside what they pay for: entries of which each
// could be paid for out of what they own, and a question for each account in each `again`. An entry
// is signed by nobody but for the transaction in it, so others can place that, too: it counts once,
// so that they do not use up what an account has. What nobody says is let in: a lane goes on
// without nodes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <types/address.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

namespace heddle::node::lanes {

/// What an account has at the head of a node.
struct AccountState {
    std::uint64_t nonce = 0;  // its next one
    Uint256 balance;
};

struct PayerBounds {
    std::chrono::milliseconds period{4'000};
    std::chrono::milliseconds again{250};
    std::uint64_t most_of_one = 16;      // entries of one transaction
    std::size_t most_accounts = 65'536;  // that are known; those asked about longest ago go first
};

/// Thread safety: any; whoever asks holds up the others.
class PayerBook {
public:
    /// One state for each; nullopt: nobody says.
    using LookUp =
        std::function<std::optional<std::vector<AccountState>>(std::span<const Address>)>;
    /// Since whenever; it never goes back.
    using Clock = std::function<std::chrono::milliseconds()>;

    PayerBook(LookUp look_up, Clock clock, PayerBounds bounds = {});

    /// Why each of them may not wait; nullopt: it may. Their senders are known.
    [[nodiscard]] std::vector<std::optional<std::string>> refusals(
        std::span<const Transaction> transactions);
    /// Accounts that are known.
    [[nodiscard]] std::size_t known() const;

private:
    struct Known {
        AccountState state;
        std::chrono::milliseconds asked{};
        std::chrono::milliseconds begun{};
        Uint256 let_in;  // in wei, since it was begun: what all of these cost
        /// By their signatures, of which others can make no second: entries of each.
        std::map<Uint256, std::uint64_t> transactions;
    };

    [[nodiscard]] std::optional<std::string> refusal(const Known& known,
                                                     const Transaction& transaction) const;
    [[nodiscard]] bool must_ask(const Transaction& transaction,
                                std::chrono::milliseconds now) const;
    /// @return false: nobody says.
    [[nodiscard]] bool ask(std::span<const Transaction> transactions,
                           std::chrono::milliseconds now);
    void forget_old(std::chrono::milliseconds now);

    const LookUp look_up_;
    const Clock clock_;
    const PayerBounds bounds_;
    mutable std::mutex mutex_;
    std::unordered_map<Address, Known, AddressHasher> accounts_;  // guarded by mutex_
    /// When they were asked about, the longest ago first; some have been again.
    std::deque<std::pair<std::chrono::milliseconds, Address>> asked_;  // guarded by mutex_
};

}  // namespace heddle::node::lanes
