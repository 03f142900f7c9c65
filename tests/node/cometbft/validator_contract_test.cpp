// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a contract says of validators is taken whole or not at all, and is the same on all nodes.
#include "cometbft/validator_contract.hpp"

#include <algorithm>
#include <random>

#include "announced_seed.hpp"
#include "bytecode.hpp"
#include "cometbft/owned_validators.hpp"
#include "formats/json.hpp"
#include "program/error.hpp"
#include "temporary_folder.hpp"
#include "test_node.hpp"
#include "validator_calls.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::cometbft::Validator;
using heddle::test::set_validator_call;
using heddle::test::TemporaryFolder;
using test::TestNode;

const Address kContract = address_from_low64(0x5a11);
const ValidatorContractConfig kConfig{kContract, 10};
using Validators = std::vector<Validator>;

Validator validator(std::uint8_t name, std::int64_t power) {
    Bytes key(32, name);
    key[0] = 0xee;
    return {key, power};
}

Genesis genesis_with(GenesisAccount account) {
    Genesis genesis = dev_genesis();
    genesis.alloc.push_back(std::move(account));
    return genesis;
}

Genesis genesis_with_code(const vm::test::Bytecode& code) {
    return genesis_with({kContract, 1, {}, code.bytes(), {}});
}

Bytes words(std::initializer_list<Uint256> values) {
    Bytes bytes(values.size() * 32);
    std::size_t offset = 0;
    for (const Uint256& value : values) {
        store_be(value, bytes.data() + offset);
        offset += 32;
    }
    return bytes;
}

void append(const Bytes& more, Bytes& bytes) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

std::optional<ValidatorContractConfig> parse(const std::string& section) {
    JsonParser parser;
    return parse_validator_contract(
        parser.parse(R"({"chainId": 7, "heddle": )" + section + "}", "genesis.json"));
}

TEST(ValidatorRule, is_read_from_the_config_of_a_genesis_file_and_kept) {
    const auto rule = parse(R"({"validatorContract": "0x0000000000000000000000000000000000005a11",)"
                            R"( "epochBlocks": 10})");
    ASSERT_EQ(rule, kConfig);
    EXPECT_EQ(parse("null"), std::nullopt);

    const ChainConfig config = dev_genesis().config;
    for (const auto& kept : {rule, std::optional<ValidatorContractConfig>{}}) {
        const std::string text = format_chain_config(config, kept);
        const Bytes bytes(text.begin(), text.end());
        EXPECT_EQ(parse_stored_validator_contract(bytes, "chain"), kept);
        EXPECT_EQ(parse_stored_chain_config(bytes, "chain"), config);
    }
}

TEST(ValidatorRule, is_refused_where_it_is_not_whole) {
    const std::string contract =
        R"("validatorContract": "0x0000000000000000000000000000000000005a11")";
    EXPECT_THROW((void)parse("{}"), InputError);
    EXPECT_THROW((void)parse("{" + contract + "}"), InputError);
    EXPECT_THROW((void)parse(R"({"epochBlocks": 10})"), InputError);
    EXPECT_THROW((void)parse("{" + contract + R"(, "epochBlocks": 3})"), InputError);
    EXPECT_THROW((void)parse("{" + contract + R"(, "epochBlocks": 4, "epoch": 5})"), InputError);
    EXPECT_THROW((void)parse(R"({"validatorContract": "0x5a", "epochBlocks": 4})"), InputError);
    EXPECT_EQ(parse("{" + contract + R"(, "epochBlocks": 4})")->epoch_blocks, 4u);
}

std::string error_of(const Bytes& returned) {
    const auto decoded = decode_validators(returned);
    return decoded.has_value() ? "" : decoded.error();
}

TEST(DecodeValidators, reads_keys_and_powers) {
    const auto decoded = decode_validators(words({64, 160, 2, 7, 8, 2, 100, 0}));

    ASSERT_TRUE(decoded.has_value()) << decoded.error();
    ASSERT_EQ(decoded->size(), 2u);
    EXPECT_EQ((*decoded)[0].ed25519_key, words({7}));
    EXPECT_EQ((*decoded)[0].power, 100);
    EXPECT_EQ((*decoded)[1].ed25519_key, words({8}));
    EXPECT_EQ((*decoded)[1].power, 0);
}

TEST(DecodeValidators, an_empty_list_is_one) {
    const auto decoded = decode_validators(words({64, 96, 0, 0}));

    ASSERT_TRUE(decoded.has_value()) << decoded.error();
    EXPECT_TRUE(decoded->empty());
}

