// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "recovery.hpp"

#include <iostream>
#include <map>

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

constexpr int kMaxFailedCases = 3;

/// Whether the program says that there is no ledger yet, or one whose making was interrupted.
bool says_not_made(const LedgerRun& run) {
    return run.process.exit_code != 0 && run.process.signal == 0 &&
           (run.process.error.find("there is no ledger") != std::string::npos ||
            run.process.error.find("the ledger is unfinished") != std::string::npos);
}

}  // namespace

Scenario Scenario::choose(Dice& dice) {
    static const std::vector<std::string> levels{"block", "block", "7", "1000", "3600s"};
    Scenario scenario;
    scenario.chain = &choose_chain(dice);
    scenario.options = {"--sync", dice.pick(levels)};
    // Blocks come one by one then, rather than all at once, and are written one by one.
    if (!dice.one_in(4)) scenario.options.insert(scenario.options.end(), {"--delay-seed", "1"});
    scenario.is_made = !dice.one_in(3);
    return scenario;
}

FaultedLedger Scenario::prepare() const {
    FaultedLedger ledger(*chain);
    if (is_made) {
        const LedgerRun made = ledger.init();
        EXPECT_EQ(made.process.exit_code, 0) << made.process.ending();
    }
    return ledger;
}

const OperationCounts& Scenario::counts() const {
    static std::map<std::string, OperationCounts> known;
    std::string name = chain->name + (is_made ? " made" : "");
    for (const std::string& option : options)
        name += " " + option;
    auto [place, is_new] = known.try_emplace(name);
    if (is_new) {
        FaultedLedger ledger = prepare();
        const Fault count_only;
        const LedgerRun run = ledger.replay(options, &count_only);
        EXPECT_EQ(run.process.exit_code, 0) << ledger.history();
        EXPECT_EQ(run.head, chain->head) << ledger.history();
        place->second = OperationCounts::parse(run.report);
    }
    return place->second;
}

void check_recovery(FaultedLedger& ledger, std::uint64_t promised) {
    const TestChain& chain = ledger.chain();
    const LedgerRun found = ledger.verify();
    if (says_not_made(found)) {
        EXPECT_EQ(promised, 0U) << found.process.error;
    } else {
        EXPECT_EQ(found.process.exit_code, 0) << found.process.ending();
        EXPECT_GE(found.number, promised);
        EXPECT_LE(found.number, chain.blocks);
    }
    const LedgerRun end = ledger.replay();
    EXPECT_EQ(end.process.exit_code, 0) << end.process.ending();
    EXPECT_EQ(end.head, chain.head);
    const LedgerRun verified = ledger.verify();
    EXPECT_EQ(verified.process.exit_code, 0) << verified.process.ending();
    EXPECT_EQ(verified.number, chain.blocks);
}

void for_each_seed(const char* variable, std::uint64_t otherwise,
                   const std::function<std::string(std::uint64_t seed)>& one_case) {
    const std::uint64_t count = number_from(variable).value_or(otherwise);
    std::cout << "HEDDLE_TEST_SEED=" << base_seed() << ", " << count << " cases\n" << std::flush;
    int failed = 0;
    for (std::uint64_t i = 0; i < count && failed < kMaxFailedCases; ++i) {
        const std::uint64_t seed = base_seed() + i;
        const auto failures = [] {
            return testing::UnitTest::GetInstance()
                ->current_test_info()
                ->result()
                ->total_part_count();
        };
        const int before = failures();
        const std::string history = one_case(seed);
        if ((i + 1) % 25 == 0) std::cout << i + 1 << " cases\n" << std::flush;
        if (failures() == before) continue;
        ++failed;
        std::cout << "again: HEDDLE_TEST_SEED=" << seed << " " << variable << "=1\n"
                  << history << std::flush;
    }
}

}  // namespace heddle::test
