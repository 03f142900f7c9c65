// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a data directory executed again, with the senders stored and, as the level of knowledge
// asks, the access lists or the object sets. Nothing is written. Everything that headers claim is
// checked but for the state root, in whose place every value changed is compared with the one
// stored, which led to that root when the block came.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

#include <consensus_adapter/prefetching_source.hpp>
#include <ledger/durable_ledger.hpp>

#include "commands/replay.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/allocator.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::BlockSource;
using consensus_adapter::DeclaredCounts;
using consensus_adapter::OrderedBlock;
using consensus_adapter::SourceError;
using consensus_adapter::StreamFault;
using ledger::DurableLedger;

/// What was stored beside the blocks. Written by the source's thread.
struct StoredCounts {
    DeclaredCounts sets;  // of blocks that did not come with their list
    std::atomic<std::uint64_t> blocks_with_list{0};
    std::atomic<std::uint64_t> blocks_without_list{0};
};

/// Whether the executor that is asked for makes use of access lists.
bool takes_lists(const ExecutorFlags& flags) {
    return flags.is_parallel() &&
           flags.knowledge.value_or(executor::Knowledge::values) == executor::Knowledge::values;
}

/// The blocks [next, last] of a ledger.
class StoredSource final : public BlockSource {
public:
    /// @param takes_lists  Whether access lists are made use of: a block that has one then comes
    ///                     without its object sets.
    StoredSource(const DurableLedger& ledger, std::uint64_t first, std::uint64_t last,
                 bool takes_lists, std::shared_ptr<StoredCounts> counts)
        : ledger_(ledger),
          next_(first),
          last_(last),
          takes_lists_(takes_lists),
          counts_(std::move(counts)) {}

    std::optional<OrderedBlock> next() override {
        if (error_.has_value() || next_ > last_) return std::nullopt;
        auto block = ledger_.block(next_);
        if (!block.has_value()) return fail(to_string(block.error()));
        if (!block->has_value()) return fail("its body is not there");
        OrderedBlock ordered;
        Block& stored = (*block)->block;
        ordered.start.transaction_count = stored.transactions.size();
        ordered.start.header = std::move(stored.header);
        ordered.start.ommers = std::move(stored.ommers);
        ordered.start.withdrawals = std::move(stored.withdrawals);
        ordered.transactions = std::move(stored.transactions);
        if (auto problem = add_knowledge(ordered)) return fail(*std::move(problem));
        ++next_;
        return ordered;
    }

    const std::optional<SourceError>& error() const noexcept override { return error_; }

private:
    /// The list or the sets. @return what is wrong, if anything is.
    std::optional<std::string> add_knowledge(OrderedBlock& block) {
        if (takes_lists_) {
            auto list = ledger_.access_list(next_);
            if (!list.has_value()) return to_string(list.error());
            const std::optional<Hash>& claimed = block.start.header.block_access_list_hash;
            if (list->has_value() && claimed.has_value() && *claimed != keccak256(**list))
                return "the access list stored for it has another hash than its header says";
            count(list->has_value(), counts_->blocks_with_list, counts_->blocks_without_list);
            if (list->has_value()) {
                block.start.access_list = **std::move(list);
                return std::nullopt;
            }
        }
        auto sets = ledger_.object_sets(next_);
        if (!sets.has_value()) return to_string(sets.error());
        if (sets->has_value()) block.object_sets = **std::move(sets);
        count(!block.object_sets.empty(), counts_->sets.blocks_with_sets,
              counts_->sets.blocks_without_sets);
        return std::nullopt;
    }

    static void count(bool is_there, std::atomic<std::uint64_t>& with,
                      std::atomic<std::uint64_t>& without) {
        (is_there ? with : without).fetch_add(1, std::memory_order_relaxed);
    }

    std::optional<OrderedBlock> fail(std::string reason) {
        error_.emplace();
        error_->code = StreamFault::read_elsewhere;
        error_->number = next_;
        error_->reason = std::move(reason);
        return std::nullopt;
    }

