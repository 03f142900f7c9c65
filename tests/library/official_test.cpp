// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
// Official tests through the C interface, beside the executor that is the oracle of all others.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <ledger/memory_ledger.hpp>
#include <ledger/state_root.hpp>
#include <types/block.hpp>

#include <vm/block_execution.hpp>

#include "client.hpp"
#include "fixtures.hpp"
#include "formats/fixture_codec.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/networks.hpp"
#include "formats/witness_file.hpp"
#include "program/file.hpp"

namespace heddle::test {

namespace {

using node::JsonView;

/// Of the many files every `step`-th: the program's own suites run all of them.
std::vector<std::string> some_files(const std::filesystem::path& folder, std::size_t step) {
    const auto all = node::expand_paths({folder.string()}, ".json");
    std::vector<std::string> some;
    for (std::size_t i = 0; i < all.size(); i += step)
        if (!all[i].ends_with("index.json")) some.push_back(all[i]);
    return some;
}

ChainConfig config_of(const JsonView& test, const node::Network& network) {
    ChainConfig config = network.config;
    if (const auto given = test.find("config")) {
        if (const auto chain_id = given->find("chainid")) config.chain_id = chain_id->uint64();
        if (const auto schedule = given->find("blobSchedule"))
            config.blob_schedule = parse_blob_schedule(network.blob_fork_times, schedule);
    }
    return config;
}

Hash digits_hash(std::uint64_t number) {
    const std::string digits = std::to_string(number);
    return keccak256({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()});
}

heddle_fields fields_of(const JsonView& env) {
    heddle_fields fields = HEDDLE_INIT(heddle_fields);
    const auto word = [&env](const char* key, heddle_word& out) {
        if (const auto value = env.find(key)) store_be(value->uint256(), out.bytes);
    };
    const auto number = [&env](const char* key) {
        const auto value = env.find(key);
        return value.has_value() ? value->uint64() : 0;
    };
    fields.number = number("currentNumber");
    fields.timestamp = number("currentTimestamp");
    fields.gas_limit = number("currentGasLimit");
    fields.excess_blob_gas = number("currentExcessBlobGas");
    fields.slot_number = number("slotNumber");
    word("currentBaseFee", fields.base_fee_per_gas);
    word("currentDifficulty", fields.difficulty);
    heddle_word random{};
    word("currentRandom", random);
    std::copy_n(random.bytes, 32, fields.prev_randao.bytes);
    const Address beneficiary = env.at("currentCoinbase").address();
    std::ranges::copy(beneficiary.bytes, fields.beneficiary.bytes);
    return fields;
}

/// One case of a state test. @return what is wrong; empty: nothing.
std::string run_state_case(heddle_engine* engine, const heddle_chain* chain, const JsonView& test,
                           const ledger::MemoryState& state, const JsonView& json) {
    const Bytes tx = json.at("txbytes").bytes();
    const heddle_fields fields = fields_of(test.at("env"));
    const Callbacks callbacks(state, digits_hash);
    heddle_error error = HEDDLE_INIT(heddle_error);
    heddle_result* made = nullptr;
    const heddle_status status = heddle_execute_transaction(engine, chain, callbacks.get(), &fields,
                                                            bytes_of(tx), nullptr, &made, &error);
    const ResultPtr result(made);
    const bool is_to_fail = json.find("expectException").has_value();
    if (is_to_fail)
        return status == HEDDLE_REJECTED || status == HEDDLE_MALFORMED ? "" : "accepted";
    if (status != HEDDLE_OK) return error.text;
    ledger::MemoryState after = state;
    after.apply(diff_of(heddle_result_changes(result.get())));
    if (compute_state_root(after) != json.at("hash").hash()) return "the state root differs";
    if (logs_hash(receipts_of(result.get()).at(0).logs) != json.at("logs").hash())
        return "the logs differ";
    return {};
}

/// @return how many cases there were.
std::size_t run_state_tests(const std::string& file, heddle_engine* engine) {
    node::JsonParser parser;
    const JsonView document = parser.parse_file(file);
    std::size_t cases = 0;
    for (std::size_t i = 0; i < document.size(); ++i) {
        const auto [name, test] = document.member(i);
        ledger::MemoryState state;
        for (const auto& account : node::parse_alloc(test.at("pre")))
            state.add(account);
        const JsonView post = test.at("post");
        for (std::size_t j = 0; j < post.size(); ++j) {
            const auto [fork, alternatives] = post.member(j);
            const auto network = node::find_network(fork);
            if (!network.has_value()) continue;
            const ChainPtr chain = make_chain(config_of(test, *network), network->blob_fork_times);
            for (std::size_t k = 0; k < alternatives.size(); ++k) {
                if (!alternatives.element(k).find("txbytes")) continue;
                const std::string wrong =
                    run_state_case(engine, chain.get(), test, state, alternatives.element(k));
                EXPECT_EQ(wrong, "") << file << '\n' << name << '\n' << fork << ' ' << k;
                ++cases;
            }
        }
    }
    return cases;
}

TEST(LibraryOfficial, transactions_leave_the_roots_and_logs_that_state_tests_claim) {
    const EnginePtr engine = make_engine(1, HEDDLE_ENGINE_ACCESS_LISTS);
    std::size_t cases = 0;
    for (const auto& [archive, step] :
         {std::pair{"amsterdam/state_tests", 7}, {"state_tests", 9}}) {
        const auto folder = fixture_archive(archive);
        if (!folder.has_value()) GTEST_SKIP() << missing_fixture_message(archive);
        for (const std::string& file : some_files(*folder, static_cast<std::size_t>(step)))
            cases += run_state_tests(file, engine.get());
    }
    EXPECT_GT(cases, 1'000);
}

/// The ledger's sink, and what came there last.
class KeepingSink final : public BlockSink {
public:
    explicit KeepingSink(ledger::MemoryLedger& ledger) : ledger_(ledger) {}
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        last = block;
        return ledger_.commit(std::move(block));
    }
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        return ledger_.state_root_with(diff);
    }
    std::optional<FinishedBlock> last;

private:
    ledger::MemoryLedger& ledger_;
};

/// The last blocks of a chain, as a caller hands them over and as the oracle has them.
struct Head {
    executor::ChainHead chain;
    std::vector<Bytes> encoded{};

