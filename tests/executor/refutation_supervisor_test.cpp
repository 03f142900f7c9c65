// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Of the transactions of a block one at a time may make its machine keep much code.
#include "values/refutation_supervisor.hpp"

#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "fakes.hpp"
#include "thrice_called.hpp"

namespace heddle::executor {
namespace {

constexpr std::int64_t kStop = vm::Supervisor::kStop;

/// Does something once, when the execution keeps much code.
class WhenMuchIsKept final : public vm::Supervisor {
public:
    WhenMuchIsKept(const vm::Evm& evm, std::function<void()> act)
        : evm_(evm), act_(std::move(act)) {}
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        if (evm_.keeps_much_code() && act_) std::exchange(act_, nullptr)();
        return gas_used + kUsualStep;
    }
    [[nodiscard]] bool has_acted() const noexcept { return act_ == nullptr; }

private:
    const vm::Evm& evm_;
    std::function<void()> act_;
};

class RefutationSupervisorTest : public testing::Test {
protected:
    const Options options_;
    InFlightHashes hashes_;
    LeafHasher leaves_{nullptr};
    BlockFinisher finisher_{options_, hashes_, leaves_};
    ListedRun run_;
    StreamAtomics::Atomic<bool> turn_{false};
    vm::EvmOptions evm_options_;

    RefutationSupervisorTest() {
        run_.gas_left.store(1'000'000'000);
        evm_options_.code_cache = vm::make_code_cache(1);
    }
    /// Executes a transaction that calls so many accounts with code of 32 KiB, each three times.
    /// @return whether it came to keep much, and `act` was called then.
    bool execute(std::uint64_t accounts, const std::function<void(const vm::Evm&)>& act) {
        test::FakeState state;
        test::ThriceCalled called{state, accounts, 32'768};
        vm::Evm evm(evm_options_);
        WhenMuchIsKept watch(evm, [&] { act(evm); });
        const auto valid =
            vm::validate(called.tx, state, called.env, vm::BlockGas::whole(called.env));
        EXPECT_TRUE(valid.has_value());
        evm.supervise(&watch);
        vm::Outcome outcome;
        vm::transition(state, test::FakeBlockHashes{}, called.env, *valid, evm, outcome);
        EXPECT_EQ(outcome.status, vm::Status::success);
        return watch.has_acted();
    }
};

TEST_F(RefutationSupervisorTest, who_keeps_little_code_needs_no_turn) {
    turn_.store(true);  // somebody else's
    const vm::Evm evm(evm_options_);
    RefutationSupervisor supervisor(run_, finisher_, evm, turn_);
    EXPECT_GT(supervisor.on_gas(1), 1);
    EXPECT_FALSE(execute(10, [](const vm::Evm&) {}));
}

TEST_F(RefutationSupervisorTest, the_turn_is_taken_by_who_keeps_much_and_given_back_at_its_end) {
    EXPECT_TRUE(execute(600, [&](const vm::Evm& evm) {
        {
            RefutationSupervisor supervisor(run_, finisher_, evm, turn_);
            EXPECT_FALSE(turn_.load());
            EXPECT_GT(supervisor.on_gas(1), 1);
            EXPECT_TRUE(turn_.load());
            EXPECT_GT(supervisor.on_gas(2), 2) << "it has the turn already";
        }
        EXPECT_FALSE(turn_.load());
    }));
}

TEST_F(RefutationSupervisorTest, who_waits_for_the_turn_goes_on_with_it_or_ends_with_the_block) {
    for (const bool is_refuted : {false, true}) {
        EXPECT_TRUE(execute(600, [&](const vm::Evm& evm) {
            turn_.store(true);  // somebody else's
            std::int64_t answer = 0;
            std::thread waiting([&] {
                RefutationSupervisor supervisor(run_, finisher_, evm, turn_);
                answer = supervisor.on_gas(1);
            });
            if (is_refuted)
                run_.is_refuted.store(true);
            else
                turn_.store(false);
            waiting.join();
            if (is_refuted)
                EXPECT_EQ(answer, kStop);
            else
                EXPECT_GT(answer, 1);
            EXPECT_EQ(turn_.load(), is_refuted) << "nobody else gives it back";
        }));
    }
}

}  // namespace
}  // namespace heddle::executor
