// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a unit of gas costs in time, for every instruction and every precompiled contract, at the
// prices of Osaka and of Amsterdam: the worst ones say how long a block can take. Whole
// transactions that run out of gas, each on a machine that has seen no code yet, with the state in
// memory. bench/README.md has the method and the figures.
#include <ctime>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <measure/statistics.hpp>
#include <types/assert.hpp>

#include <vm/evm.hpp>
#include <vm/precompile.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "arguments.hpp"
#include "gas_programs.hpp"
#include "hard_precompile_inputs.hpp"
#include "machine.hpp"
#include "table.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::measure;

/// For --help.
constexpr const char* kPurpose =
    "What a unit of gas costs in time, for every instruction and every precompiled contract, "
    "at the prices of Osaka and of Amsterdam.";

const Address kSender = address_from_low64(0xa11ce);
const Address kProgram = address_from_low64(0xc0de);
constexpr double kBlockGas = 60e6;
// More than a transaction and its data pay before it executes.
constexpr std::uint64_t kPaidBefore = 21'000;
constexpr std::uint64_t kPaidForByte = 64;
/// Slots of the program that are there: what it may write over.
constexpr std::uint64_t kSlots = 7'000;

/// Processor time of this thread: other work on the machine does not count.
std::uint64_t thread_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
}

class NoBlockHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t) const noexcept override { return {}; }
};

struct Settings {
    std::uint64_t gas = 0;  // of each transaction, beyond what is paid beforehand
    std::uint64_t repetitions = 0;
    std::uint64_t contracts = 0;
    std::string filter;
};

/// Nanoseconds per gas; 0: the revision does not have it.
struct Costs {
    double osaka = 0;
    double amsterdam = 0;
};
struct Result {
    std::string name;
    Costs costs;
};

BlockEnv env_of(Revision revision) {
    BlockEnv env;
    env.revision = revision;
    env.number = 1'000;
    env.timestamp = 1'000;
    env.gas_limit = 1'000'000'000;
    env.beneficiary = address_from_low64(0x313e3);
    return env;
}

/// Runs one program at a time on a world that is there for all of them.
class ProgramRunner {
public:
    ProgramRunner(const Settings& settings, Revision revision)
        : settings_(settings), revision_(revision) {
        GenesisAccount sender;
        sender.address = kSender;
        sender.balance = Uint256{1} << 128;
        state_.add(sender);
        add_accounts(state_, settings.contracts, revision);
    }

    double run(const GasProgram& program) {
        install(program);
        Transaction tx;
        tx.sender = kSender;
        tx.to = kProgram;
        tx.data = program.call_data;
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{1};
        tx.gas_limit = settings_.gas + kPaidBefore + kPaidForByte * tx.data.size();
        const BlockEnv env = env_of(revision_);
        const auto valid = vm::validate(tx, state_, env, vm::BlockGas::whole(env));
        HEDDLE_ASSERT(valid.has_value());
        std::vector<double> costs;
        for (std::uint64_t i = 0; i < settings_.repetitions; ++i) {
            vm::EvmOptions options;
            options.decode_after_entries = vm::kDecodeAfterEntries;  // as executors have it
            vm::Evm evm(std::move(options));
            vm::Outcome outcome;
            const std::uint64_t start = thread_ns();
            vm::transition(state_, NoBlockHashes{}, env, *valid, evm, outcome);
            const auto took = static_cast<double>(thread_ns() - start);
            if (outcome.status != vm::Status::out_of_gas) return 0;  // there is no such instruction
            costs.push_back(took /
                            static_cast<double>(std::max<std::uint64_t>(outcome.executed_gas, 1)));
        }
        return median(std::move(costs));
    }

private:
    void install(const GasProgram& program) {
        GenesisAccount account;
        account.address = kProgram;
        account.nonce = 1;
        account.balance = Uint256{1} << 64;
        account.code = program.code;
        for (std::uint64_t i = 0; i < kSlots; ++i)
            account.storage.emplace_back(Uint256{i}, Uint256{1});
        state_.add(account);
    }

