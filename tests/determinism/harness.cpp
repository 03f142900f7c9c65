// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/sender_recovery.hpp>

#include "crash_note.hpp"

namespace heddle::test {

using executor::BlockMode;
using executor::Knowledge;

RecordingLedger::RecordingLedger(const Genesis& genesis, bool is_torn, bool is_slow,
                                 bool is_in_memory)
    : is_torn_(is_torn), is_slow_(is_slow), is_in_memory_(is_in_memory) {
    hashes_.push_back(ledger_.initialize(genesis).hash);
    state_ = ledger_.state();
    for (const GenesisAccount& account : genesis.alloc)
        codes_.insert(keccak256(account.code));
}

void RecordingLedger::pause() const noexcept {
    if (is_slow_) std::this_thread::yield();
}

std::optional<Account> RecordingLedger::account(const Address& address) const noexcept {
    pause();
    const std::shared_lock lock{mutex_};
    return state_.account(address);
}

Uint256 RecordingLedger::storage(const Address& address, const Uint256& slot) const noexcept {
    pause();
    const std::shared_lock lock{mutex_};
    return state_.storage(address, slot);
}

bool RecordingLedger::has_storage(const Address& address) const noexcept {
    const std::shared_lock lock{mutex_};
    return state_.has_storage(address);
}

BytesView RecordingLedger::code(const Hash& code_hash) const noexcept {
    const std::shared_lock lock{mutex_};
    return state_.code(code_hash);
}

Hash RecordingLedger::block_hash(std::uint64_t number) const noexcept {
    const std::shared_lock lock{mutex_};
    return hashes_.at(number);
}

void RecordingLedger::show(const StateDiff& diff) {
    StateDiff part;
    part.codes = diff.codes;
    for (const AccountChange& change : diff.accounts) {
        part.accounts.assign(1, change);
        {
            const std::unique_lock lock{mutex_};
            state_.apply(part);
        }
        part.codes.clear();
        std::this_thread::yield();
    }
}

namespace {

bool has_sender(const Transaction& tx) noexcept {
    return tx.sender.has_value();
}

/// What the diff changes of the state: what it only repeats is not the executor's to know.
StateDiff net_of(StateDiff diff, const StateView& before) {
    for (AccountChange& change : diff.accounts) {
        const bool is_gone = !change.account.has_value();
        change.storage_cleared = change.storage_cleared && before.has_storage(change.address);
        if (is_gone) change.storage.clear();
        std::erase_if(change.storage, [&](const StorageChange& slot) {
            const Uint256 old =
                change.storage_cleared ? Uint256{} : before.storage(change.address, slot.slot);
            return slot.value == old;
        });
        std::ranges::sort(change.storage, std::ranges::less{}, &StorageChange::slot);
    }
    std::erase_if(diff.accounts, [&](const AccountChange& change) {
        return change.storage.empty() && !change.storage_cleared &&
               change.account == before.account(change.address);
    });
    std::ranges::sort(diff.accounts, {}, &AccountChange::address);
    diff.codes.clear();
    return diff;
}

}  // namespace

std::expected<Hash, BlockError> RecordingLedger::commit(FinishedBlock block) {
    // Senders are stored with the block, and the addresses of what they create follow from them.
    HEDDLE_ASSERT(std::ranges::all_of(block.block.transactions, has_sender));
    BlockRecord record;
    record.header = block.block.header;
    record.receipts = block.receipts;
    record.diff = net_of(block.diff, state_);
    // Nor is which code the chain has, as long as no account lacks its own.
    for (const CodeChange& code : block.diff.codes)
        if (keccak256(code.code) == code.hash) codes_.insert(code.hash);
    for (const AccountChange& change : record.diff.accounts)
        if (change.account.has_value() && change.account->has_code() &&
            !codes_.contains(change.account->code_hash))
            record.diff.codes.push_back({change.account->code_hash, {}});
    record.object_sets = std::move(block.object_sets);
    record.access_list = block.access_list;
    UnknownSigners unknown;
    for (Transaction& tx : block.block.transactions)
        unknown.add(tx);
    record.has_unknown_authorities = unknown.pieces() != 0;
    const StateDiff diff = block.diff;
    const auto root = ledger_.commit(std::move(block));
    if (!root.has_value()) return root;

    record.state_root = *root;
    if (is_torn_) {
        show(diff);
        const std::unique_lock lock{mutex_};
        hashes_.push_back(ledger_.head().hash);
    } else {
        const std::unique_lock lock{mutex_};
        state_.apply(diff);
        hashes_.push_back(ledger_.head().hash);
    }
    blocks_.push_back(std::move(record));
    block_count_.store(blocks_.size(), std::memory_order_release);
    return root;
}

Hash RecordingLedger::state_root_with(const StateDiff& diff) {
    return ledger_.state_root_with(diff);
}

std::string to_string(const RunPlan& plan) {
    if (!executor::is_parallel(plan.scheduler)) return plan.scheduler;
    static constexpr const char* kKnowledge[] = {"values", "declared", "hinted", "unknown"};
    static constexpr const char* kModes[] = {"import", "witness", "propose", "decided"};
    const executor::ParallelOptions& options = plan.parallel;
    return fmt::format(
        "{}: workers {}, pipeline {}, {}, window {} transactions {} objects {} gas {} bytes, "
        "batch {}, "
        "inline {}, all sets {}, delays {}, torn {}, slow {}, in memory {}, lists {}, {}, "
        "senders {}, recovered {}, {} interpreter, wrong {}/{}",
        plan.scheduler, options.workers, options.pipeline,
        kKnowledge[static_cast<int>(options.knowledge)], options.window_transactions,
        options.window_objects, options.window_gas, options.unfinished_bytes, options.batch_size,
        options.run_chains_inline, options.orders_by_all_sets, options.delay_seed, plan.is_torn,
        plan.is_slow, plan.is_in_memory, plan.makes_lists, kModes[static_cast<int>(plan.mode)],
        plan.hides_senders ? "hidden" : "known", plan.recovers_signers ? "together" : "alone",
        plan.interpreter == executor::Interpreter::fast ? "fast" : "plain", plan.wrong_accesses,
        plan.wrong_seed);
}

namespace {

std::string draw_value(const executor::SettingInfo& setting, workload::Random& random) {
    const bool has_numbers = setting.least <= setting.most;
    if (!setting.words.empty() && (!has_numbers || random.below(2) == 0))
        return std::string{
            setting.words[random.below(static_cast<std::uint32_t>(setting.words.size()))]};
    const auto count = static_cast<std::uint32_t>(setting.most - setting.least + 1);
    const std::uint64_t numbers[] = {setting.least, setting.most,
                                     setting.least + random.below(std::min(count, 4U)),
                                     setting.least + random.below(count)};
    return std::to_string(numbers[random.below(4)]);
}

/// With about half of its settings.
std::string draw_scheduler(const executor::SchedulerInfo& info, workload::Random& random) {
    std::string text{info.name};
    char separator = ':';
    for (const executor::SettingInfo& setting : info.settings) {
        if (setting.is_text || random.below(2) == 0) continue;
        text += fmt::format("{}{}={}", separator, setting.name, draw_value(setting, random));
        separator = ',';
    }
    return text;
}

}  // namespace

RunPlan draw_run_plan(std::uint64_t turn, workload::Random& random) {
    static constexpr unsigned kWorkers[] = {1, 2, 3, 4, 8};
    static constexpr Knowledge kLevels[] = {Knowledge::values, Knowledge::declared,
                                            Knowledge::hinted, Knowledge::unknown};
    static constexpr std::size_t kWindows[] = {1, 2, 7};
    // For one block at a time, for some transactions, for some blocks.
    static constexpr std::size_t kBytes[] = {1, 5'000, 200'000};
    // The oracle is the first.
    static const std::span<const executor::SchedulerInfo> kParallel =
        executor::schedulers().subspan(1);
    RunPlan plan;
    plan.scheduler = draw_scheduler(
        kParallel[random.below(static_cast<std::uint32_t>(kParallel.size()))], random);
    executor::ParallelOptions& options = plan.parallel;
    options.workers = kWorkers[turn % 5];
    options.knowledge = kLevels[turn % 4];
    options.pipeline = 1 + random.below(4);
    options.run_chains_inline = random.below(2) == 0;
    if (random.below(2) == 0) options.delay_seed = 1 + random.below(1'000'000);
    if (random.below(3) == 0) options.window_transactions = kWindows[random.below(3)];
    if (random.below(6) == 0) options.window_objects = 1 + random.below(40);
    if (random.below(6) == 0) options.window_gas = 1 + random.below(2'000'000);
    if (random.below(3) == 0) options.batch_size = 1 + random.below(5);
    plan.is_torn = random.below(3) == 0;
    plan.is_slow = random.below(2) == 0;
    plan.hides_senders = random.below(2) == 0;
    if (random.below(8) == 0) plan.interpreter = executor::Interpreter::plain;
    options.orders_by_all_sets = random.below(2) == 0;
    if (random.below(3) == 0) options.unfinished_bytes = kBytes[random.below(3)];
    plan.is_in_memory = random.below(2) == 0;
    plan.recovers_signers = random.below(2) == 0;
    return plan;
}

Runner::Runner(const RunPlan& plan, const MakeExecutor& make) : plan_(plan) {
    executor::Options options;
    options.interpreter = plan.interpreter;
    options.record_sets = true;
    options.make_access_lists = plan.makes_lists;
    options.parallel = plan.parallel;
    options.parallel.may_outnumber_processors = true;
    options.on_block = [this](const executor::BlockReport& report) {
        reported_.push_back(report.hash);
    };
    executor_ = make(plan.scheduler, std::move(options));
}

Runner::~Runner() = default;

RunRecord Runner::run(const AdversarialChain& chain, const ChainKnowledge* knowledge,
                      const StopPlan& stop) {
    const CrashNote note{fmt::format("seed {}, {}", chain.plan.seed, to_string(plan_))};
    RecordingLedger ledger{chain.genesis, plan_.is_torn, plan_.is_slow, plan_.is_in_memory};
    const BlockHeader& genesis = chain.genesis.header;
    executor::ChainHead head;
    if (plan_.mode != BlockMode::witness)
        head = executor::make_chain_head(genesis, genesis.difficulty);
    reported_.clear();
    executor_->start({chain.genesis.config, ledger, ledger, ledger}, std::move(head));

    std::atomic<bool> is_over{false};
    std::thread stopper;
    if (stop.after_blocks.has_value()) {
        stopper = std::thread{[&] {
            while (ledger.block_count() < *stop.after_blocks && !is_over.load())
                std::this_thread::yield();
            executor_->stop();
        }};
    }
    submit(chain, knowledge, stop);
    auto summary = executor_->drain();
    is_over.store(true);
    if (stopper.joinable()) stopper.join();

    RunRecord record;
    if (summary.has_value())
        record.summary = *summary;
    else
        record.error = std::move(summary).error();
    record.blocks = std::move(ledger.blocks());
    // What the callback said belongs to the same blocks.
    for (std::size_t i = 0; i < record.blocks.size() && i < reported_.size(); ++i)
        record.blocks[i].hash = reported_[i];
    return record;
}

void Runner::submit(const AdversarialChain& chain, const ChainKnowledge* knowledge,
                    const StopPlan& stop) {
    std::size_t submitted = 0;
    const bool hides_senders = plan_.hides_senders && chain.is_signed;
    for (std::size_t i = 0; i < chain.blocks.size(); ++i) {
        const Block& block = chain.blocks[i];
        executor::BlockStart start;
        start.header = block.header;
        start.ommers = block.ommers;
        start.withdrawals = block.withdrawals;
        start.mode = plan_.mode;
        // Only hints, so they may be missing.
        if (i % 2 == 0 || plan_.is_in_memory) start.transaction_count = block.transactions.size();
        start.are_senders_known =
            !hides_senders && std::ranges::all_of(block.transactions, has_sender);
        const BlockKnowledge* const known =
            knowledge != nullptr && i < knowledge->size() ? &(*knowledge)[i] : nullptr;
        if (known != nullptr) start.access_list = known->access_list;
        if (!executor_->begin_block(std::move(start)).has_value()) return;
        std::vector<Transaction> transactions = block.transactions;
        if (hides_senders)
            for (Transaction& tx : transactions)
                tx.sender.reset();
        if (plan_.recovers_signers) executor_->recover_signers(transactions);
        submit_block(std::move(transactions), known != nullptr ? &known->sets : nullptr, stop,
                     submitted);
        executor_->end_block();
    }
}

void Runner::submit_block(std::vector<Transaction> transactions, const std::vector<ObjectSet>* sets,
                          const StopPlan& stop, std::size_t& submitted) {
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        if (stop.after_transactions == submitted++) executor_->stop();
        std::optional<ObjectSet> objects;
        if (sets != nullptr && i < sets->size()) objects = (*sets)[i];
        executor_->submit(std::move(transactions[i]), std::move(objects));
    }
}

