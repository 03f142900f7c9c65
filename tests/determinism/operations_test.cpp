// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is done with streams, drawn by seed: one executor, several chains in turn, each taken to its
// end in streams that begin where the last one has stopped. Streams are drained in their middle,
// stopped by anybody, begin with blocks of another branch that are rejected; blocks are whole or
// are to be made, and come with sets and lists that are true, false or missing.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <types/block_access_list.hpp>
#include <vm/block.hpp>

#include "announced_seed.hpp"
#include "crash_note.hpp"
#include "harness.hpp"

namespace heddle::test {
namespace {

using executor::BlockMode;
using workload::Random;

RunRecord run_serially(const AdversarialChain& chain, const ChainKnowledge* knowledge = nullptr) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return Runner{plan}.run(chain, knowledge);
}

/// A chain, what is known of it, and where an executor has brought it so far.
struct Progress {
    Progress(AdversarialChain chain, const RunPlan& plan)
        : chain(std::move(chain)),
          expected(run_serially(this->chain)),
          truth(recorded_knowledge(expected)),
          ledger(this->chain.genesis, plan.is_torn, plan.is_slow, plan.is_in_memory) {}

    [[nodiscard]] std::size_t accepted() const { return ledger.block_count(); }
    [[nodiscard]] bool is_over() const { return accepted() == chain.blocks.size(); }
    [[nodiscard]] executor::ChainHead head() const {
        executor::ChainHead head = executor::make_chain_head(chain.genesis.header);
        Uint256 difficulty = chain.genesis.header.difficulty;
        for (std::size_t i = 0; i < accepted(); ++i) {
            const Block& block = chain.blocks[i];
            difficulty += block.header.difficulty;
            Ancestor ancestor{block.header, header_hash(block.header), {}};
            for (const BlockHeader& ommer : block.ommers)
                ancestor.ommers.push_back(header_hash(ommer));
            head.ancestors.insert(head.ancestors.begin(), std::move(ancestor));
        }
        if (head.ancestors.size() > kAncestorsForOmmers) head.ancestors.resize(kAncestorsForOmmers);
        head.total_difficulty = difficulty;
        return head;
    }

