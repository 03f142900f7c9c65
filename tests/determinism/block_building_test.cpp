// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are put together on many threads: each is what serial execution of its order gives,
// the same whatever workers there are, and what was not chosen leaves nothing behind.
#include <executor/block_building.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ledger/memory_ledger.hpp>
#include <types/genesis.hpp>
#include <vm/block.hpp>
#include <vm/next_header.hpp>
#include <vm/validate.hpp>
#include <workload/options.hpp>
#include <workload/world.hpp>

#include "adversarial_chain.hpp"
#include "harness.hpp"

namespace heddle::test {
namespace {

using executor::BlockBuilding;
using executor::BuildOptions;
using executor::Candidate;
using executor::Selection;

constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

/// Transactions by sender; the one that pays best of those that come first at their senders is the
/// next.
class ListedCandidates final : public executor::CandidateSource {
public:
    ListedCandidates(const std::vector<Transaction>& pool, const Uint256& base_fee)
        : base_fee_(base_fee) {
        for (const Transaction& tx : pool) {
            const auto [found, is_new] = places_.try_emplace(*tx.sender, senders_.size());
            if (is_new) senders_.emplace_back();
            senders_[found->second].push_back(&tx);
        }
    }
    [[nodiscard]] std::optional<Candidate> next() override {
        last_ = senders_.size();
        for (std::size_t i = 0; i < senders_.size(); ++i)
            if (!senders_[i].empty() && (last_ == senders_.size() ||
                                         tip(*senders_[i].front()) > tip(*senders_[last_].front())))
                last_ = i;
        if (last_ == senders_.size()) return std::nullopt;
        const Transaction& tx = *senders_[last_].front();
        senders_[last_].pop_front();
        given_.push_back(&tx);
        Bytes encoded;
        encode_transaction(tx, encoded);
        return Candidate{&tx, encoded.size()};
    }
    void skip_sender() override { senders_[last_].clear(); }

    [[nodiscard]] Uint256 tip(const Transaction& tx) const {
        const Uint256 price = vm::effective_gas_price(tx, base_fee_);
        return price > base_fee_ ? price - base_fee_ : Uint256{};
    }
    [[nodiscard]] const std::vector<const Transaction*>& given() const noexcept { return given_; }

private:
    const Uint256 base_fee_;
    std::unordered_map<Address, std::size_t, AddressHasher> places_;
    std::vector<std::deque<const Transaction*>> senders_;
    std::vector<const Transaction*> given_;
    std::size_t last_ = 0;
};

/// A chain that grows by what is built on it, and the same once more, executed serially.
class GrowingChain {
public:
    explicit GrowingChain(const Genesis& genesis)
        : genesis_(genesis), built_(genesis, false, true), serial_(genesis, false, false) {
        head_ = genesis.header;
        executor::Options options;
        options.record_sets = true;
        options.make_access_lists = true;
        executor_ = executor::make_serial_executor(std::move(options));
        executor_->start({genesis_.config, serial_, serial_, serial_},
                         executor::make_chain_head(head_, head_.difficulty));
    }

