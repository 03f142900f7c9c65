// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the load consists of: accounts with keys that follow from a seed, the transactions between
// them, signed ahead, and what each must change. Nothing here talks to a node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>
#include <workload/keys.hpp>

namespace heddle::node::load {

enum class Kind : std::uint8_t {
    transfers,  // ether
    erc20,      // token transfers
    mixed,      // 45 % ether, 45 % tokens, 8 % storage, 2 % creations; a third of them legacy
};
[[nodiscard]] std::optional<Kind> kind_from_string(std::string_view text) noexcept;
[[nodiscard]] std::string_view to_string(Kind kind) noexcept;
[[nodiscard]] std::vector<std::string> kind_names();

/// An account of the load: what it has before the load and, once that is planned, after it, but for
/// what its transactions cost.
struct Account {
    workload::Key key;
    std::uint64_t nonce = 0;
    Uint256 balance;  // wei
    Uint256 tokens;
    Uint256 needs;  // wei that its transactions may cost at most, values included
};

/// Contracts that the load calls; those it does not use stay zero.
struct Contracts {
    Address token;
    Address store;
    Address factory;
};

/// In wei.
struct Fees {
    Uint256 max_fee;
    Uint256 tip;
};

struct SignedTransaction {
    std::uint32_t sender = 0;  // index of the account
    Hash hash;
    std::string call;  // eth_sendRawTransaction, its id the transaction's index
};

struct PlanOptions {
    Kind kind = Kind::transfers;
    std::uint64_t transactions = 0;
    std::uint64_t seed = 1;
    std::uint64_t chain_id = 0;
    Fees fees;
    Contracts contracts;
};

/// Keys only. At least two accounts.
[[nodiscard]] std::vector<Account> make_accounts(std::uint64_t seed, std::uint32_t count);

/// More gas than the transactions of this kind are allowed on the average.
[[nodiscard]] std::uint64_t generous_average_gas(Kind kind) noexcept;

/// A transaction gives away less than this, in wei or tokens.
inline constexpr std::uint32_t kMaxValue = 1'000'000;

/// Plans and signs on as many threads as the machine has processors. The transactions go round the
/// accounts, so that all have equally many; to whom and how much follows from the seed. Nonces,
/// balances and tokens of `accounts` move on to what they must be after all of them, fees aside.
[[nodiscard]] std::vector<SignedTransaction> plan_transactions(const PlanOptions& options,
                                                               std::vector<Account>& accounts);

/// Transactions of one account for the set-up: signed in the order of calls.
class Treasurer {
public:
    Treasurer(workload::Key key, std::uint64_t nonce, std::uint64_t chain_id, Fees fees);

    void pay(const Address& to, const Uint256& wei);
    /// @param arguments  Of the constructor, encoded.
    /// @return Where the contract will be.
    Address deploy(std::string_view creation_hex, BytesView arguments);
    void send_tokens(const Address& token, const Address& to, const Uint256& amount);

    [[nodiscard]] const std::vector<SignedTransaction>& transactions() const noexcept {
        return transactions_;
    }

private:
    void add(Transaction tx);

    workload::Key key_;
    std::uint64_t nonce_;
    std::uint64_t chain_id_;
    Fees fees_;
    std::vector<SignedTransaction> transactions_;
};

/// `balanceOf(holder)` as an element of eth_call's parameters.
[[nodiscard]] std::string balance_of_params(const Address& token, const Address& holder);

}  // namespace heddle::node::load
