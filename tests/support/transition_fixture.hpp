// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A transaction as a test declares it: the world before (`pre`), the block (`env`), the transaction
// (`tx`), and what must come of it. Every run is one on each interpreter, compared in everything.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include <types/transaction.hpp>

#include <vm/supervisor.hpp>

#include "access_checks.hpp"
#include "bytecode.hpp"
#include "engine_pair.hpp"

namespace heddle::vm::test {

inline constexpr Address kSender = address_from_low64(0x5e4de4);
inline constexpr Address kTarget = address_from_low64(0xc0de);
inline constexpr Address kOther = address_from_low64(0xc0de2);
inline constexpr Address kThird = address_from_low64(0xc0de3);
inline constexpr Address kBeneficiary = address_from_low64(0xbe4ef1);
inline constexpr std::uint64_t kTransferGas = 21'000;

/// Lets everything pass, and wants to be asked about every unit of gas.
class PatientSupervisor final : public Supervisor {
public:
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override { return gas_used; }
};

class TransitionTest : public testing::Test {
protected:
    TransitionTest() {
        use(Revision::osaka);
        env.number = 1'000;
        env.timestamp = 1'700'000'000;
        env.gas_limit = std::uint64_t{1} << 40;
        env.beneficiary = kBeneficiary;
        env.blob_base_fee = 1;
        env.max_blob_gas_per_block = 9 * kGasPerBlob;
        tx.to = kTarget;
        tx.gas_limit = 10'000'000;
        tx.sender = kSender;
        pre.set_balance(kSender, Uint256{1} << 100);
    }

    /// From now on fees of no other concern are left to the caller.
    void defer_fees() {
        fast_evm_ = Evm(options(Engine::fast, 0, true));
        plain_evm_ = Evm(options(Engine::plain, 0, true));
        warming_evm_ = Evm(options(Engine::fast, 1, true));
    }
    /// Otherwise it is Osaka's.
    void use(Revision revision) {
        env.revision = revision;
        env.difficulty = revision < Revision::paris ? 0x20000 : 0;
    }

    /// Executes `tx` over `pre` on both interpreters, and on a machine that changes from the plain
    /// to the fast one at the first jump it can, under supervision that changes nothing. The
    /// outcome is the fast one's.
    const Outcome& run() {
        const auto valid = validate(tx, pre, env, BlockGas::whole(env));
        if (!valid) {
            ADD_FAILURE() << "not a valid transaction: " << to_string(valid.error());
            return fast_.outcome;
        }
        run_on(fast_evm_, pre, env, *valid, fast_);
        run_on(plain_evm_, pre, env, *valid, plain_);
        EXPECT_EQ(difference(fast_, plain_), "");
        warming_evm_.supervise(&supervisor_);
        run_on(warming_evm_, pre, env, *valid, warming_);
        EXPECT_EQ(difference(warming_, plain_), "");
        EXPECT_EQ(flaw(fast_.outcome.accesses, fast_.outcome.diff, reads()), "");
        post = pre;
        post.apply(fast_.outcome.diff);
        return fast_.outcome;
    }
    /// The same with `code` at the transaction's recipient.
    const Outcome& run(const Bytecode& code) {
        pre.deploy(kTarget, code.bytes());
        return run();
    }
    /// Runs the code and gives what it leaves on top of the stack.
    Uint256 eval(const Bytecode& code) {
        const Outcome& outcome = run(code + return_top());
        EXPECT_EQ(outcome.status, Status::success);
        EXPECT_EQ(outcome.output.size(), 32u);
        return outcome.output.size() == 32 ? load_be(outcome.output.data()) : Uint256{};
    }
    /// What the code costs beyond the transaction itself, refunds included.
    std::uint64_t gas_of(const Bytecode& code) {
        EXPECT_EQ(run(code).status, Status::success);
        return gas_used() - kTransferGas;
    }
    [[nodiscard]] std::uint64_t gas_used() const { return fast_.outcome.receipt.gas_used; }
    /// How the plain interpreter, which names the first failing check, says that it ended.
    [[nodiscard]] Status exact_status() const { return plain_.outcome.status; }
    [[nodiscard]] const std::vector<StateRead>& reads() const { return fast_.reads; }
    /// The fast interpreter's.
    [[nodiscard]] Machine& machine() { return fast_evm_.machine(); }

    [[nodiscard]] Uint256 stored(const Address& address, const Uint256& slot) const {
        return post.storage(address, slot);
    }
    [[nodiscard]] Uint256 balance(const Address& address) const {
        return post.account(address).value_or(Account{}).balance;
    }
    [[nodiscard]] std::uint64_t nonce(const Address& address) const {
        return post.account(address).value_or(Account{}).nonce;
    }
    [[nodiscard]] Bytes code_at(const Address& address) const {
        const auto account = post.account(address);
        if (!account) return {};
        const BytesView code = post.code(account->code_hash);
        return {code.begin(), code.end()};
    }
    [[nodiscard]] bool exists(const Address& address) const {
        return post.account(address).has_value();
    }

public:
    RecordedState pre;
    BlockEnv env;
    Transaction tx;
    RecordedState post;

private:
    static EvmOptions options(Engine engine, std::uint32_t decode_after_entries, bool defer_fees) {
        EvmOptions options;
        options.engine = engine;
        options.decode_after_entries = decode_after_entries;
        options.record_accesses = true;
        options.defer_fees = defer_fees;
        return options;
    }

    PatientSupervisor supervisor_;
    Evm fast_evm_{options(Engine::fast, 0, false)};
    Evm plain_evm_{options(Engine::plain, 0, false)};
    Evm warming_evm_{options(Engine::fast, 1, false)};
    EngineRun fast_;
    EngineRun warming_;
    EngineRun plain_;
};

}  // namespace heddle::vm::test
