// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trigger: two threads load the same value at once. Sequence: one reads it from the base and is
// held up, the other one does the same and goes on, a transaction that changes the value is
// committed, the first goes on. Symptom: what was committed is gone.
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "state/versioned_state.hpp"

namespace heddle::executor {
namespace {

const Address kAlice = address_from_low64(0xa);

/// Holds up whoever asks first until others have loaded the value and committed another one.
class SlowState final : public StateView {
public:
    VersionedState* state = nullptr;

    std::optional<Account> account(const Address& address) const noexcept override {
        if (std::exchange(is_first_, false)) {
            AccountCell& cell = state->account(address);
            state->ensure_loaded(cell);
            cell.committed.balance = Uint256{5};
        }
        return Account{};
    }
    Uint256 storage(const Address& address, const Uint256& slot) const noexcept override {
        if (std::exchange(is_first_, false)) {
            SlotCell& cell = state->slot(state->account(address), slot);
            state->ensure_loaded(cell);
            cell.committed = Uint256{5};
        }
        return Uint256{1};
    }
    bool has_storage(const Address&) const noexcept override { return false; }
    BytesView code(const Hash&) const noexcept override { return {}; }

private:
    mutable bool is_first_ = true;
};

class CellLoading : public testing::Test {
protected:
    void SetUp() override {
        base_.state = &state_;
        state_.attach(base_);
    }

    SlowState base_;
    VersionedState state_;
};

TEST_F(CellLoading, leaves_an_account_that_another_one_has_loaded_meanwhile) {
    AccountCell& alice = state_.account(kAlice);
    EXPECT_EQ(state_.read(alice, make_stamp(4, 0)).account->balance, Uint256{5});
}

TEST_F(CellLoading, leaves_a_slot_that_another_one_has_loaded_meanwhile) {
    SlotCell& slot = state_.slot(state_.account(kAlice), Uint256{1});
    EXPECT_EQ(state_.read(slot, make_stamp(4, 0)).value, Uint256{5});
}

}  // namespace
}  // namespace heddle::executor