    AdversarialChain chain;
    RunRecord expected;
    ChainKnowledge truth;
    RecordingLedger ledger;
    std::vector<Hash> reported;
};

/// A block in place of the one that is next, and what is said of it.
struct Branch {
    Block block;
    Bytes access_list;
    std::optional<BlockError> error;
};

void change(std::uint64_t& number) {
    number += 1;
}
void change(Uint256& number) {
    number += Uint256{1};
}
void change(Bytes& bytes) {
    bytes.push_back(1);
}
void change(std::array<std::uint8_t, 8>& bytes) {
    bytes[1] ^= 1;
}
template <typename Fixed>
void change(Fixed& value) {
    value.bytes[1] ^= 1;
}
/// One that is there has another value or is missing, one that is not there is.
template <typename Value>
void change(std::optional<Value>& value, Random& random) {
    if (!value.has_value())
        value.emplace();
    else if (random.below(4) == 0)
        value.reset();
    else
        change(*value);
}

/// Something wrong with the header, in any of its fields, or among the transactions.
void damage(BlockHeader& header, Random& random) {
    switch (random.below(25)) {
        case 0:
            return change(header.parent_hash);
        case 1:
            return change(header.ommers_hash);
        case 2:
            return change(header.beneficiary);
        case 3:
            return change(header.state_root);
        case 4:
            return change(header.transactions_root);
        case 5:
            return change(header.receipts_root);
        case 6:
            return change(header.logs_bloom);
        case 7:
            return change(header.difficulty);
        case 8:
            return change(header.number);
        case 9:
            return change(header.gas_limit);
        case 10:
            header.gas_limit *= 3;
            return;
        case 11:
            header.gas_used ^= 1;
            return;
        case 12:
            // As if the block were light, or were not.
            header.gas_used = random.below(2) == 0 ? 0 : header.gas_limit;
            return;
        case 13:
            return change(header.timestamp);
        case 14:
            return change(header.extra_data);
        case 15:
            return change(header.prev_randao);
        case 16:
            return change(header.nonce);
        case 17:
            return change(header.base_fee_per_gas, random);
        case 18:
            return change(header.withdrawals_root, random);
        case 19:
            return change(header.blob_gas_used, random);
        case 20:
            return change(header.excess_blob_gas, random);
        case 21:
            return change(header.parent_beacon_block_root, random);
        case 22:
            return change(header.requests_hash, random);
        case 23:
            return change(header.block_access_list_hash, random);
        default:
            return change(header.slot_number, random);
    }
}
void damage(std::vector<Transaction>& list, const BlockHeader& header, Random& random) {
    Transaction& tx = list[random.below(static_cast<std::uint32_t>(list.size()))];
    switch (random.below(9)) {
        case 0:
            tx.nonce += 1;
            break;
        case 1:
            tx.nonce -= 1;
            break;
        case 2:
            tx.gas_limit = 1'000;
            break;
        case 3:
            tx.value = Uint256::max();
            break;
        case 4:
            tx.gas_limit = header.gas_limit + 1;
            break;
        case 5:  // more than is left, unless it is the first
            tx.gas_limit = header.gas_limit;
            break;
        case 6:
            list.erase(list.begin() + (&tx - list.data()));
            break;
        case 7:
            list.push_back(Transaction{tx});
            break;
        default:
            std::swap(tx, list.front());
            break;
    }
}
void damage(Block& block, Random& random) {
    if (block.transactions.empty() || random.below(3) == 0) return damage(block.header, random);
    damage(block.transactions, block.header, random);
    // Else the body is not the header's.
    if (random.below(4) != 0)
        block.header.transactions_root = vm::transactions_root(block.transactions);
}

class Operator {
public:
    Operator(std::uint64_t seed, std::uint64_t turn) : random_(seed) {
        plan_ = draw_run_plan(turn, random_);
        if (random_.below(4) == 0) plan_.parallel.kept_bytes = 1;
        plan_.parallel.workers = 1 + random_.below(8);
        executor::Options options;
        options.interpreter = plan_.interpreter;
        options.record_sets = random_.below(4) != 0;
        records_sets_ = options.record_sets;
        options.make_access_lists = true;
        options.parallel = plan_.parallel;
        options.parallel.may_outnumber_processors = true;
        options.on_block = [this](const executor::BlockReport& report) {
            current_->reported.push_back(report.hash);
        };
        executor_ = executor::make_executor(plan_.scheduler, std::move(options));
        for (std::uint64_t i = 0, chains = 1 + random_.below(2); i < chains; ++i) {
            AdversarialPlan chain;
            chain.seed = 9'000'000 + 10 * seed + i;
            chain.blocks = 3 + random_.below(4);
            // Of a light block with many, leaves are hashed and accounts are read by others.
            chain.max_transactions = 1 + random_.below(random_.below(8) == 0 ? 400 : 40);
            chain.with_flaws = false;
            chains_.push_back(std::make_unique<Progress>(make_adversarial_chain(chain), plan_));
        }
    }

    [[nodiscard]] std::string name() const { return to_string(plan_); }

    void run() {
        std::vector<Progress*> left;
        for (const auto& chain : chains_)
            left.push_back(chain.get());
        for (int streams = 0; !left.empty() && !testing::Test::HasFailure(); ++streams) {
            current_ = left[random_.below(static_cast<std::uint32_t>(left.size()))];
            const CrashNote note{fmt::format("chain {} at {}, {}", current_->chain.plan.seed,
                                             current_->accepted(), name())};
            run_stream(*current_, streams > 100);
            std::erase_if(left, [](const Progress* chain) { return chain->is_over(); });
        }
        for (const auto& chain : chains_)
            compare(*chain);
    }

private:
    /// What is drawn of a stream before it begins.
    struct Plan {
        std::size_t first = 0;
        std::size_t end = 0;
        std::size_t stop_at = 0;  // a block
        bool has_branch = false;  // in place of the last block
        bool is_stopped = false;
        bool is_stopped_by_another = false;
    };

