// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Real transactions with the traces that geth gives of them.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>
#include <vm/block.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "fixtures.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/networks.hpp"
#include "tracing/call_tracer.hpp"
#include "tracing/trace_config.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

class NumberedHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        return keccak256(to_hash(Uint256{number}).view());
    }
};

bool is_equal(const JsonView& a, const JsonView& b);

bool has_equal_members(const JsonView& a, const JsonView& b) {
    std::size_t shared = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto [name, value] = a.member(i);
        const auto other = b.find(name);
        if (other.has_value() ? !is_equal(value, *other) : !value.is_null()) {
            // One of the files leaves out the index of a first log.
            if (other.has_value() || name != "index" || value.string() != "0x0") return false;
        }
        shared += other.has_value() ? 1 : 0;
    }
    return shared == b.size();
}

bool is_equal(const JsonView& a, const JsonView& b) {
    if (a.is_object()) return b.is_object() && has_equal_members(a, b);
    if (a.is_array()) {
        if (!b.is_array() || a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!is_equal(a.element(i), b.element(i))) return false;
        return true;
    }
    if (a.is_string()) return b.is_string() && a.string() == b.string();
    if (a.is_number()) return b.is_number() && a.uint256() == b.uint256();
    return a.is_null() == b.is_null() && (a.is_null() || a.boolean() == b.boolean());
}

/// Some of the flat traces leave out what is empty, and where the transaction stands.
bool is_equal_flat(const JsonView& actual, const JsonView& expected);

bool is_default(const JsonView& value) {
    if (value.is_object()) {
        for (std::size_t i = 0; i < value.size(); ++i)
            if (!is_default(value.member(i).second)) return false;
        return true;
    }
    if (value.is_number()) return value.uint64() == 0;
    if (!value.is_string()) return value.is_null();
    return value.string() == "0x" || value.string() == "0x0" ||
           value.string() == to_string(Address{});
}

bool is_equal_object(const JsonView& actual, const JsonView& expected) {
    static const std::set<std::string, std::less<>> kPlace{
        "blockHash", "blockNumber", "transactionHash", "transactionPosition"};
    const bool has_place = expected.find("transactionHash").has_value();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto [name, value] = expected.member(i);
        if (!has_place && kPlace.contains(name)) continue;
        const auto found = actual.find(name);
        if (!(found.has_value() ? is_equal_flat(*found, value) : is_default(value))) return false;
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const auto [name, value] = actual.member(i);
        if (expected.find(name).has_value() || kPlace.contains(name)) continue;
        if (!is_default(value)) return false;
    }
    return true;
}

bool is_equal_flat(const JsonView& actual, const JsonView& expected) {
    if (expected.is_object()) return actual.is_object() && is_equal_object(actual, expected);
    if (!expected.is_array()) return is_equal(actual, expected);
    if (!actual.is_array() || actual.size() != expected.size()) return false;
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!is_equal_flat(actual.element(i), expected.element(i))) return false;
    return true;
}

/// Forks as the files name them; some are in an order that no chain could have.
ChainConfig read_config(const JsonView& json) {
    ChainConfig config;
    config.chain_id = json.at("chainId").uint64();
    const auto number = [&](const char* name) {
        const auto value = json.find(name);
        return value.has_value() ? std::optional{value->uint64()} : std::nullopt;
    };
    config.homestead_block = number("homesteadBlock");
    config.dao_fork_block = number("daoForkBlock");
    config.tangerine_whistle_block = number("eip150Block");
    config.spurious_dragon_block = number("eip158Block");
    config.byzantium_block = number("byzantiumBlock");
    config.constantinople_block = number("constantinopleBlock");
    config.petersburg_block = number("petersburgBlock");
    config.istanbul_block = number("istanbulBlock");
    // Members of other case count for geth.
    if (!config.istanbul_block) config.istanbul_block = number("IstanbulBlock");
    config.berlin_block = number("berlinBlock");
    config.london_block = number("londonBlock");
    config.shanghai_time = number("shanghaiTime");
    config.cancun_time = number("cancunTime");
    config.prague_time = number("pragueTime");
    config.osaka_time = number("osakaTime");
    config.blob_schedule = parse_blob_schedule(blob_fork_times(config), json.find("blobSchedule"));
    if (json.find("terminalTotalDifficulty").has_value())
        config.terminal_total_difficulty = json.at("terminalTotalDifficulty").uint256();
    return config;
}

