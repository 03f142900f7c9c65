// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/block_replays.hpp"

#include <fmt/format.h>

#include "rpc/methods/simulation_failures.hpp"
#include "simulation/deadline.hpp"

namespace heddle::node::rpc {

RpcError server_error(const std::string& text) {
    return {Code::server_error, text};
}

SharedBlock require_block(const Chain& chain, const BlockSelector& selector) {
    if (selector.tag == BlockSelector::Tag::pending)
        throw server_error("tracing on top of pending is not supported");
    const SharedServedBlock block = find_served_block(chain, selector);
    if (block) return block->stored;
    if (selector.hash.has_value())
        throw server_error("block " + to_string(*selector.hash) + " not found");
    throw server_error(fmt::format("block #{} not found", selector.number));
}

std::unique_ptr<BlockReplay> start_replay(const Chain& chain, SharedBlock block, Reads* reads) {
    if (block->block.header.number == 0) throw server_error("genesis is not traceable");
    return take_or_refuse(BlockReplay::start(chain, std::move(block), reads));
}

TraceSubject subject_of_next(const BlockReplay& replay, const Hash& hash) {
    const ledger::StoredBlock& block = replay.block();
    const std::size_t index = replay.next_index();
    TraceSubject subject;
    subject.tx = &block.block.transactions[index];
    subject.env = &replay.env();
    subject.before = &replay.state();
    subject.place = TraceSubject::Place{block.hash, block.block.header.number, hash,
                                        static_cast<std::uint32_t>(index)};
    subject.first_log_index = replay.log_count();
    return subject;
}

void skip_to(std::size_t index, BlockReplay& replay, const Chain& chain, const Call& call) {
    vm::Evm evm({.code_cache = chain.code_cache(), .lets_go_of_code = true});
    skip_to(index, replay, evm, call);
}

void skip_to(std::size_t index, BlockReplay& replay, vm::Evm& evm, const Call& call) {
    const simulation::Deadline deadline = deadline_of(call);
    const simulation::Supervision supervision(deadline, evm);
    while (replay.next_index() < index) {
        deadline.check();
        const auto skipped = replay.execute_next(evm);
        if (!skipped.has_value())
            throw server_error(fmt::format("transaction {} of the block failed: {}",
                                           replay.next_index(), to_string(skipped.error())));
        deadline.note_gas((*skipped)->executed_gas);
        if (vm::is_unfinished((*skipped)->status)) simulation::Deadline::fail();
        replay.finish_next();
    }
}

}  // namespace heddle::node::rpc
