// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "faulted_ledger.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "fixtures.hpp"

namespace heddle::test {
namespace {

/// The number behind the last `word` at the beginning of a line.
std::optional<std::uint64_t> last_number(const std::string& text, const std::string& word) {
    std::optional<std::uint64_t> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(word)) found = std::strtoull(line.c_str() + word.size(), nullptr, 10);
    return found;
}

/// The lines of a summary that say where the chain stands.
std::string head_of(const std::string& out) {
    std::string head;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("head: ") || line.starts_with("state root ")) head += line + "\n";
    return head;
}

std::string shell_words(const std::vector<std::string>& words, const Environment& environment) {
    std::string text;
    for (const auto& [name, value] : environment)
        text.append(name).append("=").append(value).append(" ");
    for (const std::string& word : words)
        text.append(word).append(" ");
    text.back() = '\n';
    return text;
}

ProcessResult must_succeed(const std::vector<std::string>& command) {
    ProcessResult result = run_process(command);
    if (result.exit_code != 0) throw std::runtime_error(command.at(1) + " " + result.ending());
    return result;
}

void finish(TestChain& chain) {
    const auto result =
        must_succeed({HEDDLE_PROGRAM, "replay", "--genesis", chain.genesis, chain.file});
    chain.head = head_of(result.out);
    chain.blocks = last_number(result.out, "head: block ").value_or(0);
}

TestChain generate(const std::filesystem::path& root, const std::string& name,
                   const std::vector<std::string>& options) {
    const std::filesystem::path folder = root / name;
    std::vector<std::string> command{HEDDLE_PROGRAM, "generate", "--out", folder.native()};
    command.insert(command.end(), options.begin(), options.end());
    must_succeed(command);
    TestChain chain;
    chain.name = name;
    chain.genesis = (folder / "genesis.json").native();
    chain.file = (folder / "chain.rlp").native();
    finish(chain);
    return chain;
}

std::vector<TestChain> make_chains(const std::filesystem::path& root) {
    std::vector<TestChain> chains;
    chains.push_back(generate(root, "mixed", {"--blocks", "40", "--txs", "8", "--accounts", "30"}));
    chains.push_back(
        generate(root, "creations",
                 {"--blocks", "60", "--txs", "4", "--accounts", "20", "--workload", "creations"}));
    // Long enough for several checkpoints, and with so many accounts that their trie has branches
    // that are stored late: what is found after a kill is behind with some.
    chains.push_back(generate(root, "storage",
                              {"--blocks", "150", "--txs", "3", "--accounts", "20", "--workload",
                               "storage", "--idle-accounts", "1000"}));
    const auto fixtures = fixture_archive("chains");
    const auto hive = fixtures ? *fixtures / "chains/hivechain-300" : std::filesystem::path{};
    if (std::filesystem::exists(hive / "chain.rlp")) {
        TestChain chain;
        chain.name = "hivechain-300";
        chain.genesis = (hive / "genesis.json").native();
        chain.file = (hive / "chain.rlp").native();
        finish(chain);
        chains.push_back(std::move(chain));
    }
    return chains;
}

}  // namespace

const TestChain& choose_chain(Dice& dice) {
    static const TemporaryFolder folder = TemporaryFolder::in_memory();
    static const std::vector<TestChain> chains = make_chains(folder.path());
    constexpr std::uint64_t kGenerated = 3;
    const bool is_seldom = chains.size() > kGenerated && dice.one_in(10);
    return is_seldom ? chains.back() : chains.at(dice.below(kGenerated));
}

OperationCounts OperationCounts::parse(const std::string& report) {
    OperationCounts counts;
    std::istringstream words(report);
    for (std::string word; words >> word;) {
        if (word != "count") continue;
        std::string file_class;
        std::string kind;
        std::uint64_t count = 0;
        words >> file_class >> kind >> count;
        counts.pairs[{file_class, kind}] = count;
        counts.total += count;
    }
    return counts;
}

FaultedLedger::FaultedLedger(const TestChain& chain) : chain_(chain) {
    std::filesystem::create_directory(disk());
}

void FaultedLedger::copy_disk(const FaultedLedger& from) {
    std::filesystem::copy(from.disk(), disk(), std::filesystem::copy_options::recursive);
}

LedgerRun FaultedLedger::run(const std::vector<std::string>& arguments, const Fault* fault) {
    std::vector<std::string> with_directory = arguments;
    with_directory.insert(with_directory.end(), {"--datadir", directory()});
    return run_alone(with_directory, fault);
}

LedgerRun FaultedLedger::run_alone(const std::vector<std::string>& arguments, const Fault* fault) {
    std::vector<std::string> command{HEDDLE_PROGRAM};
    for (const std::string& argument : arguments)
        command.push_back(argument.starts_with('@') ? disk() + "/" + argument.substr(1) : argument);
    Environment environment;
    const std::string report = folder_ / "report";
    std::filesystem::remove(report);
    if (fault != nullptr) {
        environment = *fault;
        environment.emplace_back("LD_PRELOAD", HEDDLE_FAULT_SHIM);
        environment.emplace_back("HEDDLE_FAULT_DIR", disk());
        environment.emplace_back("HEDDLE_FAULT_REPORT", report);
    }
    history_ += shell_words(command, environment);

    LedgerRun run;
    run.process = run_process(command, environment);
    const std::string& out = run.process.out;
    run.durable = last_number(out, "durable ").value_or(0);
    run.head = head_of(out);
    run.number = last_number(out, "head: block ").value_or(0);
    run.report = read_file(report);
    history_ += "  " + run.process.ending() + "; durable " + std::to_string(run.durable) +
                ", stands at " + std::to_string(run.number) + "\n";
    std::istringstream lines(run.report);
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("count ")) history_ += "  " + line + "\n";
    return run;
}

LedgerRun FaultedLedger::init(const Fault* fault) {
    return run({"init", "--genesis", chain_.genesis}, fault);
}

LedgerRun FaultedLedger::replay(const std::vector<std::string>& options, const Fault* fault) {
    // As little memory as it can do with, so that a short chain fills buffers as a long one does.
    std::vector<std::string> arguments{"replay",   "--genesis", chain_.genesis,    chain_.file,
                                       "--memory", "64",        "--report-durable"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(arguments, fault);
}

void choose_position(const OperationCounts& counts, Dice& dice, Fault& fault) {
    std::uint64_t limit = std::max<std::uint64_t>(counts.total, 1);
    if (!counts.pairs.empty() && dice.one_in(2)) {
        const auto& [pair, count] = dice.pick(counts.pairs);
        fault.emplace_back("HEDDLE_FAULT_CLASS", pair.first);
        fault.emplace_back("HEDDLE_FAULT_OPERATION", pair.second);
        limit = count;
    }
    fault.emplace_back("HEDDLE_FAULT_AT", std::to_string(1 + dice.below(limit)));
}

}  // namespace heddle::test
