// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes blocks of calls that nobody signed, one on the other, on top of a block of the chain:
// eth_simulateV1. Nothing of it is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/receipt.hpp>
#include <vm/simulate.hpp>
#include <vm/transition.hpp>

#include "chain/block_tries.hpp"
#include "chain/chain.hpp"
#include "chain/overlay_state.hpp"
#include "chain/selected_state.hpp"
#include "simulation/deadline.hpp"
#include "simulation/failure.hpp"
#include "simulation/log_tracer.hpp"
#include "simulation/simulation_request.hpp"

namespace heddle::node::simulation {

/// How a simulated call failed.
struct SimulatedError {
    FailureKind kind = FailureKind::internal;
    std::string message;
    std::optional<Bytes> data;  // of a revert
};

struct SimulatedCall {
    Bytes return_data;  // empty where it failed
    std::vector<SimulatedLog> logs;
    std::uint64_t gas_used = 0;
    std::uint64_t peak_gas = 0;  // before refunds
    std::optional<SimulatedError> error;
};

struct SimulatedBlock {
    Block block;  // transactions with senders, without signatures
    Hash hash;
    std::vector<Hash> transaction_hashes;
    std::size_t size_bytes = 0;  // of its RLP
    std::vector<SimulatedCall> calls;
};

/// What is simulated has more logs, or returns more, than Simulator::Options::most_text allows.
struct TooLarge {};

/// Thread safety: one thread at a time.
class Simulator {
public:
    struct Options {
        bool trace_transfers = false;
        bool validation = false;
        std::uint64_t gas_cap = 0;  // of all calls together
        /// Bytes of JSON that an answer may have. Where logs and what calls return, of all blocks
        /// so far, come to more, it ends, or they would be held in memory before that is seen.
        /// 0: however many.
        std::size_t most_text = 0;
    };
    /// @param chain  Outlives it; asked for state roots (BlockTries).
    Simulator(Chain& chain, SelectedState base, const Options& options, const Deadline& deadline);
    ~Simulator();

    /// Simulates the next block. @param wanted  With number and time; see sequence().
    /// Errors: Failure where a call cannot be executed or an override not be applied; timed_out;
    /// TooLarge.
    [[nodiscard]] const SimulatedBlock& add(const BlockCalls& wanted);

private:
    class Hashes;
    struct Progress;

    /// What the blocks up to this one count for. A chain that is known to have merged by some block
    /// or time has done so there, although simulated blocks bring no difficulty with them.
    [[nodiscard]] Uint256 total_difficulty(std::uint64_t number, std::uint64_t timestamp) const;
    [[nodiscard]] BlockHeader make_header(const BlockOverrides& overrides) const;
    [[nodiscard]] BlockEnv make_env(const BlockHeader& header,
                                    const BlockOverrides& overrides) const;
    /// What the block's transaction number `block.transactions.size()` is.
    [[nodiscard]] CallTransaction next_transaction(CallRequest request, Progress& progress) const;
    void execute(const CallRequest& request, Progress& progress);
    [[nodiscard]] SimulatedCall describe(const vm::Outcome& outcome, const Transaction& tx,
                                         const Progress& progress);
    [[nodiscard]] std::string halt_text(vm::Status status, const Transaction& tx,
                                        const Progress& progress) const;
    void finish(const BlockOverrides& overrides, Progress& progress);
    /// Of everything so far.
    [[nodiscard]] Hash state_root();

    Chain& chain_;
    const SelectedState base_;
    const Options options_;
    const Deadline deadline_;
    BlockTries tries_;        // of the base
    std::uint64_t gas_left_;  // of the cap
    LogTracer tracer_;
    vm::Evm evm_;
    const Supervision supervision_{deadline_, evm_};
    vm::Outcome outcome_;
    std::size_t results_text_ = 0;  // of what calls returned as JSON, in bytes, at least
    OverlayState state_;
    std::unique_ptr<Hashes> hashes_;
    std::optional<SimulatedBlock> last_;
};

}  // namespace heddle::node::simulation
