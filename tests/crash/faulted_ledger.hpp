// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The program `heddle` with a data directory, as a user runs it, and the faults it runs into. Not
// for deciding what must hold: the tests do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dice.hpp"
#include "process.hpp"

namespace heddle::test {

/// A chain file and what an undisturbed replay of it ends with.
struct TestChain {
    std::string name;
    std::string genesis;  // paths
    std::string file;
    std::uint64_t blocks = 0;
    std::string head;  // hash of the last block and state root, as the program prints them
};

/// One of a few small chains, made once per process; seldom the one from the fixtures, which is
/// longer, where it is there.
[[nodiscard]] const TestChain& choose_chain(Dice& dice);

/// How often each (class, operation) of the shim occurred in a run.
struct OperationCounts {
    std::map<std::pair<std::string, std::string>, std::uint64_t> pairs;
    std::uint64_t total = 0;

    [[nodiscard]] static OperationCounts parse(const std::string& report);
};

/// The variables HEDDLE_FAULT_* but for the folder and the files.
using Fault = Environment;

/// What one run said.
struct LedgerRun {
    ProcessResult process;
    std::uint64_t durable = 0;  // the last block it said would survive a loss of power
    std::string head;           // as TestChain::head; empty without a summary
    std::uint64_t number = 0;   // the block that it says it stands at
    std::string report;         // of the shim

    [[nodiscard]] bool was_struck() const { return report.find("fault ") != std::string::npos; }
};

/// One data directory.
class FaultedLedger {
public:
    explicit FaultedLedger(const TestChain& chain);

    /// Where faults happen: the data directory, and what else is written beside it.
    [[nodiscard]] std::string disk() const { return folder_ / "disk"; }
    [[nodiscard]] std::string directory() const { return disk() + "/data"; }
    [[nodiscard]] const TestChain& chain() const noexcept { return chain_; }

    /// Makes the ledger with its genesis block.
    LedgerRun init(const Fault* fault = nullptr);
    /// Replays the chain from where the ledger stands, making it where it is not there.
    LedgerRun replay(const std::vector<std::string>& options = {}, const Fault* fault = nullptr);
    /// Computes everything again that the ledger claims.
    LedgerRun verify(const Fault* fault = nullptr) { return run({"verify", "--deep"}, fault); }
    /// Any command of the program, without --datadir; an argument `@name` is a file on the disk
    /// beside the directory.
    LedgerRun run(const std::vector<std::string>& arguments, const Fault* fault = nullptr);
    /// The same of one that is given all its options.
    LedgerRun run_alone(const std::vector<std::string>& arguments, const Fault* fault = nullptr);

    /// Takes over what is on the disk of another one.
    void copy_disk(const FaultedLedger& from);

    /// Every command so far, as it can be repeated by hand.
    [[nodiscard]] const std::string& history() const noexcept { return history_; }

private:
    const TestChain& chain_;
    TemporaryFolder folder_ = TemporaryFolder::in_memory();
    std::string history_;
};

/// A position for a fault among `counts`: half of them anywhere, half in a kind of operation that
/// may be rare.
void choose_position(const OperationCounts& counts, Dice& dice, Fault& fault);

}  // namespace heddle::test