ChainKnowledge recorded_knowledge(const RunRecord& run) {
    ChainKnowledge knowledge;
    for (const BlockRecord& block : run.blocks)
        knowledge.push_back({block.object_sets, block.access_list});
    return knowledge;
}

namespace {

Access any_access(const ChainKnowledge& sets, workload::Random& random) {
    const auto pick = [&](const auto& from) -> const auto& {
        return from[random.below(static_cast<std::uint32_t>(from.size()))];
    };
    const std::vector<ObjectSet>& block = pick(sets).sets;
    Access access;
    access.mode = static_cast<AccessMode>(random.below(4));
    if (!block.empty()) {
        const ObjectSet& set = pick(block);
        if (!set.accesses().empty()) access.object = pick(set.accesses()).object;
    }
    return access;
}

ObjectSet damaged(const ObjectSet& set, const ChainKnowledge& all, std::uint32_t parts,
                  workload::Random& random) {
    std::vector<Access> accesses;
    for (Access access : set.accesses()) {
        if (random.chance(parts)) {
            const auto what = random.below(3);
            if (what == 0) continue;
            if (what == 1) access.mode = static_cast<AccessMode>(random.below(4));
            if (what == 2) accesses.push_back(any_access(all, random));
        }
        accesses.push_back(access);
    }
    return ObjectSet{std::move(accesses)};
}

}  // namespace

ChainKnowledge wrong_sets(const ChainKnowledge& sets, std::uint32_t parts_per_million,
                          std::uint64_t seed) {
    workload::Random random{seed};
    ChainKnowledge result = sets;
    for (BlockKnowledge& block : result) {
        for (ObjectSet& set : block.sets) {
            if (random.below(10) == 0)
                set = block.sets[random.below(static_cast<std::uint32_t>(block.sets.size()))];
            else
                set = damaged(set, sets, parts_per_million, random);
            if (random.below(20) == 0) set = ObjectSet{};
        }
    }
    return result;
}

}  // namespace heddle::test