TEST(DecodeValidators, a_list_may_only_end_some_whom_the_genesis_named) {
    const auto decoded = decode_validators(words({64, 128, 1, 7, 1, 0}));

    ASSERT_TRUE(decoded.has_value()) << decoded.error();
    EXPECT_EQ(decoded->at(0).power, 0);
}

TEST(DecodeValidators, arrays_may_lie_anywhere_within_the_bytes) {
    EXPECT_TRUE(decode_validators(words({128, 64, 1, 5, 1, 9})).has_value());
}

TEST(DecodeValidators, refuses_what_is_not_two_arrays) {
    const Uint256 huge = Uint256{1} << 200;
    const Uint256 wraps = Uint256{0xffff'ffff'ffff'ffe0};
    const std::vector<Bytes> all{
        {},
        Bytes(63),
        words({64}),
        words({64, 96}),
        words({64, 160, 2, 7, 8, 2, 100}),
        words({huge, 160, 2, 7, 8, 2, 100, 0}),
        words({64, wraps, 2, 7, 8, 2, 100, 0}),
        words({64, 160, huge, 7, 8, 2, 100, 0}),
        words({64, 160, wraps, 7, 8, 2, 100, 0}),
        words({64, 160, 2, 7, 8, Uint256{1} << 59, 100, 0}),
    };
    for (const Bytes& bytes : all)
        EXPECT_NE(error_of(bytes).find("not two arrays"), std::string::npos) << to_hex(bytes);
}

TEST(DecodeValidators, refuses_a_list_that_could_not_be_cometbfts) {
    EXPECT_EQ(error_of(words({64, 160, 2, 7, 8, 1, 100})), "2 keys, but 1 power");
    EXPECT_EQ(error_of(words({64, 128, 1, 0, 1, 100})), "key 0 is zero");
    EXPECT_NE(error_of(words({64, 160, 2, 7, 7, 2, 1, 2})).find("there twice"), std::string::npos);
    EXPECT_NE(error_of(words({64, 128, 1, 7, 1, Uint256{kMaxVotingPower + 1}})).find("more than"),
              std::string::npos);
    EXPECT_NE(error_of(words({64, 128, 1, 7, 1, Uint256{1} << 128})).find("more than"),
              std::string::npos);
}

TEST(DecodeValidators, takes_a_thousand_and_no_more) {
    const auto list = [](std::uint64_t count) {
        Bytes bytes = words({64, 96 + 32 * count, count});
        for (std::uint64_t i = 0; i < count; ++i)
            append(words({i + 1}), bytes);
        append(words({count}), bytes);
        for (std::uint64_t i = 0; i < count; ++i)
            append(words({kMaxVotingPower}), bytes);
        return bytes;
    };
    EXPECT_EQ(decode_validators(list(1000)).value().size(), 1000u);
    EXPECT_EQ(error_of(list(1001)), "1001 validators, more than 1000");
}

TEST(DecodeValidators, survives_any_bytes) {
    std::mt19937_64 random(heddle::test::announced_seed());
    const Bytes good = words({64, 160, 2, 7, 8, 2, 100, 50});
    std::size_t refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        Bytes bytes = good;
        for (std::size_t changes = 1 + random() % 4; changes != 0; --changes)
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        bytes.resize(random() % (bytes.size() + 1));
        const auto decoded = decode_validators(bytes);
        refused += decoded.has_value() ? 0 : 1;
        if (!decoded.has_value()) continue;
        EXPECT_LE(decoded->size(), 2u);
        EXPECT_TRUE(std::ranges::all_of(*decoded, [](const Validator& validator) {
            return validator.ed25519_key.size() == 32 && validator.power >= 0;
        }));
    }
    EXPECT_GT(refused, 0u);
}

class ValidatorContractTest : public testing::Test {
protected:
    TestNode& start(const Genesis& genesis) {
        node_.emplace(folder_ / "data", genesis, kConfig);
        return *node_;
    }
    TestNode& start_owned(const Validators& validators) {
        return start(genesis_with(
            owned_validators_account(kContract, dev_accounts()[1].address, validators)));
    }
    std::expected<Validators, std::string> read() {
        auto read = ValidatorContract(node_->chain(), kConfig).read();
        if (read.has_value()) return *std::move(read);
        EXPECT_FALSE(read.error().is_own_fault);
        return std::unexpected(read.error().sentence);
    }
    /// One transaction in a block; whether it succeeded.
    bool execute(const Transaction& tx) {
        (void)node_->decide({tx});
        return node_->chain().head_block()->receipts.at(0).success;
    }