    [[nodiscard]] std::size_t below(std::size_t bound) {
        return random_.below(static_cast<std::uint32_t>(bound));
    }
    Plan draw_plan(const Progress& chain, bool is_plain) {
        Plan plan;
        plan.first = chain.accepted();
        plan.end = chain.chain.blocks.size();
        if (random_.below(2) == 0) plan.end = plan.first + 1 + below(plan.end - plan.first);
        plan.stop_at = plan.first + below(plan.end - plan.first);
        plan.has_branch = !is_plain && random_.below(3) == 0;
        plan.is_stopped = !is_plain && random_.below(4) == 0;
        plan.is_stopped_by_another = plan.is_stopped && random_.below(2) == 0;
        return plan;
    }
    void run_stream(Progress& chain, bool is_plain) {
        SCOPED_TRACE(fmt::format("chain {} ({}) at {}", chain.chain.plan.seed,
                                 chain.chain.description, chain.accepted()));
        const Plan plan = draw_plan(chain, is_plain);
        executor_->start({chain.chain.genesis.config, chain.ledger, chain.ledger, chain.ledger},
                         chain.head());
        std::atomic<bool> is_over{false};
        std::thread stopper;
        if (plan.is_stopped_by_another)
            stopper = std::thread{[&] {
                while (chain.ledger.block_count() < plan.stop_at && !is_over.load())
                    std::this_thread::yield();
                executor_->stop();
            }};
        const std::optional<Branch> branch = submit_all(chain, plan);
        const auto summary = executor_->drain();
        is_over.store(true);
        if (stopper.joinable()) stopper.join();
        check(chain, plan, summary, branch);
    }
    /// @return the block in place of another, where there was one.
    std::optional<Branch> submit_all(const Progress& chain, const Plan& plan) {
        std::optional<Branch> branch;
        for (std::size_t at = plan.first; at < plan.end; ++at) {
            if (plan.has_branch && at + 1 == plan.end) branch = make_branch(chain, at);
            const bool stops = plan.is_stopped && !plan.is_stopped_by_another && at == plan.stop_at;
            if (!submit(chain, at, branch.has_value() ? &*branch : nullptr, stops)) return branch;
            if (branch.has_value()) {
                // What follows a wrong block is not looked at.
                if (random_.below(2) == 0) (void)submit(chain, at, nullptr, false);
            } else if (random_.below(6) == 0) {
                EXPECT_TRUE(executor_->drain().has_value());
            }
        }
        return branch;
    }

    static void check(const Progress& chain, const Plan& plan,
                      const std::expected<executor::Summary, BlockError>& summary,
                      const std::optional<Branch>& branch) {
        if (!summary.has_value()) {
            ASSERT_TRUE(branch.has_value()) << to_string(summary.error());
            EXPECT_EQ(to_string(summary.error()), to_string(*branch->error));
            EXPECT_EQ(summary.error().index, branch->error->index);
            return;
        }
        EXPECT_TRUE(plan.is_stopped || !branch.has_value()) << to_string(*branch->error);
        if (!plan.is_stopped) EXPECT_EQ(chain.accepted(), plan.end);
        EXPECT_EQ(summary->stats.blocks, chain.accepted() - plan.first);
        if (chain.accepted() > plan.first)
            EXPECT_EQ(summary->state_root,
                      chain.chain.blocks[chain.accepted() - 1].header.state_root);
    }

    /// Something wrong in place of block `at`, as far as serial execution finds it wrong.
    std::optional<Branch> make_branch(const Progress& chain, std::size_t at) {
        Branch branch{chain.chain.blocks[at], {}, {}};
        damage(branch.block, random_);
        if (random_.below(2) == 0) branch.access_list = chain.truth[at].access_list;
        AdversarialChain wrong = chain.chain;
        wrong.blocks.resize(at);
        wrong.blocks.push_back(branch.block);
        ChainKnowledge knowledge(at + 1);
        knowledge.back().access_list = branch.access_list;
        branch.error = run_serially(wrong, &knowledge).error;
        if (!branch.error.has_value()) return std::nullopt;
        return branch;
    }

