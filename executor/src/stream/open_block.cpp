// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/open_block.hpp"

#include <algorithm>
#include <utility>

#include <vm/block.hpp>

#include "stream/open_header.hpp"

namespace heddle::executor {

std::shared_ptr<BlockRun> make_block_run(BlockStart start) {
    auto block = std::make_shared<BlockRun>();
    block->mode = start.mode;
    block->encoded_size_bytes = start.encoded_size_bytes;
    if (start.mode != BlockMode::propose) block->claimed_list = std::move(start.access_list);
    block->block = {
        std::move(start.header), {}, std::move(start.ommers), std::move(start.withdrawals)};
    block->block.transactions.reserve(std::max<std::size_t>(start.transaction_count, 16));
    return block;
}

void open_block(BlockRun& block, const ChainTip& tip, const ChainConfig& config,
                InFlightHashes& hashes) {
    if (auto opened = open_header(block.block, block.mode, tip, config); !opened.has_value()) {
        block.header_error = std::move(opened).error();
        return;
    }
    const BlockHeader& header = block.block.header;
    block.is_merged = vm::is_merged(header, tip.total_difficulty(), config);
    block.env = vm::make_block_env(header, config, block.is_merged);
    if (block.mode == BlockMode::decided) block.block.header.block_access_list_hash.reset();
    if (makes_header(block.mode)) return;
    block.hash = header_hash(header);
    hashes.add(header.number, block.hash);
}

vm::AccessListMaking access_list_making(const Options& options) noexcept {
    return options.make_access_lists ? vm::AccessListMaking::always
                                     : vm::AccessListMaking::required;
}

}  // namespace heddle::executor
