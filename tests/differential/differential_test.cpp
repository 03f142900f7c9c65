// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The same generated transactions through everything that can execute them: the serial executor,
// the parallel one in several configurations, the plain interpreter, the program's own test runner
// and transition tool, and go-ethereum where it is installed. HEDDLE_DIFFERENTIAL_TRANSACTIONS says
// how many, HEDDLE_DIFFERENTIAL_FORK may name one fork as state tests do: then all is of that fork,
// and geth judges every chain.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <types/fork.hpp>

#include "announced_seed.hpp"
#include "findings.hpp"
#include "harness.hpp"
#include "lone_transactions.hpp"
#include "program.hpp"
#include "rivals.hpp"
#include "state_test_maker.hpp"
#include "transition_tools.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kFirstSeed = 6'000'001;
/// Of how many chains one goes to geth, whose start takes longer than a small chain.
constexpr std::uint64_t kChainsPerGeth = 32;
/// In one file of state tests: of every fork, or of one. Starting the judges takes long.
constexpr std::uint64_t kTestsPerFile = 40;
constexpr std::uint64_t kTestsPerFileOfFork = 400;

std::optional<std::uint64_t> number_from(const char* variable) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? std::nullopt : std::optional{std::strtoull(text, nullptr, 0)};
}

std::uint64_t transactions_wanted() {
    return number_from("HEDDLE_DIFFERENTIAL_TRANSACTIONS").value_or(10'000);
}

std::uint64_t first_seed() {
    return announced_seed(kFirstSeed);
}

/// The fork that everything is of; nullptr: any.
const Fork* fork_wanted() {
    const char* const name = std::getenv("HEDDLE_DIFFERENTIAL_FORK");
    if (name == nullptr) return nullptr;
    for (const Fork& fork : kForks)
        if (fork.revision && fork.networks[0] == name) return &fork;
    throw std::invalid_argument(fmt::format("HEDDLE_DIFFERENTIAL_FORK: no fork \"{}\"", name));
}

/// One in thirty-two, and each where a fork is chosen, is signed throughout, long, and has no
/// flaws: geth judges it.
AdversarialPlan plan_of(std::uint64_t seed, const Fork* fork) {
    static constexpr std::uint32_t kSizes[] = {60, 25, 8, 40, 120};
    AdversarialPlan plan;
    plan.seed = seed;
    if (fork != nullptr) plan.revision = fork->revision;
    plan.is_signed = fork != nullptr || seed % kChainsPerGeth == 0;
    plan.blocks = plan.is_signed ? 120 : 2 + static_cast<std::uint32_t>(seed * 7 % 13);
    plan.max_transactions = plan.is_signed ? 200 : kSizes[seed % 5];
    // Some are longer than BLOCKHASH reaches.
    if (plan.is_signed && seed % 5 == 3) {
        plan.blocks = 300;
        plan.max_transactions = 40;
    }
    // Their receipts hold roots of states, which take most of the time.
    if (fork != nullptr && *fork->revision < Revision::byzantium) {
        plan.blocks = 20;
        plan.max_transactions = 20;
    }
    plan.with_flaws = !plan.is_signed;
    return plan;
}

struct Counts {
    std::uint64_t chains = 0;
    std::uint64_t blocks = 0;
    std::uint64_t listed_blocks = 0;  // with an access list: Amsterdam's
    std::uint64_t transactions = 0;
    std::uint64_t listed_transactions = 0;  // in such blocks

    void add(const AdversarialChain& chain) {
        ++chains;
        blocks += chain.blocks.size();
        for (const Block& block : chain.blocks) {
            transactions += block.transactions.size();
            if (!block.header.block_access_list_hash) continue;
            ++listed_blocks;
            listed_transactions += block.transactions.size();
        }
    }
};

std::string to_string(const Counts& counts) {
    return fmt::format("{} chains, {} blocks ({} with access lists), {} transactions ({} in those)",
                       counts.chains, counts.blocks, counts.listed_blocks, counts.transactions,
                       counts.listed_transactions);
}

class ChainComparison {
public:
    /// @return what is different; empty: nothing.
    std::string compare(const AdversarialChain& chain, std::uint64_t turn) {
        const RunRecord expected = serial_.run(chain, nullptr);
        if (expected.blocks.size() != chain.flawed.value_or(chain.blocks.size()))
            return "serial: stops at another block than the flawed one";
        if (auto text = difference(expected, plain_.run(chain, nullptr)); !text.empty())
            return "plain interpreter: " + text;
        const ChainKnowledge sets = recorded_knowledge(expected);
        if (auto text = difference(expected, default_.run(chain, &sets)); !text.empty())
            return "parallel: " + text;
        workload::Random random{turn};
        const RunPlan drawn = draw_run_plan(turn, random);
        if (auto text = difference(expected, Runner{drawn}.run(chain, &sets)); !text.empty())
            return to_string(drawn) + ": " + text;
        if (!geth_ || !chain.plan.is_signed) return {};
        by_geth_.add(chain);
        if (auto text = judge_by_geth(*geth_, chain); !text.empty()) return text;
        return evm_ ? judge_by_t8n(*evm_, chain) : std::string{};
    }
    [[nodiscard]] const Counts& by_geth() const noexcept { return by_geth_; }

private:
    static RunPlan serial_plan(executor::Interpreter interpreter) {
        RunPlan plan;
        plan.scheduler = executor::kSerialScheduler;
        plan.interpreter = interpreter;
        return plan;
    }

    Runner serial_{serial_plan(executor::Interpreter::fast)};
    Runner plain_{serial_plan(executor::Interpreter::plain)};
    Runner default_{RunPlan{}};
    const std::optional<std::string> geth_ = find_geth();
    const std::optional<std::string> evm_ = find_evm();
    Counts by_geth_;
};

TEST(Differential, chains_come_to_the_same_everywhere) {
    const Fork* const fork = fork_wanted();
    ChainComparison comparison;
    Counts all;
    std::uint64_t seed = first_seed();
    for (; all.transactions < transactions_wanted(); ++seed) {
        const AdversarialChain chain = make_adversarial_chain(plan_of(seed, fork));
        const std::string what = comparison.compare(chain, seed);
        ASSERT_EQ(what, "") << "HEDDLE_TEST_SEED=" << seed << " (" << chain.description
                            << "), kept in " << keep_chain(chain, what);
        all.add(chain);
        if (all.chains % (fork == nullptr ? 100 : 5) == 0) {
            fmt::print("{}; by geth: {}\n", to_string(all), to_string(comparison.by_geth()));
            std::fflush(stdout);
        }
    }
    fmt::print("{}; geth judged {}; next seed {}\n", to_string(all),
               to_string(comparison.by_geth()), seed);
}

// Where a fork is chosen, it may be one without access lists.
TEST(Differential, lone_transactions_come_to_the_same_everywhere) {
    const Fork* const fork = fork_wanted();
    if (fork != nullptr && fork->revision != Revision::amsterdam) GTEST_SKIP();
    constexpr std::uint32_t kBlocks = 250;
    // Each is a block of its own, which takes as long as many others.
    const std::uint64_t wanted = transactions_wanted() / 20;
    ChainComparison comparison;
    Counts all;
    std::uint64_t seed = first_seed();
    for (; all.transactions < wanted; ++seed) {
        const AdversarialChain chain = make_lone_transactions(seed, kBlocks);
        const std::string what = comparison.compare(chain, seed);
        ASSERT_EQ(what, "") << "HEDDLE_TEST_SEED=" << seed << ", kept in "
                            << keep_chain(chain, what);
        all.add(chain);
        if (all.chains % 5 == 0) {
            fmt::print("{}; by geth: {}\n", to_string(all), to_string(comparison.by_geth()));
            std::fflush(stdout);
        }
    }
    fmt::print("{}; geth judged {}; next seed {}\n", to_string(all),
               to_string(comparison.by_geth()), seed);
}

/// Judges a file of state tests; empty: everybody agrees.
std::string judge_file(const std::optional<std::string>& evm, const std::string& json,
                       std::size_t cases) {
    const TemporaryFolder folder;
    const std::string file = folder.write("statetest.json", json);
    const auto own = run_program({"statetest", "--engine", "both", file});
    if (own.last_line() != fmt::format("{} passed, 0 failed", cases))
        return "heddle statetest: " + own.out + own.error;
    return evm ? judge_by_evm(*evm, file, cases) : "";
}

// Cases that found something, reduced; roots are geth's.
TEST(Differential, what_was_found_stays_right) {
    const auto own = run_program({"statetest", "--engine", "both", HEDDLE_STATE_TESTS});
    EXPECT_EQ(own.last_line(), "6 passed, 0 failed") << own.out << own.error;
}

TEST(Differential, state_tests_come_to_the_same_everywhere) {
    const std::optional<std::string> evm = find_evm();
    const Fork* const fork = fork_wanted();
    const std::uint64_t per_file = fork == nullptr ? kTestsPerFile : kTestsPerFileOfFork;
    std::uint64_t cases = 0;
    std::uint64_t rejected = 0;
    std::uint64_t seed = first_seed();
    for (std::uint64_t files = 0; cases < transactions_wanted(); ++files) {
        const std::uint64_t first = seed;
        std::string json;
        std::size_t in_file = 0;
        for (; seed < first + per_file; ++seed) {
            const StateTest test = make_state_test(seed, fork);
            ASSERT_EQ(test.difference, "")
                << "kept in "
                << keep_state_tests("state-" + std::to_string(seed), "{" + test.json + "}",
                                    test.difference);
            json += (json.empty() ? "{" : ",\n") + test.json;
            in_file += test.cases;
            rejected += test.rejected;
        }
        json += "}\n";
        const std::string what = judge_file(evm, json, in_file);
        ASSERT_EQ(what, "") << "HEDDLE_TEST_SEED=" << first << ", kept in "
                            << keep_state_tests("states-" + std::to_string(first), json, what);
        cases += in_file;
        if (files % 20 == 19) {
            fmt::print("{} cases\n", cases);
            std::fflush(stdout);
        }
    }
    EXPECT_LT(rejected, cases / 2) << "few transactions are valid";
    fmt::print("state tests: {} cases, {} of them rejected{}; next seed {}\n", cases, rejected,
               evm ? ", all judged by geth" : ", without geth", seed);
}

}  // namespace
}  // namespace heddle::test
