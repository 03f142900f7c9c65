// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Native code against bytecode that does the same.
#include <vm/native_code.hpp>

#include <array>
#include <functional>
#include <utility>

#include <types/assert.hpp>

#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

/// Whatever a test wants.
class AnyNative final : public NativeCode {
public:
    [[nodiscard]] BytesView stands_for() const noexcept override { return code_; }
    void run(NativeCall& call) const noexcept override { body(call); }

    std::function<void(NativeCall&)> body;

private:
    const Bytes code_{0xfe, 'n', 'a', 't', 'i', 'v', 'e'};
};

/// Stops at a limit, and notes whether more was done.
class Limit final : public Supervisor {
public:
    explicit Limit(std::int64_t most) noexcept : most_(most) {}
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        return gas_used > most_ ? kStop : most_;
    }

private:
    std::int64_t most_;
};

class NativeCodeTest : public TransitionTest {
protected:
    NativeCodeTest() { pre.deploy(kTarget, Bytes(marker().begin(), marker().end())); }

    [[nodiscard]] BytesView marker() const { return native_.stands_for(); }
    [[nodiscard]] Evm make_evm(Engine engine) const {
        const std::array<const NativeCode*, 1> natives{&native_};
        return Evm({.engine = engine,
                    .code_cache = make_code_cache(kDefaultCodeCacheBytes, nullptr, natives),
                    .record_accesses = true});
    }
    /// On both engines, which must agree.
    const Outcome& run_native(std::function<void(NativeCall&)> body,
                              Supervisor* supervisor = nullptr) {
        native_.body = std::move(body);
        const auto valid = validate(tx, pre, env, BlockGas::whole(env));
        HEDDLE_ASSERT(valid.has_value());
        EngineRun fast;
        for (const Engine engine : {Engine::plain, Engine::fast}) {
            Evm evm = make_evm(engine);
            evm.supervise(supervisor);
            run_on(evm, pre, env, *valid, engine == Engine::fast ? fast : native_run_);
        }
        EXPECT_EQ(difference(fast, native_run_), "");
        return native_run_.outcome;
    }

    /// Bytecode at the same address gives the same, but for gas.
    void expect_like(const Outcome& native, const Bytecode& code) {
        const Outcome& bytecode = run(code);
        EXPECT_EQ(native.status, bytecode.status);
        EXPECT_EQ(native.receipt.logs, bytecode.receipt.logs);
        EXPECT_EQ(native.output, bytecode.output);
        EXPECT_EQ(native.accesses, bytecode.accesses);
    }

private:
    AnyNative native_;
    EngineRun native_run_;
};

TEST_F(NativeCodeTest, an_account_whose_code_nobody_knows_of_runs_that_code) {
    EXPECT_NE(run().status, Status::success);
    EXPECT_EQ(exact_status(), Status::invalid_instruction);
}

TEST_F(NativeCodeTest, rows_and_logs_are_those_of_bytecode_and_cost_the_same) {
    const Hash topic = to_hash(Uint256{5});
    const Outcome native = run_native([&](NativeCall& call) {
        const auto value = call.load(7);
        ASSERT_TRUE(value.has_value());
        ASSERT_TRUE(call.store(7, *value + Uint256{1}));
        ASSERT_TRUE(call.store(8, 3));
        ASSERT_TRUE(call.log({topic}, {}));
    });

    const Bytecode code = sload(7) + push(1) + OP_ADD + push(7) + OP_SSTORE + sstore(8, 3) +
                          push(5) + push(0) + push(0) + OP_LOG1;
    expect_like(native, code);
    EXPECT_EQ(stored(kTarget, 7), 1u);
    // Eight PUSHes and an ADD.
    EXPECT_EQ(native.receipt.gas_used + 9 * 3, gas_used());
}

TEST_F(NativeCodeTest, hashes_and_output_cost_what_instructions_cost) {
    const Outcome native = run_native([](NativeCall& call) {
        const auto hash = call.keccak(std::array<std::uint8_t, 32>{});
        ASSERT_TRUE(hash.has_value());
        call.give(to_word(*hash));
    });

    const Bytecode code = push(32) + push(0) + OP_KECCAK256 + return_top();
    const Outcome& bytecode = run(code);
    EXPECT_EQ(native.output, bytecode.output);
    EXPECT_EQ(native.output.size(), 32u);
    // Five PUSHes and MSTORE; both pay for one word of memory.
    EXPECT_EQ(native.receipt.gas_used + 6 * 3, gas_used());
}

TEST_F(NativeCodeTest, each_word_of_the_input_is_paid_for_at_the_start) {
    const auto used = [&](std::size_t bytes) {
        tx.data.assign(bytes, 0);
        return run_native([](NativeCall&) {}).executed_gas;
    };
    EXPECT_EQ(used(0), 0u);
    EXPECT_EQ(used(1), 3u);
    EXPECT_EQ(used(33), 6u);
}