    bool submit(const Progress& chain, std::size_t at, const Branch* branch, bool is_stopped) {
        const Block& block = branch != nullptr ? branch->block : chain.chain.blocks[at];
        executor::BlockStart start;
        start.header = block.header;
        start.ommers = block.ommers;
        start.withdrawals = block.withdrawals;
        if (branch == nullptr && random_.below(3) == 0)
            start.mode = random_.below(2) == 0 ? BlockMode::propose : BlockMode::decided;
        if (random_.below(2) == 0) start.transaction_count = block.transactions.size();
        const bool hides_senders =
            chain.chain.is_signed && branch == nullptr && random_.below(2) == 0;
        // Only a hint, so it may be wrong.
        start.are_senders_known = hides_senders ? random_.below(4) == 0 : random_.below(4) != 0;
        const std::vector<ObjectSet> sets = draw_sets(chain, at);
        start.access_list =
            branch != nullptr ? branch->access_list : draw_list(chain, at, start.mode);
        if (!executor_->begin_block(std::move(start)).has_value()) return false;
        const std::size_t spot =
            random_.below(static_cast<std::uint32_t>(block.transactions.size() + 1));
        std::vector<Transaction> transactions = block.transactions;
        for (Transaction& tx : transactions)
            if (hides_senders && random_.below(2) == 0) tx.sender.reset();
        if (random_.below(2) == 0) executor_->recover_signers(transactions);
        for (std::size_t i = 0; i < transactions.size(); ++i) {
            if (is_stopped && i == spot) executor_->stop();
            std::optional<ObjectSet> objects;
            if (i < sets.size()) objects = sets[i];
            executor_->submit(std::move(transactions[i]), std::move(objects));
        }
        if (is_stopped && spot == block.transactions.size()) executor_->stop();
        executor_->end_block();
        return true;
    }

    std::vector<ObjectSet> draw_sets(const Progress& chain, std::size_t at) {
        if (random_.below(3) == 0 || at >= chain.truth.size()) return {};
        if (random_.below(2) == 0) return chain.truth[at].sets;
        const ChainKnowledge one(1, chain.truth[at]);
        if (one[0].sets.empty()) return {};
        return wrong_sets(one, 200'000, random_.next())[0].sets;
    }

    Bytes draw_list(const Progress& chain, std::size_t at, BlockMode mode) {
        const Bytes& truth = chain.truth[at].access_list;
        if (truth.empty() || random_.below(3) == 0) return {};
        // What is wrong with a list that the header claims is another error.
        const bool is_claimed = chain.chain.blocks[at].header.block_access_list_hash.has_value();
        if (mode == BlockMode::import && is_claimed) return truth;
        if (random_.below(2) == 0) return truth;
        auto list = decode_block_access_list(truth);
        if (list->accounts.empty() || random_.below(6) == 0)
            return Bytes(truth.begin(), truth.end() - 1);
        const auto account = random_.below(static_cast<std::uint32_t>(list->accounts.size()));
        ListedAccount& changed = list->accounts[account];
        if (!changed.balance_changes.empty() && random_.below(2) == 0)
            changed.balance_changes.back().value += Uint256{1};
        else if (!changed.storage_changes.empty() && random_.below(2) == 0)
            changed.storage_changes.pop_back();
        else if (random_.below(2) == 0)
            list->accounts.erase(list->accounts.begin() + account);
        else
            changed.storage_reads.push_back(Uint256::max());
        Bytes encoded;
        encode_block_access_list(*list, encoded);
        return encoded;
    }

    void compare(Progress& chain) {
        RunRecord record;
        record.blocks = std::move(chain.ledger.blocks());
        for (std::size_t i = 0; i < record.blocks.size() && i < chain.reported.size(); ++i)
            record.blocks[i].hash = chain.reported[i];
        // Of one that was made the root is filled in by who keeps it; its hash says the same.
        for (std::size_t i = 0; i < record.blocks.size(); ++i)
            record.blocks[i].header.state_root = record.blocks[i].state_root;
        record.summary = chain.expected.summary;
        if (!records_sets_)
            for (BlockRecord& block : chain.expected.blocks)
                block.object_sets.clear();
        EXPECT_EQ(difference(chain.expected, record), "")
            << "chain " << chain.chain.plan.seed << " (" << chain.chain.description << ")";
    }

    Random random_;
    RunPlan plan_;
    bool records_sets_ = true;
    std::vector<std::unique_ptr<Progress>> chains_;
    Progress* current_ = nullptr;
    std::unique_ptr<executor::Executor> executor_;
};

/// HEDDLE_OPERATIONS: how many executors.
TEST(Operations, in_any_order_leave_the_chains_that_serial_execution_makes) {
    const char* const text = std::getenv("HEDDLE_OPERATIONS");
    const std::uint64_t count = text != nullptr ? std::strtoull(text, nullptr, 0) : 60;
    const std::uint64_t first = announced_seed(1);
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
        Operator one{seed, seed};
        SCOPED_TRACE(fmt::format("HEDDLE_TEST_SEED={}: {}", seed, one.name()));
        one.run();
    }
}

}  // namespace
}  // namespace heddle::test
