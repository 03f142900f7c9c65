// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Frames and creations.
#include "machine.hpp"

#include <pthread.h>

#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class Machines : public TransitionTest {
protected:
    /// Counts its frames in slot 0 and calls itself with almost all gas; the last call fails.
    static Bytecode recursion() {
        return sstore(0, sload(0) + push(1) + OP_ADD) +
               CallCode{.to = OP_ADDRESS, .gas = push(2'000) + OP_GAS + OP_SUB};
    }
    void deploy_by_transaction(const Bytecode& init) {
        tx.to.reset();
        tx.data = init.bytes();
        run();
    }
    static void* run_thread(void* self) {
        static_cast<Machines*>(self)->run();
        return nullptr;
    }
    [[nodiscard]] static Address created() { return create_address(kSender, 0); }
};

TEST_F(Machines, calls_go_1024_deep_and_no_deeper) {
    use(Revision::homestead);  // gas for so many is to be had only before EIP-150
    tx.gas_limit = 50'000'000;
    EXPECT_EQ(run(recursion()).status, Status::success);
    EXPECT_EQ(stored(kTarget, 0), 1'025u);
}

TEST_F(Machines, creations_go_1024_deep_and_no_deeper) {
    use(Revision::homestead);
    tx.gas_limit = 500'000'000;
    // Creates a copy of itself, which runs as init code and does the same.
    const Bytecode code = OP_CODESIZE + push(0) + push(0) + OP_CODECOPY + OP_CODESIZE + push(0) +
                          push(0) + OP_CREATE + OP_STOP;
    EXPECT_EQ(run(code).status, Status::success);
    Address deepest = kTarget;
    unsigned depth = 0;
    for (; depth < 2'000; ++depth) {
        const Address next = create_address(deepest, depth == 0 ? 1 : 0);
        if (!exists(next)) break;
        deepest = next;
    }
    EXPECT_EQ(depth, 1'024u);
}

/// Whoever executes for others runs many transactions, each of which may use another depth.
TEST_F(Machines, what_a_thousand_depths_have_needed_is_given_back) {
    use(Revision::homestead);
    tx.gas_limit = 100'000'000;
    // Each has a hundred kilobytes of memory, and as much returned by the identity.
    const Bytecode code = push(1) + push(100'000) + OP_MSTORE +
                          CallCode{.to = push(4), .gas = push(20'000), .input_size = 100'000} +
                          OP_POP + CallCode{.to = OP_ADDRESS, .gas = push(2'000) + OP_GAS + OP_SUB};
    EXPECT_EQ(run(code).status, Status::success);
    EXPECT_LT(machine().frame_bytes(), std::size_t{16} << 20);
    EXPECT_GT(machine().frame_bytes(), 1'000 * sizeof(Frame)) << "they were there";
}

/// A thousand words below each of many calls are 30 MB.
TEST_F(Machines, stacks_that_were_high_are_kept_until_many_messages_have_not_needed_them) {
    use(Revision::homestead);
    tx.gas_limit = 50'000'000;
    Bytecode code;
    for (unsigned i = 0; i < 1'000; ++i)
        code += push(i);
    code += CallCode{.to = OP_ADDRESS, .gas = push(5'000) + OP_GAS + OP_SUB};
    EXPECT_EQ(run(code).status, Status::success);
    const std::size_t kept = machine().frame_bytes();
    EXPECT_GT(kept, std::size_t{30} << 20);
    for (int i = 0; i < 255; ++i)
        EXPECT_EQ(run(push(1) + push(2)).status, Status::success);
    EXPECT_EQ(machine().frame_bytes(), kept) << "to have them again for each takes long";
    EXPECT_EQ(run(code).status, Status::success);
    for (int i = 0; i < 255; ++i)
        EXPECT_EQ(run(push(1) + push(2)).status, Status::success);
    EXPECT_EQ(machine().frame_bytes(), kept) << "counted from the last one on that needed them";

    EXPECT_EQ(run(push(1) + push(2)).status, Status::success);
    EXPECT_LT(machine().frame_bytes(), 1'025 * sizeof(Frame) + (std::size_t{5} << 20));
    EXPECT_EQ(run(code).status, Status::success);
}

TEST_F(Machines, depth_takes_no_native_stack) {
    use(Revision::homestead);
    tx.gas_limit = 50'000'000;
    pre.deploy(kTarget, recursion().bytes());
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{256} << 10), 0);
    pthread_t thread{};

    ASSERT_EQ(pthread_create(&thread, &attributes, &Machines::run_thread, this), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);

    EXPECT_EQ(stored(kTarget, 0), 1'025u);
}

TEST_F(Machines, a_creation_deploys_what_its_init_code_returns) {
    const Bytecode runtime = push(7) + return_top();
    run(create(deploy(runtime)) + push(0) + OP_SSTORE);

    const Address address = create_address(kTarget, 1);
    EXPECT_EQ(stored(kTarget, 0), to_word(address));
    EXPECT_EQ(code_at(address), runtime.bytes());
    EXPECT_EQ(nonce(address), 1u);
    EXPECT_EQ(nonce(kTarget), 2u);
}

TEST_F(Machines, create2_depends_on_salt_and_init_code_only) {
    const Bytecode init = deploy(OP_STOP);
    run(create2(init, 42) + push(0) + OP_SSTORE);

    EXPECT_EQ(stored(kTarget, 0), to_word(create2_address(kTarget, 42, keccak256(init.bytes()))));
}

TEST_F(Machines, a_creation_transaction_deploys_at_the_senders_next_address) {
    deploy_by_transaction(sstore(3, 4) + deploy(push(1)));

    EXPECT_EQ(code_at(created()), push(1).bytes());
    EXPECT_EQ(stored(created(), 3), 4u);
}

TEST_F(Machines, a_collision_takes_all_the_gas_and_counts_the_nonce) {  // EIP-684, EIP-7610
    const Address address = create_address(kTarget, 1);
    const Bytecode code = create(deploy(OP_STOP)) + push(0) + OP_SSTORE;
    const auto collides = [&] {
        tx.gas_limit = kTransferGas + 1'000'000;
        EXPECT_EQ(run(code).status, Status::success);
        EXPECT_EQ(nonce(kTarget), 2u);
        EXPECT_GT(gas_used(), 900'000u);
        return stored(kTarget, 0).is_zero();
    };
    pre.accounts[address].nonce = 1;
    EXPECT_TRUE(collides());
    pre.accounts[address] = {};
    pre.deploy(address, {0x00});
    pre.accounts[address].nonce = 0;
    EXPECT_TRUE(collides());
    pre.accounts[address] = {};
    pre.accounts[address].balance = 1;
    pre.set_storage(address, 9, 9);
    EXPECT_TRUE(collides());
}

TEST_F(Machines, a_balance_is_no_collision) {
    const Address address = create_address(kTarget, 1);
    pre.set_balance(address, 5);
    run(create(deploy(OP_STOP)));

    EXPECT_EQ(balance(address), 5u);
    EXPECT_EQ(code_at(address), Bytes{0x00});
}

TEST_F(Machines, a_failed_creation_leaves_the_nonce_and_nothing_else) {
    tx.value = 5;
    for (const Bytecode& init : {revert_range(0, 0), Bytecode{OP_INVALID}, Bytecode{OP_ADD}}) {
        run(create(init, 5) + push(0) + OP_SSTORE);
        EXPECT_EQ(nonce(kTarget), 2u);
        EXPECT_EQ(balance(kTarget), 5u);
        EXPECT_FALSE(exists(create_address(kTarget, 1)));
    }
    // Without the means it does not even start.
    run(create(OP_STOP, 6));
    EXPECT_EQ(nonce(kTarget), 1u);
}

TEST_F(Machines, a_creator_at_the_last_nonce_creates_nothing) {  // EIP-2681
    pre.deploy(kTarget, (create(OP_STOP) + push(0) + OP_SSTORE).bytes());
    pre.accounts[kTarget].nonce = ~std::uint64_t{0};
    EXPECT_EQ(run().status, Status::success);
    EXPECT_EQ(stored(kTarget, 0), 0u);
}

/// Gas for state comes back where a creation is undone (EIP-8037): of code that would cost millions
/// to keep, a transaction may make as much again and again.
TEST_F(Machines, code_of_creations_that_are_undone_is_not_kept) {
    use(Revision::amsterdam);
    tx.gas_limit = 30'000'000;
    const Bytecode make_and_undo = create(return_range(0, 8'000)) + revert_range(0, 0);
    pre.deploy(kOther, make_and_undo.bytes());
    Bytecode code;
    for (unsigned i = 0; i < 50; ++i)
        code += call(kOther) + OP_POP;
    const Outcome& outcome = run(code + create(return_range(0, 3)));

    EXPECT_EQ(outcome.status, Status::success);
    ASSERT_EQ(outcome.diff.codes.size(), 1u);
    EXPECT_EQ(outcome.diff.codes[0].code, Bytes(3));
    // Each of the others would have had to be paid for.
    EXPECT_LT(outcome.block_gas.state, 8'000u * 1'530);
    EXPECT_GT(outcome.block_gas.execution, 50u * 12'000);
}

TEST_F(Machines, deployed_code_costs_200_a_byte) {
    const auto cost = [&](std::uint64_t size) {
        return gas_of(create(push_sized(2, size) + push(0) + OP_RETURN));
    };
    EXPECT_EQ(cost(32) - cost(0), 32 * 200u + 3);
}

TEST_F(Machines, a_deposit_may_take_all_gas_that_is_left) {
    for (const Revision revision : {Revision::osaka, Revision::amsterdam}) {
        use(revision);
        tx.to.reset();
        tx.data = deploy(OP_STOP).bytes();
        tx.gas_limit = 10'000'000;
        EXPECT_EQ(run().status, Status::success);
        tx.gas_limit = gas_used();
        EXPECT_EQ(run().status, Status::success);
        --tx.gas_limit;
        EXPECT_FALSE(run().receipt.success);
        EXPECT_EQ(exact_status(), Status::code_deposit_out_of_gas);
    }
}

TEST_F(Machines, a_deposit_that_cannot_be_paid_leaves_an_empty_contract_in_frontier) {
    const Bytecode code = create(return_range(0, 200)) + push(0) + OP_SSTORE;
    tx.gas_limit = kTransferGas + 32'000 + 20'000 + 10'000;
    use(Revision::frontier);
    EXPECT_EQ(run(code).status, Status::success);
    EXPECT_EQ(stored(kTarget, 0), to_word(create_address(kTarget, 1)));
    EXPECT_EQ(code_at(create_address(kTarget, 1)), Bytes{});

    use(Revision::homestead);  // EIP-2: it fails, with all of its gas
    EXPECT_EQ(run(code).status, Status::out_of_gas);
}

/// It is there, and counts as a failure where somebody asks: as geth's tools say.
TEST_F(Machines, a_transaction_whose_deposit_cannot_be_paid_leaves_its_contract_in_frontier) {
    use(Revision::frontier);
    tx.to.reset();
    tx.data = return_range(0, 200).bytes();
    tx.gas_limit = kTransferGas + 10'000;
    EXPECT_FALSE(run().receipt.success);
    EXPECT_TRUE(exists(create_address(*tx.sender, tx.nonce)));
    EXPECT_LT(gas_used(), tx.gas_limit);
    tx.gas_limit = kTransferGas + 200 * 200 + 10'000;
    EXPECT_TRUE(run().receipt.success);
}

TEST_F(Machines, code_is_at_most_24576_bytes_since_spurious_dragon) {  // EIP-170
    tx.gas_limit = 16'000'000;
    const auto deploys = [&](std::uint64_t size) {
        return !eval(create(return_range(0, size))).is_zero();
    };
    EXPECT_TRUE(deploys(24'576));
    EXPECT_FALSE(deploys(24'577));
    env.any_code_size = true;  // on development chains
    EXPECT_TRUE(deploys(24'577));
    env.any_code_size = false;
    use(Revision::tangerine_whistle);
    EXPECT_TRUE(deploys(24'577));
}

TEST_F(Machines, code_is_at_most_65536_bytes_since_amsterdam) {  // EIP-7954
    use(Revision::amsterdam);
    tx.gas_limit = 150'000'000;  // most of it for the state that code is (EIP-8037)
    EXPECT_NE(eval(create(return_range(0, 65'536))), 0u);
    EXPECT_EQ(eval(create(return_range(0, 65'537))), 0u);
}

TEST_F(Machines, code_must_not_begin_with_ef_since_london) {  // EIP-3541
    const Bytecode init = push(0xef) + push(0) + OP_MSTORE8 + return_range(0, 1);
    EXPECT_EQ(eval(create(init)), 0u);
    EXPECT_NE(eval(create(return_range(0, 1))), 0u);
    use(Revision::berlin);
    EXPECT_NE(eval(create(init)), 0u);
}

TEST_F(Machines, init_code_is_bounded_and_paid_for_since_shanghai) {  // EIP-3860
    const auto with_size = [](std::uint64_t size) {
        return push_sized(3, size) + push(0) + push(0) + OP_CREATE;
    };
    EXPECT_EQ(run(with_size(49'152)).status, Status::success);
    EXPECT_EQ(run(with_size(49'153)).status, Status::init_code_size_exceeded);
    const std::uint64_t now = gas_of(with_size(1'024));
    const std::uint64_t salted =
        gas_of(push(0) + push_sized(3, 1'024) + push(0) + push(0) + OP_CREATE2);
    EXPECT_EQ(salted - now, 3u + 32 * 6);
    use(Revision::paris);
    EXPECT_EQ(now - gas_of(with_size(1'024)), 2u * 32);
    EXPECT_EQ(run(with_size(49'153)).status, Status::success);
}

TEST_F(Machines, a_created_account_is_warm) {
    const Bytecode measured = OP_GAS + push(create_address(kTarget, 1)) + OP_BALANCE + OP_POP +
                              OP_GAS + numbered(OP_SWAP1, 1) + OP_SUB;
    EXPECT_EQ(eval(create(OP_STOP) + OP_POP + measured), 100u + 7);
    // Also when the creation failed (EIP-2929).
    EXPECT_EQ(eval(create(OP_INVALID) + OP_POP + measured), 100u + 7);
}

TEST_F(Machines, contracts_start_with_nonce_one_since_spurious_dragon) {
    deploy_by_transaction(deploy(OP_STOP));
    EXPECT_EQ(nonce(created()), 1u);
    use(Revision::tangerine_whistle);
    deploy_by_transaction(deploy(OP_STOP));
    EXPECT_EQ(nonce(created()), 0u);
}

TEST_F(Machines, init_code_sees_its_own_bytes_and_no_call_data) {
    const Bytecode init = OP_CODESIZE + return_top();
    deploy_by_transaction(init);
    Bytes expected(32);
    expected[31] = static_cast<std::uint8_t>(init.size());
    EXPECT_EQ(code_at(created()), expected);
}

TEST_F(Machines, a_machine_remembers_nothing_of_the_transaction_before) {
    // Warmth, transient storage, return data, memory, code of the same hash elsewhere.
    const Bytecode code = OP_MSIZE + push(0) + OP_TLOAD + OP_ADD + OP_RETURNDATASIZE + OP_ADD +
                          sload(7) + OP_ADD + push(1) + push(0) + OP_TSTORE + push(1) +
                          push(5'000) + OP_MSTORE + call(address_from_low64(4)) + OP_POP;
    EXPECT_EQ(eval(code), 0u);
    const std::uint64_t first = gas_used();
    EXPECT_EQ(eval(code), 0u);
    EXPECT_EQ(gas_used(), first);
    use(Revision::cancun);
    EXPECT_EQ(eval(code), 0u);
}

TEST_F(Machines, code_moves_to_decoded_instructions_in_the_middle_of_a_loop) {
    // The fixture's third machine changes interpreters at the first jump back.
    const Bytecode head = push(0) + push(200);
    const Bytecode loop = head + OP_JUMPDEST + OP_DUP1 + numbered(OP_SWAP1, 2) + OP_ADD + OP_SWAP1 +
                          push(1) + OP_SWAP1 + OP_SUB + OP_DUP1 + push(head.size()) + OP_JUMPI +
                          OP_POP;
    EXPECT_EQ(eval(loop), 200u * 201 / 2);
    deploy_by_transaction(loop + return_top());
    EXPECT_EQ(load_be(code_at(created()).data()), Uint256{200u * 201 / 2});
}

}  // namespace
}  // namespace heddle::vm::test