    const DurableLedger& ledger_;
    std::uint64_t next_;
    const std::uint64_t last_;
    const bool takes_lists_;
    std::shared_ptr<StoredCounts> counts_;
    std::optional<SourceError> error_;
};

/// Compares what blocks change with what is stored.
class ComparingSink final : public BlockSink {
public:
    ComparingSink(const DurableLedger& ledger, ledger::PastState& state, std::uint64_t first)
        : ledger_(ledger), state_(state), next_(first) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        const BlockHeader& header = block.block.header;
        auto difference = ledger_.difference(header.number, block.diff, state_);
        if (!difference.has_value())
            return fail(BlockErrorCode::storage_failed, to_string(difference.error()));
        if (difference->has_value()) return fail(BlockErrorCode::state_root_mismatch, **difference);
        state_.move_to(header.number);
        ++next_;
        next_root_ = 0;
        return header.state_root;
    }

    /// As the receipt stored says; its root is compared with the header in the end.
    [[nodiscard]] Hash state_root_with(const StateDiff& /*diff*/) override {
        const auto block = ledger_.block(next_);
        // A thread of the executor asks, which no error can leave.
        if (!block.has_value()) end_process(block.error());
        const std::size_t index = next_root_++;
        if (!block->has_value() || index >= (*block)->receipts.size()) return {};
        return (*block)->receipts[index].post_state.value_or(Hash{});
    }

private:
    [[nodiscard]] std::unexpected<BlockError> fail(BlockErrorCode code, std::string detail) const {
        BlockError error;
        error.code = code;
        error.number = next_;
        error.detail = std::move(detail);
        return std::unexpected(std::move(error));
    }

    const DurableLedger& ledger_;
    ledger::PastState& state_;
    std::uint64_t next_;
    std::size_t next_root_ = 0;
};

}  // namespace

ExitCode replay_stored(const ReplayOptions& options) {
    ledger::DurableLedgerOptions settings = make_reading_options(options.ledger);
    const MemoryPlan memory = plan_replay_memory(settings.memory_bytes);
    settings.memory_bytes = memory.ledger;
    hold_freed_memory(time_for_tools_to_hold_memory(options.ledger.memory_mib));
    const auto ledger = open_ledger(std::move(settings));
    const ChainConfig config = stored_chain_config(*ledger);
    const std::uint64_t head = ledger->head().header.number;
    const std::uint64_t first = options.from == 0 ? ledger->first_state() + 1 : options.from;
    if (options.to < first)
        fail_input("replay: --to {} is below {} {}", options.to,
                   options.from == 0 ? "the first block that can be executed again," : "--from",
                   first);
    const std::uint64_t last = std::min(options.to, head);
    if (first > last)
        fail_input("replay: no blocks to execute again: the last one stored is {}{}", head,
                   head == 0 ? "; name chain files to go on" : "");
    const auto state = take(ledger->state_at(first - 1));
    ComparingSink sink(*ledger, *state, first);
    const auto counts = std::make_shared<StoredCounts>();
    const auto source = consensus_adapter::make_prefetching_source(
        std::make_unique<StoredSource>(*ledger, first, last, takes_lists(options.executor), counts),
        {.max_bytes = stream_bytes(memory)});
    const ledger::StoredHeader parent = take(ledger->header(first - 1)).value();
    const ReplayTarget chain{
        config,
        *state,
        *ledger,
        sink,
        executor::ChainHead{take(ledger->ancestors(first - 1)), parent.total_difficulty},
        memory};
    const ExitCode code = replay_source(options, chain, false, *source, counts->sets);
    if (takes_lists(options.executor))
        fmt::print("access lists stored for {}, missing for {}\n",
                   counted(counts->blocks_with_list.load(), "block"),
                   counts->blocks_without_list.load());
    if (code != ExitCode::ok) return code;
    if (options.to != ReplayOptions{}.to && head < options.to)
        say("heddle: --to {}: the last block stored is {}\n", options.to, head);
    fmt::print("blocks {} to {} came out as they are stored; nothing was written\n", first, last);
    return ExitCode::ok;
}

}  // namespace heddle::node
