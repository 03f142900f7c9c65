// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that carry their own pre-state: the file format, and what running them needs. The
// pre-state is partial, so no state root follows from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <executor/ordered_block.hpp>
#include <ledger/memory_state.hpp>
#include <types/block.hpp>
#include <types/block_sink.hpp>
#include <types/state_view.hpp>

#include "formats/json.hpp"

namespace heddle::node {

/// A block with everything its execution reads.
struct Witness {
    Block block;
    ledger::MemoryState state;
    std::map<std::uint64_t, Hash> block_hashes;
};

/// What a file holds; senders in it are checked against the signatures.
/// Errors: throws InputError with the file and the path of the value that is wrong.
[[nodiscard]] Witness parse_witness(const JsonView& json);
/// Reads one file. Errors: as parse_witness().
[[nodiscard]] Witness load_witness(JsonParser& parser, const std::string& file);

/// A block as eth_getBlockByHash gives it with full transactions. Errors: as parse_witness().
[[nodiscard]] Block parse_full_block(const JsonView& json);

/// The block, to be run on the pre-state. Ommers stay away: what they get is no part of it.
[[nodiscard]] executor::OrderedBlock make_ordered_block(const Witness& witness);

class KnownHashes final : public BlockHashes {
public:
    explicit KnownHashes(const std::map<std::uint64_t, Hash>& hashes) : hashes_(hashes) {}
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        const auto known = hashes_.find(number);
        return known == hashes_.end() ? Hash{} : known->second;
    }

private:
    const std::map<std::uint64_t, Hash>& hashes_;
};

/// Takes finished blocks and keeps nothing: the pre-state is partial, so no root follows from it,
/// and the next run starts on the same state.
class DiscardingSink final : public BlockSink {
public:
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        return block.block.header.state_root;
    }
    [[nodiscard]] Hash state_root_with(const StateDiff&) override { return {}; }
};

}  // namespace heddle::node