    [[nodiscard]] std::unique_ptr<BlockBuilding> make_building(unsigned workers,
                                                               BuildOptions options = {}) {
        options.executor.parallel.workers = workers;
        options.executor.parallel.may_outnumber_processors = true;
        return executor::make_block_building({genesis_.config, built_, built_}, std::move(options));
    }
    /// Begins a block with what `like` says of it.
    BlockEnv begin(BlockBuilding& building, const Block& like) {
        const Hash hash = header_hash(head_);
        BlockHeader header = vm::next_header({head_, hash, std::nullopt},
                                             vm::attributes_of(like.header), genesis_.config);
        const BlockEnv env = vm::make_block_env(header, genesis_.config, true);
        const auto begun =
            building.begin({.header = std::move(header),
                            .env = env,
                            .withdrawals = like.withdrawals.value_or(std::vector<Withdrawal>{}),
                            .makes_access_list = true});
        EXPECT_TRUE(begun.has_value());
        return env;
    }
    /// Takes a block over and compares it with its serial execution. Empty: it is the same.
    [[nodiscard]] std::string accept(FinishedBlock block, std::vector<ObjectSet> sets) {
        block.object_sets = std::move(sets);
        executor::BlockStart start;
        start.header = block.block.header;
        start.withdrawals = block.block.withdrawals;
        start.mode = executor::BlockMode::propose;
        EXPECT_TRUE(executor_->begin_block(std::move(start)).has_value());
        for (const Transaction& tx : block.block.transactions)
            executor_->submit(tx);
        executor_->end_block();
        if (const auto drained = executor_->drain(); !drained.has_value())
            return to_string(drained.error());
        const auto root = built_.commit(std::move(block));
        EXPECT_TRUE(root.has_value());
        RunRecord expected;
        RunRecord actual;
        expected.blocks.push_back(std::move(serial_.blocks().back()));
        actual.blocks.push_back(std::move(built_.blocks().back()));
        head_ = actual.blocks.back().header;
        head_.state_root = *root;
        return difference(expected, actual);
    }

private:
    const Genesis& genesis_;
    RecordingLedger built_;
    RecordingLedger serial_;
    BlockHeader head_;
    std::unique_ptr<executor::Executor> executor_;
};

std::vector<Transaction> chosen_of(const Selection& selection,
                                   const std::vector<const Transaction*>& given) {
    std::vector<Transaction> chosen;
    for (const std::size_t number : selection.chosen)
        chosen.push_back(*given[number]);
    return chosen;
}

/// What a pool drops after the block: what is in it, and what cannot be executed.
std::unordered_set<const Transaction*> gone_of(const Selection& selection,
                                               const std::vector<const Transaction*>& given) {
    std::unordered_set<const Transaction*> gone;
    for (const std::size_t number : selection.chosen)
        gone.insert(given[number]);
    for (const executor::RejectedCandidate& rejected : selection.rejected)
        gone.insert(given[rejected.candidate]);
    return gone;
}

/// Whether transactions stand behind others only as far as their fees allow.
void expect_fees_respected(const Selection& selection, const ListedCandidates& candidates,
                           unsigned tolerance_percent) {
    std::vector<Uint256> standings;
    for (const Transaction* const tx : candidates.given())
        standings.push_back(standings.empty() ? candidates.tip(*tx)
                                              : std::min(standings.back(), candidates.tip(*tx)));
    // The most that anybody behind may pay, from behind.
    Uint256 most;
    for (auto number = selection.chosen.rbegin(); number != selection.chosen.rend(); ++number) {
        EXPECT_GE(standings[*number] * Uint256{100}, most * Uint256{100 - tolerance_percent});
        most = std::max(most, standings[*number]);
    }
}

void expect_work_paid_for(const executor::BuildStats& stats, std::uint64_t gas_limit) {
    const std::uint64_t paid = stats.attempted_gas - stats.wasted_gas + stats.in_order_gas;
    EXPECT_LE(stats.wasted_gas, paid + gas_limit / 2);
}

/// What a pool may hold beside what can be executed.
void add_unexecutable(std::vector<Transaction>& pool, workload::Random& random) {
    const std::size_t count = pool.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (random.below(12) != 0) continue;
        Transaction tx = pool[i];
        switch (random.below(4)) {
            case 0:  // once more
                break;
            case 1:  // behind a gap
                tx.nonce += 1 + random.below(3);
                break;
            case 2:  // more than anybody has
                tx.value = Uint256{1} << 250;
                break;
            default:  // for nothing
                tx.gas_limit = 20'000;
                break;
        }
        pool.insert(pool.begin() + static_cast<std::ptrdiff_t>(
                                       random.below(static_cast<std::uint32_t>(pool.size()))),
                    std::move(tx));
    }
}

struct Totals {
    std::uint64_t blocks = 0;
    std::uint64_t chosen = 0;
    std::uint64_t rejected = 0;
    executor::BuildStats stats;

