// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The pool against a model that keeps a plain list and works everything out anew each time.

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "mempool/pool.hpp"

namespace heddle::node {
namespace {

constexpr std::uint64_t kSenders = 6;

struct ModelEntry {
    SharedTransaction transaction;
    std::uint64_t cost = 0;
};
using Queue = std::map<std::uint64_t, ModelEntry>;

class Model {
public:
    explicit Model(const MempoolOptions& options) : options_(options) {}

    struct Account {
        std::uint64_t nonce = 0;
        std::uint64_t balance = 0;
    };
    std::map<Address, Account> accounts;
    std::map<Address, Queue> queues;

    [[nodiscard]] std::size_t executable_of(const Address& sender) const {
        const auto found = queues.find(sender);
        if (found == queues.end()) return 0;
        const Account& account = accounts.at(sender);
        std::uint64_t sum = 0;
        std::size_t count = 0;
        for (const auto& [nonce, entry] : found->second) {
            sum += entry.cost;
            if (nonce != account.nonce + count || sum > account.balance) break;
            ++count;
        }
        return count;
    }
    [[nodiscard]] bool is_executable(const Transaction& tx) const {
        return tx.nonce < accounts.at(*tx.sender).nonce + executable_of(*tx.sender);
    }
    [[nodiscard]] std::size_t count() const {
        std::size_t sum = 0;
        for (const auto& [sender, queue] : queues)
            sum += queue.size();
        return sum;
    }
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& [sender, queue] : queues)
            for (const auto& [nonce, entry] : queue)
                sum += memory_of(*entry.transaction);
        return sum;
    }

    /// Greater: worth more to the pool.
    using Worth = std::tuple<int, int, std::uint64_t, std::uint64_t, std::int64_t>;
    [[nodiscard]] static Worth worth(const PooledTransaction& transaction, bool is_executable,
                                     std::uint64_t base_fee) {
        const std::uint64_t tip = transaction.tx.max_priority_fee_per_gas.low64();
        const std::uint64_t cap = transaction.tx.max_fee_per_gas.low64();
        const bool is_below = is_executable && cap < base_fee;
        const std::uint64_t paid = is_executable && !is_below ? std::min(tip, cap - base_fee) : tip;
        return {transaction.origin == Origin::local,
                !is_executable ? 0
                : is_below     ? 1
                               : 2,
                is_below ? cap : paid, is_below ? 0 : cap,
                -static_cast<std::int64_t>(transaction.arrival)};
    }
    /// @param except  Not that one; null: of all.
    [[nodiscard]] std::pair<Worth, const PooledTransaction*> worst(
        std::uint64_t base_fee, const PooledTransaction* except) const {
        std::pair<Worth, const PooledTransaction*> result{};
        for (const auto& [sender, queue] : queues)
            for (const auto& [nonce, entry] : queue) {
                const PooledTransaction& transaction = *entry.transaction;
                if (&transaction == except) continue;
                const Worth its = worth(transaction, is_executable(transaction.tx), base_fee);
                if (result.second == nullptr || its < result.first) result = {its, &transaction};
            }
        return result;
    }
    void evict(const PooledTransaction& victim) {
        Queue& queue = queues.at(*victim.tx.sender);
        auto last = std::prev(queue.end());
        if (last->second.transaction->origin == Origin::local && victim.origin != Origin::local)
            last = queue.find(victim.tx.nonce);
        const Address sender = *victim.tx.sender;
        queue.erase(last);
        if (queue.empty()) queues.erase(sender);
    }

