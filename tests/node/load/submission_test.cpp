// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/submission.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_node.hpp"
#include "formats/json_writer.hpp"
#include "load/check.hpp"

namespace heddle::node::load {
namespace {

using testing::ElementsAre;

/// Makes a block of what arrived whenever the next one is asked for.
class FakeChain {
public:
    /// Transactions that it treats otherwise.
    struct Ways {
        std::set<Hash> refused{};
        std::set<Hash> swallowed{};  // accepted, and never in a block
        std::set<Hash> doubled{};    // in two blocks
        std::set<Hash> failing{};    // with status 0
    };
    struct Seen {
        std::vector<Hash> order;  // of arrival
        std::size_t most_pending = 0;
    };

    /// @param answer_bytes  Of one answer at most.
    explicit FakeChain(std::size_t answer_bytes = rpc::ResponderLimits{}.response_bytes) {
        node_.on("eth_sendRawTransaction", [this](const rpc::Call& call, JsonWriter& out) {
            const Hash hash = keccak256(call.params.at(0).bytes());
            const std::scoped_lock lock{mutex_};
            seen_.order.push_back(hash);
            if (ways_.refused.contains(hash))
                throw rpc::RpcError(rpc::Code::server_error, "no, thanks");
            if (!ways_.swallowed.contains(hash)) pending_.push_back(hash);
            if (ways_.doubled.contains(hash)) later_.push_back(hash);
            seen_.most_pending = std::max(seen_.most_pending, pending_.size());
            out.hash(hash);
        });
        node_.on("eth_getBlockByNumber", [this](const rpc::Call& call, JsonWriter& out) {
            const std::uint64_t number = call.params.at(0).uint64();
            const std::scoped_lock lock{mutex_};
            if (number > blocks_.size() && !pending_.empty()) {
                blocks_.push_back(std::exchange(pending_, std::exchange(later_, {})));
            }
            if (number == 0 || number > blocks_.size()) return out.null();
            out.begin_object();
            out.key("gasUsed");
            out.quantity(21'000 * blocks_[number - 1].size());
            out.key("transactions");
            out.begin_array();
            for (const Hash& hash : blocks_[number - 1])
                out.hash(hash);
            out.end_array();
            out.end_object();
        });
        node_.on("eth_getBlockReceipts", [this](const rpc::Call& call, JsonWriter& out) {
            const std::scoped_lock lock{mutex_};
            out.begin_array();
            for (const Hash& hash : blocks_.at(call.params.at(0).uint64() - 1))
                write_receipt(hash, out);
            out.end_array();
        });
        node_.on("eth_getTransactionReceipt", [this](const rpc::Call& call, JsonWriter& out) {
            const std::scoped_lock lock{mutex_};
            write_receipt(call.params.at(0).hash(), out);
        });
        node_.limit_answers(answer_bytes);
        node_.start();
    }

    [[nodiscard]] Endpoint endpoint() const { return node_.endpoint(); }

    void behave(Ways ways) {
        const std::scoped_lock lock{mutex_};
        ways_ = std::move(ways);
    }
    [[nodiscard]] Seen seen() {
        const std::scoped_lock lock{mutex_};
        return seen_;
    }

private:
    void write_receipt(const Hash& hash, JsonWriter& out) const {
        out.begin_object();
        out.key("transactionHash");
        out.hash(hash);
        out.key("gasUsed");
        out.quantity(std::uint64_t{21'000});
        out.key("effectiveGasPrice");
        out.quantity(std::uint64_t{7});
        out.key("status");
        out.quantity(std::uint64_t{ways_.failing.contains(hash) ? 0U : 1U});
        out.end_object();
    }

    std::mutex mutex_;
    Ways ways_;  // guarded by mutex_, as the next four
    Seen seen_;
    std::vector<Hash> pending_;
    std::vector<Hash> later_;
    std::vector<std::vector<Hash>> blocks_;
    FakeNode node_;  // last: its threads end before what they use
};

class SubmissionTest : public testing::Test {
protected:
    SubmissionTest() {
        PlanOptions plan;
        plan.transactions = 60;
        plan.fees = {Uint256{100}, Uint256{1}};
        plan_ = plan_transactions(plan, accounts_);
        options_.connections = 2;
        options_.batch = 4;
        options_.poll_period = std::chrono::milliseconds{1};
        options_.patience = std::chrono::milliseconds{300};
    }

    SubmissionResult submit() { return submit_to(chain_); }
    SubmissionResult submit_to(const FakeChain& chain) {
        const std::vector<Endpoint> endpoints{chain.endpoint()};
        Submission submission{endpoints, options_, plan_, 1};
        return submission.run();
    }

    FakeChain chain_;
    std::vector<Account> accounts_ = make_accounts(1, 6);
    std::vector<SignedTransaction> plan_;
    SubmissionOptions options_;
};

TEST_F(SubmissionTest, all_are_sent_in_the_order_of_their_accounts_and_committed) {
    const SubmissionResult result = submit();

    EXPECT_EQ(result.accepted, 60U);
    EXPECT_EQ(result.rejected + result.not_sent + result.lost, 0U);
    std::map<Hash, std::size_t> place;
    const std::vector<Hash> order = chain_.seen().order;
    for (std::size_t i = 0; i < order.size(); ++i)
        place[order[i]] = i;
    for (std::size_t i = 6; i < plan_.size(); ++i)
        EXPECT_LT(place.at(plan_[i - 6].hash), place.at(plan_[i].hash));
    for (const Fate& fate : result.fates) {
        EXPECT_EQ(fate.phase, Phase::committed);
        EXPECT_GE(fate.committed, fate.sent);
        EXPECT_EQ(fate.times_committed, 1);
    }
    RpcClient rpc{chain_.endpoint()};
    std::vector<Account> accounts = accounts_;
    const CheckResult check = check_receipts(rpc, plan_, result, accounts);
    EXPECT_EQ(check.succeeded, 60U);
    EXPECT_EQ(check.gas_used, 60U * 21'000);
    EXPECT_EQ(check.problem_count, 0U);
    constexpr std::uint64_t kPaid = std::uint64_t{10} * 21'000 * 7;  // transactions, gas, price
    for (std::size_t i = 0; i < accounts.size(); ++i)
        EXPECT_EQ(accounts_[i].balance - accounts[i].balance, Uint256{kPaid});
}

TEST_F(SubmissionTest, no_more_are_in_flight_than_allowed) {
    options_.in_flight = 5;

    const SubmissionResult result = submit();

    EXPECT_EQ(result.accepted, 60U);
    EXPECT_LE(chain_.seen().most_pending, 5U);
}

TEST_F(SubmissionTest, after_a_rejection_its_account_sends_no_more) {
    options_.batch = 1;
    chain_.behave({.refused = {plan_[12].hash}});  // the third one of account 0

    const SubmissionResult result = submit();

    EXPECT_EQ(result.rejected, 1U);
    EXPECT_EQ(result.not_sent, 7U);
    EXPECT_EQ(result.accepted, 52U);
    EXPECT_EQ(result.lost, 0U);
    EXPECT_THAT(result.rejections, ElementsAre("no, thanks"));
}

TEST_F(SubmissionTest, what_comes_into_no_block_is_lost) {
    chain_.behave({.swallowed = {plan_[3].hash, plan_[40].hash}});

    const SubmissionResult result = submit();

    EXPECT_EQ(result.lost, 2U);
    EXPECT_EQ(result.accepted, 60U);
    RpcClient rpc{chain_.endpoint()};
    EXPECT_EQ(check_receipts(rpc, plan_, result, {}).problem_count, 2U);
}

TEST_F(SubmissionTest, what_is_in_two_blocks_is_a_problem) {
    chain_.behave({.doubled = {plan_[0].hash}});
    options_.in_flight = 4;  // so that there are blocks after it

    const SubmissionResult result = submit();

    EXPECT_EQ(result.fates[0].times_committed, 2);
    RpcClient rpc{chain_.endpoint()};
    EXPECT_EQ(check_receipts(rpc, plan_, result, {}).problem_count, 1U);
}

TEST_F(SubmissionTest, what_fails_is_a_problem) {
    chain_.behave({.failing = {plan_[1].hash, plan_[2].hash}});

    const SubmissionResult result = submit();

    RpcClient rpc{chain_.endpoint()};
    const CheckResult check = check_receipts(rpc, plan_, result, {});
    EXPECT_EQ(check.succeeded, 58U);
    EXPECT_EQ(check.problem_count, 2U);
}

// A node with little memory sends the hashes of a block's transactions, and not all its receipts.
TEST_F(SubmissionTest, what_has_no_room_in_an_answer_is_asked_for_in_parts) {
    constexpr std::size_t kTakenBytes = 110;  // of what says that a transaction was taken
    options_.connections = 1;
    options_.batch = plan_.size();  // so that they are all in one block
    const FakeChain chain{plan_.size() * kTakenBytes};

    const SubmissionResult result = submit_to(chain);

    EXPECT_EQ(result.accepted, 60U);
    RpcClient rpc{chain.endpoint()};
    const CheckResult check = check_receipts(rpc, plan_, result, {});
    EXPECT_EQ(check.succeeded, 60U);
    EXPECT_EQ(check.problem_count, 0U);
}

TEST_F(SubmissionTest, with_a_rate_none_is_sent_before_it_is_due) {
    options_.rate = 1'000;

    const SubmissionResult result = submit();

    EXPECT_EQ(result.accepted, 60U);
    EXPECT_GE(result.last_committed - result.first_sent, std::chrono::milliseconds{59});
    for (std::size_t i = 0; i < plan_.size(); ++i)
        EXPECT_EQ(result.fates[i].sent - result.first_sent, std::chrono::milliseconds{i});
}

TEST_F(SubmissionTest, nothing_is_sent_after_the_time_limit) {
    options_.rate = 100;
    options_.time_limit = std::chrono::milliseconds{100};

    const SubmissionResult result = submit();

    EXPECT_GT(result.not_sent, 0U);
    EXPECT_EQ(result.lost + result.rejected, 0U);
    EXPECT_EQ(result.accepted + result.not_sent, 60U);
}

}  // namespace
}  // namespace heddle::node::load
