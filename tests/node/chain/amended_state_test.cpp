// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/amended_state.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>

namespace heddle::node {
namespace {

const Address kAlice = address_from_low64(0xa11ce);
const Address kBob = address_from_low64(0xb0b);

class FixedState final : public ledger::PastState {
public:
    explicit FixedState(const StateView& state) : state_(state) {}
    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return state_.account(address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return state_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return state_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return state_.code(code_hash);
    }
    void move_to(std::uint64_t /*number*/) noexcept override {}

private:
    const StateView& state_;
};

class AmendedStateTest : public testing::Test {
protected:
    AmendedStateTest() {
        base_.set_account(kAlice, {1, Uint256{100}, kEmptyCodeHash});
        base_.set_storage(kAlice, 1, 11);
        StateDiff diff;
        diff.accounts.push_back({kBob, Account{0, 7, keccak256(code_)}, false, {{2, 22}}});
        diff.codes.push_back({keccak256(code_), code_});
        auto overlay = std::make_shared<StateOverlay>();
        overlay->apply(diff);
        overlay_ = std::move(overlay);
        state_.add_codes(diff.codes);
    }
    void set(const SharedOverlay& overlay) {
        state_.change([&](SharedOverlay& top) { top = overlay; });
    }

    const Bytes code_{0x60, 0x00};
    ledger::MemoryState base_;
    SharedOverlay overlay_;
    AmendedState state_{base_};
};

TEST_F(AmendedStateTest, what_is_set_lies_on_top_until_it_is_taken_away) {
    EXPECT_FALSE(state_.account(kBob).has_value());
    set(overlay_);
    EXPECT_EQ(state_.account(kBob)->balance, Uint256{7});
    EXPECT_EQ(state_.storage(kBob, 2), Uint256{22});
    EXPECT_TRUE(state_.has_storage(kBob));
    EXPECT_EQ(state_.account(kAlice)->balance, Uint256{100});
    EXPECT_EQ(state_.storage(kAlice, 1), Uint256{11});
    set(nullptr);
    EXPECT_FALSE(state_.account(kBob).has_value());
    EXPECT_FALSE(state_.has_storage(kBob));
}

TEST_F(AmendedStateTest, code_stays_for_those_who_have_read_its_account) {
    set(overlay_);
    const auto account = state_.account(kBob);
    set(nullptr);
    EXPECT_TRUE(equal(state_.code(account->code_hash), code_));
}

TEST_F(AmendedStateTest, nobody_sees_the_base_without_what_belongs_to_it) {
    set(overlay_);
    std::atomic<bool> is_done = false;
    std::thread reader{[&] {
        while (!is_done) {
            // Either set or in the base, as the block does that takes it in.
            const auto account = state_.account(kBob);
            ASSERT_TRUE(account.has_value());
            ASSERT_EQ(account->balance, Uint256{7});
        }
    }};
    state_.change([&](SharedOverlay& top) {
        base_.set_account(kBob, {0, Uint256{7}, keccak256(code_)});
        top.reset();
    });
    is_done = true;
    reader.join();
    EXPECT_EQ(state_.account(kBob)->balance, Uint256{7});
}

/// Something happens before or after one read.
class InterruptedState final : public StateView {
public:
    explicit InterruptedState(const StateView& state) : state_(state) {}
    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        happen(before_read);
        const auto account = state_.account(address);
        happen(after_read);
        return account;
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        happen(before_read);
        return state_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return state_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return state_.code(code_hash);
    }

    mutable std::function<void()> before_read;
    mutable std::function<void()> after_read;

private:
    static void happen(std::function<void()>& event) {
        if (const auto once = std::exchange(event, nullptr)) once();
    }

    const StateView& state_;
};

// A development chain goes back to a block on whose state something was set, while a transaction is
// admitted: the balance that was set was not there, though it is before and after.
TEST_F(AmendedStateTest, who_began_to_read_before_a_move_reads_what_lies_on_top_after_it) {
    const auto make_newer = [this] {
        base_.set_account(kBob, {3, Uint256{1'000}, kEmptyCodeHash});
        base_.set_storage(kBob, 2, 33);
    };
    make_newer();
    InterruptedState base{base_};
    AmendedState state{base};
    const auto go_back = [&] {
        state.move([&](SharedOverlay& top) {
            base_.set_account(kBob, {});
            base_.set_storage(kBob, 2, 0);
            top = overlay_;
        });
    };
    const auto go_forth = [&] {
        state.change([&](SharedOverlay& top) {
            make_newer();
            top.reset();
        });
    };
    base.before_read = go_back;
    EXPECT_EQ(state.account(kBob)->balance, Uint256{7});
    go_forth();
    base.before_read = go_back;
    EXPECT_EQ(state.storage(kBob, 2), Uint256{22});
    go_forth();
    // What comes and goes meanwhile is noticed as well.
    base.before_read = go_back;
    base.after_read = go_forth;
    EXPECT_EQ(state.account(kBob)->balance, Uint256{1'000});
}

TEST_F(AmendedStateTest, whoever_reads_during_a_move_waits_for_its_end) {
    AmendedState& state = state_;
    std::atomic<bool> has_begun = false;
    std::thread reader;
    state.move([&](SharedOverlay& top) {
        reader = std::thread{[&] {
            has_begun = true;
            EXPECT_EQ(state.account(kBob)->balance, Uint256{7});
        }};
        while (!has_begun)
            std::this_thread::yield();
        base_.set_account(kAlice, {1, Uint256{1}, kEmptyCodeHash});
        top = overlay_;
    });
    reader.join();
}

TEST_F(AmendedStateTest, a_past_state_has_it_at_its_block_only) {
    AmendedPastState past{std::make_unique<FixedState>(base_), overlay_, 5};
    EXPECT_EQ(past.account(kBob)->balance, Uint256{7});
    EXPECT_EQ(past.storage(kBob, 2), Uint256{22});
    EXPECT_TRUE(past.has_storage(kBob));
    EXPECT_TRUE(equal(past.code(keccak256(code_)), code_));
    past.move_to(4);
    EXPECT_FALSE(past.account(kBob).has_value());
    EXPECT_EQ(past.storage(kAlice, 1), Uint256{11});
    past.move_to(5);
    EXPECT_TRUE(past.account(kBob).has_value());
}

}  // namespace
}  // namespace heddle::node