    const Settings& settings_;
    Revision revision_;
    ledger::MemoryState state_;
};

double run_precompile_call(const PrecompileCall& call, Revision revision,
                           const Settings& settings) {
    constexpr std::uint64_t kLeastNs = 2'000'000;
    const Bytes input = from_hex(call.input).value();
    Bytes output;
    std::vector<double> costs;
    // Reading the clock takes longer than a short call: once for all calls of a repetition.
    std::uint64_t calls = 1;
    while (costs.size() < settings.repetitions) {
        std::int64_t gas = 0;
        const std::uint64_t start = thread_ns();
        for (std::uint64_t i = 0; i < calls; ++i) {
            const auto result =
                vm::run_precompile(call.index, revision, input, kPlentyOfGas, output);
            HEDDLE_ASSERT(result.ok);
            gas += kPlentyOfGas - result.gas_left;
        }
        const std::uint64_t took = thread_ns() - start;
        if (took < kLeastNs && settings.repetitions > 1)
            calls *= 2;
        else
            costs.push_back(static_cast<double>(took) / static_cast<double>(gas));
    }
    return median(std::move(costs));
}

bool is_wanted(const std::string& name, const Settings& settings) {
    return name.find(settings.filter) != std::string::npos;
}

/// One revision after the other: contracts of the largest size take much memory.
std::vector<Result> measure_programs(const Settings& settings) {
    std::vector<Result> results;
    for (const auto& [revision, cost] :
         {std::pair{Revision::osaka, &Costs::osaka}, {Revision::amsterdam, &Costs::amsterdam}}) {
        ProgramRunner runner(settings, revision);
        std::size_t done = 0;
        for (const GasProgram& program : gas_programs(revision)) {
            if (!is_wanted(program.name, settings)) continue;
            if (done == results.size()) results.push_back({program.name, {}});
            HEDDLE_ASSERT(results[done].name == program.name);
            results[done++].costs.*cost = runner.run(program);
        }
    }
    return results;
}

std::vector<Result> measure_precompiles(const Settings& settings) {
    std::vector<Result> results;
    for (const PrecompileCall& call : precompile_calls())
        if (is_wanted(call.name, settings))
            results.push_back({call.name,
                               {run_precompile_call(call, Revision::osaka, settings),
                                run_precompile_call(call, Revision::amsterdam, settings)}});
    return results;
}

void show(Tables& tables, std::string title, std::vector<Result> results) {
    if (results.empty()) return;
    std::vector<double> costs;
    for (const Result& result : results)
        if (result.costs.osaka != 0) costs.push_back(result.costs.osaka);
    if (costs.empty()) return;
    const double middle = median(std::move(costs));
    std::ranges::sort(results, std::greater{},
                      [](const Result& result) { return result.costs.osaka; });
    Table& table = tables.add(std::move(title), {{"what"},
                                                 {"ns/gas Osaka", 3},
                                                 {"of the median", 2},
                                                 {"ms for 60 Mgas", 0},
                                                 {"ns/gas Amsterdam", 3}});
    for (const Result& result : results)
        table.add({result.name, result.costs.osaka, result.costs.osaka / middle,
                   result.costs.osaka * kBlockGas / 1e6, result.costs.amsterdam});
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    Settings settings;
    settings.gas = arguments.number("gas", 10'000'000, "gas of a transaction");
    settings.repetitions =
        arguments.number("repetitions", 5, "runs of each, of which the median counts");
    settings.contracts =
        std::min(arguments.number("contracts", kContracts,
                                  "accounts that instructions on other accounts turn to, at most"),
                 kContracts);
    settings.filter = arguments.text("filter", "", "only what has this in its name");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    Tables tables;
    show(tables, "Instructions", measure_programs(settings));
    show(tables, "Precompiled contracts", measure_precompiles(settings));
    tables.write_json(json);
    return 0;
}
