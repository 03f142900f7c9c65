// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a chain through an executor, keeps everything that came of it, and names the first
// difference between two runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include <executor/executor.hpp>
#include <ledger/memory_ledger.hpp>
#include <types/block_sink.hpp>
#include <types/state_view.hpp>
#include <workload/random.hpp>

#include "adversarial_chain.hpp"

namespace heddle::test {

/// What came of one accepted block. Changes and codes of the diff are in ascending order.
struct BlockRecord {
    BlockHeader header;
    Hash hash;
    std::vector<Receipt> receipts;
    StateDiff diff;
    std::vector<ObjectSet> object_sets;
    Bytes access_list;  // RLP; empty before vm::kAccessListsSince
    Hash state_root;
    /// Authorizations were recovered one by one, where they were needed, or not at all. Changes no
    /// result.
    bool has_unknown_authorities = false;
};

struct RunRecord {
    std::vector<BlockRecord> blocks;
    std::optional<BlockError> error;
    executor::Summary summary;  // where there is no error
};

/// The world of a run: state that many threads may read while a block is committed, and a sink that
/// remembers. Where `is_torn`, a commit becomes visible account by account, with pauses, which is
/// all that an executor may rely on. Where `is_slow`, who reads gives others the processor. Where
/// `is_in_memory`, it says so.
class RecordingLedger final : public BlockSink, public BlockHashes, public StateView {
public:
    RecordingLedger(const Genesis& genesis, bool is_torn, bool is_slow, bool is_in_memory = false);

    /// So far. While a run is going on, only the number may be asked.
    [[nodiscard]] std::vector<BlockRecord>& blocks() noexcept { return blocks_; }
    [[nodiscard]] std::size_t block_count() const noexcept {
        return block_count_.load(std::memory_order_acquire);
    }

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    [[nodiscard]] bool is_in_memory() const noexcept override { return is_in_memory_; }
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override;

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override;
    void foresee(const Hash& parent, const StateDiff& diff) override {
        ledger_.foresee(parent, diff);
    }
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override;

private:
    void show(const StateDiff& diff);

    void pause() const noexcept;

    const bool is_torn_;
    const bool is_slow_;
    const bool is_in_memory_;
    ledger::MemoryLedger ledger_;  // the committing thread's, as what follows
    std::set<Hash> codes_;
    std::vector<BlockRecord> blocks_;
    std::atomic<std::size_t> block_count_{0};
    // Shared with those who read.
    mutable std::shared_mutex mutex_;
    ledger::MemoryState state_;
    std::vector<Hash> hashes_;
};

/// What is known of a block before it runs.
struct BlockKnowledge {
    std::vector<ObjectSet> sets;  // one for each transaction; one beyond has none
    Bytes access_list;            // RLP; empty: none
    friend bool operator==(const BlockKnowledge&, const BlockKnowledge&) = default;
};
/// Of each block; one beyond has none.
using ChainKnowledge = std::vector<BlockKnowledge>;

/// How an executor is to be run: what must not change any result.
struct RunPlan {
    std::string scheduler{executor::kDefaultScheduler};
    executor::ParallelOptions parallel;
    executor::Interpreter interpreter = executor::Interpreter::fast;
    bool is_torn = false;
    bool is_slow = false;
    /// Whether the state says that it is, without which no block counts as light.
    bool is_in_memory = false;
    /// Whether access lists are made of blocks that need none.
    bool makes_lists = true;
    /// Of all blocks.
    executor::BlockMode mode = executor::BlockMode::import;
    /// Whether senders that can be recovered have to be.
    bool hides_senders = false;
    /// Whether the executor is given a block's transactions together before they are submitted.
    bool recovers_signers = true;
    /// Share, in a million, of accesses that are changed in the sets submitted. 0: they are right.
    std::uint32_t wrong_accesses = 0;
    std::uint64_t wrong_seed = 0;
};
[[nodiscard]] std::string to_string(const RunPlan& plan);
/// Walks through workers and levels of knowledge with `turn`, draws the rest: schedulers and
/// whatever can be set of them, the least and the most of it among it.
[[nodiscard]] RunPlan draw_run_plan(std::uint64_t turn, workload::Random& random);

/// Where a run is to be stopped from outside; nothing of it says when that shows.
struct StopPlan {
    /// By the submitting thread, after so many transactions in all.
    std::optional<std::size_t> after_transactions;
    /// By another thread, once so many blocks were accepted.
    std::optional<std::size_t> after_blocks;
};

/// An executor, used for one run after another.
class Runner {
public:
    using MakeExecutor = std::function<std::unique_ptr<executor::Executor>(
        const std::string& scheduler, executor::Options options)>;

    explicit Runner(const RunPlan& plan, const MakeExecutor& make = make_unwatched);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    /// @param knowledge  Submitted with the blocks; may be null.
    [[nodiscard]] RunRecord run(const AdversarialChain& chain, const ChainKnowledge* knowledge,
                                const StopPlan& stop = {});

private:
    [[nodiscard]] static std::unique_ptr<executor::Executor> make_unwatched(
        const std::string& scheduler, executor::Options options) {
        return executor::make_executor(scheduler, std::move(options));
    }
    void submit(const AdversarialChain& chain, const ChainKnowledge* knowledge,
                const StopPlan& stop);
    void submit_block(std::vector<Transaction> transactions, const std::vector<ObjectSet>* sets,
                      const StopPlan& stop, std::size_t& submitted);

    const RunPlan plan_;
    std::vector<Hash> reported_;
    std::unique_ptr<executor::Executor> executor_;
};

/// The object sets and access lists that a run recorded.
[[nodiscard]] ChainKnowledge recorded_knowledge(const RunRecord& run);
/// The same with entries of sets removed, added, changed in mode, and sets exchanged.
[[nodiscard]] ChainKnowledge wrong_sets(const ChainKnowledge& sets, std::uint32_t parts_per_million,
                                        std::uint64_t seed);

/// The first difference in words: block, transaction, field, both values. Empty: there is none.
[[nodiscard]] std::string difference(const RunRecord& expected, const RunRecord& actual);
/// The same of the blocks that `actual` has, and its error, if any.
[[nodiscard]] std::string prefix_difference(const RunRecord& expected, const RunRecord& actual);
/// Over everything that is compared.
[[nodiscard]] Hash digest(const RunRecord& run);

}  // namespace heddle::test
