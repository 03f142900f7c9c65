// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/supervisor.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <types/assert.hpp>

#include <vm/block_execution.hpp>

#include "system_call.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

/// Allows an amount of gas and nothing beyond it; notes what it was asked.
class Limit final : public Supervisor {
public:
    explicit Limit(std::int64_t gas) : gas_(gas) {}

    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        questions.push_back(gas_used);
        return gas_used > gas_ ? kStop : gas_;
    }

    std::vector<std::int64_t> questions;

private:
    std::int64_t gas_;
};

/// Ends executions when told to, by any thread.
class Flag final : public Supervisor {
public:
    void set(bool value) noexcept { is_set_.store(value); }
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        return is_set_.load() ? kStop : gas_used + kUsualStep;
    }

private:
    std::atomic<bool> is_set_{false};
};

/// A loop around what leaves the stack as it is.
Bytecode forever(const Bytecode& body) {
    return OP_JUMPDEST + body + push(0) + OP_JUMP;
}
Bytecode keccak_of(const Uint256& size) {
    return push(size) + push(0) + OP_KECCAK256 + OP_POP;
}

/// Machines that run the same in three ways: decoded, byte at a time, and first one, then the
/// other.
std::array<EvmOptions, 3> all_engines() {
    return {EvmOptions{.engine = Engine::fast, .record_accesses = true},
            EvmOptions{.engine = Engine::plain, .record_accesses = true},
            EvmOptions{.engine = Engine::fast, .decode_after_entries = 2, .record_accesses = true}};
}

class Supervision : public testing::Test {
protected:
    Supervision() {
        env.revision = Revision::prague;  // the last one without a limit of gas for transactions
        env.gas_limit = std::uint64_t{1} << 40;
        env.beneficiary = kBeneficiary;
        tx.to = kTarget;
        tx.gas_limit = 1'000'000'000;
        tx.sender = kSender;
        pre.set_balance(kSender, Uint256{1} << 100);
    }

    const Outcome& run(Evm& evm) {
        const auto valid = validate(tx, pre, env, BlockGas::whole(env));
        HEDDLE_ASSERT(valid.has_value());
        transition(pre, NumberedBlockHashes{}, env, *valid, evm, outcome);
        return outcome;
    }
    const Outcome& run(Evm& evm, const Bytecode& code) {
        pre.deploy(kTarget, code.bytes());
        return run(evm);
    }
    /// That it was stopped and that nothing could be taken for a result.
    void expect_stopped() const {
        EXPECT_EQ(outcome.status, Status::stopped);
        EXPECT_TRUE(outcome.diff.empty());
        EXPECT_EQ(outcome.accesses, AccessRecord{});
        EXPECT_EQ(outcome.receipt, Receipt{});
        EXPECT_TRUE(outcome.output.empty());
        EXPECT_FALSE(outcome.deferred_fee.has_value());
    }

    RecordedState pre;
    BlockEnv env;
    Transaction tx;
    Outcome outcome;
};