    void add(const Block& block, const Uint256& difficulty) {
        Ancestor ancestor{.header = block.header, .hash = header_hash(block.header), .ommers = {}};
        for (const BlockHeader& ommer : block.ommers)
            ancestor.ommers.push_back(header_hash(ommer));
        chain.ancestors.insert(chain.ancestors.begin(), std::move(ancestor));
        encode_block(block, *encoded.insert(encoded.begin(), Bytes{}));
        if (chain.ancestors.size() > kAncestorsForOmmers) {
            chain.ancestors.pop_back();
            encoded.pop_back();
        }
        chain.total_difficulty = chain.total_difficulty.value_or(Uint256{}) + difficulty;
    }
};

/// Blocks one after the other, each through the library on the state before it, and then through
/// the oracle, which moves the state.
class BlockTest {
public:
    BlockTest(const JsonView& test, const node::Network& network, heddle_engine* engine)
        : test_(test),
          config_(config_of(test, network)),
          chain_(make_chain(config_, network.blob_fork_times)),
          engine_(engine) {
        Genesis genesis{.config = config_,
                        .header = node::parse_fixture_header(test.at("genesisBlockHeader")),
                        .alloc = node::parse_alloc(test.at("pre"))};
        const auto& block = ledger_.initialize(genesis);
        Block first;
        first.header = block.header;
        if (block.header.withdrawals_root.has_value()) first.withdrawals.emplace();
        head_.add(first, block.header.difficulty);
    }

    /// @return what is wrong; empty: nothing.
    std::string run() {
        const JsonView blocks = test_.at("blocks");
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            std::string wrong = run_block(chain_.get(), blocks.element(i));
            if (!wrong.empty()) return "block " + std::to_string(i) + ": " + wrong;
        }
        return {};
    }
    [[nodiscard]] std::size_t accepted() const noexcept { return accepted_; }

private:
    std::string run_block(const heddle_chain* chain, const JsonView& json) {
        const Bytes bytes = json.at("rlp").bytes();
        const auto list = json.find("blockAccessListRLP");
        const Bytes list_bytes = list.has_value() ? list->bytes() : Bytes{};
        const Callbacks callbacks(
            ledger_.state(), [this](std::uint64_t number) { return ledger_.block_hash(number); },
            [this](const StateDiff& diff) { return ledger_.state_root_with(diff); });

        std::vector<heddle_bytes> ancestors;
        for (const Bytes& ancestor : head_.encoded)
            ancestors.push_back(bytes_of(ancestor));
        heddle_word total_difficulty;
        store_be(*head_.chain.total_difficulty, total_difficulty.bytes);
        heddle_block given = HEDDLE_INIT(heddle_block);
        given.rlp = bytes_of(bytes);
        given.access_list = bytes_of(list_bytes);
        given.ancestors = ancestors.data();
        given.ancestor_count = ancestors.size();
        given.parent_total_difficulty = &total_difficulty;
        const Executed executed = execute(engine_, chain, callbacks, given);

        const auto block = decode_block(bytes);
        if (!block.has_value())
            return executed.status == HEDDLE_MALFORMED ? "" : "malformed and not refused";
        return compare(executed, *block, bytes.size(), list_bytes);
    }

    std::string compare(const Executed& executed, const Block& block, std::size_t size,
                        const Bytes& list) {
        KeepingSink sink(ledger_);
        executor::OrderedBlock ordered = executor::make_ordered_block(block);
        ordered.start.encoded_size_bytes = size;
        ordered.start.access_list = list;
        oracle_->start({config_, ledger_.state(), ledger_, sink}, head_.chain);
        auto taken = executor::run(*oracle_, std::move(ordered));
        const auto summary = oracle_->drain();
        if (!taken.has_value() || !summary.has_value()) {
            const std::string want = to_string(taken.has_value() ? summary.error() : taken.error());
            if (executed.status != HEDDLE_REJECTED) return "not refused: " + want;
            // What is longer than there is room for is cut.
            return want.starts_with(executed.error.text) ? "" : "refused for another reason";
        }
        if (executed.status != HEDDLE_OK) return executed.error.text;
        head_.add(block, block.header.difficulty);
        ++accepted_;
        return compare(executed.result.get(), *sink.last, *summary);
    }

