// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/plan.hpp"

#include <array>
#include <initializer_list>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/processors.hpp>
#include <workload/bytecode.hpp>
#include <workload/random.hpp>

#include "load/rpc_client.hpp"

namespace heddle::node::load {

namespace {

constexpr std::array kKinds{Kind::transfers, Kind::erc20, Kind::mixed};

constexpr std::uint64_t kTransferGas = 21'000;
constexpr std::uint64_t kTokenGas = 70'000;
// To somebody who had none; forks to come charge more for new state.
constexpr std::uint64_t kFirstTokenGas = 250'000;
constexpr std::uint64_t kStorageGas = 340'000;
constexpr std::uint64_t kCreationGas = 250'000;
constexpr std::uint64_t kDeploymentGas = 2'000'000;
constexpr std::uint64_t kCellsPerCall = 4;

void append_word(const Uint256& word, Bytes& out) {
    out.resize(out.size() + 32);
    store_be(word, out.data() + out.size() - 32);
}

Bytes encode_call(std::uint32_t selector, std::initializer_list<Uint256> arguments) {
    Bytes data;
    for (int shift = 24; shift >= 0; shift -= 8)
        data.push_back(static_cast<std::uint8_t>(selector >> shift));
    for (const Uint256& argument : arguments)
        append_word(argument, data);
    return data;
}

SignedTransaction sign_call(Transaction tx, const workload::Key& key, std::uint64_t id) {
    workload::sign(tx, key);
    Bytes raw;
    encode_transaction(tx, raw);
    SignedTransaction result;
    result.hash = keccak256(raw);
    result.call = make_call(id, "eth_sendRawTransaction", "[\"" + to_hex(raw) + "\"]");
    return result;
}

void set_fees(Transaction& tx, const Fees& fees, bool is_legacy) {
    tx.type = is_legacy ? TransactionType::legacy : TransactionType::dynamic_fee;
    tx.max_fee_per_gas = fees.max_fee;
    tx.max_priority_fee_per_gas = is_legacy ? fees.max_fee : fees.tip;
}

/// Draws what a transaction does; signing, the slow part, comes later and in parallel.
class Planner {
public:
    Planner(const PlanOptions& options, std::vector<Account>& accounts)
        : options_(options), accounts_(accounts), random_(options.seed) {}

    [[nodiscard]] Transaction next(std::uint64_t index) {
        const auto sender = static_cast<std::uint32_t>(index % accounts_.size());
        Transaction tx;
        tx.chain_id = options_.chain_id;
        tx.nonce = accounts_[sender].nonce++;
        const bool is_mixed = options_.kind == Kind::mixed;
        set_fees(tx, options_.fees, is_mixed && random_.below(3) == 0);
        const std::uint32_t percent = is_mixed ? random_.below(100) : 0;
        if (options_.kind == Kind::transfers || (is_mixed && percent < 45))
            fill_transfer(tx, sender);
        else if (options_.kind == Kind::erc20 || percent < 90)
            fill_token_transfer(tx, sender);
        else if (percent < 98)
            fill_storage(tx, index);
        else
            fill_creation(tx, index);
        accounts_[sender].needs += tx.value + Uint256{tx.gas_limit} * tx.max_fee_per_gas;
        return tx;
    }

private:
    Account& draw_recipient(std::uint32_t sender) {
        // Anybody but oneself.
        const auto others = static_cast<std::uint32_t>(accounts_.size()) - 1;
        return accounts_[(sender + 1 + random_.below(others)) % accounts_.size()];
    }
    void fill_transfer(Transaction& tx, std::uint32_t sender) {
        Account& recipient = draw_recipient(sender);
        tx.to = recipient.key.address;
        tx.value = Uint256{1 + random_.below(kMaxValue)};
        tx.gas_limit = kTransferGas;
        accounts_[sender].balance -= tx.value;
        recipient.balance += tx.value;
    }
    void fill_token_transfer(Transaction& tx, std::uint32_t sender) {
        Account& recipient = draw_recipient(sender);
        const Uint256 amount{1 + random_.below(kMaxValue)};
        tx.to = options_.contracts.token;
        tx.data = encode_call(workload::token::kTransfer, {to_word(recipient.key.address), amount});
        tx.gas_limit = kTokenGas;
        accounts_[sender].tokens -= amount;
        recipient.tokens += amount;
    }
    void fill_storage(Transaction& tx, std::uint64_t index) {
        // Cells that nobody wrote before.
        tx.to = options_.contracts.store;
        tx.data =
            encode_call(workload::storage_heavy::kChurn, {index * kCellsPerCall, kCellsPerCall});
        tx.gas_limit = kStorageGas;
    }
    void fill_creation(Transaction& tx, std::uint64_t index) {
        tx.to = options_.contracts.factory;
        tx.data = encode_call(workload::factory::kCreate, {index});
        tx.gas_limit = kCreationGas;
    }

