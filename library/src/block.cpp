// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <heddle.h>

#include <memory>
#include <optional>
#include <utility>

#include <types/block_sink.hpp>
#include <types/expected.hpp>

#include <vm/block.hpp>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>

#include "boundary.hpp"
#include "caller_state.hpp"
#include "chain.hpp"
#include "engine.hpp"
#include "input.hpp"
#include "result.hpp"

namespace heddle::library {

namespace {

using executor::BlockMode;

/// Takes the finished block for the caller, with the root of the state where the caller makes such.
class ResultSink final : public BlockSink {
public:
    ResultSink(const CallerState& state, BlockMode mode) : state_(state), mode_(mode) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        BlockHeader& header = block.block.header;
        root_ = state_.state_root(block.diff);
        BlockError error;
        error.number = header.number;
        if (state_.has_failed()) return std::unexpected(std::move(error));
        if (mode_ == BlockMode::propose) header.state_root = root_.value_or(Hash{});
        if (root_.has_value() && *root_ != header.state_root) {
            error.code = BlockErrorCode::state_root_mismatch;
            error.claimed = to_string(header.state_root);
            error.computed = to_string(*root_);
            return std::unexpected(std::move(error));
        }
        const Hash root = header.state_root;
        finished_ = std::move(block);
        return root;
    }

    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        return state_.state_root(diff).value_or(Hash{});
    }

    [[nodiscard]] const std::optional<Hash>& root() const noexcept { return root_; }
    /// The block, once it was accepted.
    [[nodiscard]] std::optional<FinishedBlock> take() noexcept { return std::move(finished_); }

private:
    const CallerState& state_;
    const BlockMode mode_;
    std::optional<Hash> root_;
    std::optional<FinishedBlock> finished_;
};

/// The block's number, time and difficulty, as far as they decide which rules it is under.
BlockHeader place_of(const executor::BlockStart& start, const executor::ChainHead& head) {
    if (start.mode != BlockMode::propose) return start.header;
    const BlockHeader& parent = head.ancestors.front().header;
    BlockHeader header;
    header.number = parent.number + 1;
    header.timestamp = start.header.timestamp;
    header.difficulty = parent.difficulty;
    return header;
}

/// Receipts before Byzantium carry roots, and so does the header through them.
Result<void> check_roots(const executor::OrderedBlock& block, const executor::ChainHead& head,
                         const ChainConfig& config, const CallerState& state) {
    if (state.makes_roots() || block.start.mode == BlockMode::witness) return {};
    const BlockHeader header = place_of(block.start, head);
    const bool is_merged = vm::is_merged(header, head.total_difficulty, config);
    if (config.revision(header.number, header.timestamp, is_merged) >= Revision::byzantium)
        return {};
    return fail(HEDDLE_INVALID_ARGUMENT,
                "before Byzantium receipts carry state roots: state.state_root must not be null");
}

std::unique_ptr<heddle_result> make_result(FinishedBlock finished, const std::optional<Hash>& root,
                                           BlockMode mode) {
    auto result = std::make_unique<heddle_result>();
    const BlockHeader& header = finished.block.header;
    heddle_summary& summary = result->summary;
    summary.number = header.number;
    summary.gas_used = header.gas_used;
    summary.execution_gas_used = finished.execution_gas_used;
    summary.state_gas_used = finished.state_gas_used;
    for (const Receipt& receipt : finished.receipts)
        summary.blob_gas_used += receipt.blob_gas_used;
    summary.success = 1;
    if (root.has_value()) {
        summary.has_state_root = 1;
        summary.state_root = told(*root);
    }
    if (mode != BlockMode::propose || root.has_value()) {
        summary.is_header_complete = 1;
        summary.block_hash = told(header_hash(header));
    }
    encode_header(header, result->header);
    result->receipts = std::move(finished.receipts);
    result->changes.diff = sorted(std::move(finished.diff));
    result->access_list = std::move(finished.access_list);
    return result;
}

Result<std::unique_ptr<heddle_result>> execute(heddle_engine& engine, const ChainConfig& config,
                                               const heddle_state& callbacks,
                                               const heddle_block& given) {
    HEDDLE_TRY(executor::ChainHead head, take_head(given));
    HEDDLE_TRY(executor::OrderedBlock block, take_block(given));
    HEDDLE_CHECK(engine.check_gas_limit(block.start.header.gas_limit));
    executor::Executor& executor = engine.executor();
    const CallerState state(callbacks, engine.codes(), [&executor] { executor.stop(); });
    HEDDLE_CHECK(check_roots(block, head, config, state));

    const BlockMode mode = block.start.mode;
    ResultSink sink(state, mode);
    executor.start({.config = config, .state = state, .block_hashes = state, .sink = sink},
                   std::move(head));
    auto executed = executor::run(executor, std::move(block));
    const auto summary = executor.drain();
    if (state.has_failed()) {
        engine.renew();
        return std::unexpected(state.failure());
    }
    if (!executed.has_value()) return std::unexpected(to_failure(executed.error()));
    if (!summary.has_value()) return std::unexpected(to_failure(summary.error()));
    auto finished = sink.take();
    if (!finished.has_value()) return fail(HEDDLE_INTERNAL, "the block was not finished");
    return make_result(*std::move(finished), sink.root(), mode);
}

}  // namespace

}  // namespace heddle::library

using namespace heddle::library;

// NOLINTNEXTLINE(readability-function-size): parameters as the interface has them
extern "C" heddle_status heddle_execute_block(heddle_engine* engine, const heddle_chain* chain,
                                              const heddle_state* state, const heddle_block* block,
                                              heddle_result** out, heddle_error* error) {
    return make_call(out, error, [&]() -> Result<void> {
        if (engine == nullptr || chain == nullptr)
            return fail(HEDDLE_INVALID_ARGUMENT, "engine or chain is null");
        HEDDLE_TRY(const heddle_state callbacks, take_state(state));
        HEDDLE_TRY(const heddle_block given, take(block, "block"));
        const EngineUse use(*engine);
        if (!use.has_it()) return fail(HEDDLE_BUSY, "the engine is executing already");
        HEDDLE_TRY(auto result, execute(*engine, chain->config, callbacks, given));
        *out = result.release();
        return {};
    });
}