TEST_F(Supervision, nothing_that_is_executed_uses_more_gas_than_is_allowed) {
    constexpr std::int64_t kAllowed = 50'000;
    const std::vector<std::pair<const char*, Bytecode>> programs{
        {"a loop", forever({})},
        {"hashing in a loop", forever(keccak_of(10'000))},
        {"one long hash", keccak_of(2'000'000)},
        {"hashes without a jump", 2'000 * keccak_of(1'000)},
        {"powers without a jump", 5'000 * (push(~Uint256{}) + push(3) + OP_EXP + OP_POP)},
        {"memory", push(1) + push(1'000'000) + OP_MSTORE},
        {"a long copy", push(500'000) + push(0) + push(0) + OP_MCOPY},
        {"copies of call data", 500 * (push(50'000) + push(0) + push(0) + OP_CALLDATACOPY)},
        {"logs", forever(push(1'000) + push(0) + OP_LOG0)},
        {"cold slots", forever(OP_GAS + Bytecode{OP_SLOAD} + OP_POP)},
        {"cold accounts", forever(OP_GAS + Bytecode{OP_BALANCE} + OP_POP)},
        {"new slots", forever(push(1) + OP_GAS + OP_SSTORE)},
        {"calls of nobody", forever(call(kOther) + OP_POP)},
        {"calls of itself", call(OP_DELEGATECALL, kTarget) + forever({})},
        {"creations", forever(create(deploy(push(0))) + OP_POP)},
        {"code that is left behind", create(return_range(0, 8'000)) + OP_POP},
        {"gas that a failure burns", raw({0xfe})},
        {"gas that a failed call burns",
         CallCode{.to = push(8), .gas = push(100'000), .input_size = 1} + OP_POP},
        {"a long identity", forever(CallCode{.to = push(4), .input_size = 100'000} + OP_POP)},
        {"a long modular power", store_code(raw({})) + mstore(0, push(1)) + mstore(32, push(64)) +
                                     mstore(64, push(1'024)) + mstore(96, push(~Uint256{})) +
                                     mstore(128, push(~Uint256{})) +
                                     CallCode{.to = push(5), .input_size = 1'200} + forever({})},
    };
    for (const auto& [name, code] : programs)
        for (const EvmOptions& options : all_engines()) {
            SCOPED_TRACE(name);
            Evm evm(options);
            Limit limit(kAllowed);
            evm.supervise(&limit);
            run(evm, code);
            expect_stopped();
            EXPECT_LE(outcome.executed_gas, static_cast<std::uint64_t>(kAllowed));
            ASSERT_GE(limit.questions.size(), 2u);
            EXPECT_EQ(limit.questions.front(), 0);
            EXPECT_GT(limit.questions.back(), kAllowed);
        }
}

/// Gas for state (EIP-8037) that gas for execution had to pay for comes back where the state goes
/// again: what is executed is neither that nor less for it.
TEST_F(Supervision, gas_that_state_is_paid_with_is_not_executed) {
    env.revision = Revision::amsterdam;
    tx.gas_limit = 16'000'000;
    const std::vector<std::pair<const char*, Bytecode>> programs{
        {"code that is left behind", create(return_range(0, 8'000)) + OP_POP},
        {"slots", 20 * (sstore(1, 1) + sstore(2, 2) + sstore(1, Uint256{}) + sstore(2, Uint256{}))},
        {"slots of a call that reverts", 20 * (call(kOther) + OP_POP)},
        {"code of a call that reverts", 20 * (call(kThird) + OP_POP)},
        {"accounts that cannot be paid", 20 * (call(address_from_low64(1), 1) + OP_POP)},
        {"creations that revert", 20 * (create(revert_range(0, 0)) + OP_POP)},
    };
    pre.deploy(kOther, (sstore(1, 1) + sstore(2, 2) + revert_range(0, 0)).bytes());
    pre.deploy(kThird, (create(return_range(0, 8'000)) + revert_range(0, 0)).bytes());
    for (const auto& [name, code] : programs)
        for (const EvmOptions& options : all_engines()) {
            SCOPED_TRACE(name);
            Evm evm(options);
            Limit limit(700'000);
            evm.supervise(&limit);
            run(evm, code);
            EXPECT_EQ(outcome.status, Status::success);
            EXPECT_GT(outcome.executed_gas, 2'000u);
            EXPECT_LE(outcome.executed_gas, outcome.block_gas.execution);
            for (std::size_t i = 1; i < limit.questions.size(); ++i)
                EXPECT_GE(limit.questions[i], limit.questions[i - 1]);
        }
}

/// The account is paid for before the message, and not after all where that fails.
TEST_F(Supervision, a_transaction_that_makes_no_account_after_all_has_executed_what_it_has) {
    env.revision = Revision::amsterdam;
    tx.gas_limit = 16'000'000;
    for (const EvmOptions& options : all_engines()) {
        Evm evm(options);
        tx.to.reset();
        tx.data = revert_range(0, 0).bytes();
        EXPECT_EQ(run(evm).status, Status::revert);
        EXPECT_EQ(outcome.executed_gas, 6u);

        tx.to = address_from_low64(8);  // pairings: of no such input
        tx.data = {1};
        tx.value = 1;
        run(evm);
        EXPECT_NE(outcome.status, Status::success);
        EXPECT_EQ(outcome.executed_gas,
                  outcome.receipt.gas_used - intrinsic_gas(tx, env.revision).gas);
        tx.value = 0;
    }
}

TEST_F(Supervision, what_state_is_paid_with_hides_nothing_that_is_executed) {
    env.revision = Revision::amsterdam;
    tx.gas_limit = 16'000'000;
    pre.deploy(kOther, (create(return_range(0, 8'000)) + revert_range(0, 0)).bytes());
    const Bytecode hashes = 3'000 * keccak_of(1'000);
    const std::vector<std::pair<const char*, Bytecode>> programs{
        {"hashes behind it", create(return_range(0, 4'000)) + OP_POP + hashes},
        {"hashes behind a slot that is gone", sstore(1, 1) + sstore(1, Uint256{}) + hashes},
        {"a loop around it", forever(call(kOther) + OP_POP)},
        {"a loop in an account that is paid for", create(forever({})) + OP_POP},
    };
    for (const auto& [name, code] : programs)
        for (const EvmOptions& options : all_engines()) {
            SCOPED_TRACE(name);
            Evm evm(options);
            Limit limit(500'000);
            evm.supervise(&limit);
            run(evm, code);
            expect_stopped();
            EXPECT_LE(outcome.executed_gas, 500'000u);
            EXPECT_GT(limit.questions.back(), 500'000);
            EXPECT_LT(limit.questions.back(), 530'000) << "asked late";
        }
}

TEST_F(Supervision, what_stays_within_its_gas_is_not_touched) {
    const Bytecode code = keccak_of(10'000) + call(kOther) + sstore(1, 2) + return_range(0, 32);
    for (const EvmOptions& options : all_engines()) {
        Evm evm(options);
        const std::int64_t used = static_cast<std::int64_t>(run(evm, code).executed_gas);
        const Outcome alone = outcome;
        ASSERT_EQ(alone.status, Status::success);

        Limit enough(used);
        evm.supervise(&enough);
        run(evm);
        EXPECT_EQ(outcome.status, Status::success);
        EXPECT_EQ(outcome.receipt, alone.receipt);
        EXPECT_EQ(outcome.diff, alone.diff);
        EXPECT_EQ(outcome.accesses, alone.accesses);

        Limit too_little(used - 1);
        evm.supervise(&too_little);
        run(evm);
        expect_stopped();

        evm.supervise(nullptr);
        run(evm);
        EXPECT_EQ(outcome.receipt, alone.receipt) << "a machine that was stopped runs on as new";
        EXPECT_EQ(outcome.diff, alone.diff);
    }
}

/// An account that does not come to be is paid back and burnt with the rest, and what does not get
/// as far as its message burns all that it has (EIP-8037).
TEST_F(Supervision, what_a_failed_transaction_burns_at_its_end_counts_too) {
    env.revision = Revision::amsterdam;
    Transaction creation = tx;
    creation.to.reset();
    creation.data = Bytecode{OP_INVALID}.bytes();
    creation.gas_limit = 400'000;
    Transaction transfer = tx;
    transfer.to = kOther;
    transfer.value = 1;
    transfer.gas_limit = 100'000;
    for (const Transaction& failing : {creation, transfer})
        for (const EvmOptions& options : all_engines()) {
            SCOPED_TRACE(failing.to ? "an account that cannot be paid" : "a creation that halts");
            tx = failing;
            Evm evm(options);
            const auto used = static_cast<std::int64_t>(run(evm).executed_gas);
            EXPECT_NE(outcome.status, Status::success);
            EXPECT_EQ(outcome.receipt.gas_used, tx.gas_limit);
            EXPECT_EQ(outcome.executed_gas, tx.gas_limit - intrinsic_gas(tx, env.revision).gas);
            const Outcome alone = outcome;

            Limit enough(used);
            evm.supervise(&enough);
            run(evm);
            EXPECT_EQ(outcome.receipt, alone.receipt);

            Limit too_little(used - 1);
            evm.supervise(&too_little);
            run(evm);
            expect_stopped();
        }
}

TEST_F(Supervision, a_call_that_fails_cannot_keep_the_end_to_itself) {
    // The inner call is stopped; its caller would go on after any failure.
    pre.deploy(kOther, forever({}).bytes());
    const Bytecode caller =
        CallCode{.to = push(kOther), .gas = push(100'000)} + OP_POP + sstore(0, 1);
    for (const EvmOptions& options : all_engines()) {
        Evm evm(options);
        Limit limit(50'000);
        evm.supervise(&limit);
        run(evm, caller);
        expect_stopped();
    }
}

TEST_F(Supervision, what_comes_before_the_message_counts_too) {
    tx.type = TransactionType::set_code;
    tx.authorization_list.resize(10);
    Evm evm;
    Limit limit(95'000);
    evm.supervise(&limit);
    run(evm, OP_STOP);
    expect_stopped();
    EXPECT_EQ(limit.questions, (std::vector<std::int64_t>{0, 100'000}));
    EXPECT_EQ(outcome.executed_gas, 95'000u);

    tx.type = TransactionType::access_list;
    tx.authorization_list.clear();
    tx.access_list = {{kOther, std::vector<Hash>(100)}};
    run(evm);
    expect_stopped();
    EXPECT_EQ(limit.questions.back(), 2'400 + 100 * 1'900);
}

TEST_F(Supervision, a_flag_that_is_set_stops_at_once) {
    Flag flag;
    flag.set(true);
    Evm evm;
    evm.supervise(&flag);
    run(evm, forever({}));
    expect_stopped();
    EXPECT_EQ(outcome.executed_gas, 0u);

    flag.set(false);
    tx.gas_limit = 1'000'000;
    run(evm);
    EXPECT_EQ(outcome.status, Status::out_of_gas);
}

TEST_F(Supervision, another_thread_stops_an_execution) {
    tx.gas_limit = std::uint64_t{1} << 39;  // hours
    for (const EvmOptions& options : all_engines()) {
        Flag flag;
        Evm evm(options);
        evm.supervise(&flag);
        std::thread stopper([&flag] { flag.set(true); });
        run(evm, forever(keccak_of(1'000)));
        stopper.join();
        expect_stopped();
    }
}

/// Asks the machine what was accessed, once.
class Onlooker final : public Supervisor {
public:
    explicit Onlooker(const Evm& evm) : evm_(evm) {}
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        if (gas_used < 10'000) return 10'000;
        evm_.accesses_so_far(seen);
        return kNever;
    }
    AccessRecord seen;

private:
    const Evm& evm_;
};

TEST_F(Supervision, what_was_accessed_up_to_now_can_be_asked) {
    Evm evm({.record_accesses = true});
    Onlooker onlooker(evm);
    evm.supervise(&onlooker);
    run(evm, sload(1) + OP_POP + push(kOther) + OP_BALANCE + OP_POP + keccak_of(50'000) + sload(2) +
                 OP_POP);
    ASSERT_EQ(outcome.status, Status::success);
    ASSERT_EQ(onlooker.seen.slots.size(), 1u);
    EXPECT_EQ(outcome.accesses.slots.size(), 2u);
    // Sender, recipient and the one whose balance was read; each as at the end.
    ASSERT_EQ(onlooker.seen.accounts.size(), 3u);
    EXPECT_EQ(onlooker.seen.accounts[2], outcome.accesses.accounts[2]);
    EXPECT_EQ(onlooker.seen.accounts[2].balance, FieldAccess::read);
}

TEST_F(Supervision, system_calls_are_stopped_alike) {
    pre.deploy(kTarget, forever({}).bytes());
    Evm evm({.record_accesses = true});
    Limit limit(1'000'000);
    evm.supervise(&limit);
    SystemCallOutcome result;
    system_call(pre, NumberedBlockHashes{}, env, kTarget, {}, evm, result);
    EXPECT_EQ(result.status, Status::stopped);
    EXPECT_TRUE(result.diff.empty());
    EXPECT_EQ(result.accesses, AccessRecord{});
}

TEST_F(Supervision, no_block_takes_what_was_stopped) {
    Evm evm;
    Flag flag;
    flag.set(true);
    evm.supervise(&flag);
    run(evm, forever({}));
    BlockExecution block;
    EXPECT_DEATH(block.keep(outcome), "is_unfinished");
    EXPECT_DEATH(block.accept(outcome), "is_unfinished");
}

TEST(Endings, one_from_outside_equals_no_other) {
    EXPECT_FALSE(is_same_ending(Status::stopped, Status::out_of_gas));
    EXPECT_FALSE(is_same_ending(Status::stopped, Status::aborted));
    EXPECT_TRUE(is_same_ending(Status::stopped, Status::stopped));
    EXPECT_TRUE(is_same_ending(Status::stack_underflow, Status::out_of_gas));
}

}  // namespace
}  // namespace heddle::vm::test
