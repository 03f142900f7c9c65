// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class Environment : public TransitionTest {};

TEST_F(Environment, the_message_is_what_the_transaction_says) {
    tx.value = 5;
    tx.data = {0xaa, 0xbb};
    tx.max_fee_per_gas = 9;
    tx.max_priority_fee_per_gas = 9;
    EXPECT_EQ(eval(OP_ADDRESS), to_word(kTarget));
    EXPECT_EQ(eval(OP_CALLER), to_word(kSender));
    EXPECT_EQ(eval(OP_ORIGIN), to_word(kSender));
    EXPECT_EQ(eval(OP_CALLVALUE), 5u);
    EXPECT_EQ(eval(OP_SELFBALANCE), 5u);
    EXPECT_EQ(eval(OP_GASPRICE), 9u);
    EXPECT_EQ(eval(OP_CALLDATASIZE), 2u);
}

TEST_F(Environment, the_block_is_what_its_environment_says) {
    env.prev_randao = to_hash(77);
    env.base_fee_per_gas = 3;
    env.blob_base_fee = 4;
    tx.max_fee_per_gas = 3;
    tx.max_priority_fee_per_gas = 3;
    EXPECT_EQ(eval(OP_COINBASE), to_word(kBeneficiary));
    EXPECT_EQ(eval(OP_TIMESTAMP), env.timestamp);
    EXPECT_EQ(eval(OP_NUMBER), env.number);
    EXPECT_EQ(eval(OP_GASLIMIT), env.gas_limit);
    EXPECT_EQ(eval(OP_CHAINID), env.chain_id);
    EXPECT_EQ(eval(OP_BASEFEE), 3u);
    EXPECT_EQ(eval(OP_BLOBBASEFEE), 4u);
    EXPECT_EQ(eval(OP_PREVRANDAO), 77u);
}

TEST_F(Environment, difficulty_stands_where_randomness_is_now_before_the_merge) {
    use(Revision::london);
    EXPECT_EQ(eval(OP_PREVRANDAO), env.difficulty);
}

TEST_F(Environment, call_data_is_zero_beyond_its_end) {
    tx.data = {0x11, 0x22, 0x33};
    EXPECT_EQ(eval(push(0) + OP_CALLDATALOAD), Uint256{0x112233} << 232);
    EXPECT_EQ(eval(push(2) + OP_CALLDATALOAD), Uint256{0x33} << 248);
    EXPECT_EQ(eval(push(3) + OP_CALLDATALOAD), 0u);
    EXPECT_EQ(eval(push(Uint256::max()) + OP_CALLDATALOAD), 0u);
    EXPECT_EQ(eval(push(32) + push(1) + push(0) + OP_CALLDATACOPY + push(0) + OP_MLOAD),
              Uint256{0x2233} << 240);
    EXPECT_EQ(
        eval(push(32) + push(Uint256::max()) + push(0) + OP_CALLDATACOPY + push(0) + OP_MLOAD), 0u);
}

TEST_F(Environment, code_copies_fill_up_with_zeros) {
    const Bytecode code = push(32) + push(0) + push(0) + OP_CODECOPY + push(0) + OP_MLOAD;
    EXPECT_EQ(eval(code).words[3] >> 56, OP_PUSH1 + 0u);
    EXPECT_EQ(eval(OP_CODESIZE), Bytecode{OP_CODESIZE}.size() + return_top().size());

    pre.deploy(kOther, {0xab});
    EXPECT_EQ(
        eval(push(32) + push(0) + push(0) + push(kOther) + OP_EXTCODECOPY + push(0) + OP_MLOAD),
        Uint256{0xab} << 248);
    EXPECT_EQ(eval(push(kOther) + OP_EXTCODESIZE), 1u);
}

TEST_F(Environment, code_hash_tells_absent_from_empty) {
    pre.set_balance(kThird, 1);
    pre.deploy(kOther, {0x00});
    EXPECT_EQ(eval(push(0xdead) + OP_EXTCODEHASH), 0u);
    EXPECT_EQ(eval(push(kThird) + OP_EXTCODEHASH), to_word(kEmptyCodeHash));
    EXPECT_EQ(eval(push(kOther) + OP_EXTCODEHASH), to_word(keccak256(Bytes{0x00})));
}

