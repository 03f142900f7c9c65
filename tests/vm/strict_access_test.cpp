// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Chains on which access lists are binding.
#include <vm/block.hpp>
#include <vm/tracer.hpp>

#include "authority.hpp"
#include "system_call.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class StrictAccess : public TransitionTest {
protected:
    StrictAccess() {
        env.strict_access_lists = true;
        tx.type = TransactionType::access_list;
        tx.chain_id = 1;
        tx.max_fee_per_gas = 2;
        tx.max_priority_fee_per_gas = 2;
        tx.gas_limit = 1'000'000;
        pre.set_balance(kSender, kFunds);
        pre.deploy(kTarget, {});
        pre.deploy(kOther, {});
    }

    void declare(const Address& address, const std::vector<Uint256>& slots = {}) {
        AccessListEntry entry;
        entry.address = address;
        for (const Uint256& slot : slots)
            entry.storage_keys.push_back(to_hash(slot));
        tx.access_list.push_back(entry);
    }
    /// Whether the code at the target runs to its end, and that otherwise the transaction as a
    /// whole has failed because of an access.
    bool is_allowed(const Bytecode& code) {
        pre.deploy(kTarget, code.bytes());
        return is_allowed();
    }
    bool is_allowed() {
        const Outcome& outcome = run();
        if (outcome.status == Status::success) return true;
        EXPECT_EQ(outcome.status, Status::undeclared_access);
        EXPECT_EQ(exact_status(), Status::undeclared_access);
        EXPECT_FALSE(outcome.receipt.success);
        EXPECT_EQ(gas_used(), tx.gas_limit);
        EXPECT_TRUE(outcome.receipt.logs.empty());
        EXPECT_TRUE(outcome.output.empty());
        EXPECT_EQ(balance(kSender), kFunds - 2 * Uint256{tx.gas_limit});
        EXPECT_EQ(nonce(kSender), tx.nonce + 1);
        EXPECT_EQ(outcome.diff.accounts.size(), 2u);  // sender and beneficiary
        return false;
    }
    Address authorize(const Address& target) {
        tx.type = TransactionType::set_code;
        tx.authorization_list = {{1, target, 0, 0, 1, 1}};
        return heddle::test::authority_of(tx.authorization_list[0]).value();
    }
    void delegate(const Address& authority, const Address& target) {
        Bytes designator{0xef, 0x01, 0x00};
        designator.insert(designator.end(), target.bytes.begin(), target.bytes.end());
        pre.deploy(authority, designator);
    }

    static constexpr std::uint64_t kFunds = 1'000'000'000'000;
};

/// Every instruction that names an account.
std::vector<Bytecode> uses_of(const Address& address) {
    return {
        push(address) + OP_BALANCE,
        push(address) + OP_EXTCODESIZE,
        push(address) + OP_EXTCODEHASH,
        push(0) + push(0) + push(0) + push(address) + OP_EXTCODECOPY,
        call(OP_CALL, address),
        call(OP_CALLCODE, address),
        call(OP_DELEGATECALL, address),
        call(OP_STATICCALL, address),
        push(address) + OP_SELFDESTRUCT,
    };
}

TEST_F(StrictAccess, an_account_must_be_listed_whatever_names_it) {
    for (const Bytecode& code : uses_of(kOther))
        EXPECT_FALSE(is_allowed(code)) << to_hex(code.bytes());
    declare(kOther);
    for (const Bytecode& code : uses_of(kOther))
        EXPECT_TRUE(is_allowed(code)) << to_hex(code.bytes());
}

TEST_F(StrictAccess, a_slot_must_be_listed) {
    EXPECT_FALSE(is_allowed(sload(7)));
    EXPECT_FALSE(is_allowed(sstore(7, 1)));
    declare(kTarget, {7});
    EXPECT_TRUE(is_allowed(sload(7) + sstore(7, 1)));
    EXPECT_FALSE(is_allowed(sload(7) + sload(8)));
    EXPECT_FALSE(is_allowed(call(OP_DELEGATECALL, kThird)));
}