    void add(const Selection& selection) {
        ++blocks;
        chosen += selection.chosen.size();
        rejected += selection.rejected.size();
        stats.attempts += selection.stats.attempts;
        stats.aborted += selection.stats.aborted;
        stats.reordered += selection.stats.reordered;
        stats.in_order += selection.stats.in_order;
    }
};

/// Builds a block for each of the chain's, out of what is left of the earlier ones and its own.
void build_chain(const AdversarialChain& chain, std::uint64_t seed, Totals& totals) {
    static constexpr unsigned kWorkers[] = {1, 2, 4, 8};
    workload::Random random{seed};
    BuildOptions options;
    options.fee_tolerance_percent = random.below(2) == 0 ? 100 : random.below(101);
    options.batch = random.below(2) == 0 ? 0 : 2 + random.below(40);
    options.reorders = random.below(4) != 0;
    GrowingChain grown(chain.genesis);
    std::vector<std::unique_ptr<BlockBuilding>> buildings;
    buildings.push_back(grown.make_building(kWorkers[seed % 4], options));
    buildings.push_back(grown.make_building(kWorkers[(seed / 4 + 1) % 4], options));
    std::vector<Transaction> pool;
    for (const Block& like : chain.blocks) {
        pool.insert(pool.end(), like.transactions.begin(), like.transactions.end());
        add_unexecutable(pool, random);
        std::vector<Selection> selections;
        std::vector<Transaction> chosen;
        std::unordered_set<const Transaction*> gone;
        for (const auto& building : buildings) {
            const BlockEnv env = grown.begin(*building, like);
            ListedCandidates candidates(pool, env.base_fee_per_gas);
            selections.push_back(building->select(candidates, {.max_bytes = kMaxBytes}));
            chosen = chosen_of(selections.back(), candidates.given());
            expect_fees_respected(selections.back(), candidates, options.fee_tolerance_percent);
            expect_work_paid_for(selections.back().stats, env.gas_limit);
            gone = gone_of(selections.back(), candidates.given());
        }
        ASSERT_EQ(selections[0].chosen, selections[1].chosen) << "workers decide";
        ASSERT_EQ(selections[0].object_sets, selections[1].object_sets);
        totals.add(selections[0]);
        auto finished = buildings[seed % 2]->finish(chosen);
        ASSERT_TRUE(finished.has_value()) << to_string(finished.error());
        const std::string text =
            grown.accept(*std::move(finished), std::move(selections[0].object_sets));
        ASSERT_TRUE(text.empty()) << text;
        std::vector<Transaction> left;
        for (const Transaction& tx : pool)
            if (!gone.contains(&tx)) left.push_back(tx);
        pool = std::move(left);
    }
}

TEST(BlockBuilding, gives_what_serial_execution_of_its_order_gives) {
    constexpr std::uint64_t kChains = 60;
    Totals totals;
    std::uint64_t seed = 7'000'000;
    for (std::uint64_t chains = 0; chains < kChains && !HasFailure(); ++seed) {
        const AdversarialChain chain =
            make_adversarial_chain({.seed = seed,
                                    .blocks = 4,
                                    .max_transactions = seed % 3 == 0 ? 200u : 60u,
                                    .with_flaws = false});
        if (!chain.blocks.front().header.difficulty.is_zero()) continue;  // proof of work
        ++chains;
        build_chain(chain, seed, totals);
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << chain.description;
    }
    fmt::print(
        "{} blocks: {} chosen, {} rejected; {} attempts, {} aborted, {} reordered, {} in order\n",
        totals.blocks, totals.chosen, totals.rejected, totals.stats.attempts, totals.stats.aborted,
        totals.stats.reordered, totals.stats.in_order);
    EXPECT_GT(totals.chosen, 1'000u);
    EXPECT_GT(totals.rejected, 50u);
    EXPECT_GT(totals.stats.aborted, 100u);
    EXPECT_GT(totals.stats.reordered, 20u);
}

// --- Pools that attack the builder ---------------------------------------------------------------

constexpr std::uint64_t kGwei = 1'000'000'000;
constexpr std::uint64_t kGasLimit = 60'000'000;
const Address kContract = address_from_low64(0xc0de);

/// Counts in slot 0, but before it counts from zero it runs until most of its gas is gone.
const Bytes kTrap = {0x5f, 0x54, 0x80, 0x60, 0x0f, 0x57, 0x5b, 0x5a, 0x61, 0xc3, 0x50,
                     0x10, 0x60, 0x06, 0x57, 0x5b, 0x60, 0x01, 0x01, 0x5f, 0x55};
/// Counts in slot 0.
const Bytes kCounter = {0x5f, 0x54, 0x60, 0x01, 0x01, 0x5f, 0x55};

Address sender_of(std::uint64_t i) {
    return address_from_low64(0x5e4d'0000 + i);
}

Transaction call_from(std::uint64_t sender, std::uint64_t tip_gwei, std::uint64_t gas_limit) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = workload::Options{}.chain_id;
    tx.sender = sender_of(sender);
    tx.max_fee_per_gas = Uint256{1'000 * kGwei};
    tx.max_priority_fee_per_gas = Uint256{tip_gwei * kGwei};
    tx.gas_limit = gas_limit;
    tx.to = kContract;
    return tx;
}

Genesis genesis_with(const Bytes& code, std::uint64_t senders) {
    std::vector<GenesisAccount> alloc;
    alloc.push_back({kContract, 1, {}, code, {}});
    for (std::uint64_t i = 0; i < senders; ++i)
        alloc.push_back({sender_of(i), 0, Uint256{1} << 100, {}, {}});
    workload::Options options;
    options.revision = Revision::cancun;  // whose blocks end without system calls
    Genesis genesis = workload::make_genesis(std::move(alloc), options, kGasLimit);
    genesis.header = ledger::MemoryLedger{}.initialize(genesis).header;  // with its state root
    return genesis;
}

/// Builds one block out of the pool, and expects it to be what serial execution gives.
Selection build_one(GrowingChain& grown, BlockBuilding& building, std::vector<Transaction> pool,
                    std::uint64_t timestamp) {
    Block like;
    like.header.timestamp = timestamp;
    like.header.gas_limit = kGasLimit;
    like.header.beneficiary = address_from_low64(0xfee);
    const BlockEnv env = grown.begin(building, like);
    ListedCandidates candidates(pool, env.base_fee_per_gas);
    Selection selection = building.select(candidates, {.max_bytes = kMaxBytes});
    expect_work_paid_for(selection.stats, env.gas_limit);
    auto finished = building.finish(chosen_of(selection, candidates.given()));
    EXPECT_TRUE(finished.has_value()) << to_string(finished.error());
    EXPECT_EQ(grown.accept(*std::move(finished), selection.object_sets), "");
    return selection;
}

TEST(BlockBuilding, pays_for_no_more_than_is_bounded_where_gas_is_burnt_ahead) {
    // Each burns a million gas as long as none is committed.
    constexpr std::uint64_t kSenders = 400;
    const Genesis genesis = genesis_with(kTrap, kSenders);
    GrowingChain grown(genesis);
    const auto building = grown.make_building(4, {.executor = {}, .fee_tolerance_percent = 100});
    std::vector<Transaction> pool;
    for (std::uint64_t i = 0; i < kSenders; ++i)
        pool.push_back(call_from(i, 50, 1'000'000));

    const Selection selection =
        build_one(grown, *building, std::move(pool), genesis.header.timestamp + 12);

    EXPECT_EQ(selection.chosen.size(), kSenders);
    EXPECT_GT(selection.stats.wasted_gas, 1'000'000u);
    EXPECT_LE(selection.stats.wasted_gas, kGasLimit);
}

TEST(BlockBuilding, runs_transactions_to_a_busy_contract_one_after_the_other) {
    constexpr std::uint64_t kSenders = 200;
    const Genesis genesis = genesis_with(kCounter, kSenders);
    GrowingChain grown(genesis);
    const auto building = grown.make_building(2);
    std::vector<Transaction> pool;
    for (std::uint64_t i = 0; i < kSenders; ++i) {
        pool.push_back(call_from(i, 10, 60'000));
        if (i % 2 == 1) pool.back().to = sender_of(i - 1);  // and something beside it
    }

    const Selection first = build_one(grown, *building, pool, genesis.header.timestamp + 12);
    for (Transaction& tx : pool)
        tx.nonce = 1;
    const Selection second = build_one(grown, *building, pool, genesis.header.timestamp + 24);

    EXPECT_EQ(first.chosen.size(), kSenders);
    EXPECT_EQ(second.chosen.size(), kSenders);
    EXPECT_GT(first.stats.aborted, 0u);
    EXPECT_EQ(second.stats.aborted, 0u);
    EXPECT_EQ(second.stats.in_order, 0u);
}

// The first one writes what the second one reads, so that both go in as they were attempted if the
// second one goes first.
TEST(BlockBuilding, puts_a_reader_before_an_earlier_writer_where_it_may_reorder) {
    // What is in the slot that the first word names, and one more, into that of the second word.
    const Bytes copier = {0x5f, 0x35, 0x54, 0x60, 0x01, 0x01, 0x60, 0x20, 0x35, 0x55};
    std::vector<Transaction> pool;
    for (const auto& [from, to] : {std::pair{1, 5}, std::pair{5, 6}}) {
        Transaction tx = call_from(pool.size(), 2, 100'000);
        tx.data.resize(64);
        tx.data[31] = static_cast<std::uint8_t>(from);
        tx.data[63] = static_cast<std::uint8_t>(to);
        pool.push_back(std::move(tx));
    }
    const Genesis genesis = genesis_with(copier, 2);
    for (const bool reorders : {true, false}) {
        GrowingChain grown(genesis);
        const auto building = grown.make_building(
            2, {.executor = {}, .fee_tolerance_percent = 100, .reorders = reorders});

        const Selection selection =
            build_one(grown, *building, pool, genesis.header.timestamp + 12);

        const std::vector<std::size_t> order =
            reorders ? std::vector<std::size_t>{1, 0} : std::vector<std::size_t>{0, 1};
        EXPECT_EQ(selection.chosen, order);
        EXPECT_EQ(selection.stats.reordered, reorders ? 1u : 0u);
        EXPECT_EQ(selection.stats.aborted, reorders ? 0u : 1u);
    }
}

TEST(BlockBuilding, leaves_out_what_does_not_fit_and_what_is_behind_it) {
    const Genesis genesis = genesis_with(kCounter, 8);
    GrowingChain grown(genesis);
    const auto building = grown.make_building(2);
    std::vector<Transaction> pool;
    for (std::uint64_t i = 0; i < 6; ++i)
        pool.push_back(call_from(i, 20 - i, 16'000'000));
    pool.push_back(call_from(7, 1, 60'000));
    for (std::uint64_t i = 0; i < 6; ++i) {
        pool.push_back(call_from(i, 30, 60'000));
        pool.back().nonce = 1;
    }
    pool.push_back(pool[0]);  // once more
    pool.push_back(call_from(6, 5, 60'000));
    pool.back().nonce = 3;  // behind a gap

    const Selection selection =
        build_one(grown, *building, std::move(pool), genesis.header.timestamp + 12);

    // Each call takes 43,000 of its sixteen million: there is room for all that can be executed.
    EXPECT_EQ(selection.chosen.size(), 13u);
    EXPECT_EQ(selection.rejected.size(), 2u);
}

TEST(BlockBuilding, takes_what_stands_before_a_senders_misfit) {
    const Genesis genesis = genesis_with(kCounter, 1);
    GrowingChain grown(genesis);
    const auto building = grown.make_building(2);
    std::vector<Transaction> pool;
    for (std::uint64_t nonce = 0; nonce < 5; ++nonce) {
        pool.push_back(call_from(0, 10, nonce == 2 ? kGasLimit + 1 : 60'000));
        pool.back().nonce = nonce;
    }

    const Selection selection =
        build_one(grown, *building, std::move(pool), genesis.header.timestamp + 12);

    EXPECT_EQ(selection.chosen, (std::vector<std::size_t>{0, 1}));
    EXPECT_TRUE(selection.rejected.empty());
}

}  // namespace
}  // namespace heddle::test
