// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One transaction to a contract, traced: for tests of tracers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "tracing/json_tracer.hpp"
#include "tracing/trace_config.hpp"

namespace heddle::test {

class NoBlockHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t /*number*/) const noexcept override { return {}; }
};

/// Accounts 0xaa (called, 100 wei), 0xbb and 0xcc (the sender), in a block of Osaka whose fees
/// are zero.
class TracedCall {
public:
    static constexpr Address kContract = address_from_low64(0xaa);
    static constexpr Address kOther = address_from_low64(0xbb);
    static constexpr Address kSender = address_from_low64(0xcc);

    explicit TracedCall(std::string_view code, std::string_view other_code = "0x") {
        set_code(kContract, code, 100);
        set_code(kOther, other_code, 0);
        state_.set_account(kSender, Account{0, Uint256{~std::uint64_t{0}}});
        env_.revision = Revision::osaka;
        env_.gas_limit = 60'000'000;
        tx_.to = kContract;
        tx_.gas_limit = 1'000'000;
        tx_.sender = kSender;
    }

    [[nodiscard]] Transaction& tx() noexcept { return tx_; }
    [[nodiscard]] BlockEnv& env() noexcept { return env_; }
    [[nodiscard]] ledger::MemoryState& state() noexcept { return state_; }
    void set_first_log_index(std::size_t index) noexcept { first_log_index_ = index; }
    void set_code(const Address& address, std::string_view code, std::uint64_t balance) {
        const Bytes bytes = from_hex(code).value();
        Account account{0, balance};
        account.code_hash = keccak256(bytes);
        state_.set_account(address, account);
        state_.set_code(account.code_hash, bytes);
    }

    /// The trace, or, where the budget was exhausted, nothing.
    /// @param config  As debug_traceTransaction takes it.
    [[nodiscard]] std::string trace(std::string_view config, node::TraceBudget& budget) {
        node::JsonParser parser;
        const auto tracer =
            node::make_tracer(node::parse_trace_config(parser.parse(config, "config")), budget);
        const auto valid = vm::validate(tx_, state_, env_, vm::BlockGas::whole(env_));
        EXPECT_TRUE(valid.has_value());
        node::TraceSubject subject;
        subject.tx = &tx_;
        subject.env = &env_;
        subject.before = &state_;
        subject.first_log_index = first_log_index_;
        tracer->begin(subject);
        vm::Evm evm({.tracer = tracer.get()});
        const NoBlockHashes hashes;
        vm::transition(state_, hashes, env_, *valid, evm, outcome_);
        if (outcome_.status != vm::Status::aborted) tracer->end(outcome_);
        if (budget.verdict() != node::TraceBudget::Verdict::within) return {};
        std::string text;
        node::JsonWriter writer(text, node::JsonWriter::Style::compact);
        tracer->write(writer);
        return text;
    }
    [[nodiscard]] std::string trace(std::string_view config) {
        node::TraceBudget budget(std::size_t{1} << 30, node::TraceBudget::Clock::time_point::max());
        return trace(config, budget);
    }
    /// What `--trace` writes (EIP-3155).
    [[nodiscard]] std::string json_lines(node::JsonTracerOptions options) {
        node::JsonTracer tracer(options);
        const auto valid = vm::validate(tx_, state_, env_, vm::BlockGas::whole(env_));
        EXPECT_TRUE(valid.has_value());
        vm::Evm evm({.tracer = &tracer});
        const NoBlockHashes hashes;
        vm::transition(state_, hashes, env_, *valid, evm, outcome_);
        return std::move(tracer.text());
    }
    [[nodiscard]] const vm::Outcome& outcome() const noexcept { return outcome_; }

private:
    ledger::MemoryState state_;
    BlockEnv env_;
    Transaction tx_;
    vm::Outcome outcome_;
    std::size_t first_log_index_ = 0;
};

}  // namespace heddle::test
