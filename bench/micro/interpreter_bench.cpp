// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The interpreters on the standard EVM benchmarks (ipsilon/evm-benchmarks) and on loops of one
// instruction each (evm-synthetic), both from HEDDLE_FIXTURES: whole transactions with cached
// analysis and the state in memory, in nanoseconds per EVM operation. Operations are counted by
// tracing once. "fast" and "plain" run interleaved in the same process; the rival's figures are in
// bench/README.md.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <boost/json.hpp>

#include <types/assert.hpp>
#include <types/block.hpp>

#include <vm/evm.hpp>
#include <vm/tracer.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include <ledger/memory_state.hpp>

#include "fixtures.hpp"

namespace {

namespace json = boost::json;
using namespace heddle;

class NoBlockHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t) const noexcept override { return {}; }
};

class OperationCounter final : public vm::Tracer {
public:
    void on_step(const vm::TraceStep&, vm::Status) noexcept override { ++count; }
    std::uint64_t count = 0;
};

struct Case {
    std::string name;
    ledger::MemoryState state;
    BlockEnv env;
    Transaction tx;
    std::uint64_t operations = 0;  // 0: not counted yet
};

std::string text(const json::value& value) {
    return std::string(value.as_string());
}
Uint256 word(const json::value& value) {
    return uint256_from_string(text(value)).value();
}
Address address(const json::value& value) {
    return address_from_hex(text(value)).value();
}

void load_state(const json::object& pre, ledger::MemoryState& state) {
    for (const auto& [key, value] : pre) {
        const json::object& fields = value.as_object();
        GenesisAccount account;
        account.address = address_from_hex(std::string(key)).value();
        account.nonce = word(fields.at("nonce")).low64();
        account.balance = word(fields.at("balance"));
        account.code = from_hex(text(fields.at("code"))).value();
        for (const auto& [slot, content] : fields.at("storage").as_object())
            account.storage.emplace_back(uint256_from_string(std::string(slot)).value(),
                                         word(content));
        state.add(account);
    }
}

/// One case for each post entry of each test in the file.
void load_cases(const std::filesystem::path& path, std::vector<std::unique_ptr<Case>>& cases) {
    std::ifstream file(path);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    const json::value document = json::parse(content);
    for (const auto& [name, test] : document.as_object()) {
        const json::object& env = test.at("env").as_object();
        const json::object& tx = test.at("transaction").as_object();
        for (const json::value& post : test.at("post").at("London").as_array()) {
            const json::value& indexes = post.at("indexes");
            auto& item = *cases.emplace_back(std::make_unique<Case>());
            const auto data_index = indexes.at("data").to_number<std::size_t>();
            item.name = std::string(name) + "/" + std::to_string(data_index);
            load_state(test.at("pre").as_object(), item.state);
            item.env.revision = Revision::london;
            item.env.number = word(env.at("currentNumber")).low64();
            item.env.timestamp = word(env.at("currentTimestamp")).low64();
            item.env.gas_limit = word(env.at("currentGasLimit")).low64();
            item.env.beneficiary = address(env.at("currentCoinbase"));
            item.env.base_fee_per_gas = word(env.at("currentBaseFee"));
            item.tx.gas_limit =
                word(tx.at("gasLimit").at(indexes.at("gas").to_number<std::size_t>())).low64();
            item.tx.max_fee_per_gas = word(tx.at("gasPrice"));
            item.tx.max_priority_fee_per_gas = item.tx.max_fee_per_gas;
            item.tx.nonce = word(tx.at("nonce")).low64();
            item.tx.to = address(tx.at("to"));
            item.tx.data = from_hex(text(tx.at("data").at(data_index))).value();
            item.tx.sender = address(tx.at("sender"));
        }
    }
}

vm::ValidTransaction validated(const Case& item) {
    const auto valid = vm::validate(item.tx, item.state, item.env, vm::BlockGas::whole(item.env));
    HEDDLE_ASSERT(valid.has_value());
    return *valid;
}

void count_operations(Case& item) {
    OperationCounter counter;
    vm::Evm evm({.engine = vm::Engine::plain, .tracer = &counter, .code_cache = nullptr});
    vm::Outcome outcome;
    vm::transition(item.state, NoBlockHashes{}, item.env, validated(item), evm, outcome);
    item.operations = counter.count;
}

void run_case(benchmark::State& bench, Case& item, vm::Engine engine) {
    if (item.operations == 0) count_operations(item);
    vm::Evm evm({.engine = engine, .tracer = nullptr, .code_cache = nullptr});
    vm::Outcome outcome;
    const vm::ValidTransaction valid = validated(item);
    const NoBlockHashes block_hashes;
    for (auto _ : bench)
        vm::transition(item.state, block_hashes, item.env, valid, evm, outcome);
    const auto runs = static_cast<double>(bench.iterations());
    bench.counters["ops"] = static_cast<double>(item.operations);
    bench.counters["ns/op"] =
        benchmark::Counter(runs * static_cast<double>(item.operations) / 1e9,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    bench.counters["gas/s"] = benchmark::Counter(
        runs * static_cast<double>(outcome.receipt.gas_used), benchmark::Counter::kIsRate);
}

/// All cases of an archive; their names begin with `group`, or with their folder's where there is
/// none.
///
/// @return  false when there is no such archive.
bool load_archive(std::string_view archive, std::string_view group,
                  std::vector<std::unique_ptr<Case>>& cases) {
    const auto folder = heddle::test::fixture_archive(archive);
    if (!folder) {
        std::printf("%s\n", heddle::test::missing_fixture_message(archive).c_str());
        return false;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    for (const auto& path : files) {
        const std::size_t first = cases.size();
        load_cases(path, cases);
        const std::string prefix =
            group.empty() ? path.parent_path().filename().string() : std::string(group);
        for (std::size_t i = first; i < cases.size(); ++i)
            cases[i]->name = prefix + "/" + cases[i]->name;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    static std::vector<std::unique_ptr<Case>> cases;
    const bool has_standard = load_archive("evm-benchmarks", "", cases);
    const bool has_synthetic = load_archive("evm-synthetic", "synth", cases);
    if (!has_standard && !has_synthetic) return 0;
    for (auto& item : cases)
        for (const auto& [label, engine] :
             {std::pair{"fast/", vm::Engine::fast}, std::pair{"plain/", vm::Engine::plain}})
            benchmark::RegisterBenchmark((label + item->name).c_str(), run_case, std::ref(*item),
                                         engine)
                ->Unit(benchmark::kMicrosecond);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