    TemporaryFolder folder_;
    std::optional<TestNode> node_;
};

TEST_F(ValidatorContractTest, is_what_the_genesis_said_for_as_long_as_there_is_a_ledger) {
    (void)start_owned({});
    EXPECT_EQ(validator_contract_of(node_->ledger()), kConfig);
    node_.reset();
    node_.emplace(folder_ / "data");
    EXPECT_EQ(validator_contract_of(node_->ledger()), kConfig);

    const TemporaryFolder other;
    TestNode without(other / "data");
    EXPECT_EQ(validator_contract_of(without.ledger()), std::nullopt);
}

TEST_F(ValidatorContractTest, reads_those_of_the_genesis) {
    const Validators validators{validator(1, 10), validator(2, 1), validator(3, 0)};
    (void)start_owned(validators);

    EXPECT_EQ(read(), validators);
}

TEST_F(ValidatorContractTest, an_owner_adds_changes_and_ends_validators) {
    (void)start_owned({validator(1, 10)});
    std::uint64_t nonce = 0;
    const auto set = [&](std::uint8_t name, std::int64_t power) {
        return execute(
            test::call(1, nonce++, kContract, set_validator_call(validator(name, power)), 200'000));
    };

    EXPECT_TRUE(set(2, 20));
    EXPECT_EQ(read(), (Validators{validator(1, 10), validator(2, 20)}));
    EXPECT_TRUE(set(3, static_cast<std::int64_t>(kMaxVotingPower)));
    EXPECT_TRUE(set(1, 11));
    EXPECT_TRUE(set(2, 0));
    EXPECT_EQ(read(), (Validators{validator(1, 11), validator(2, 0),
                                  validator(3, static_cast<std::int64_t>(kMaxVotingPower))}));
    EXPECT_FALSE(set(3, static_cast<std::int64_t>(kMaxVotingPower + 1)));
    EXPECT_EQ(read()->at(2).power, static_cast<std::int64_t>(kMaxVotingPower));
}

TEST_F(ValidatorContractTest, nobody_but_the_owner_changes_anything) {
    (void)start_owned({validator(1, 10)});
    const Bytes call = set_validator_call(validator(1, 99));
    Bytes transfer = from_hex("f2fde38b").value();
    append(words({to_word(dev_accounts()[2].address)}), transfer);

    EXPECT_FALSE(execute(test::call(2, 0, kContract, call, 200'000)));
    EXPECT_FALSE(execute(test::call(2, 1, kContract, transfer, 200'000)));
    EXPECT_EQ(read(), Validators{validator(1, 10)});

    EXPECT_TRUE(execute(test::call(1, 0, kContract, transfer, 200'000)));
    EXPECT_FALSE(execute(test::call(1, 1, kContract, call, 200'000)));
    EXPECT_TRUE(execute(test::call(2, 2, kContract, call, 200'000)));
    EXPECT_EQ(read(), Validators{validator(1, 99)});
}

TEST_F(ValidatorContractTest, calls_that_make_no_sense_are_reverted) {
    (void)start_owned({validator(1, 10)});
    Validator nobody = validator(2, 1);
    nobody.ed25519_key.assign(32, 0);
    Bytes cut = set_validator_call(validator(2, 1));
    cut.pop_back();
    std::uint64_t nonce = 0;
    for (const Bytes& data :
         {set_validator_call(nobody), cut, Bytes{}, from_hex("12345678").value()})
        EXPECT_FALSE(execute(test::call(1, nonce++, kContract, data, 200'000))) << to_hex(data);
    Transaction gift = test::call(1, nonce++, kContract, set_validator_call(validator(2, 1)));
    gift.value = 1;
    ASSERT_TRUE(sign_transaction(gift, dev_accounts()[1].secret));
    EXPECT_FALSE(execute(gift));
    EXPECT_EQ(read(), Validators{validator(1, 10)});
}

TEST_F(ValidatorContractTest, a_full_list_is_read_within_the_gas_and_takes_no_more) {
    Validators full;
    for (std::size_t i = 0; i < kMaxValidators; ++i) {
        Validator& added = full.emplace_back(validator(static_cast<std::uint8_t>(i), 5));
        added.ed25519_key[1] = static_cast<std::uint8_t>(i >> 8);
    }
    (void)start_owned(full);
    EXPECT_EQ(read(), full);

    // Finding a place takes about 2,100 gas an entry.
    EXPECT_FALSE(
        execute(test::call(1, 0, kContract, set_validator_call({Bytes(32, 0xab), 1}), 5'000'000)));
    full.back().power = 6;
    EXPECT_TRUE(execute(test::call(1, 1, kContract, set_validator_call(full.back()), 5'000'000)));
    EXPECT_EQ(read(), full);
}

TEST_F(ValidatorContractTest, says_where_there_is_no_contract) {
    (void)start(dev_genesis());

    const auto nothing = read();

    ASSERT_FALSE(nothing.has_value());
    EXPECT_NE(nothing.error().find("there is no such contract"), std::string::npos);
    EXPECT_NE(nothing.error().find(to_string(kContract)), std::string::npos);
}

TEST_F(ValidatorContractTest, says_what_is_wrong_with_a_contract) {
    using namespace vm::test;
    using namespace vm;
    (void)start(genesis_with_code(push(0) + push(0) + OP_REVERT));
    EXPECT_NE(read().error().find("validators() fails"), std::string::npos);
    node_.reset();
    const TemporaryFolder second;
    node_.emplace(second / "data", genesis_with_code(Bytecode{OP_STOP}));
    EXPECT_NE(read().error().find("what is returned, 0 bytes, is not two arrays"),
              std::string::npos);
}

TEST_F(ValidatorContractTest, one_that_never_ends_is_ended) {
    using namespace vm::test;
    using namespace vm;
    (void)start(genesis_with_code(Bytecode{OP_JUMPDEST} + push(0) + OP_JUMP));

    EXPECT_NE(read().error().find("validators() fails"), std::string::npos);
}

TEST_F(ValidatorContractTest, a_call_changes_nothing) {
    using namespace vm::test;
    using namespace vm;
    // Returns slot 0 as the power of key 1, after it has added 1 to it.
    (void)start(genesis_with_code(push(1) + push(0) + OP_SLOAD + OP_ADD + push(0) + OP_SSTORE +
                                  push(64) + push(0) + OP_MSTORE + push(128) + push(32) +
                                  OP_MSTORE + push(1) + push(64) + OP_MSTORE + push(1) + push(96) +
                                  OP_MSTORE + push(1) + push(128) + OP_MSTORE + push(0) + OP_SLOAD +
                                  push(160) + OP_MSTORE + push(192) + push(0) + OP_RETURN));
    for (int time = 0; time < 3; ++time)
        EXPECT_EQ(read().value().at(0).power, 1);
    (void)node_->decide({});
    EXPECT_EQ(read().value().at(0).power, 1);
}

TEST_F(ValidatorContractTest, what_the_call_sees_of_the_block_is_the_next_of_the_head) {
    using namespace vm::test;
    using namespace vm;
    // Number, time and the head's hash as powers of three keys, cut to 40 bits.
    const auto cut = [](const Bytecode& value) { return value + push(216) + OP_SHR; };
    (void)start(genesis_with_code(push(64) + push(0) + OP_MSTORE + push(192) + push(32) +
                                  OP_MSTORE + push(3) + push(64) + OP_MSTORE + push(1) + push(96) +
                                  OP_MSTORE + push(2) + push(128) + OP_MSTORE + push(3) +
                                  push(160) + OP_MSTORE + push(3) + push(192) + OP_MSTORE +
                                  OP_NUMBER + push(224) + OP_MSTORE + OP_TIMESTAMP + push(256) +
                                  OP_MSTORE + cut(push(1) + OP_NUMBER + OP_SUB + OP_BLOCKHASH) +
                                  push(288) + OP_MSTORE + push(320) + push(0) + OP_RETURN));
    for (int i = 0; i < 3; ++i)
        (void)node_->decide({});

    const Validators seen = read().value();

    const ledger::StoredHeader head = node_->chain().head();
    EXPECT_EQ(seen.at(0).power, 4);
    EXPECT_EQ(seen.at(1).power, static_cast<std::int64_t>(head.header.timestamp));
    EXPECT_EQ(seen.at(2).power,
              static_cast<std::int64_t>((load_be(head.hash.bytes.data()) >> 216).low64()));
}

}  // namespace
}  // namespace heddle::node