    static std::string compare(const heddle_result* result, const FinishedBlock& want,
                               const executor::Summary& summary) {
        const heddle_summary told = summary_of(result);
        if (!std::ranges::equal(told.block_hash.bytes, summary.head_hash.bytes))
            return "the block's hash differs";
        if (!std::ranges::equal(told.state_root.bytes, summary.state_root.bytes))
            return "the state root differs";
        if (told.gas_used != want.block.header.gas_used) return "gas differs";
        if (told.execution_gas_used != want.execution_gas_used ||
            told.state_gas_used != want.state_gas_used)
            return "gas by dimension differs";
        if (receipts_of(result) != want.receipts) return "receipts differ";
        if (diff_of(heddle_result_changes(result)) != in_order(want.diff)) return "changes differ";
        if (!equal({told.access_list.data, told.access_list.size}, want.access_list))
            return "the access list differs";
        return {};
    }

    const JsonView test_;
    const ChainConfig config_;
    const ChainPtr chain_;
    heddle_engine* const engine_;
    ledger::MemoryLedger ledger_;
    Head head_;
    std::unique_ptr<executor::Executor> oracle_ = executor::make_serial_executor();
    std::size_t accepted_ = 0;
};

class LibraryBlocks : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(LibraryBlocks, of_the_official_suites_come_out_as_with_the_oracle) {
    const EnginePtr engine = make_engine(GetParam());
    std::size_t accepted = 0;
    for (const auto& [archive, step] :
         {std::pair{"amsterdam/blockchain_tests", 16}, {"blockchain_tests", 24}}) {
        const auto folder = fixture_archive(archive);
        if (!folder.has_value()) GTEST_SKIP() << missing_fixture_message(archive);
        node::JsonParser parser;
        for (const std::string& file : some_files(*folder, static_cast<std::size_t>(step))) {
            const JsonView document = parser.parse_file(file);
            for (std::size_t i = 0; i < document.size(); ++i) {
                const auto [name, test] = document.member(i);
                const auto network = node::find_network(test.at("network").string());
                if (!network.has_value()) continue;
                BlockTest run(test, *network, engine.get());
                EXPECT_EQ(run.run(), "") << file << '\n' << name;
                accepted += run.accepted();
            }
        }
    }
    EXPECT_GT(accepted, 300);
}

/// What a node knows of a mainnet block: itself and the state that it reads.
TEST_P(LibraryBlocks, of_mainnet_come_out_as_with_the_oracle) {
    const auto folder = fixture_archive("mainnet");
    if (!folder.has_value()) GTEST_SKIP() << missing_fixture_message("mainnet");
    const EnginePtr engine = make_engine(GetParam());
    heddle_chain* made = nullptr;
    ASSERT_EQ(heddle_chain_by_name("mainnet", &made, nullptr), HEDDLE_OK);
    const ChainPtr chain(made);
    node::JsonParser parser;
    const auto oracle = executor::make_serial_executor();
    for (const std::string& file : some_files(*folder, 4)) {
        const node::Witness witness = node::load_witness(parser, file);
        const auto hash = [&](std::uint64_t number) {
            const auto known = witness.block_hashes.find(number);
            return known == witness.block_hashes.end() ? Hash{} : known->second;
        };
        const Callbacks callbacks(witness.state, hash);
        Bytes encoded;
        encode_block(witness.block, encoded);
        heddle_block given = HEDDLE_INIT(heddle_block);
        given.rlp = bytes_of(encoded);
        const Executed executed = execute(engine.get(), chain.get(), callbacks, given);
        ASSERT_EQ(executed.status, HEDDLE_OK) << file << ": " << executed.error.text;

        class Sink final : public BlockSink {
        public:
            [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
                last = std::move(block);
                return last.block.header.state_root;
            }
            [[nodiscard]] Hash state_root_with(const StateDiff&) override { return {}; }
            FinishedBlock last;
        } sink;
        const node::KnownHashes hashes(witness.block_hashes);
        oracle->start({mainnet_config(), witness.state, hashes, sink}, {});
        ASSERT_TRUE(executor::run(*oracle, node::make_ordered_block(witness)).has_value());
        ASSERT_TRUE(oracle->drain().has_value());
        EXPECT_EQ(receipts_of(executed.result.get()), sink.last.receipts) << file;
        EXPECT_EQ(diff_of(heddle_result_changes(executed.result.get())), in_order(sink.last.diff))
            << file;
    }
}

INSTANTIATE_TEST_SUITE_P(Workers, LibraryBlocks, ::testing::Values(1U, 2U, 4U));

}  // namespace

}  // namespace heddle::test
