// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "authority.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class Transitions : public TransitionTest {
protected:
    Transitions() { pre.set_balance(kSender, kFunds); }

    void price(std::uint64_t fee, std::uint64_t tip, std::uint64_t base_fee) {
        tx.type = TransactionType::dynamic_fee;
        tx.chain_id = 1;
        tx.max_fee_per_gas = fee;
        tx.max_priority_fee_per_gas = tip;
        env.base_fee_per_gas = base_fee;
    }
    /// An authorization that somebody has signed, and who.
    static std::pair<Authorization, Address> authorize(const Address& target,
                                                       std::uint64_t chain_id = 1,
                                                       std::uint64_t nonce = 0) {
        const Authorization authorization{chain_id, target, nonce, 0, 1, 1};
        return {authorization, heddle::test::authority_of(authorization).value()};
    }
    void authorize_by(const std::vector<Authorization>& list) {
        tx.type = TransactionType::set_code;
        tx.chain_id = 1;
        tx.authorization_list = list;
    }
    static Bytes designator(const Address& target) {
        Bytes code{0xef, 0x01, 0x00};
        code.insert(code.end(), target.bytes.begin(), target.bytes.end());
        return code;
    }

    static constexpr std::uint64_t kFunds = 1'000'000'000'000;
};

TEST_F(Transitions, a_transfer_costs_21000_and_counts_the_nonce) {
    price(10, 2, 7);
    tx.value = 500;
    const Outcome& outcome = run();

    EXPECT_TRUE(outcome.receipt.success);
    EXPECT_EQ(gas_used(), 21'000u);
    EXPECT_EQ(outcome.receipt.effective_gas_price, 9u);
    EXPECT_EQ(balance(kTarget), 500u);
    EXPECT_EQ(balance(kSender), kFunds - 500 - 21'000 * 9);
    EXPECT_EQ(balance(kBeneficiary), 21'000u * 2);
    EXPECT_EQ(nonce(kSender), 1u);
}

TEST_F(Transitions, the_tip_is_capped_by_the_fee) {
    price(8, 5, 7);
    run();
    EXPECT_EQ(balance(kBeneficiary), 21'000u);
    EXPECT_EQ(balance(kSender), kFunds - 21'000 * 8);
}

TEST_F(Transitions, the_whole_price_went_to_the_beneficiary_before_london) {
    use(Revision::berlin);
    tx.max_fee_per_gas = 3;
    tx.max_priority_fee_per_gas = 3;
    run();
    EXPECT_EQ(balance(kBeneficiary), 63'000u);
}

TEST_F(Transitions, blob_gas_is_burnt) {
    price(10, 2, 7);
    Hash hash;
    hash.bytes[0] = 1;
    tx.type = TransactionType::blob;
    tx.max_fee_per_blob_gas = 5;
    tx.blob_versioned_hashes = {hash, hash};
    env.blob_base_fee = 3;
    const Outcome& outcome = run();

    EXPECT_EQ(outcome.receipt.blob_gas_used, 2 * kGasPerBlob);
    EXPECT_EQ(balance(kSender), kFunds - 21'000 * 9 - 2 * kGasPerBlob * 3);
    EXPECT_EQ(balance(kBeneficiary), 42'000u);
}

TEST_F(Transitions, a_failed_message_pays_for_its_gas_and_keeps_the_nonce) {
    price(10, 2, 7);
    tx.gas_limit = 100'000;
    tx.value = 5;
    EXPECT_FALSE(run(OP_INVALID).receipt.success);

    EXPECT_EQ(gas_used(), 100'000u);
    EXPECT_EQ(balance(kSender), kFunds - 100'000 * 9);
    EXPECT_EQ(nonce(kSender), 1u);
    EXPECT_EQ(balance(kTarget), 0u);
}

TEST_F(Transitions, refunds_are_capped_at_a_fraction_of_what_was_used) {
    Bytecode clears;
    for (unsigned slot = 0; slot < 20; ++slot) {
        pre.set_storage(kTarget, slot, 1);
        clears += sstore(slot, Uint256{});
    }
    const auto spent = [&](std::uint64_t each) { return kTransferGas + 20 * (6 + each); };
    EXPECT_EQ(gas_of(clears) + kTransferGas, spent(5'000) - spent(5'000) / 5);
    use(Revision::berlin);
    EXPECT_EQ(gas_of(clears) + kTransferGas, spent(5'000) - spent(5'000) / 2);
}

TEST_F(Transitions, call_data_has_a_floor_price_since_prague) {  // EIP-7623
    tx.data = Bytes(1'000, 1);
    run();
    EXPECT_EQ(gas_used(), 21'000u + 40 * 1'000);
    tx.data = Bytes(1'000, 0);
    run();
    EXPECT_EQ(gas_used(), 21'000u + 10 * 1'000);
    // Execution that costs more than the floor is paid as before.
    EXPECT_EQ(gas_of(60'000 * Bytecode{OP_JUMPDEST}), 4'000u + 60'000);

    use(Revision::cancun);
    pre.deploy(kTarget, {});
    tx.data = Bytes(1'000, 1);
    run();
    EXPECT_EQ(gas_used(), 21'000u + 16 * 1'000);
}

TEST_F(Transitions, a_refund_does_not_go_below_the_floor) {
    pre.set_storage(kTarget, 0, 1);
    tx.data = Bytes(1'000, 1);
    run(sstore(0, Uint256{}));
    EXPECT_EQ(gas_used(), 61'000u);
}

TEST_F(Transitions, an_authorization_delegates_the_signers_account) {  // EIP-7702
    const auto [authorization, authority] = authorize(kOther);
    authorize_by({authorization});
    pre.deploy(kOther, (sstore(0, Bytecode{OP_ADDRESS})).bytes());
    tx.to = authority;
    run();

    EXPECT_EQ(code_at(authority), designator(kOther));
    EXPECT_EQ(nonce(authority), 1u);
    EXPECT_EQ(stored(authority, 0), to_word(authority));
    EXPECT_EQ(stored(kOther, 0), 0u);
}

TEST_F(Transitions, who_has_signed_an_authorization_is_not_found_out_twice) {
    auto [authorization, authority] = authorize(kOther);
    authorization.authority = {true, kThird};
    authorize_by({authorization});
    run();

    EXPECT_EQ(code_at(kThird), designator(kOther));
    EXPECT_EQ(code_at(authority), Bytes{});
}

TEST_F(Transitions, delegations_survive_a_reverted_message) {
    const auto [authorization, authority] = authorize(kOther);
    authorize_by({authorization});
    EXPECT_EQ(run(revert_range(0, 0)).status, Status::revert);

    EXPECT_EQ(code_at(authority), designator(kOther));
}

TEST_F(Transitions, delegating_to_the_zero_address_clears) {
    const auto [authorization, authority] = authorize({});
    authorize_by({authorization});
    pre.deploy(authority, designator(kOther));
    pre.accounts[authority].nonce = 0;
    run();

    EXPECT_EQ(code_at(authority), Bytes{});
    EXPECT_EQ(nonce(authority), 1u);
}

TEST_F(Transitions, an_authorization_that_does_not_fit_is_passed_over) {
    const auto applies = [&](const Authorization& authorization, const Address& authority) {
        authorize_by({authorization});
        run();
        return nonce(authority) != pre.account(authority).value_or(Account{}).nonce;
    };
    const auto [other_chain, a] = authorize(kOther, 2);
    EXPECT_FALSE(applies(other_chain, a));
    const auto [any_chain, b] = authorize(kOther, 0);
    EXPECT_TRUE(applies(any_chain, b));
    const auto [other_nonce, c] = authorize(kOther, 1, 5);
    EXPECT_FALSE(applies(other_nonce, c));
    pre.accounts[c].nonce = 5;
    EXPECT_TRUE(applies(other_nonce, c));
    const auto [last_nonce, d] = authorize(kOther, 1, ~std::uint64_t{0});
    pre.accounts[d].nonce = ~std::uint64_t{0};
    EXPECT_FALSE(applies(last_nonce, d));
    const auto [of_contract, e] = authorize(kThird);
    pre.deploy(e, {0x00});
    pre.accounts[e].nonce = 0;
    EXPECT_FALSE(applies(of_contract, e));
}

TEST_F(Transitions, an_authorization_of_an_existing_account_gives_gas_back) {
    const auto [authorization, authority] = authorize(kOther);
    authorize_by({authorization});
    run();
    EXPECT_EQ(gas_used(), 21'000u + 25'000);
    // Whether it is empty does not matter, as in geth and the executable specification.
    for (const std::uint64_t balance : {0u, 1u}) {
        pre.set_balance(authority, balance);
        run();
        EXPECT_EQ(gas_used(), 46'000u - 46'000 / 5);  // 12500, capped
    }
}

TEST_F(Transitions, a_call_to_a_delegated_account_pays_for_its_target_too) {
    pre.deploy(kThird, designator(kOther));
    pre.deploy(kOther, (OP_CODESIZE + return_top()).bytes());
    const Bytecode asks =
        CallCode{.to = push(kThird), .output_size = 32} + OP_POP + push(0) + OP_MLOAD;
    EXPECT_EQ(eval(asks), Bytecode{OP_CODESIZE}.size() + return_top().size());
    const Bytecode bare = CallCode{.to = push(kThird), .gas = push(0)};
    EXPECT_EQ(gas_of(bare), 7 * 3u + 2'600 + 2'600);
    pre.deploy(kThird, designator(kThird));
    EXPECT_EQ(gas_of(bare), 7 * 3u + 2'600 + 100);
    // EXTCODE* see the designator itself.
    EXPECT_EQ(eval(push(kThird) + OP_EXTCODESIZE), 23u);
}

TEST_F(Transitions, the_target_of_a_delegated_recipient_is_warm) {
    pre.deploy(kTarget, designator(kOther));
    pre.deploy(kOther, (push(kOther) + OP_BALANCE).bytes());
    run();
    EXPECT_EQ(gas_used(), kTransferGas + 3 + 100);
}

TEST_F(Transitions, a_delegation_to_a_delegation_runs_the_designator) {
    pre.deploy(kThird, designator(kOther));
    pre.deploy(kOther, designator(kTarget));
    EXPECT_EQ(eval(call(kThird)), 0u);  // 0xef is undefined
}

TEST_F(Transitions, a_delegation_to_a_precompiled_contract_runs_nothing) {
    pre.deploy(kThird, designator(address_from_low64(4)));
    EXPECT_EQ(eval(CallCode{.to = push(kThird), .input_size = 32} + OP_RETURNDATASIZE), 0u);
}

// Until London such code could be deployed. Calling it, from outside or from code, runs its first
// byte, which is undefined: all gas is gone and the one that it names is not called.
TEST_F(Transitions, code_like_a_delegation_is_not_followed_before_prague) {
    pre.deploy(kOther, sstore(0, 1).bytes());
    for (std::size_t i = 0; i < kRevisionCount; ++i) {
        const auto revision = static_cast<Revision>(i);
        SCOPED_TRACE(to_string(revision));
        use(revision);
        const bool is_followed = revision >= Revision::prague;
        pre.deploy(kTarget, designator(kOther));
        EXPECT_EQ(run().status == Status::success, is_followed);
        EXPECT_EQ(stored(kTarget, 0), is_followed ? 1u : 0u);
        EXPECT_EQ(gas_used() == tx.gas_limit, !is_followed);
        pre.deploy(kThird, designator(kOther));
        const Bytecode asks = CallCode{.to = push(kThird), .gas = push(200'000)};
        EXPECT_EQ(eval(asks), is_followed ? 1u : 0u);
    }
}

TEST_F(Transitions, the_touch_of_ripemd_survives_its_failed_call) {
    use(Revision::spurious_dragon);
    const Address ripemd = address_from_low64(3);
    const Address sha = address_from_low64(2);
    pre.accounts[ripemd] = {};
    pre.accounts[sha] = {};
    pre.deploy(kOther, (CallCode{.to = push(ripemd), .gas = push(0)} + OP_POP +
                        CallCode{.to = push(sha), .gas = push(0)} + OP_INVALID)
                           .bytes());
    run(CallCode{.to = push(kOther), .gas = push(50'000)});

    EXPECT_FALSE(exists(ripemd));
    EXPECT_TRUE(exists(sha));
}

TEST_F(Transitions, logs_of_failed_messages_are_dropped) {
    EXPECT_TRUE(run(push(0) + push(0) + OP_LOG0 + revert_range(0, 0)).receipt.logs.empty());
    EXPECT_EQ(run(push(0) + push(0) + OP_LOG0).receipt.logs.size(), 1u);
}

/// Blocks wait with their receipts, and who pays for a hundred thousand logs may revert them.
TEST_F(Transitions, the_receipt_has_no_room_for_logs_that_are_dropped) {
    const Bytecode logs = 1'000 * (push(0) + push(0) + OP_LOG0);
    EXPECT_EQ(run(logs + revert_range(0, 0)).receipt.logs.capacity(), 0u);
    EXPECT_EQ(run(logs + OP_INVALID).receipt.logs.capacity(), 0u);

    pre.deploy(kOther, (logs + revert_range(0, 0)).bytes());
    const Outcome& outcome = run(call(kOther) + push(0) + push(0) + OP_LOG0);
    EXPECT_EQ(outcome.receipt.logs.size(), 1u);
    EXPECT_LT(outcome.receipt.logs.capacity(), 10u);
}

TEST_F(Transitions, the_receipt_names_the_created_contract) {
    tx.to.reset();
    tx.data = deploy(OP_STOP).bytes();
    EXPECT_EQ(run().receipt.contract_address, create_address(kSender, 0));
    tx.to = kTarget;
    EXPECT_EQ(run().receipt.contract_address, std::nullopt);
}

TEST_F(Transitions, a_sender_that_pays_itself_only_pays_for_gas) {
    price(10, 2, 7);
    tx.to = kSender;
    tx.value = 500;
    run();
    EXPECT_EQ(balance(kSender), kFunds - 21'000 * 9);
}

TEST_F(Transitions, the_beneficiary_may_be_the_sender) {
    price(10, 2, 7);
    env.beneficiary = kSender;
    run();
    EXPECT_EQ(balance(kSender), kFunds - 21'000 * 7);
}

TEST_F(Transitions, an_unpaid_absent_beneficiary_stays_absent) {
    run();
    EXPECT_FALSE(exists(kBeneficiary));
    use(Revision::homestead);
    run();
    EXPECT_TRUE(exists(kBeneficiary));
}

}  // namespace
}  // namespace heddle::vm::test