TEST_F(NativeCodeTest, a_revert_takes_back_what_was_written_and_keeps_the_gas_that_is_left) {
    const Outcome native = run_native([](NativeCall& call) {
        ASSERT_TRUE(call.store(7, 1));
        ASSERT_TRUE(call.log({}, {}));
        EXPECT_FALSE(call.revert());
    });

    expect_like(native, sstore(7, 1) + push(0) + push(0) + OP_LOG0 + revert_range(0, 0));
    EXPECT_EQ(native.status, Status::revert);
    EXPECT_LT(native.receipt.gas_used, tx.gas_limit);
    EXPECT_EQ(native.diff.accounts.size(), 1u);  // the sender
}

TEST_F(NativeCodeTest, out_of_gas_takes_everything_and_is_no_revert) {
    tx.gas_limit = kTransferGas + 22'000;  // one cold slot is written for 22,100
    unsigned further = 0;
    const Outcome native = run_native([&](NativeCall& call) {
        if (call.store(7, 1)) ++further;
        EXPECT_FALSE(call.revert());
    });

    EXPECT_EQ(further, 0u);
    EXPECT_EQ(native.status, Status::out_of_gas);
    EXPECT_EQ(native.receipt.gas_used, tx.gas_limit);
}

TEST_F(NativeCodeTest, an_endless_loop_ends_with_its_gas) {
    std::uint64_t hashes = 0;
    const Outcome native = run_native([&](NativeCall& call) {
        hashes = 0;
        while (call.keccak({}))
            ++hashes;
    });

    EXPECT_EQ(native.status, Status::out_of_gas);
    EXPECT_EQ(hashes, (tx.gas_limit - kTransferGas) / 30);
}

TEST_F(NativeCodeTest, a_supervisor_ends_it_as_it_ends_bytecode) {
    std::uint64_t hashes = 0;
    Limit limit(3'000);
    const Outcome native = run_native(
        [&](NativeCall& call) {
            hashes = 0;
            while (call.keccak({}))
                ++hashes;
        },
        &limit);

    EXPECT_EQ(native.status, Status::stopped);
    EXPECT_EQ(hashes, 100u);
}

TEST_F(NativeCodeTest, it_may_not_write_in_a_static_call) {
    tx.to = kOther;
    pre.deploy(kOther, (call(OP_STATICCALL, kTarget) + push(0) + OP_SSTORE).bytes());
    for (const bool logs : {false, true}) {
        const Outcome native = run_native([&](NativeCall& call) {
            EXPECT_EQ(call.load(7), Uint256{});
            EXPECT_FALSE(logs ? call.log({}, {}) : call.store(7, 1));
        });
        EXPECT_EQ(native.status, Status::success);  // of the caller, who has stored a zero
        EXPECT_TRUE(native.receipt.logs.empty());
    }
}

TEST_F(NativeCodeTest, called_by_delegation_it_has_the_callers_storage) {
    tx.to = kOther;
    pre.deploy(kOther, (call(OP_DELEGATECALL, kTarget) + push(0) + OP_SSTORE).bytes());
    const Outcome native = run_native([&](NativeCall& call) {
        EXPECT_EQ(call.caller(), kSender);
        ASSERT_TRUE(call.store(7, 1));
    });

    post = pre;
    post.apply(native.diff);
    EXPECT_EQ(stored(kOther, 0), 1u);  // the call has succeeded
    EXPECT_EQ(stored(kOther, 7), 1u);
    EXPECT_EQ(stored(kTarget, 7), 0u);
}

TEST_F(NativeCodeTest, a_slot_must_be_declared_where_lists_are_binding) {
    env.strict_access_lists = true;
    tx.type = TransactionType::access_list;
    tx.chain_id = 1;
    const auto body = [](NativeCall& call) { (void)call.load(7); };

    EXPECT_EQ(run_native(body).status, Status::undeclared_access);

    tx.access_list = {{kTarget, {to_hash(Uint256{7})}}};
    EXPECT_EQ(run_native(body).status, Status::success);
}

TEST_F(NativeCodeTest, it_stays_known_when_the_cache_drops_everything) {
    AnyNative native;
    native.body = [](NativeCall& call) { (void)call.store(7, 1); };
    const std::array<const NativeCode*, 1> natives{&native};
    const auto cache = make_code_cache(1, nullptr, natives);
    pre.deploy(kOther, (push(1) + OP_POP).bytes());
    for (const Address& to : {kTarget, kOther, kTarget}) {
        tx.to = to;
        const auto valid = validate(tx, pre, env, BlockGas::whole(env));
        ASSERT_TRUE(valid.has_value());
        Evm evm({.code_cache = cache});  // keeps nothing of its own from before
        EngineRun result;
        run_on(evm, pre, env, *valid, result);
        EXPECT_EQ(result.outcome.status, Status::success);
    }
}

}  // namespace
}  // namespace heddle::vm::test
