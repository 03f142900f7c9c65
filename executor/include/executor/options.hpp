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
};

}  // namespace heddle::executor
