// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/check.hpp"

#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "formats/json_writer.hpp"

namespace heddle::node::load {

namespace {

constexpr std::size_t kShownProblems = 10;
constexpr std::size_t kReceiptsPerRequest = 4'000;

template <typename... Args>
void report(CheckResult& result, fmt::format_string<Args...> format, Args&&... args) {
    ++result.problem_count;
    if (result.problems.size() < kShownProblems)
        result.problems.push_back(fmt::format(format, std::forward<Args>(args)...));
}

/// What became of transactions, as their receipts say.
class Receipts {
public:
    Receipts(std::span<const SignedTransaction> transactions, std::span<Account> accounts)
        : transactions_(transactions), accounts_(accounts), counts_(transactions.size()) {
        by_hash_.reserve(transactions.size());
        for (std::uint32_t i = 0; i < transactions.size(); ++i)
            by_hash_.emplace(transactions[i].hash, i);
    }

    [[nodiscard]] bool has(const Hash& hash) const { return by_hash_.contains(hash); }
    [[nodiscard]] unsigned count_of(std::size_t index) const { return counts_[index]; }
    void take(const JsonView& receipt, CheckResult& result);

private:
    std::span<const SignedTransaction> transactions_;
    std::span<Account> accounts_;
    std::unordered_map<Hash, std::uint32_t, HashHasher> by_hash_;
    std::vector<std::uint8_t> counts_;
};

void Receipts::take(const JsonView& receipt, CheckResult& result) {
    const auto found = by_hash_.find(receipt.at("transactionHash").hash());
    if (found == by_hash_.end()) return;
    const std::uint32_t index = found->second;
    if (++counts_[index] != 1) return;
    const std::uint64_t gas = receipt.at("gasUsed").uint64();
    result.gas_used += gas;
    if (!accounts_.empty())
        accounts_[transactions_[index].sender].balance -=
            receipt.at("effectiveGasPrice").uint256() * Uint256{gas};
    if (receipt.at("status").uint64() == 1)
        ++result.succeeded;
    else
        report(result, "transaction {} failed", to_string(found->first));
}

/// Of a block whose receipts are more than the node sends at once: one after the other.
void take_one_by_one(RpcClient& rpc, std::uint64_t block, Receipts& receipts, CheckResult& result) {
    std::vector<std::string> params;
    const JsonView found =
        rpc.call("eth_getBlockByNumber", fmt::format(R"(["{}",false])", to_quantity(block)));
    const JsonView hashes = found.at("transactions");
    for (std::size_t i = 0; i < hashes.size(); ++i)
        if (const Hash hash = hashes.element(i).hash(); receipts.has(hash))
            params.push_back(fmt::format(R"(["{}"])", to_string(hash)));
    rpc.call_all("eth_getTransactionReceipt", params,
                 [&](std::size_t, const JsonView& receipt) { receipts.take(receipt, result); });
}

}  // namespace

CheckResult check_receipts(RpcClient& rpc, std::span<const SignedTransaction> transactions,
                           const SubmissionResult& submission, std::span<Account> accounts) {
    CheckResult result;
    Receipts receipts{transactions, accounts};
    std::vector<std::uint64_t> blocks;
    std::size_t asked = 0;
    const auto ask = [&] {
        std::vector<std::string> params;
        params.reserve(blocks.size());
        for (const std::uint64_t block : blocks)
            params.push_back("[\"" + to_quantity(block) + "\"]");
        const auto take = [&](std::size_t, const JsonView& block) {
            for (std::size_t i = 0; i < block.size(); ++i)
                receipts.take(block.element(i), result);
        };
        for (const std::size_t i : rpc.call_each("eth_getBlockReceipts", params, take))
            take_one_by_one(rpc, blocks[i], receipts, result);
        blocks.clear();
        asked = 0;
    };
    for (const SeenBlock& block : submission.blocks) {
        if (block.ours == 0) continue;
        // Nodes limit the size of an answer, and the time that it takes.
        if (asked + block.transactions > kReceiptsPerRequest) ask();
        blocks.push_back(block.number);
        asked += block.transactions;
    }
    ask();

    for (std::size_t i = 0; i < transactions.size(); ++i) {
        const Fate& fate = submission.fates[i];
        const std::string hash = to_string(transactions[i].hash);
        if (fate.times_committed > 1)
            report(result, "transaction {} is in {} blocks", hash, fate.times_committed);
        if (receipts.count_of(i) != fate.times_committed)
            report(result, "transaction {} is in {} blocks and has {} receipts", hash,
                   fate.times_committed, receipts.count_of(i));
        if (fate.phase == Phase::accepted || fate.phase == Phase::sent)
            report(result, "transaction {} was accepted and is in no block", hash);
    }
    return result;
}

void check_accounts(RpcClient& rpc, std::span<const Account> accounts, const Address& token,
                    CheckResult& result) {
    std::vector<std::string> params;
    for (const Account& account : accounts)
        params.push_back(fmt::format(R"(["{}","latest"])", to_string(account.key.address)));
    rpc.call_all("eth_getBalance", params, [&](std::size_t index, const JsonView& balance) {
        const Account& account = accounts[index];
        if (balance.uint256() != account.balance)
            report(result, "{} has {} wei instead of {}", to_string(account.key.address),
                   to_decimal(balance.uint256()), to_decimal(account.balance));
    });
    rpc.call_all("eth_getTransactionCount", params, [&](std::size_t index, const JsonView& nonce) {
        const Account& account = accounts[index];
        if (nonce.uint64() != account.nonce)
            report(result, "{} has the nonce {} instead of {}", to_string(account.key.address),
                   nonce.uint64(), account.nonce);
    });
    if (token == Address{}) return;
    params.clear();
    for (const Account& account : accounts)
        params.push_back(balance_of_params(token, account.key.address));
    rpc.call_all("eth_call", params, [&](std::size_t index, const JsonView& tokens) {
        const Account& account = accounts[index];
        if (tokens.hash() != to_hash(account.tokens))
            report(result, "{} has {} tokens instead of {}", to_string(account.key.address),
                   to_decimal(to_word(tokens.hash())), to_decimal(account.tokens));
    });
}

}  // namespace heddle::node::load