    bool add(const SharedTransaction& transaction, std::uint64_t cost, std::uint64_t base_fee) {
        const Transaction& tx = transaction->tx;
        const Account account = accounts[*tx.sender];
        if (tx.nonce < account.nonce || cost > account.balance) return false;
        const std::size_t executable = executable_of(*tx.sender);
        const std::uint64_t next = account.nonce + executable;
        if (tx.nonce > next + options_.max_nonce_gap) return false;
        std::uint64_t need = cost;
        const ModelEntry* old_one = nullptr;
        if (const auto found = queues.find(*tx.sender); found != queues.end()) {
            for (const auto& [nonce, entry] : found->second) {
                if (nonce == tx.nonce)
                    old_one = &entry;
                else
                    need += entry.cost;
            }
            if (old_one == nullptr && found->second.size() >= options_.max_per_sender) return false;
            if (need > account.balance) return false;
        }
        if (old_one != nullptr) {
            const Transaction& old_tx = old_one->transaction->tx;
            const auto enough = [&](const Uint256& before, const Uint256& after) {
                const std::uint64_t least = before.low64() * (100 + options_.price_bump_percent);
                return after > before && after.low64() >= least / 100;
            };
            if (!enough(old_tx.max_fee_per_gas, tx.max_fee_per_gas) ||
                !enough(old_tx.max_priority_fee_per_gas, tx.max_priority_fee_per_gas))
                return false;
        }
        const PooledTransaction* const leaving = old_one ? old_one->transaction.get() : nullptr;
        const bool will_run = leaving ? is_executable(leaving->tx) : tx.nonce <= next;
        const std::map<Address, Queue> before = queues;
        const Worth mine = worth(*transaction, will_run, base_fee);
        const auto others = [&] { return count() - (leaving ? 1 : 0); };
        const auto bytes_of_others = [&] { return bytes() - (leaving ? memory_of(*leaving) : 0); };
        while (others() + 1 > options_.max_transactions ||
               bytes_of_others() + memory_of(*transaction) > options_.max_bytes) {
            const auto [its, victim] = worst(base_fee, leaving);
            if (others() == 0 || mine < its || victim->tx.sender == tx.sender) {
                queues = before;  // nobody goes for one that stays out
                return false;
            }
            evict(*victim);
        }
        queues[*tx.sender].insert_or_assign(tx.nonce, ModelEntry{transaction, cost});
        return true;
    }

    void set_account(const Address& sender, const Account& account) {
        accounts[sender] = account;
        const auto found = queues.find(sender);
        if (found == queues.end()) return;
        std::erase_if(found->second, [&](const auto& item) {
            return item.first < account.nonce || item.second.cost > account.balance;
        });
        if (found->second.empty()) queues.erase(found);
    }

    [[nodiscard]] std::vector<Hash> best(std::uint64_t base_fee) const {
        std::map<Address, std::vector<SharedTransaction>> left;
        for (const auto& [sender, queue] : queues) {
            std::size_t count = executable_of(sender);
            for (const auto& [nonce, entry] : queue) {
                if (count-- == 0 || entry.transaction->tx.max_fee_per_gas < base_fee) break;
                left[sender].push_back(entry.transaction);
            }
        }
        std::vector<Hash> order;
        const auto tip = [&](const PooledTransaction& transaction) {
            return std::min(transaction.tx.max_priority_fee_per_gas.low64(),
                            transaction.tx.max_fee_per_gas.low64() - base_fee);
        };
        for (;;) {
            std::vector<SharedTransaction>* choice = nullptr;
            for (auto& [sender, transactions] : left) {
                if (transactions.empty()) continue;
                const PooledTransaction& mine = *transactions.front();
                if (choice == nullptr || tip(mine) > tip(*choice->front()) ||
                    (tip(mine) == tip(*choice->front()) && mine.arrival < choice->front()->arrival))
                    choice = &transactions;
            }
            if (choice == nullptr) return order;
            order.push_back(choice->front()->hash);
            choice->erase(choice->begin());
        }
    }

private:
    const MempoolOptions options_;
};

MempoolOptions tight_options() {
    MempoolOptions options;
    options.max_transactions = 14;
    options.max_bytes = 10 * memory_of(PooledTransaction{});
    options.max_per_sender = 5;
    options.max_nonce_gap = 4;
    return options;
}

class PoolAndModel {
public:
    explicit PoolAndModel(std::uint64_t seed) : random_(seed) {
        for (std::uint64_t i = 0; i < kSenders; ++i)
            model_.accounts[address_from_low64(i)] = {below(3), 20 + below(80)};
    }

