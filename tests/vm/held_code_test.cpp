// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code that a transaction makes its machine hold, and how often it is fetched.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <vm/supervisor.hpp>

#include "machine.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

/// Accounts 1'000'000 and up that nobody has made: each has other code, as large as may be, which
/// stops at once. The codes exist only while somebody looks at one.
class LargeCodes final : public StateView {
public:
    static constexpr std::uint64_t kFirst = 1'000'000;
    static constexpr std::size_t kSize = 24'576;

    explicit LargeCodes(const StateView& others) : others_(others) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        const std::uint64_t number = to_word(address).low64();
        if (number < kFirst || number >= 2 * kFirst) return others_.account(address);
        Account account;
        account.code_hash = to_hash(Uint256{number});
        return account;
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return others_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return others_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& hash) const noexcept override {
        const std::uint64_t number = to_word(hash).low64();
        if (to_word(hash) >= Uint256{2 * kFirst} || number < kFirst) return others_.code(hash);
        ++looks_;
        return code_;
    }
    [[nodiscard]] unsigned looks() const noexcept { return looks_; }

private:
    const StateView& others_;
    const Bytes code_ = Bytes(kSize);
    mutable unsigned looks_ = 0;
};

/// Notes how much code a machine has in use.
class CodeWatch final : public Supervisor {
public:
    explicit CodeWatch(Evm& evm) : evm_(evm) {}
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        most = std::max(most, evm_.machine().code_bytes());
        was_much = was_much || evm_.keeps_much_code();
        return gas_used + kUsualStep;
    }
    std::size_t most = 0;
    bool was_much = false;

private:
    Evm& evm_;
};

/// Memory for code that one transaction has made its machine hold, and what it had fetched.
class HeldCode : public TransitionTest {
protected:
    static constexpr std::uint64_t kAccounts = 12'000;
    struct Held {
        std::size_t most_bytes;
        std::size_t bytes_left;  // when it had ended
        unsigned fetches;
        bool was_much;
    };
    /// Calls all accounts one after the other, and then so many times again.
    Held call_all(unsigned rounds, bool lets_go, std::size_t cache_bytes) {
        const Bytecode round = push(LargeCodes::kFirst) + OP_JUMPDEST + push(0) + push(0) +
                               push(0) + push(0) + push(0) + numbered(OP_DUP1, 6) + push(100) +
                               OP_CALL + OP_POP + push(1) + OP_ADD +
                               push(LargeCodes::kFirst + kAccounts) + numbered(OP_DUP1, 2) + OP_LT;
        Bytecode code;
        for (unsigned i = 0; i < rounds; ++i) {
            const std::size_t loop = code.size() + push(LargeCodes::kFirst).size();
            code += round + push_sized(2, loop) + OP_JUMPI + OP_POP;
        }
        pre.deploy(kTarget, code.bytes());
        tx.gas_limit = 60'000'000;
        use(Revision::prague);
        const LargeCodes view(pre);
        const auto valid = validate(tx, view, env, BlockGas::whole(env));
        Outcome outcome;
        EvmOptions options;
        options.code_cache = make_code_cache(cache_bytes);
        options.lets_go_of_code = lets_go;
        Evm evm(options);
        CodeWatch watch(evm);
        evm.supervise(&watch);

        transition(view, NumberedBlockHashes{}, env, *valid, evm, outcome);

        EXPECT_EQ(outcome.status, Status::success);
        return {watch.most, evm.machine().code_bytes(), view.looks(), watch.was_much};
    }
};

/// One transaction may touch code of hundreds of megabytes, and mostly does not come back.
TEST_F(HeldCode, code_that_was_called_once_goes_back_to_the_cache) {
    for (const bool lets_go : {false, true}) {
        const Held held = call_all(1, lets_go, std::size_t{64} << 20);
        EXPECT_EQ(held.fetches, kAccounts) << "all of it was asked for";
        EXPECT_LT(held.most_bytes, std::size_t{100} << 20);
        EXPECT_FALSE(held.was_much);
        EXPECT_LE(held.bytes_left, std::size_t{64} << 20) << "for whoever comes next";
    }
}

TEST_F(HeldCode, a_machine_with_a_small_cache_holds_less) {
    for (const bool lets_go : {false, true}) {
        const Held held = call_all(1, lets_go, std::size_t{1} << 20);
        EXPECT_EQ(held.fetches, kAccounts);
        EXPECT_LT(held.most_bytes, std::size_t{13} << 20);
        EXPECT_LE(held.bytes_left, std::size_t{1} << 20);
    }
}

