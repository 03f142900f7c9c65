// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What debug_executionWitness gives is enough: from it alone, without any state, blocks are
// executed and lead to the state roots in their headers. And nothing of it is too much.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <executor/executor.hpp>
#include <types/ancestor.hpp>
#include <types/signing.hpp>

#include "adversarial_chain.hpp"
#include "building/chain_maker.hpp"
#include "chain/dev_chain.hpp"
#include "formats/json.hpp"
#include "formats/proven_block.hpp"
#include "program/error.hpp"
#include "rpc/methods/witness_maker.hpp"
#include "rpc_node.hpp"
#include "temporary_folder.hpp"

namespace heddle::node {
namespace {

using rpc::RpcError;

struct ServedChain {
    Genesis genesis;
    std::vector<Block> blocks;
    std::unique_ptr<test::RpcNode> node;
};

ServedChain make_node(Genesis genesis, std::vector<Block> blocks) {
    const heddle::test::TemporaryFolder folder;
    const std::string file = folder / "chain.rlp";
    Bytes encoded;
    for (const Block& block : blocks)
        encode_block(block, encoded);
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(encoded.data()),  // NOLINT
               static_cast<std::streamsize>(encoded.size()));
    test::RpcNodeOptions options;
    options.chain_files = {file};
    ServedChain chain{std::move(genesis), std::move(blocks), nullptr};
    chain.node = std::make_unique<test::RpcNode>(chain.genesis, options);
    return chain;
}

boost::json::object witness_of(const ServedChain& chain, std::uint64_t number) {
    const std::string text =
        chain.node->call("debug_executionWitness", fmt::format("[\"{:#x}\"]", number));
    return boost::json::parse(text).as_object();
}

/// Executes the block on this witness, of which `block` and `witness` know nothing but the text.
std::expected<void, BlockError> execute_on(const ServedChain& chain, std::uint64_t number,
                                           const boost::json::object& witness) {
    boost::json::object file;
    Bytes encoded;
    encode_block(chain.blocks.at(number - 1), encoded);
    file["block"] = to_hex(encoded);
    file["witness"] = witness;
    JsonParser parser;
    const ProvenBlock proven =
        parse_proven_block(parser.parse(boost::json::serialize(file), "witness"));
    const auto executor = executor::make_serial_executor();
    return execute(proven, chain.genesis.config, *executor);
}

void expect_ascending(const boost::json::object& witness, std::string_view name) {
    const auto& items = witness.at(name).as_array();
    for (std::size_t i = 1; i < items.size(); ++i)
        ASSERT_LT(items[i - 1].as_string(), items[i].as_string()) << name;
}

class WitnessOfFork : public testing::TestWithParam<Revision> {};

TEST_P(WitnessOfFork, is_enough_for_every_block_and_no_node_of_it_is_too_much) {
    std::mt19937_64 random(7);
    std::size_t nodes = 0;
    std::size_t codes = 0;
    for (const std::uint64_t seed : {11U, 12U, 13U}) {
        SCOPED_TRACE(seed);
        auto made = test::make_adversarial_chain({.seed = seed,
                                                  .blocks = 6,
                                                  .max_transactions = 40,
                                                  .revision = GetParam(),
                                                  .with_flaws = false,
                                                  .is_signed = true});
        const ServedChain chain = make_node(std::move(made.genesis), std::move(made.blocks));
        for (std::uint64_t number = 1; number <= chain.blocks.size(); ++number) {
            SCOPED_TRACE(fmt::format("block {}: {}", number, made.description));
            const boost::json::object witness = witness_of(chain, number);
            for (const std::string_view name : {"state", "codes", "keys"})
                expect_ascending(witness, name);

            const auto done = execute_on(chain, number, witness);
            ASSERT_TRUE(done.has_value()) << to_string(done.error());

            for (const std::string_view name : {"state", "codes", "headers"}) {
                const std::size_t count = witness.at(name).as_array().size();
                if (name == "state") nodes += count;
                if (name == "codes") {
                    codes += count;
                    continue;  // code may be read of which nothing depends: of no bytes of it
                }
                for (int i = 0; i < 4 && count != 0; ++i) {
                    boost::json::object less = witness;
                    auto& items = less.at(name).as_array();
                    // Where a header in between is gone, they are no chain any more.
                    const std::size_t lost = name == "headers" ? 0 : random() % count;
                    if (name == "headers" && count == 1) break;
                    items.erase(items.begin() + static_cast<std::ptrdiff_t>(lost));
                    const auto failed = execute_on(chain, number, less);
                    ASSERT_FALSE(failed.has_value()) << name << " " << lost;
                    EXPECT_EQ(failed.error().code, BlockErrorCode::malformed)
                        << to_string(failed.error());
                }
            }
        }
    }
    EXPECT_GT(nodes, 200U);
    EXPECT_GT(codes, 20U);
}

INSTANTIATE_TEST_SUITE_P(Forks, WitnessOfFork,
                         testing::Values(Revision::frontier, Revision::homestead,
                                         Revision::spurious_dragon, Revision::byzantium,
                                         Revision::istanbul, Revision::london, Revision::paris,
                                         Revision::shanghai, Revision::cancun, Revision::prague,
                                         Revision::osaka, Revision::amsterdam),
                         [](const auto& param) {
                             std::string name{to_string(param.param)};
                             std::erase(name, ' ');
                             return name;
                         });

// --- Chains made by hand -------------------------------------------------------------------------

/// Blocks on the development chain's genesis block with these contracts, whose accounts are known.
class WitnessMethodsTest : public testing::Test {
protected:
    static Transaction call(std::uint64_t nonce, const Address& to) {
        Transaction tx;
        tx.type = TransactionType::dynamic_fee;
        tx.chain_id = 1337;
        tx.nonce = nonce;
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{10'000'000'000};
        tx.gas_limit = 12'000'000;
        tx.to = to;
        EXPECT_TRUE(sign_transaction(tx, dev_accounts()[0].secret));
        return tx;
    }
    void add_contract(const Address& address, Bytes code,
                      std::vector<std::pair<Uint256, Uint256>> storage = {}) {
        genesis_.alloc.push_back({address, 1, {}, std::move(code), std::move(storage)});
    }
    /// A block for each list of contracts that are called in it.
    ServedChain make(const std::vector<std::vector<Address>>& blocks) {
        ChainMaker maker(genesis_);
        std::vector<Block> made;
        std::uint64_t nonce = 0;
        for (const std::vector<Address>& called : blocks) {
            BlockPlan plan;
            plan.timestamp = maker.head().timestamp + 12;
            plan.beneficiary = address_from_low64(0xfee);
            EXPECT_TRUE(maker.begin_block(plan).has_value());
            for (const Address& contract : called)
                EXPECT_TRUE(maker.add(call(nonce++, contract)).has_value());
            made.push_back(maker.seal().value());
        }
        return make_node(genesis_, std::move(made));
    }
    static std::string error_of(const ServedChain& chain, const std::string& params,
                                const std::string& method = "debug_executionWitness") {
        try {
            return "no error: " + chain.node->call(method, params);
        } catch (const RpcError& error) {
            return fmt::format("{} {}", error.code(), error.what());
        }
    }

    Genesis genesis_ = dev_genesis(Revision::osaka);
};

Uint256 large(std::uint64_t number) {
    return (Uint256{number} << 128) + Uint256{number};
}

/// Sets slots `from` to `to` - 1 to zero.
Bytes clears(std::uint16_t from, std::uint16_t to) {
    Bytes code;
    for (std::uint16_t slot = from; slot < to; ++slot) {
        const Bytes one{0x5f, 0x61, static_cast<std::uint8_t>(slot >> 8),
                        static_cast<std::uint8_t>(slot), 0x55};
        code.insert(code.end(), one.begin(), one.end());
    }
    return code;
}

TEST_F(WitnessMethodsTest, has_what_is_beside_the_way_where_deletions_leave_one_child) {
    // Of so many slots all but one are cleared, so that a branch is left with a child that nobody
    // has read: in the smallest trie the other leaf, in larger ones what comes of many collapses.
    std::vector<Address> contracts;
    for (std::uint16_t slots = 2; slots <= 40; ++slots) {
        std::vector<std::pair<Uint256, Uint256>> storage;
        for (std::uint16_t slot = 0; slot < slots; ++slot)
            storage.emplace_back(Uint256{slot}, large(slot + 1U));
        contracts.push_back(address_from_low64(0xc000U + slots));
        add_contract(contracts.back(), clears(1, slots), std::move(storage));
    }
    const ServedChain chain = make({contracts});

    const boost::json::object witness = witness_of(chain, 1);

    const auto done = execute_on(chain, 1, witness);
    ASSERT_TRUE(done.has_value()) << to_string(done.error());
    // The smallest: the leaf that stays is there.
    Bytes leaf;
    rlp::encode_uint256(large(1), leaf);
    const std::string value = to_hex(leaf).substr(2);
    const auto has = [&](std::string_view name, const std::string& part) {
        const auto& items = witness.at(name).as_array();
        return std::ranges::any_of(items, [&](const boost::json::value& item) {
            return std::string_view{item.as_string()}.ends_with(part);
        });
    };
    EXPECT_TRUE(has("state", value));
}

TEST_F(WitnessMethodsTest, has_headers_back_to_the_oldest_hash_that_was_asked_for) {
    constexpr Address kAsks = address_from_low64(0xa5);
    // Stores the hash of the block 40 before.
    add_contract(kAsks, {0x60, 40, 0x43, 0x03, 0x40, 0x5f, 0x55});
    std::vector<std::vector<Address>> blocks(45);
    blocks.push_back({kAsks});
    const ServedChain chain = make(blocks);

    const boost::json::object witness = witness_of(chain, 46);

    const auto& headers = witness.at("headers").as_array();
    ASSERT_EQ(headers.size(), 40U);
    EXPECT_EQ(headers.front(),
              boost::json::parse(chain.node->call("debug_getRawHeader", R"(["0x6"])")));
    EXPECT_EQ(headers.back(),
              boost::json::parse(chain.node->call("debug_getRawHeader", R"(["0x2d"])")));
    EXPECT_TRUE(execute_on(chain, 46, witness).has_value());
    EXPECT_EQ(witness_of(chain, 45).at("headers").as_array().size(), 1U);
}

/// More keys than the tries are asked for at once.
TEST_F(WitnessMethodsTest, takes_thousands_of_slots_in_portions) {
    constexpr std::uint16_t kSlots = 2 * rpc::WitnessMaker::kKeysAtOnce + 100;
    constexpr Address kLarge = address_from_low64(0x1a);
    std::vector<std::pair<Uint256, Uint256>> storage;
    for (std::uint16_t slot = 0; slot < kSlots; ++slot)
        storage.emplace_back(Uint256{slot}, large(slot + 1U));
    add_contract(kLarge, clears(0, kSlots), std::move(storage));
    const ServedChain chain = make({{kLarge}});

    const boost::json::object witness = witness_of(chain, 1);

    EXPECT_GT(witness.at("keys").as_array().size(), kSlots);
    const auto done = execute_on(chain, 1, witness);
    EXPECT_TRUE(done.has_value()) << to_string(done.error());
}

TEST_F(WitnessMethodsTest, code_of_before_is_there_although_the_block_makes_the_same) {
    // Makes a contract whose code is STOP, and calls the one that has been there with that code.
    constexpr Address kMakes = address_from_low64(0x3a);
    constexpr Address kStops = address_from_low64(0x57);
    // What is created returns one byte of memory that nobody has written.
    add_contract(kStops, {0x00});
    add_contract(kMakes,
                 {0x63, 0x60, 0x01, 0x5f, 0xf3, 0x5f, 0x52, 0x60, 4,    0x60, 28,   0x5f, 0xf0,
                  0x50, 0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x60, 0x57, 0x61, 0xff, 0xff, 0xf1});
    const ServedChain chain = make({{kMakes}});

    const boost::json::object witness = witness_of(chain, 1);

    EXPECT_TRUE(std::ranges::any_of(witness.at("codes").as_array(),
                                    [](const auto& code) { return code.as_string() == "0x00"; }));
    EXPECT_TRUE(execute_on(chain, 1, witness).has_value());
}

TEST_F(WitnessMethodsTest, is_refused_with_the_texts_of_the_execution_apis) {
    const ServedChain chain = make({{}, {}});

    EXPECT_EQ(error_of(chain, R"(["0x0"])"), "-32000 block 0x0 found, but parent missing");
    EXPECT_EQ(error_of(chain, R"(["earliest"])"), "-32000 block 0x0 found, but parent missing");
    EXPECT_EQ(error_of(chain, R"(["0xfffffffff"])"), "-32000 block 0xfffffffff not found");
    EXPECT_EQ(error_of(chain, R"(["pending"])"), "-32000 pending block has no witness");
    const std::string hash = to_string(Hash{});
    EXPECT_EQ(error_of(chain, "[\"" + hash + "\"]"), "-32000 block " + hash + " not found");
    EXPECT_EQ(error_of(chain, R"(["latest"])", "debug_executionWitnessByBlockHash").substr(0, 6),
              "-32602");
    EXPECT_EQ(error_of(chain, "[]"), "-32602 missing value for required argument 0");
}

TEST_F(WitnessMethodsTest, a_block_is_named_in_every_way) {
    const ServedChain chain = make({{}, {}});
    const std::string wanted = chain.node->call("debug_executionWitness", R"(["0x2"])");
    const std::string hash = to_string(header_hash(chain.blocks[1].header));

    EXPECT_EQ(chain.node->call("debug_executionWitness", R"(["latest"])"), wanted);
    EXPECT_EQ(chain.node->call("debug_executionWitness", "[\"" + hash + "\"]"), wanted);
    EXPECT_EQ(chain.node->call("debug_executionWitness", R"([{"blockHash":")" + hash + "\"}]"),
              wanted);
    EXPECT_EQ(chain.node->call("debug_executionWitnessByBlockHash", "[\"" + hash + "\"]"), wanted);
}

TEST_F(WitnessMethodsTest, reaches_as_far_back_as_states_do) {
    const ServedChain chain = make(std::vector<std::vector<Address>>(ledger::kProofBlocks + 20));

    for (const std::uint64_t number : {1u, 2u, 19u, 20u, 21u, 100u})
        EXPECT_TRUE(execute_on(chain, number, witness_of(chain, number)).has_value()) << number;
}

TEST_F(WitnessMethodsTest, ends_with_its_time_and_with_the_size_of_an_answer) {
    const ServedChain chain = make({{}});
    JsonParser parser;
    const auto params = parser.parse(R"(["0x1"])", "params");
    const auto error_with = [&](std::size_t bytes, std::chrono::seconds time) {
        std::string result;
        JsonWriter out(result, JsonWriter::Style::compact);
        const rpc::Method* method = chain.node->methods().find("debug_executionWitness");
        try {
            method->handler({.params = rpc::Params{params},
                             .deadline = std::chrono::steady_clock::now() + time,
                             .max_result_bytes = bytes,
                             .session = nullptr},
                            out);
        } catch (const RpcError& error) {
            return error.code();
        }
        return 0;
    };

    EXPECT_EQ(error_with(0, std::chrono::seconds{100}), 0);
    EXPECT_EQ(error_with(2'000, std::chrono::seconds{100}),
              static_cast<int>(rpc::Code::response_too_large));
    EXPECT_EQ(error_with(0, std::chrono::seconds{-1}), static_cast<int>(rpc::Code::timed_out));
}

// --- Files ---------------------------------------------------------------------------------------

TEST_F(WitnessMethodsTest, a_block_of_another_witness_is_refused) {
    const ServedChain chain = make({{}, {}, {}});
    const auto parse = [&](std::uint64_t number, std::uint64_t witness) {
        return execute_on(chain, number, witness_of(chain, witness));
    };

    EXPECT_THROW((void)parse(2, 3), InputError);
    boost::json::object none = witness_of(chain, 2);
    none["headers"] = boost::json::array{};
    EXPECT_THROW((void)execute_on(chain, 2, none), InputError);
    boost::json::object twice = witness_of(chain, 2);
    twice["headers"].as_array().push_back(twice["headers"].as_array().front());
    EXPECT_THROW((void)execute_on(chain, 2, twice), InputError);
}

TEST_F(WitnessMethodsTest, a_wrong_block_is_found_out) {
    ServedChain chain = make({{}});
    const boost::json::object witness = witness_of(chain, 1);
    chain.blocks[0].header.state_root = keccak256({});

    const auto done = execute_on(chain, 1, witness);

    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code, BlockErrorCode::state_root_mismatch);
}

std::optional<BlockErrorCode> code_of(const std::expected<void, BlockError>& done) {
    return done.has_value() ? std::nullopt : std::optional{done.error().code};
}

// Ommers are no way around the rules of headers.
TEST_F(WitnessMethodsTest, a_wrong_header_is_found_out_where_there_are_ommers) {
    ServedChain chain = make({{}});
    const boost::json::object witness = witness_of(chain, 1);
    Block& block = chain.blocks[0];
    const auto code = [&] { return code_of(execute_on(chain, 1, witness)); };
    const Block good = block;

    block.ommers.push_back(chain.genesis.header);
    EXPECT_EQ(code(), BlockErrorCode::invalid_ommers_hash);
    block.header.ommers_hash = ommers_hash(block.ommers);
    EXPECT_EQ(code(), BlockErrorCode::invalid_ommers_hash);
    block.header = good.header;
    *block.header.base_fee_per_gas += Uint256{1};
    EXPECT_EQ(code(), BlockErrorCode::invalid_base_fee);
    block.header = good.header;
    block.header.difficulty = 131'072;
    EXPECT_EQ(code(), BlockErrorCode::invalid_difficulty);
    block.ommers.clear();
    EXPECT_EQ(code(), BlockErrorCode::invalid_difficulty);
}

TEST(WitnessWithOmmers, says_how_many_and_how_old_they_are) {
    auto made = test::make_adversarial_chain({.seed = 11,
                                              .blocks = 12,
                                              .max_transactions = 5,
                                              .revision = Revision::istanbul,
                                              .with_flaws = false,
                                              .is_signed = true});
    ServedChain chain = make_node(std::move(made.genesis), std::move(made.blocks));
    const auto with_ommers = std::ranges::find_if(
        chain.blocks, [](const Block& block) { return !block.ommers.empty(); });
    ASSERT_NE(with_ommers, chain.blocks.end());
    Block& block = *with_ommers;
    const std::uint64_t number = block.header.number;
    const boost::json::object witness = witness_of(chain, number);
    const auto code = [&] {
        block.header.ommers_hash = ommers_hash(block.ommers);
        return code_of(execute_on(chain, number, witness));
    };
    ASSERT_EQ(code(), std::nullopt);
    const Block good = block;

    block.ommers[0].number = number - kAncestorsForOmmers;
    EXPECT_EQ(code(), BlockErrorCode::invalid_ommers);
    block.ommers[0].number = number;
    EXPECT_EQ(code(), BlockErrorCode::invalid_ommers);
    block.ommers = {good.ommers[0], good.ommers[0]};
    EXPECT_EQ(code(), BlockErrorCode::invalid_ommers);
    block = good;
    block.header.difficulty += Uint256{1};
    EXPECT_EQ(code(), BlockErrorCode::invalid_difficulty);
    block = good;
    block.header.timestamp = 1;
    EXPECT_EQ(code(), BlockErrorCode::invalid_timestamp);
}

}  // namespace
}  // namespace heddle::node
