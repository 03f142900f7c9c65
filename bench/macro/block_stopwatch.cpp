// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Heddle's side of bench/rivals/blocks.py: runs real blocks one by one, each when a line of
// standard input asks for it, and answers with gas and time. The protocol is described there.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <types/block_error.hpp>
#include <types/expected.hpp>
#include <vm/block.hpp>
#include <vm/block_execution.hpp>
#include <vm/evm.hpp>

#include "arguments.hpp"
#include "formats/witness_file.hpp"
#include "state/block_state.hpp"
#include "witness_folder.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

/// For --help.
constexpr const char* kPurpose =
    "Heddle's side of bench/rivals/blocks.py, which describes what it reads on standard "
    "input: runs real blocks one by one, and answers with gas and time.";

/// What one run of a block gave.
struct Run {
    std::uint64_t gas_used = 0;
    std::int64_t nanoseconds = 0;
};

/// Runs blocks on their pre-states; what it has learnt of their code stays. What a run makes is
/// freed within its time, as on the rival's side.
class Engine {
public:
    virtual ~Engine() = default;
    /// Errors: what is wrong with the block.
    [[nodiscard]] virtual std::expected<Run, BlockError> run(const node::Witness& witness) = 0;
};

/// As a replay does it: blooms, roots of transactions and receipts, comparison with the header.
class WholeBlocks final : public Engine {
public:
    WholeBlocks() {
        executor::Options options;
        options.on_block = [this](const executor::BlockReport& report) {
            gas_used_ = report.header.gas_used;
        };
        executor_ = executor::make_serial_executor(std::move(options));
    }

    std::expected<Run, BlockError> run(const node::Witness& witness) override {
        const node::KnownHashes hashes(witness.block_hashes);
        executor_->start({.config = mainnet_config(),
                          .state = witness.state,
                          .block_hashes = hashes,
                          .sink = sink_},
                         {});
        executor::OrderedBlock block = node::make_ordered_block(witness);
        const auto begin = Clock::now();
        HEDDLE_CHECK(executor::run(*executor_, std::move(block)));
        HEDDLE_TRY(const executor::Summary summary, executor_->drain());
        static_cast<void>(summary);
        return Run{gas_used_, (Clock::now() - begin).count()};
    }

private:
    node::DiscardingSink sink_;
    std::uint64_t gas_used_ = 0;
    std::unique_ptr<executor::Executor> executor_;
};

/// Execution alone, up to the changes and receipts of the block; receipts have their blooms.
class BareBlocks final : public Engine {
public:
    BareBlocks() : evm_(options()) {}

    std::expected<Run, BlockError> run(const node::Witness& witness) override {
        const node::KnownHashes hashes(witness.block_hashes);
        state_.attach(witness.state);
        // Ommers are no part of a witness: nobody is rewarded for them.
        executor::OrderedBlock ordered = node::make_ordered_block(witness);
        Block block;
        block.header = std::move(ordered.start.header);
        block.withdrawals = std::move(ordered.start.withdrawals);
        block.transactions = std::move(ordered.transactions);
        const auto begin = Clock::now();
        HEDDLE_TRY(const std::uint64_t gas_used, execute(block, hashes));
        return Run{gas_used, (Clock::now() - begin).count()};
    }

private:
    static vm::EvmOptions options() {
        vm::EvmOptions result;
        // As the executors have it.
        result.decode_after_entries = vm::kDecodeAfterEntries;
        result.leave_blooms = true;
        return result;
    }