    const PlanOptions& options_;
    std::vector<Account>& accounts_;
    workload::Random random_;
};

}  // namespace

std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (const Kind kind : kKinds)
        names.emplace_back(to_string(kind));
    return names;
}

std::optional<Kind> kind_from_string(std::string_view text) noexcept {
    for (const Kind kind : kKinds)
        if (to_string(kind) == text) return kind;
    return std::nullopt;
}

std::string_view to_string(Kind kind) noexcept {
    switch (kind) {
        case Kind::transfers:
            return "transfers";
        case Kind::erc20:
            return "erc20";
        case Kind::mixed:
            return "mixed";
    }
    return "unknown";
}

std::vector<Account> make_accounts(std::uint64_t seed, std::uint32_t count) {
    HEDDLE_ASSERT(count >= 2);
    std::vector<Account> accounts(count);
    for (std::uint32_t i = 0; i < count; ++i)
        accounts[i].key = workload::derive_key(seed, "load", i);
    return accounts;
}

std::uint64_t generous_average_gas(Kind kind) noexcept {
    switch (kind) {
        case Kind::transfers:
            return kTransferGas;
        case Kind::erc20:
            return kTokenGas;
        case Kind::mixed:
            return 90'000;
    }
    return kStorageGas;
}

std::vector<SignedTransaction> plan_transactions(const PlanOptions& options,
                                                 std::vector<Account>& accounts) {
    HEDDLE_ASSERT(accounts.size() >= 2);
    std::vector<Transaction> planned;
    planned.reserve(options.transactions);
    Planner planner{options, accounts};
    for (std::uint64_t i = 0; i < options.transactions; ++i)
        planned.push_back(planner.next(i));

    std::vector<SignedTransaction> result(planned.size());
    const std::size_t threads = processor_count();
    std::vector<std::jthread> signers;
    signers.reserve(threads);
    for (std::size_t t = 0; t < threads; ++t)
        signers.emplace_back([&, t] {
            for (std::size_t i = t; i < planned.size(); i += threads) {
                const auto sender = static_cast<std::uint32_t>(i % accounts.size());
                result[i] = sign_call(std::move(planned[i]), accounts[sender].key, i);
                result[i].sender = sender;
            }
        });
    signers.clear();  // joins them
    return result;
}

Treasurer::Treasurer(workload::Key key, std::uint64_t nonce, std::uint64_t chain_id, Fees fees)
    : key_(std::move(key)), nonce_(nonce), chain_id_(chain_id), fees_(fees) {}

void Treasurer::add(Transaction tx) {
    tx.chain_id = chain_id_;
    tx.nonce = nonce_++;
    set_fees(tx, fees_, false);
    transactions_.push_back(sign_call(std::move(tx), key_, transactions_.size()));
}

void Treasurer::pay(const Address& to, const Uint256& wei) {
    Transaction tx;
    tx.to = to;
    tx.value = wei;
    tx.gas_limit = kTransferGas;
    add(std::move(tx));
}

Address Treasurer::deploy(std::string_view creation_hex, BytesView arguments) {
    const Address address = create_address(key_.address, nonce_);
    auto code = from_hex(creation_hex);
    HEDDLE_ASSERT(code.has_value());
    Transaction tx;
    tx.data = *std::move(code);
    tx.data.insert(tx.data.end(), arguments.begin(), arguments.end());
    tx.gas_limit = kDeploymentGas;
    add(std::move(tx));
    return address;
}

void Treasurer::send_tokens(const Address& token, const Address& to, const Uint256& amount) {
    Transaction tx;
    tx.to = token;
    tx.data = encode_call(workload::token::kTransfer, {to_word(to), amount});
    tx.gas_limit = kFirstTokenGas;
    add(std::move(tx));
}

std::string balance_of_params(const Address& token, const Address& holder) {
    return fmt::format(R"([{{"to":"{}","data":"{}"}},"latest"])", to_string(token),
                       to_hex(encode_call(workload::token::kBalanceOf, {to_word(holder)})));
}

}  // namespace heddle::node::load
