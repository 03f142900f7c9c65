// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/recording_sink.hpp"

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/counted.hpp>

#include "program/error.hpp"
#include "program/file.hpp"
#include "program/quantities.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::SidecarWriter;

SidecarWriter create_sidecar(const std::string& path) {
    if (is_standard_output(path))
        fail_input("--record-sets needs a file: standard output has what is said of the blocks");
    auto writer = SidecarWriter::create(path);
    if (!writer) fail_input("{}", to_string(writer.error()));
    return *std::move(writer);
}

}  // namespace

std::expected<Hash, BlockError> RecordingSink::commit(FinishedBlock block) {
    HEDDLE_ASSERT(block.object_sets.size() == block.block.transactions.size());
    const BlockHeader header = block.block.header;
    std::vector<ObjectSet> sets = std::exchange(block.object_sets, {});
    auto root = inner_.commit(std::move(block));
    if (!root || keep_(header, header_hash(header), std::move(sets))) return root;
    BlockError error;
    error.code = BlockErrorCode::execution_halted;
    error.number = header.number;
    error.detail = "its object sets could not be kept";
    return std::unexpected(std::move(error));
}

SidecarRecorder::SidecarRecorder(const std::string& path)
    : path_(path), writer_(create_sidecar(path)) {}

bool SidecarRecorder::add(std::uint64_t number, const Hash& hash,
                          const std::vector<ObjectSet>& sets) {
    if (error_) return false;
    if (last_ == hash) return true;
    if (auto added = writer_.append(number, hash, sets); !added) {
        error_ = std::move(added).error();
        return false;
    }
    last_ = hash;
    return true;
}

void SidecarRecorder::finish() {
    if (error_) fail_input("{}: make room and record again", to_string(*error_));
    if (const auto finished = writer_.finish(); !finished)
        fail_input("{}: make room and record again", to_string(finished.error()));
    fmt::print("object sets of {} written to {} ({})\n", counted(writer_.block_count(), "block"),
               path_, format_bytes(writer_.size_bytes()));
}

}  // namespace heddle::node
