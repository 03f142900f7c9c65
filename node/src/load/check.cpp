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

}  // namespace

CheckResult check_receipts(RpcClient& rpc, std::span<const SignedTransaction> transactions,
                           const SubmissionResult& submission, std::span<Account> accounts) {
    CheckResult result;
    std::unordered_map<Hash, std::uint32_t, HashHasher> by_hash;
    for (std::uint32_t i = 0; i < transactions.size(); ++i)
        by_hash.emplace(transactions[i].hash, i);
    std::vector<std::uint8_t> receipts(transactions.size());

    const auto take = [&](std::size_t, const JsonView& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            const JsonView receipt = block.element(i);
            const auto found = by_hash.find(receipt.at("transactionHash").hash());
            if (found == by_hash.end()) continue;
            const std::uint32_t index = found->second;
            if (++receipts[index] != 1) continue;
            const std::uint64_t gas = receipt.at("gasUsed").uint64();
            result.gas_used += gas;
            if (!accounts.empty())
                accounts[transactions[index].sender].balance -=
                    receipt.at("effectiveGasPrice").uint256() * Uint256{gas};
            if (receipt.at("status").uint64() == 1)
                ++result.succeeded;
            else
                report(result, "transaction {} failed", to_string(found->first));
        }
    };
    std::vector<std::string> params;
    std::size_t asked = 0;
    for (const SeenBlock& block : submission.blocks) {
        if (block.ours == 0) continue;
        // Nodes limit the size of an answer.
        if (asked + block.transactions > kReceiptsPerRequest) {
            rpc.call_all("eth_getBlockReceipts", params, take);
            params.clear();
            asked = 0;
        }
        params.push_back("[\"" + to_quantity(block.number) + "\"]");
        asked += block.transactions;
    }
    rpc.call_all("eth_getBlockReceipts", params, take);

    for (std::size_t i = 0; i < transactions.size(); ++i) {
        const Fate& fate = submission.fates[i];
        const std::string hash = to_string(transactions[i].hash);
        if (fate.times_committed > 1)
            report(result, "transaction {} is in {} blocks", hash, fate.times_committed);
        if (receipts[i] != fate.times_committed)
            report(result, "transaction {} is in {} blocks and has {} receipts", hash,
                   fate.times_committed, receipts[i]);
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