TEST_F(StrictAccess, everybody_knows_sender_recipient_beneficiary_and_precompiles) {
    const Address precompile = address_from_low64(4);
    for (const Address& known : {kSender, kTarget, kBeneficiary, precompile})
        for (const Bytecode& code : uses_of(known)) {
            const bool recurses = known == kTarget && (code.bytes().back() & 0xf0) == 0xf0;
            EXPECT_TRUE(recurses || is_allowed(code)) << to_hex(code.bytes());
        }
}

TEST_F(StrictAccess, the_beneficiary_is_known_also_where_it_starts_cold) {
    use(Revision::berlin);
    EXPECT_TRUE(is_allowed(push(kBeneficiary) + OP_BALANCE));
    EXPECT_EQ(gas_used(), kTransferGas + 3 + 2'600);
    EXPECT_FALSE(is_allowed(push(kOther) + OP_BALANCE));
}

TEST_F(StrictAccess, no_caller_survives_an_undeclared_access) {
    declare(kOther);
    declare(kThird);
    pre.deploy(kThird, (sstore(1, 1)).bytes());
    pre.deploy(kOther, (push(0) + push(0) + OP_LOG0 + call(kThird)).bytes());
    EXPECT_FALSE(is_allowed(call(kOther) + OP_POP + OP_STOP));
    EXPECT_EQ(stored(kThird, 1), 0u);
}

TEST_F(StrictAccess, an_access_undone_by_a_revert_was_an_access_nevertheless) {
    declare(kThird);
    pre.deploy(kThird, (push(kOther) + OP_BALANCE + revert_range(0, 0)).bytes());
    EXPECT_FALSE(is_allowed(call(kThird)));
    declare(kOther);
    EXPECT_TRUE(is_allowed(call(kThird)));
}

TEST_F(StrictAccess, it_fails_before_it_is_asked_whether_the_gas_suffices) {
    tx.gas_limit = kTransferGas + 2'400 + 3 + 100;
    tx.access_list.clear();
    declare(kThird);
    EXPECT_FALSE(is_allowed(push(kOther) + OP_BALANCE));
    // What every access costs is due before.
    tx.gas_limit -= 1;
    EXPECT_EQ(run().status, Status::out_of_gas);
}

TEST_F(StrictAccess, no_refund_is_given) {
    pre.set_storage(kTarget, 1, 1);
    declare(kTarget, {1});
    EXPECT_FALSE(is_allowed(sstore(1, Uint256{}) + sload(2)));
    EXPECT_EQ(stored(kTarget, 1), 1u);
}

TEST_F(StrictAccess, authorizations_go_with_everything_else) {
    const Address authority = authorize(kOther);
    pre.set_balance(authority, 1);  // else there is no refund to lose
    EXPECT_FALSE(is_allowed(sload(1)));
    EXPECT_EQ(code_at(authority), Bytes{});
    EXPECT_EQ(nonce(authority), 0u);
}

TEST_F(StrictAccess, authorities_are_known_and_their_targets_are_not) {
    const Address authority = authorize(kOther);
    EXPECT_TRUE(is_allowed(push(authority) + OP_BALANCE));
    EXPECT_FALSE(is_allowed(call(authority)));
    declare(kOther);
    EXPECT_TRUE(is_allowed(call(authority)));
}

TEST_F(StrictAccess, a_delegates_target_must_be_listed_unless_the_transaction_calls_it) {
    declare(kThird);
    delegate(kThird, kOther);
    EXPECT_FALSE(is_allowed(call(kThird)));
    EXPECT_TRUE(is_allowed(push(kThird) + OP_EXTCODESIZE));
    tx.to = kThird;
    EXPECT_TRUE(is_allowed());
}

TEST_F(StrictAccess, a_contract_created_by_the_transaction_is_known_with_its_slots) {
    tx.to.reset();
    tx.data = (sstore(1, 1) + sload(2) + OP_ADDRESS + OP_BALANCE + deploy(OP_STOP)).bytes();
    EXPECT_TRUE(is_allowed());
    tx.data = (sstore(1, 1) + push(kOther) + OP_BALANCE).bytes();
    EXPECT_FALSE(is_allowed());
    EXPECT_FALSE(exists(create_address(kSender, 0)));
}

TEST_F(StrictAccess, a_contract_created_by_an_instruction_must_be_listed_but_not_its_slots) {
    const Bytecode init = sstore(1, 1) + deploy(sload(2));
    const Address created = create_address(kTarget, 1);
    const Address created2 = create2_address(kTarget, Uint256{5}, keccak256(init.bytes()));
    EXPECT_FALSE(is_allowed(create(init)));
    EXPECT_FALSE(is_allowed(create2(init, 5)));
    declare(created);
    declare(created2);
    EXPECT_TRUE(is_allowed(create(init) + call(created)));
    EXPECT_EQ(stored(created, 1), 1u);
    EXPECT_TRUE(is_allowed(create2(init, 5) + call(created2)));
}

TEST_F(StrictAccess, an_undeclared_creation_fails_every_caller_too) {
    declare(kOther);
    pre.deploy(kOther, create(OP_STOP).bytes());
    EXPECT_FALSE(is_allowed(call(kOther)));
    EXPECT_EQ(nonce(kOther), 1u);
}

TEST_F(StrictAccess, a_transaction_without_a_list_has_declared_nothing) {
    tx.type = TransactionType::legacy;
    tx.chain_id.reset();
    EXPECT_FALSE(is_allowed(sload(1)));
    EXPECT_TRUE(is_allowed(Bytecode{OP_ADDRESS} + OP_BALANCE));
}

TEST_F(StrictAccess, what_was_not_declared_is_not_read) {
    EXPECT_FALSE(is_allowed(push(kOther) + OP_BALANCE));
    for (const StateRead& read : reads())
        EXPECT_NE(read.address, kOther);
}

TEST_F(StrictAccess, lists_stay_hints_on_other_chains) {
    env.strict_access_lists = false;
    EXPECT_TRUE(is_allowed(push(kOther) + OP_BALANCE + sload(1) + create(OP_STOP)));
}

TEST_F(StrictAccess, a_system_call_needs_no_list) {
    Evm evm;
    SystemCallOutcome outcome;
    pre.deploy(kTarget, (sstore(1, 1) + push(kOther) + OP_BALANCE).bytes());
    system_call(pre, NumberedBlockHashes{}, env, kTarget, {}, evm, outcome);
    EXPECT_EQ(outcome.status, Status::success);
}

TEST_F(StrictAccess, a_tracer_sees_every_frame_end) {
    struct Frames final : Tracer {
        void on_step(const TraceStep&, Status) noexcept override {}
        void on_enter(const TraceCall&) noexcept override { ++entered; }
        void on_exit(Status status, std::int64_t, BytesView) noexcept override {
            left.push_back(status);
        }
        unsigned entered = 0;
        std::vector<Status> left;
    };
    declare(kOther);
    pre.deploy(kTarget, call(kOther).bytes());
    for (const Bytecode& code : {push(kThird) + OP_BALANCE, create(OP_STOP)}) {
        pre.deploy(kOther, code.bytes());
        Frames frames;
        EvmOptions options;
        options.tracer = &frames;
        Evm evm(options);
        Outcome outcome;
        const auto valid = validate(tx, pre, env, BlockGas::whole(env));
        transition(pre, NumberedBlockHashes{}, env, *valid, evm, outcome);
        EXPECT_EQ(frames.left, std::vector(frames.entered, Status::undeclared_access));
    }
}

TEST_F(StrictAccess, the_chains_configuration_decides) {
    ChainConfig config;
    EXPECT_FALSE(make_block_env({}, config, true).strict_access_lists);
    config.strict_access_lists = true;
    EXPECT_TRUE(make_block_env({}, config, true).strict_access_lists);
}

TEST_F(StrictAccess, it_is_an_exceptional_halt_with_a_name_of_its_own) {
    EXPECT_TRUE(is_exceptional_halt(Status::undeclared_access));
    EXPECT_EQ(to_string(Status::undeclared_access), "access outside the declared list");
}

}  // namespace
}  // namespace heddle::vm::test
