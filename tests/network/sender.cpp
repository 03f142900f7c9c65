// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "sender.hpp"

#include <chrono>
#include <random>

#include <types/assert.hpp>
#include <types/bytes.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

#include "chain/dev_chain.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kGwei = 1'000'000'000;

Transaction next_transaction(const node::DevAccount& from, std::uint64_t nonce, const Address& to) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1337;
    tx.nonce = nonce;
    tx.max_fee_per_gas = Uint256{100 * kGwei};
    tx.max_priority_fee_per_gas = Uint256{kGwei};
    tx.gas_limit = 21'000;
    tx.to = to;
    tx.value = Uint256{1};
    HEDDLE_ASSERT(sign_transaction(tx, from.secret));
    return tx;
}

}  // namespace

Sender::Sender(Network& network, unsigned per_second, std::uint64_t seed)
    : network_(network), thread_([this, per_second, seed] { run(per_second, seed); }) {}

Sender::~Sender() {
    stop();
}

void Sender::stop() {
    is_stopping_ = true;
    if (thread_.joinable()) thread_.join();
}

std::vector<std::string> Sender::accepted() const {
    const std::scoped_lock lock{mutex_};
    return accepted_;
}

void Sender::run(unsigned per_second, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    const auto accounts = node::dev_accounts();
    std::vector<std::uint64_t> nonces(accounts.size(), 0);
    while (!is_stopping_) {
        std::this_thread::sleep_for(std::chrono::microseconds{1'000'000 / per_second});
        const std::size_t from = random() % accounts.size();
        const Transaction tx = next_transaction(accounts[from], nonces[from],
                                                accounts[nonces[from] % accounts.size()].address);
        Bytes encoded;
        encode_transaction(tx, encoded);
        const Validator& validator = network_.at(random() % network_.size());
        const std::string answer =
            validator.call("eth_sendRawTransaction", "[\"" + to_hex(encoded) + "\"]");
        // Without an answer it may have been taken all the same; the next one tells.
        const bool is_known = answer.find("already known") != std::string::npos ||
                              answer.find("nonce too low") != std::string::npos;
        if (answer.find("\"result\"") == std::string::npos && !is_known) continue;
        ++nonces[from];
        const std::scoped_lock lock{mutex_};
        accepted_.push_back(to_string(transaction_hash(tx)));
    }
}

}  // namespace heddle::test