/// One file: a state, a block, a transaction, and its trace.
class Fixture {
public:
    explicit Fixture(const fs::path& path) : json_(parser_.parse_file(path.string())) {
        const JsonView genesis = json_.at("genesis");
        config_ = read_config(genesis.at("config"));
        for (const GenesisAccount& account : parse_alloc(genesis.at("alloc")))
            state_.add(account);
        const JsonView context = json_.at("context");
        BlockHeader header;
        header.number = context.at("number").uint64();
        header.timestamp = context.at("timestamp").uint64();
        header.difficulty = context.at("difficulty").uint256();
        header.gas_limit = context.at("gasLimit").uint64();
        header.beneficiary = context.at("miner").address();
        if (const auto fee = context.find("baseFeePerGas"))
            header.base_fee_per_gas = fee->uint256();
        header.excess_blob_gas = excess_blob_gas(genesis, header.timestamp);
        env_ = vm::make_block_env(header, config_, header.difficulty.is_zero());
        const Bytes encoded = json_.at("input").bytes();
        auto decoded = decode_transaction(encoded);
        EXPECT_TRUE(decoded.has_value());
        tx_ = *std::move(decoded);
        tx_.sender = recover_sender(tx_);
        EXPECT_TRUE(tx_.sender.has_value());
        read_place();
    }

    [[nodiscard]] JsonView expected() const { return json_.at("result"); }

    [[nodiscard]] std::string trace(const std::string& name) {
        TraceBudget budget(std::size_t{1} << 30, TraceBudget::Clock::time_point::max());
        TraceConfig config;
        config.tracer = name;
        config.tracer_config = json_.find("tracerConfig");
        const auto tracer = make_tracer(config, budget);
        const auto valid = vm::validate(tx_, state_, env_, vm::BlockGas::whole(env_));
        EXPECT_TRUE(valid.has_value());
        if (!valid.has_value()) return "null";
        TraceSubject subject;
        subject.tx = &tx_;
        subject.env = &env_;
        subject.before = &state_;
        subject.place = place_;
        tracer->begin(subject);
        vm::Evm evm({.tracer = tracer.get()});
        vm::Outcome outcome;
        const NumberedHashes hashes;
        vm::transition(state_, hashes, env_, *valid, evm, outcome);
        tracer->end(outcome);
        std::string text;
        JsonWriter writer(text, JsonWriter::Style::compact);
        tracer->write(writer);
        EXPECT_EQ(budget.verdict(), TraceBudget::Verdict::within);
        return text;
    }

private:
    /// The files' "genesis" is the block before.
    [[nodiscard]] std::uint64_t excess_blob_gas(const JsonView& parent,
                                                std::uint64_t timestamp) const {
        if (!config_.cancun_time || !parent.find("excessBlobGas")) return 0;
        BlockHeader header;
        header.excess_blob_gas = parent.at("excessBlobGas").uint64();
        header.blob_gas_used = parent.at("blobGasUsed").uint64();
        if (const auto fee = parent.find("baseFeePerGas")) header.base_fee_per_gas = fee->uint256();
        return vm::next_excess_blob_gas(header, timestamp, config_);
    }

    /// Flat traces name where the transaction stood.
    void read_place() {
        const JsonView result = json_.at("result");
        if (!result.is_array()) return;
        const JsonView first = result.element(0);
        if (!first.find("blockHash").has_value()) return;
        place_ = TraceSubject::Place{
            first.at("blockHash").hash(), first.at("blockNumber").uint64(),
            first.at("transactionHash").hash(),
            static_cast<std::uint32_t>(first.at("transactionPosition").uint64())};
        EXPECT_EQ(transaction_hash(tx_), place_->transaction_hash);
    }

    JsonParser parser_;
    JsonView json_;
    ChainConfig config_;
    ledger::MemoryState state_;
    BlockEnv env_;
    Transaction tx_;
    std::optional<TraceSubject::Place> place_;
};

struct Suite {
    const char* folder;
    const char* tracer;
    std::size_t count;
};

class TracerConformanceTest : public testing::TestWithParam<Suite> {};

TEST_P(TracerConformanceTest, traces_are_those_of_geth) {
    const auto archive = test::fixture_archive("tracers");
    if (!archive.has_value()) GTEST_SKIP() << test::missing_fixture_message("tracers");
    const Suite& suite = GetParam();
    fs::path folder = *archive / suite.folder;
    if (!fs::exists(folder)) folder = *archive / "tracers" / suite.folder;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    ASSERT_GE(files.size(), suite.count);
    for (const fs::path& file : files) {
        SCOPED_TRACE(file.filename().string());
        Fixture fixture(file);
        const std::string text = fixture.trace(suite.tracer);
        JsonParser parser;
        const JsonView actual = parser.parse(text, "trace");
        const bool is_same = std::string{suite.tracer} == "flatCallTracer"
                                 ? is_equal_flat(actual, fixture.expected())
                                 : is_equal(actual, fixture.expected());
        EXPECT_TRUE(is_same) << text;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Geth, TracerConformanceTest,
    testing::Values(Suite{"call_tracer", "callTracer", 10},
                    Suite{"call_tracer_flat", "flatCallTracer", 21},
                    Suite{"call_tracer_withLog", "callTracer", 8},
                    Suite{"prestate_tracer", "prestateTracer", 8},
                    Suite{"prestate_tracer_with_diff_mode", "prestateTracer", 8}),
    [](const testing::TestParamInfo<Suite>& suite) { return std::string{suite.param.folder}; });

}  // namespace
}  // namespace heddle::node
