// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "reproduction.hpp"

#include <fmt/format.h>

#include "adversarial_transactions.hpp"

namespace heddle::test {
namespace {

constexpr int kTriesPerChain = 6;

std::string compare_often(const AdversarialPlan& plan, const RunPlan& run) {
    for (int i = 0; i < kTriesPerChain; ++i)
        if (auto text = compare_with_serial(plan, run); !text.empty()) return text;
    return {};
}

std::string kind_names(std::uint64_t kinds) {
    std::string names;
    for (std::size_t i = 0; i < kAdversarialKinds; ++i)
        if ((kinds >> i & 1) != 0) names += fmt::format(" {}", kAdversarialKindTable[i].name);
    return names;
}

}  // namespace

std::string compare_with_serial(const AdversarialPlan& plan, const RunPlan& run) {
    const AdversarialChain chain = make_adversarial_chain(plan);
    RunPlan serial;
    serial.scheduler = executor::kSerialScheduler;
    serial.mode = run.mode;
    const RunRecord expected = Runner{serial}.run(chain, nullptr);
    ChainKnowledge sets = recorded_knowledge(expected);
    if (run.wrong_accesses != 0) sets = wrong_sets(sets, run.wrong_accesses, run.wrong_seed);
    return difference(expected, Runner{run}.run(chain, &sets));
}

std::string smallest_reproduction(AdversarialPlan plan, const RunPlan& run) {
    constexpr std::uint64_t kAll = (std::uint64_t{1} << kAdversarialKinds) - 1;
    plan.kinds &= kAll;
    std::string shown = compare_often(plan, run);
    if (shown.empty()) return "not seen again";
    const auto try_plan = [&](const AdversarialPlan& smaller) {
        auto text = compare_often(smaller, run);
        if (text.empty()) return false;
        plan = smaller;
        shown = std::move(text);
        return true;
    };
    for (std::uint32_t blocks = 1; blocks < plan.blocks; ++blocks) {
        AdversarialPlan smaller = plan;
        smaller.blocks = blocks;
        if (try_plan(smaller)) break;
    }
    for (std::uint32_t most = plan.max_transactions / 2; most > 0; most /= 2) {
        AdversarialPlan smaller = plan;
        smaller.max_transactions = most;
        if (!try_plan(smaller)) break;
    }
    for (std::size_t i = 0; i < kAdversarialKinds; ++i) {
        AdversarialPlan smaller = plan;
        smaller.kinds &= ~(std::uint64_t{1} << i);
        if (smaller.kinds != 0 && smaller.kinds != plan.kinds) try_plan(smaller);
    }
    return fmt::format("seed {}, blocks {}, max_transactions {}, kinds {:#x} ({} ):\n  {}",
                       plan.seed, plan.blocks, plan.max_transactions, plan.kinds,
                       kind_names(plan.kinds), shown);
}

}  // namespace heddle::test
