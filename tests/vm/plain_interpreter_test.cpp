// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a tracer sees; that both interpreters give the same results is in every other test.
#include <algorithm>

#include <vm/tracer.hpp>

#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

struct SeenStep {
    std::uint8_t opcode;
    std::uint32_t pc;
    std::int64_t cost;
    std::size_t stack;
    Status failure;
    friend bool operator==(const SeenStep&, const SeenStep&) = default;
};

class Recorder final : public Tracer {
public:
    void on_step(const TraceStep& step, Status failure) noexcept override {
        steps.push_back({step.opcode, step.pc, step.gas_cost, step.stack.size(), failure});
        if (step.opcode == OP_SLOAD) loaded.push_back(step.loaded);
        depths.push_back(step.depth);
    }
    void on_enter(const TraceCall& call) noexcept override { entered.push_back(call.kind); }
    void on_exit(Status status, std::int64_t gas_used, BytesView) noexcept override {
        exits.push_back(status);
        used.push_back(gas_used);
    }

    std::vector<SeenStep> steps;
    std::vector<std::uint32_t> depths;
    std::vector<TraceCall::Kind> entered;
    std::vector<Status> exits;
    std::vector<std::int64_t> used;  // by the calls that ended
    std::vector<Uint256> loaded;
};

class Traces : public TransitionTest {
protected:
    const Outcome& trace(const Bytecode& code) {
        pre.deploy(kTarget, code.bytes());
        const auto valid = validate(tx, pre, env, BlockGas::whole(env));
        Evm evm({.engine = Engine::fast, .tracer = &recorder, .code_cache = nullptr});
        run_on(evm, pre, env, valid.value(), traced);
        return traced.outcome;
    }

public:
    Recorder recorder;
    EngineRun traced;
};

TEST_F(Traces, every_instruction_is_seen_with_its_cost) {
    trace(push(1) + push(64) + OP_MSTORE + OP_STOP);

    EXPECT_EQ(recorder.steps, (std::vector<SeenStep>{{OP_PUSH1, 0, 3, 0, Status::success},
                                                     {OP_PUSH1, 2, 3, 1, Status::success},
                                                     {OP_MSTORE, 4, 12, 2, Status::success},
                                                     {OP_STOP, 5, 0, 0, Status::success}}));
}

TEST_F(Traces, the_instruction_that_halts_is_marked) {
    trace(push(1) + OP_ADD);

    ASSERT_EQ(recorder.steps.size(), 2u);
    EXPECT_EQ(recorder.steps[1].failure, Status::stack_underflow);
    EXPECT_EQ(recorder.exits, std::vector{Status::stack_underflow});
}

TEST_F(Traces, calls_are_entered_and_left) {
    pre.deploy(kOther, revert_range(0, 0).bytes());
    trace(call(kOther) + create(OP_STOP) + call(address_from_low64(4)));

    using Kind = TraceCall::Kind;
    EXPECT_EQ(recorder.entered, (std::vector{Kind::call, Kind::call, Kind::create, Kind::call}));
    EXPECT_EQ(recorder.exits,
              (std::vector{Status::revert, Status::success, Status::success, Status::success}));
    EXPECT_EQ(recorder.depths.front(), 1u);
    EXPECT_EQ(*std::ranges::max_element(recorder.depths), 2u);
}

// Before it was told what had been lacking as well.
TEST_F(Traces, a_call_that_cannot_pay_for_a_slot_has_used_what_it_was_given) {
    use(Revision::amsterdam);
    pre.deploy(kOther, sstore(0, 1).bytes());
    trace(CallCode{.to = push(kOther), .gas = push(5'000)});

    EXPECT_EQ(recorder.exits.front(), Status::out_of_gas);
    EXPECT_EQ(recorder.used.front(), 5'000);
}

// EIP-8037: what had paid for the slot comes back, so that only 12,100 and two PUSH1 and two more
// before REVERT were used.
TEST_F(Traces, a_call_that_reverts_has_not_used_what_comes_back_for_state) {
    use(Revision::amsterdam);
    pre.deploy(kOther, (sstore(0, 1) + revert_range(0, 0)).bytes());
    trace(CallCode{.to = push(kOther), .gas = push(200'000)});

    EXPECT_EQ(recorder.exits.front(), Status::revert);
    EXPECT_EQ(recorder.used.front(), 12'100 + 4 * 3);
}

// Storage that was there before shows through from Amsterdam on, where EIP-7610 is no rule: where
// it cannot be paid for it was told to be empty.
TEST_F(Traces, a_slot_that_a_creation_cannot_pay_for_is_told_as_it_is) {
    const Address address = create_address(kTarget, 1);
    const Bytecode use_gas =
        OP_JUMPDEST + Bytecode{OP_GAS} + push(1'500) + OP_LT + push(0) + OP_JUMPI;
    const Bytecode code = create(use_gas + sload(9));
    pre.accounts[address].balance = 1;
    pre.set_storage(address, 9, 77);
    use(Revision::amsterdam);
    tx.gas_limit = 400'000;
    trace(code);

    EXPECT_EQ(recorder.exits.front(), Status::out_of_gas);
    EXPECT_EQ(recorder.loaded, std::vector{Uint256{77}});
}

// As geth: from Amsterdam on it is not a frame that is refused but the instruction.
TEST_F(Traces, a_creation_that_nobody_can_pay_for_is_entered_before_amsterdam_only) {
    const Bytecode code = create(OP_STOP, Uint256{1} << 200);
    using Kind = TraceCall::Kind;
    use(Revision::osaka);
    trace(code);
    EXPECT_EQ(recorder.entered, (std::vector{Kind::call, Kind::create}));
    recorder = {};
    use(Revision::amsterdam);
    trace(code);
    EXPECT_EQ(recorder.entered, std::vector{Kind::call});
}

TEST_F(Traces, a_tracer_changes_nothing) {
    const Bytecode code = sstore(0, 1) + call(kOther) + create(deploy(OP_STOP)) + return_top();
    const Outcome expected = run(code);
    EXPECT_EQ(trace(code).receipt, expected.receipt);
    EXPECT_EQ(traced.outcome.diff, expected.diff);
}

}  // namespace
}  // namespace heddle::vm::test
