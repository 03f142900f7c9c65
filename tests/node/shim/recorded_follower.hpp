// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node that is recorded while it takes blocks that somebody else has made. The test is its
// source.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <executor/ordered_block.hpp>

#include "follow/chain_stream.hpp"

#include "recorded_node.hpp"

namespace heddle::node {

/// A block as its source has it.
struct SourceBlock {
    Block block;
    Hash hash;
    std::vector<ObjectSet> object_sets;
};
/// As a stream has it; without senders.
inline OrderedBlock streamed_block(const SourceBlock& source, bool has_sets) {
    Block block = source.block;
    for (Transaction& tx : block.transactions)
        tx.sender.reset();
    OrderedBlock streamed = executor::make_ordered_block(std::move(block));
    if (has_sets) streamed.object_sets = source.object_sets;
    return streamed;
}

/// Blocks of a chain on which a few accounts are busy, oldest first.
inline std::vector<SourceBlock> make_blocks(const std::filesystem::path& folder,
                                            const Genesis& genesis, std::uint64_t count) {
    RecordedNode source(folder, genesis);
    std::vector<Sender> senders{{41, 1}, {42, 2}, {43, 3}};
    std::vector<SourceBlock> blocks;
    for (std::uint64_t number = 1; number <= count; ++number) {
        for (Sender& sender : senders)
            sender.send(source.mempool());
        (void)source.seal();
        const auto block = source.chain().block(number);
        EXPECT_TRUE(block.has_value() && block->has_value());
        const auto sets = source.chain().ledger().object_sets(number);
        EXPECT_TRUE(sets.has_value() && sets->has_value());
        blocks.push_back({(*block)->block, (*block)->hash, **sets});
    }
    return blocks;
}

/// Runs from its making to its end; another one on the same folder goes on.
class RecordedFollower {
public:
    RecordedFollower(const std::filesystem::path& folder, const Genesis& genesis,
                     const RecordedNodeOptions& options = {})
        : ledger_(open_test_ledger((folder / "data").string(), genesis)),
          chain_(*ledger_, stored_chain_config(*ledger_), {.blocks = ledger::kArchive}),
          recorder_(begin_recording(*ledger_, (folder / "recording").string(), options)),
          mempool_(options.mempool, chain_, *recorder_),
          stream_(chain_, mempool_, stream_options(options)) {
        if (options.is_member)
            EXPECT_TRUE(chain_.hold_back(chain_.kept_head().header.number).has_value());
    }

    /// Gives blocks without waiting in between. Errors: what is wrong with the first wrong one.
    std::expected<void, BlockError> take(std::vector<OrderedBlock> blocks) {
        const auto begun = stream_.begin();
        if (!begun.has_value()) return std::unexpected(begun.error());
        for (OrderedBlock& block : blocks)
            if (!executor::run(**begun, std::move(block)).has_value()) break;
        const auto drained = (*begun)->drain();
        if (!drained.has_value()) return std::unexpected(drained.error());
        return {};
    }
    /// As when the source says that they are acknowledged.
    void show(std::uint64_t number) {
        chain_.show_up_to(number);
        recorder_->shown(number);
    }
    [[nodiscard]] Mempool& mempool() { return mempool_; }
    [[nodiscard]] consensus_adapter::BlockId head() const {
        const ledger::StoredHeader head = chain_.kept_head();
        return {head.header.number, head.hash};
    }

private:
    follow::ChainStreamOptions stream_options(const RecordedNodeOptions& options) {
        follow::ChainStreamOptions made;
        made.executor = options.application.executor;
        made.shim = recorder_.get();
        made.after_commit = [this](const consensus_adapter::BlockId& head) {
            if (!recorder_->wants_segment()) return;
            const BlockHeader header = chain_.kept_head().header;
            mempool_.with_content([&](PoolContent pool) {
                recorder_->begin_segment(head, header.timestamp, header.state_root,
                                         std::move(pool));
            });
        };
        return made;
    }

    std::unique_ptr<ledger::DurableLedger> ledger_;
    Chain chain_;
    std::unique_ptr<Recorder> recorder_;
    Mempool mempool_;
    follow::ChainStream stream_;
};

}  // namespace heddle::node