    void step() {
        const std::uint64_t choice = below(10);
        const Address sender = address_from_low64(below(kSenders));
        if (choice < 8) {
            add(sender);
        } else if (choice == 8) {
            const Model::Account old_one = model_.accounts.at(sender);
            const Model::Account account{old_one.nonce + below(3), below(120)};
            model_.set_account(sender, account);
            pool_.set_account(sender, {account.nonce, account.balance, false}, changes_);
        } else {
            remove(sender);
        }
        base_fee_ = below(4) == 0 ? below(40) : base_fee_;
        compare();
    }

private:
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

    void add(const Address& sender) {
        PooledTransaction made;
        made.tx.type = TransactionType::dynamic_fee;
        made.tx.nonce = model_.accounts.at(sender).nonce + below(7);
        if (made.tx.nonce > 0 && below(10) == 0) --made.tx.nonce;
        made.tx.max_fee_per_gas = 1 + below(60);
        made.tx.max_priority_fee_per_gas = below(made.tx.max_fee_per_gas.low64() + 1);
        made.tx.sender = sender;
        const std::uint64_t origin = below(4);
        made.origin = origin == 0   ? Origin::local
                      : origin == 1 ? Origin::submitted
                                    : Origin::remote;
        made.tx.data.resize(below(memory_of(made)));
        made.arrival = count_++;
        std::memcpy(made.hash.bytes.data() + 8, &made.arrival, sizeof made.arrival);
        const auto transaction = std::make_shared<const PooledTransaction>(std::move(made));
        const std::uint64_t cost = below(30);
        const Model::Account& account = model_.accounts.at(sender);
        const bool expected = model_.add(transaction, cost, base_fee_);
        const auto added = pool_.add({transaction,
                                      Uint256{cost},
                                      {account.nonce, account.balance, false},
                                      TransactionPool::Clock::now()},
                                     {.base_fee = Uint256{base_fee_}}, changes_);
        ASSERT_EQ(added.has_value(), expected)
            << (added.has_value() ? std::string{} : added.error().message);
    }

    void remove(const Address& sender) {
        const auto found = model_.queues.find(sender);
        if (found == model_.queues.end()) return;
        const auto entry = std::next(found->second.begin(),
                                     static_cast<std::ptrdiff_t>(below(found->second.size())));
        ASSERT_TRUE(pool_.remove(entry->second.transaction->hash, changes_));
        found->second.erase(entry);
        if (found->second.empty()) model_.queues.erase(found);
    }

    void compare() {
        std::size_t executable = 0;
        for (std::uint64_t i = 0; i < kSenders; ++i) {
            const Address sender = address_from_low64(i);
            Mempool::Content content;
            pool_.append_content(sender, content);
            const std::size_t expected = model_.executable_of(sender);
            executable += expected;
            ASSERT_EQ(content.pending.size(), expected);
            std::vector<Hash> mine;
            for (const auto* part : {&content.pending, &content.queued})
                for (const SharedTransaction& transaction : *part)
                    mine.push_back(transaction->hash);
            std::vector<Hash> theirs;
            if (const auto found = model_.queues.find(sender); found != model_.queues.end())
                for (const auto& [nonce, entry] : found->second)
                    theirs.push_back(entry.transaction->hash);
            ASSERT_EQ(mine, theirs);
        }
        ASSERT_EQ(pool_.status().pending, executable);
        ASSERT_EQ(pool_.status().queued, model_.count() - executable);
        ASSERT_EQ(pool_.status().memory, model_.bytes());
        std::vector<Hash> order;
        const auto best = pool_.best(Uint256{base_fee_}, Uint256{});
        while (const SharedTransaction next = best->next())
            order.push_back(next->hash);
        ASSERT_EQ(order, model_.best(base_fee_));
    }

    std::mt19937_64 random_;
    Model model_{tight_options()};
    TransactionPool pool_{tight_options()};
    TransactionPool::Changes changes_;
    std::uint64_t base_fee_ = 0;
    std::uint64_t count_ = 1;
};

TEST(TransactionPoolRandom, agrees_with_a_plain_model) {
    const std::uint64_t seed = heddle::test::announced_seed();
    for (std::uint64_t run = 0; run < 40; ++run) {
        PoolAndModel pair{seed + run};
        for (int step = 0; step < 500; ++step) {
            pair.step();
            if (HasFatalFailure()) FAIL() << "run " << run << ", step " << step;
        }
    }
}

}  // namespace
}  // namespace heddle::node
