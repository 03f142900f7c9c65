// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// EIP-7708: every transfer of wei leaves a log. EIP-8246: no wei is burnt by self-destruction.
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class TransferLogs : public TransitionTest {
protected:
    TransferLogs() {
        use(Revision::amsterdam);
        pre.set_balance(kTarget, 1'000);
    }
    const std::vector<Log>& logs(const Bytecode& code) { return run(code).receipt.logs; }
    static Log transfer(const Address& from, const Address& to, const Uint256& amount) {
        Log log;
        log.address.bytes.fill(0xff);
        log.address.bytes[19] = 0xfe;
        log.topics = {keccak256(BytesView{kEvent.data(), kEvent.size()}), to_hash(to_word(from)),
                      to_hash(to_word(to))};
        log.data.resize(32);
        store_be(amount, log.data.data());
        return log;
    }
    /// Init code that destructs what it creates.
    static Bytecode self_destruct(const Bytecode& heir) { return heir + OP_SELFDESTRUCT; }

private:
    static constexpr std::string_view kText = "Transfer(address,address,uint256)";
    inline static const Bytes kEvent{kText.begin(), kText.end()};
};

TEST_F(TransferLogs, come_from_transactions_and_calls_before_the_logs_of_the_callee) {
    tx.value = 5;
    pre.deploy(kOther, (push(0) + push(0) + OP_LOG0).bytes());
    const std::vector<Log>& made = logs(call(kOther, 7));
    ASSERT_EQ(made.size(), 3u);
    EXPECT_EQ(made[0], transfer(kSender, kTarget, 5));
    EXPECT_EQ(made[1], transfer(kTarget, kOther, 7));
    EXPECT_EQ(made[2].address, kOther);
}

TEST_F(TransferLogs, come_from_creations) {
    const std::vector<Log>& made = logs(create(OP_STOP, 3));
    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0], transfer(kTarget, create_address(kTarget, 1), 3));
}

TEST_F(TransferLogs, come_from_self_destruction) {
    const std::vector<Log>& made = logs(push(kOther) + OP_SELFDESTRUCT);
    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0], transfer(kTarget, kOther, 1'000));
}

TEST_F(TransferLogs, are_not_there_where_nothing_moves) {
    EXPECT_TRUE(logs(call(kOther)).empty());
    EXPECT_TRUE(logs(call(kTarget, 1)).empty());  // calls itself without end, and moves nothing
    EXPECT_TRUE(
        logs(CallCode{.opcode = OP_CALLCODE, .to = push(kOther), .value = push(1)}).empty());
    EXPECT_TRUE(logs(push(kTarget) + OP_SELFDESTRUCT).empty());
    tx.to = kSender;
    tx.value = 1;
    EXPECT_TRUE(run().receipt.logs.empty());
}

TEST_F(TransferLogs, are_undone_with_their_frame) {
    pre.deploy(kOther, revert_range(0, 0).bytes());
    EXPECT_TRUE(logs(call(kOther, 7)).empty());
}

TEST_F(TransferLogs, are_in_the_bloom) {
    tx.value = 5;
    const Receipt& receipt = run(OP_STOP).receipt;
    EXPECT_EQ(receipt.bloom, logs_bloom(receipt.logs));
    EXPECT_NE(receipt.bloom, LogsBloom{});
}

TEST_F(TransferLogs, are_left_out_of_a_bloom_that_is_left_to_the_caller) {
    EvmOptions options;
    options.leave_blooms = true;
    Evm evm(options);
    Outcome outcome;
    outcome.receipt.bloom.bytes.fill(0xff);  // of a transaction before
    tx.value = 5;
    const auto valid = validate(tx, pre, env, BlockGas::whole(env));
    transition(pre, NumberedBlockHashes{}, env, *valid, evm, outcome);
    EXPECT_FALSE(outcome.receipt.logs.empty());
    EXPECT_EQ(outcome.receipt.bloom, LogsBloom{});
}

TEST_F(TransferLogs, do_not_exist_before_amsterdam) {
    use(Revision::osaka);
    tx.value = 5;
    EXPECT_TRUE(logs(call(kOther, 7)).empty());
}

TEST_F(TransferLogs, what_a_new_contract_sends_to_itself_stays) {
    const Address created = create_address(kTarget, 1);
    run(create(self_destruct(OP_ADDRESS), 3));
    EXPECT_EQ(balance(created), 3u);
    EXPECT_EQ(nonce(created), 0u);
    EXPECT_TRUE(code_at(created).empty());
    use(Revision::osaka);
    run(create(self_destruct(OP_ADDRESS), 3));
    EXPECT_FALSE(exists(created));
}

TEST_F(TransferLogs, what_a_destructed_contract_gets_later_stays) {
    const Address created = create_address(kTarget, 1);
    run(create(sstore(0, 1) + self_destruct(push(kOther)), 3) + call(created, 4));
    EXPECT_EQ(balance(created), 4u);
    EXPECT_EQ(balance(kOther), 3u);
    EXPECT_EQ(stored(created, 0), 0u);
}

TEST_F(TransferLogs, a_destructed_contract_without_balance_is_gone) {
    const Address created = create_address(kTarget, 1);
    run(create(self_destruct(push(kOther)), 3));
    EXPECT_FALSE(exists(created));
}

}  // namespace
}  // namespace heddle::vm::test