TEST_F(Environment, hashes_of_the_last_256_blocks_are_known) {
    const auto hash_of = [](std::uint64_t number) { return Uint256{number + 0xb10c0000}; };
    EXPECT_EQ(eval(push(999) + OP_BLOCKHASH), hash_of(999));
    EXPECT_EQ(eval(push(744) + OP_BLOCKHASH), hash_of(744));
    EXPECT_EQ(eval(push(743) + OP_BLOCKHASH), 0u);
    EXPECT_EQ(eval(push(1'000) + OP_BLOCKHASH), 0u);
    EXPECT_EQ(eval(push((Uint256{1} << 64) + 999u) + OP_BLOCKHASH), 0u);
}

TEST_F(Environment, whoever_knows_block_hashes_is_asked_once_a_transaction) {
    class Counter final : public BlockHashes {
    public:
        [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
            ++asked;
            return to_hash(number + salt);
        }
        mutable std::size_t asked = 0;
        std::uint64_t salt = 0;
    };
    // Blocks 744 to 999, all of them twice over: the sum of their hashes.
    Bytecode code = push(0);
    for (std::uint64_t i = 0; i < 2 * 256; ++i)
        code += push(744 + i % 256) + OP_BLOCKHASH + OP_ADD;
    pre.deploy(kTarget, (code + return_top()).bytes());
    const auto valid = validate(tx, pre, env, BlockGas::whole(env));
    ASSERT_TRUE(valid.has_value());
    Evm evm;
    Counter hashes;
    for (std::uint64_t run = 0; run < 3; ++run) {
        // Another transaction asks again: it may be told by somebody else.
        hashes.salt = 1'000'000 * run;
        hashes.asked = 0;
        Outcome outcome;
        transition(pre, hashes, env, *valid, evm, outcome);
        ASSERT_EQ(outcome.status, Status::success);
        EXPECT_EQ(load_be(outcome.output.data()), 2 * ((744u + 999u) * 128u + 256 * hashes.salt));
        EXPECT_EQ(hashes.asked, 256u);
    }
}

TEST_F(Environment, blob_hashes_are_numbered) {
    Hash hash = to_hash(6);
    hash.bytes[0] = 1;
    tx.type = TransactionType::blob;
    tx.chain_id = 1;
    tx.max_fee_per_blob_gas = 1;
    tx.blob_versioned_hashes = {hash};
    EXPECT_EQ(eval(push(0) + OP_BLOBHASH), to_word(hash));
    EXPECT_EQ(eval(push(1) + OP_BLOBHASH), 0u);
    EXPECT_EQ(eval(push(Uint256::max()) + OP_BLOBHASH), 0u);
}

TEST_F(Environment, hashing_costs_by_word) {
    EXPECT_EQ(eval(push(1) + push(0) + OP_KECCAK256), to_word(keccak256(Bytes{0})));
    EXPECT_EQ(gas_of(push(32) + push(0) + OP_KECCAK256), 6u + 30 + 6 + 3);
    EXPECT_EQ(gas_of(push(33) + push(0) + OP_KECCAK256), 6u + 30 + 12 + 6);
}

TEST_F(Environment, gas_is_what_is_left_after_the_instruction_itself) {
    tx.gas_limit = kTransferGas + 100'000;
    EXPECT_EQ(eval(OP_GAS), 99'998u);
    EXPECT_EQ(eval(push(1) + OP_POP + OP_GAS), 99'993u);
}

struct Introduction {
    Opcode opcode;
    Revision since;
};
class Introductions : public TransitionTest, public testing::WithParamInterface<Introduction> {};

TEST_P(Introductions, an_opcode_is_invalid_before_its_revision) {
    const Bytecode code = 7 * push(0) + GetParam().opcode;
    use(GetParam().since);
    run(code);
    EXPECT_NE(exact_status(), Status::invalid_instruction);

    use(static_cast<Revision>(static_cast<unsigned>(GetParam().since) - 1));
    run(code);
    EXPECT_EQ(exact_status(), Status::invalid_instruction);
    EXPECT_EQ(gas_used(), tx.gas_limit);
}

INSTANTIATE_TEST_SUITE_P(Environment, Introductions,
                         testing::Values(Introduction{OP_DELEGATECALL, Revision::homestead},
                                         Introduction{OP_REVERT, Revision::byzantium},
                                         Introduction{OP_RETURNDATASIZE, Revision::byzantium},
                                         Introduction{OP_RETURNDATACOPY, Revision::byzantium},
                                         Introduction{OP_STATICCALL, Revision::byzantium},
                                         Introduction{OP_SHL, Revision::constantinople},
                                         Introduction{OP_SHR, Revision::constantinople},
                                         Introduction{OP_SAR, Revision::constantinople},
                                         Introduction{OP_EXTCODEHASH, Revision::constantinople},
                                         Introduction{OP_CREATE2, Revision::constantinople},
                                         Introduction{OP_CHAINID, Revision::istanbul},
                                         Introduction{OP_SELFBALANCE, Revision::istanbul},
                                         Introduction{OP_BASEFEE, Revision::london},
                                         Introduction{OP_PUSH0, Revision::shanghai},
                                         Introduction{OP_BLOBHASH, Revision::cancun},
                                         Introduction{OP_BLOBBASEFEE, Revision::cancun},
                                         Introduction{OP_TLOAD, Revision::cancun},
                                         Introduction{OP_TSTORE, Revision::cancun},
                                         Introduction{OP_MCOPY, Revision::cancun},
                                         Introduction{OP_CLZ, Revision::osaka},
                                         Introduction{OP_SLOTNUM, Revision::amsterdam}));

TEST_F(Environment, the_slot_number_is_the_blocks) {  // EIP-7843
    use(Revision::amsterdam);
    env.slot_number = 0x1234'5678'9abc;
    EXPECT_EQ(eval(OP_SLOTNUM), 0x1234'5678'9abcu);
    run(OP_SLOTNUM);
    EXPECT_EQ(gas_used(), 15'000u + 2);
}

}  // namespace
}  // namespace heddle::vm::test
