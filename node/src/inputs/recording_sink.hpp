// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Finished blocks on their way to the ledger, their object sets taken out: written to a sidecar, or
// kept for whoever runs the same blocks next. The executor must have been asked to record them.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <consensus_adapter/sidecar.hpp>
#include <types/block_sink.hpp>

namespace heddle::node {

/// Thread safety: as BlockSink.
class RecordingSink final : public BlockSink {
public:
    /// What becomes of the sets of an accepted block; false: the stream must end.
    using Keep =
        std::function<bool(const BlockHeader&, const Hash& hash, std::vector<ObjectSet> sets)>;

    RecordingSink(BlockSink& inner, Keep keep) : inner_(inner), keep_(std::move(keep)) {}

    /// As the sink behind. Errors: also execution_halted where the sets could not be kept.
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override;
    void foresee(const Hash& parent, const StateDiff& diff) override {
        inner_.foresee(parent, diff);
    }
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        return inner_.state_root_with(diff);
    }

private:
    BlockSink& inner_;
    const Keep keep_;
};

/// A sidecar as a command writes it: block by block, with the first error kept for the end.
class SidecarRecorder {
public:
    /// Errors: InputError where the file cannot be made.
    explicit SidecarRecorder(const std::string& path);

    /// Appends a block unless it is the one appended last (a benchmark repeats blocks).
    /// @return false: this or an earlier write has failed.
    [[nodiscard]] bool add(std::uint64_t number, const Hash& hash,
                           const std::vector<ObjectSet>& sets);
    [[nodiscard]] const std::optional<consensus_adapter::SourceError>& error() const noexcept {
        return error_;
    }
    /// Gives the file its name and says so on standard output.
    /// Errors: InputError, also for an earlier failure.
    void finish();

private:
    const std::string path_;
    consensus_adapter::SidecarWriter writer_;
    std::optional<Hash> last_;
    std::optional<consensus_adapter::SourceError> error_;
};

}  // namespace heddle::node
