// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How an executor runs. Nothing here changes a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <executor/stats.hpp>

namespace heddle::vm {
class CodeCache;
class Tracer;
}  // namespace heddle::vm

namespace heddle::executor {

enum class Interpreter : std::uint8_t {
    fast,
    plain,  // byte at a time: the oracle
};

/// How much of what is known of a transaction's objects is made use of.
enum class Knowledge : std::uint8_t {
    values,    // a block access list that came with the block (EIP-7928), else the next
    declared,  // object sets that came with the block, else the next
    hinted,    // the EIP-2930 list and what every transaction touches
    unknown,   // nothing: inferred
};

/// How parallel schedulers run. Zero stands for a choice by the machine.
struct ParallelOptions {
    /// Threads that execute, the submitting one included while it waits. Not more than processors
    /// that the process may use, see may_outnumber_processors. 0: as many, from eight on one less,
    /// which the dispatcher has.
    unsigned workers = 0;
    /// Whether there may be more workers than processors. For tests: whoever attempts a transaction
    /// ahead of its turn could hold the processor that the one whose turn it is waits for, until
    /// its time slice ends. The scheduler `auto` times blocks however tiny they are then, so that
    /// it soon tries every way to run them.
    bool may_outnumber_processors = false;
    /// Threads of the dispatcher: 1 (everything in the submitting thread) to 4.
    unsigned pipeline = 0;
    /// Whether the threads that the executor starts are each bound to a processor of their own,
    /// from the second on that the process may use; the submitting thread is best bound to the
    /// first, see bind_this_thread(). For a machine with nothing else to do.
    bool pin_threads = false;
    /// Bounds of what is in flight. One transaction more may be, whatever its size.
    std::size_t window_transactions = 16384;
    std::size_t window_objects = std::size_t{1} << 20;
    std::uint64_t window_gas = std::uint64_t{1} << 34;
    /// Memory for blocks that the sink has not accepted yet, in bytes: their transactions, and what
    /// executing these has left. One block may take more, but then none is executed beside it.
    std::size_t unfinished_bytes = std::size_t{256} << 20;
    /// Memory for accounts, slots and code that are kept from block to block, in bytes, with
    /// what is remembered of them. What one block and the window behind it touch comes on top: it
    /// was paid for.
    std::size_t kept_bytes = std::size_t{2} << 30;
    /// Most transactions that one stage of the dispatcher hands to the next at once.
    std::size_t batch_size = 64;
    Knowledge knowledge = Knowledge::values;
    /// Whether the scheduler `dag` orders by declared sets also where attempts hold without them,
    /// which takes time for nothing. For tests.
    bool orders_by_all_sets = false;
    /// Whether small and chain-like blocks run in stream order where parallelism cannot pay. What
    /// is small at the start of a stream, and everything where there is one worker, is left to the
    /// serial executor then.
    bool run_chains_inline = true;
    /// Not zero: workers pause at random, by this seed. For tests.
    std::uint64_t delay_seed = 0;
};

struct Options {
    Interpreter interpreter = Interpreter::fast;
    /// Analysed code to be shared with other executors of the process; null: a private cache.
    std::shared_ptr<vm::CodeCache> code_cache;
    /// Observer of every instruction of every transaction; forces the plain interpreter. May be
    /// null. Must outlive the executor.
    vm::Tracer* tracer = nullptr;
    /// Called for each accepted block, in stream order, from the thread that committed it. Must
    /// not throw and must not call the executor. May be empty.
    std::function<void(const BlockReport&)> on_block;
    /// Called when the scheduler `auto` runs blocks in another way from one on: its number, and
    /// why, in words. From the submitting thread. Must not throw and must not call the executor.
    /// May be empty.
    std::function<void(std::uint64_t number, std::string_view reason)> on_choice;
    /// Whether each finished block carries the object sets of its transactions.
    bool record_sets = false;
    /// Whether finished blocks carry access lists (EIP-7928) where no rule demands them too: from
    /// vm::kAccessListsSince on. What such a list says is advice, see BlockStart::access_list.
    bool make_access_lists = false;
    ParallelOptions parallel;
};

}  // namespace heddle::executor
