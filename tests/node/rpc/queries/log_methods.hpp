// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Methods about logs, filters and subscriptions on a chain whose blocks have the logs that a test
// wants, and a connection that remembers what it was sent.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/json.hpp"
#include "mempool/mempool.hpp"
#include "rpc/methods/eth_log_api.hpp"
#include "rpc/methods/eth_subscription_api.hpp"
#include "test_chain.hpp"

namespace heddle::test {

/// Thread safety: any.
class RecordingSession final : public node::rpc::Session {
public:
    bool send(std::string message) override {
        std::unique_lock lock{mutex_};
        if (is_closed_) return false;
        messages_.push_back(std::move(message));
        changed_.notify_all();
        changed_.wait(lock, [&] { return !is_held_; });
        return true;
    }
    void on_close(std::function<void()> action) override {
        {
            const std::scoped_lock lock{mutex_};
            if (!is_closed_) {
                actions_.push_back(std::move(action));
                return;
            }
        }
        action();
    }
    void close() {
        std::vector<std::function<void()>> actions;
        {
            const std::scoped_lock lock{mutex_};
            is_closed_ = true;
            actions.swap(actions_);
        }
        for (const auto& action : actions)
            action();
    }

    /// Whoever sends the next message waits until it is released.
    void hold(bool is_wanted) {
        const std::scoped_lock lock{mutex_};
        is_held_ = is_wanted;
        changed_.notify_all();
    }

    /// How many wait for its end.
    std::size_t actions() {
        const std::scoped_lock lock{mutex_};
        return actions_.size();
    }

    /// Waits until there are so many.
    std::vector<std::string> messages(std::size_t count) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return messages_.size() >= count; });
        return messages_;
    }
    std::vector<std::string> messages_so_far() {
        const std::scoped_lock lock{mutex_};
        return messages_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> messages_;
    std::vector<std::function<void()>> actions_;
    bool is_closed_ = false;
    bool is_held_ = false;
};

/// `count` logs of one address; the topics say block and place.
inline Receipt receipt_with(const std::vector<Log>& logs) {
    Receipt receipt;
    receipt.type = TransactionType::dynamic_fee;
    receipt.success = true;
    receipt.gas_used = 21'000;
    receipt.logs = logs;
    return receipt;
}

class LogMethods {
public:
    /// @param subscribers  Services::subscribers.
    explicit LogMethods(node::rpc::MethodLimits limits = {},
                        std::shared_ptr<node::rpc::SubscriberRegistry> subscribers = nullptr)
        : services_{chain.chain(), mempool, "heddle/test", limits} {
        services_.subscribers = std::move(subscribers);
        node::rpc::add_eth_log_methods(methods, services_);
        node::rpc::add_eth_subscription_methods(methods, services_);
        on_head_ = chain.chain().heads().subscribe(
            [this](const node::SharedBlock& block) { mempool.on_head(*block); });
    }

    /// The result as JSON text. Errors: throws as the method does.
    std::string call(const std::string& name, const std::string& params,
                     const std::shared_ptr<node::rpc::Session>& session = nullptr,
                     std::chrono::milliseconds time = std::chrono::minutes{5}) {
        node::JsonParser parser;
        node::rpc::Call call;
        call.params = node::rpc::Params{parser.parse(params, "params")};
        call.deadline = std::chrono::steady_clock::now() + time;
        call.max_result_bytes = max_result_bytes;
        call.session = session;
        call.client = client;
        std::string text;
        node::JsonWriter out{text, node::JsonWriter::Style::compact};
        methods.find(name)->handler(call, out);
        return text;
    }
    /// The text of the error, after its code.
    std::string error(const std::string& name, const std::string& params,
                      const std::shared_ptr<node::rpc::Session>& session = nullptr) {
        try {
            return "no error: " + call(name, params, session);
        } catch (const node::rpc::RpcError& error) {
            return std::to_string(error.code()) + " " + error.what();
        }
    }
    /// An id without its quotes.
    std::string id(const std::string& name, const std::string& params,
                   const std::shared_ptr<node::rpc::Session>& session = nullptr) {
        const std::string text = call(name, params, session);
        return text.substr(1, text.size() - 2);
    }

    /// A block with a transaction for each list of logs.
    node::SharedBlock commit(const std::vector<std::vector<Log>>& logs) {
        TestChain::Plan plan;
        for (const std::vector<Log>& of_one : logs) {
            plan.transactions.push_back(transfer({.nonce = nonce_++}));
            plan.receipts.push_back(receipt_with(of_one));
        }
        TestChain::set_account(plan.diff, account_of(1), nonce_, Uint256{kEther});
        return chain.commit(std::move(plan));
    }

    TestChain chain;
    node::Mempool mempool{node::MempoolOptions{}, chain.chain()};
    node::rpc::MethodTable methods;
    std::uint64_t client = 0;  // who asks
    std::size_t max_result_bytes = std::size_t{16} << 20;

private:
    node::rpc::Services services_;
    std::uint64_t nonce_ = 0;
    node::Feed<node::SharedBlock>::Subscription on_head_;
};

/// A log of contract `address` whose topics have these low words.
inline Log log_of(std::uint64_t address, const std::vector<std::uint64_t>& topics,
                  std::size_t data_bytes = 0) {
    Log log;
    log.address = address_from_low64(address);
    for (const std::uint64_t topic : topics)
        log.topics.push_back(to_hash(Uint256{topic}));
    log.data.assign(data_bytes, 0xab);
    return log;
}

inline std::string quoted(std::uint64_t topic) {
    return '"' + to_string(to_hash(Uint256{topic})) + '"';
}
inline std::string quoted_address(std::uint64_t address) {
    return '"' + to_string(address_from_low64(address)) + '"';
}

/// How often `part` is in `text`.
inline std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        ++count;
    return count;
}

}  // namespace heddle::test