/// It pays a hundred gas for each account, which is not what it takes to fetch 24 KiB; a call of
/// eth_call pays nothing, but has a deadline.
TEST_F(HeldCode, code_that_was_fetched_twice_is_kept_for_a_transaction_and_not_for_a_call) {
    const Held paid = call_all(3, false, 1);
    EXPECT_GT(paid.most_bytes, (kAccounts - 1'000) * LargeCodes::kSize);
    EXPECT_LE(paid.fetches, 2 * kAccounts);
    EXPECT_TRUE(paid.was_much);
    EXPECT_EQ(paid.bytes_left, 0u) << "for whoever comes next";

    const Held unpaid = call_all(3, true, 1);
    EXPECT_LT(unpaid.most_bytes, std::size_t{13} << 20);
    EXPECT_FALSE(unpaid.was_much);
}

/// The cache has dropped it for something newer, so it would be held beside what the cache holds.
TEST_F(HeldCode, code_that_the_cache_has_dropped_is_not_kept_from_transaction_to_transaction) {
    constexpr std::size_t kCacheBytes = std::size_t{1} << 20;
    constexpr std::uint64_t kAccounts = 500;
    const LargeCodes view(pre);
    EvmOptions options;
    options.code_cache = make_code_cache(kCacheBytes);
    Evm evm(options);
    std::size_t most = 0;
    for (std::uint64_t i = 0; i < kAccounts; ++i) {
        tx.to = address_from_low64(LargeCodes::kFirst + i);
        const auto valid = validate(tx, view, env, BlockGas::whole(env));
        ASSERT_TRUE(valid.has_value());
        Outcome outcome;

        transition(view, NumberedBlockHashes{}, env, *valid, evm, outcome);

        most = std::max(most, evm.machine().code_bytes());
    }
    EXPECT_EQ(view.looks(), kAccounts);
    EXPECT_GT(most, kCacheBytes / 2) << "what the cache has is held all the same";
    EXPECT_LT(most, kCacheBytes + kCacheBytes / 4);
}

/// Each account is paid for once, and a hundred gas each time after that, in whatever way its code
/// is asked for: it must not be fetched, and copied, for that.
TEST_F(HeldCode, code_is_fetched_twice_at_most_however_often_a_transaction_asks_for_it) {
    constexpr std::uint64_t kAccounts = 50;
    const Bytecode address = numbered(OP_DUP1, 1);
    const std::vector<std::pair<const char*, Bytecode>> ways{
        {"size", address + OP_EXTCODESIZE + OP_POP},
        {"copy", push(1) + push(0) + push(0) + numbered(OP_DUP1, 4) + OP_EXTCODECOPY},
        {"call", push(0) + push(0) + push(0) + push(0) + push(0) + numbered(OP_DUP1, 6) +
                     push(100) + OP_CALL + OP_POP},
        {"call that nobody can pay", push(0) + push(0) + push(0) + push(0) + push(~Uint256{}) +
                                         numbered(OP_DUP1, 6) + push(0) + OP_CALL + OP_POP},
    };
    tx.gas_limit = 12'000'000;
    for (const auto& [name, ask] : ways) {
        SCOPED_TRACE(name);
        // For ever, until no gas is left: all accounts, one after the other.
        const Bytecode step = OP_JUMPDEST + ask + push(1) + OP_ADD + address +
                              push(LargeCodes::kFirst + kAccounts) + OP_GT;
        const std::size_t start = 1 + push(LargeCodes::kFirst).size();
        const Bytecode code = OP_JUMPDEST + push(LargeCodes::kFirst) + step + push_sized(1, start) +
                              OP_JUMPI + OP_POP + push(0) + OP_JUMP;
        pre.deploy(kTarget, code.bytes());
        for (const Engine engine : {Engine::fast, Engine::plain}) {
            const LargeCodes view(pre);
            const auto valid = validate(tx, view, env, BlockGas::whole(env));
            ASSERT_TRUE(valid.has_value());
            Outcome outcome;
            EvmOptions options;
            options.engine = engine;
            Evm evm(options);

            transition(view, NumberedBlockHashes{}, env, *valid, evm, outcome);

            EXPECT_EQ(outcome.status, Status::out_of_gas);
            EXPECT_GE(view.looks(), kAccounts);
            EXPECT_LE(view.looks(), 2 * kAccounts);
        }
    }
}

}  // namespace
}  // namespace heddle::vm::test
