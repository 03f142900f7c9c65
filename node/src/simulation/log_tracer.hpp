// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The logs of a simulated transaction in the order in which they came about, and, where it is
// wanted, moves of ether among them as if they were logs (ERC-7528).
#pragma once

#include <cstdint>
#include <vector>

#include <types/receipt.hpp>

#include "simulation/call_error.hpp"
#include "simulation/deadline.hpp"

namespace heddle::node::simulation {

struct SimulatedLog {
    Log log;
    /// In the block; logs that were undone have counted, as in ethereum/execution-apis.
    std::uint32_t index = 0;
};

/// The least that a log takes as JSON, in bytes: names, hashes and places.
inline constexpr std::size_t kLeastLogText = 300;

/// Names halts as well. Thread safety: none.
class LogTracer final : public HaltTracer {
public:
    /// @param most_text  Bytes of JSON that an answer may have: where the logs that are there at
    ///                   one time come to more, though some may still be undone, the execution
    ///                   ends, or they would take many times as much memory before that is seen.
    ///                   0: however many.
    LogTracer(bool with_transfers, const Deadline& deadline, std::size_t most_text)
        : HaltTracer(deadline), with_transfers_(with_transfers), most_text_(most_text) {}

    [[nodiscard]] bool wants_abort() const noexcept override {
        return has_too_much_ || HaltTracer::wants_abort();
    }
    /// What was there of all blocks at one time does not fit into an answer.
    [[nodiscard]] bool has_too_much() const noexcept { return has_too_much_; }
    /// Of all logs that are there, in bytes of JSON, at least.
    [[nodiscard]] std::size_t text_bytes() const noexcept { return text_bytes_; }

    void on_enter(const vm::TraceCall& call) noexcept override;
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override;
    void on_log(const Log& log, std::size_t index) noexcept override;

    /// What follows is another block's.
    void start_block() noexcept { count_ = 0; }
    /// What follows is another transaction's.
    void start_transaction() noexcept {
        forget_halt();
        for (const std::vector<SimulatedLog>& logs : calls_)
            forget(logs);
        calls_.assign(1, {});
    }
    /// Those of the transaction that remain.
    [[nodiscard]] std::vector<SimulatedLog> take_logs() noexcept;

private:
    void add(Log log);
    /// They do not count any more.
    void forget(const std::vector<SimulatedLog>& logs) noexcept {
        for (const SimulatedLog& log : logs)
            text_bytes_ -= text_of(log.log);
    }
    [[nodiscard]] static std::size_t text_of(const Log& log) noexcept {
        return kLeastLogText + 2 * (log.data.size() + log.topics.size() * sizeof(Hash));
    }

    const bool with_transfers_;
    const std::size_t most_text_;
    std::size_t text_bytes_ = 0;  // of all logs that are there, at least
    bool has_too_much_ = false;
    std::uint32_t count_ = 0;
    /// Of the calls that are open, innermost last; the first is the transaction's.
    std::vector<std::vector<SimulatedLog>> calls_{1};
};

}  // namespace heddle::node::simulation