    std::expected<std::uint64_t, BlockError> execute(const Block& block,
                                                     const BlockHashes& hashes) {
        const bool is_merged = vm::is_merged(block.header, std::nullopt, mainnet_config());
        const BlockEnv env = vm::make_block_env(block.header, mainnet_config(), is_merged);
        const vm::BlockContext context{
            .header = block.header, .env = env, .config = mainnet_config(), .block_hashes = hashes};
        HEDDLE_CHECK(execution_.begin(context, state_, evm_));
        execution_.reserve(block.transactions.size());
        for (const Transaction& tx : block.transactions)
            if (const auto added = execution_.add(tx, evm_, outcome_); !added.has_value())
                return std::unexpected(BlockError{.code = BlockErrorCode::invalid_transaction,
                                                  .number = block.header.number,
                                                  .index = std::nullopt,
                                                  .transaction = added.error(),
                                                  .claimed = {},
                                                  .computed = {},
                                                  .detail = {}});
        HEDDLE_CHECK(execution_.end(vm::ending_of(block, env.revision), evm_));
        execution_.make_blooms();
        const StateDiff diff = state_.diff();
        return execution_.take_result().gas_used;
    }

    vm::Evm evm_;
    executor::BlockState state_;
    vm::BlockExecution execution_;
    vm::Outcome outcome_;
};

/// Answers questions about the blocks of a folder.
class Stopwatch {
public:
    Stopwatch(std::vector<node::Witness> witnesses, bool hashes_leaves)
        : hashes_leaves_(hashes_leaves) {
        for (node::Witness& witness : witnesses) {
            const std::uint64_t number = witness.block.header.number;
            witnesses_.emplace(number, std::move(witness));
        }
    }

    [[nodiscard]] std::string greeting() const {
        std::string text = "blocks";
        for (const auto& [number, witness] : witnesses_)
            text += fmt::format(" {}", number);
        return text;
    }

    /// "first NUMBER": a new engine. "again COUNT": the same block so many times more.
    /// Errors: a text.
    std::expected<std::string, std::string> answer(const std::string& line) {
        std::istringstream words(line);
        std::string what;
        std::uint64_t number = 0;
        if (!(words >> what >> number) || (what != "first" && what != "again"))
            return std::unexpected(fmt::format("no such question: {}", line));
        if (what == "first") {
            const auto found = witnesses_.find(number);
            if (found == witnesses_.end())
                return std::unexpected(fmt::format("no block {}", number));
            current_ = &found->second;
            engine_.reset();
            if (hashes_leaves_)
                engine_ = std::make_unique<WholeBlocks>();
            else
                engine_ = std::make_unique<BareBlocks>();
            return run(1);
        }
        if (current_ == nullptr) return std::unexpected(std::string{"nothing was run"});
        return run(number);
    }

private:
    /// Gas, and the nanoseconds of each run.
    std::expected<std::string, std::string> run(std::uint64_t count) {
        std::string text;
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto run = engine_->run(*current_);
            if (!run.has_value()) return std::unexpected(to_string(run.error()));
            if (i == 0) text = std::to_string(run->gas_used);
            text += fmt::format(" {}", run->nanoseconds);
        }
        return text;
    }

    bool hashes_leaves_;
    std::map<std::uint64_t, node::Witness> witnesses_;
    const node::Witness* current_ = nullptr;
    std::unique_ptr<Engine> engine_;
};

}  // namespace

int main(int argc, char** argv) {
    heddle::bench::Arguments arguments(argc, argv, kPurpose);
    const std::string folder = arguments.text("folder", "", "blocks in JSON with their pre-states");
    const bool hashes_leaves =
        arguments.flag("leaves", "keys and values of the trie are made ready as well");
    arguments.finish();
    if (folder.empty()) {
        std::fprintf(stderr, "block_stopwatch: --folder=FOLDER names the blocks\n");
        return 2;
    }
    Stopwatch stopwatch(heddle::bench::load_witnesses(folder), hashes_leaves);
    std::cout << stopwatch.greeting() << '\n' << std::flush;
    for (std::string line; std::getline(std::cin, line);) {
        const auto answer = stopwatch.answer(line);
        if (!answer.has_value()) {
            std::fprintf(stderr, "block_stopwatch: %s\n", answer.error().c_str());
            return 1;
        }
        std::cout << *answer << '\n' << std::flush;
    }
    return 0;
}
