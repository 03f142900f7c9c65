// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the window's slots are used again while another thread looks up positions, under every
// interleaving. A model, as the window is no template.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;
using test::MakeCase;

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    bound_first,     // who fills in looks for the announced bound before it looks what is committed
    no_second_look,  // who looks up takes its bound for what is committed
};

/// Window::held(), begin_lookup() and end_lookup() in executor/src, with the same operations in the
/// same order. One thread commits, one fills in tasks, one looks them up.
template <Flaw kFlaw>
class Lookup final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"committer",
                 [this] {
                     for (std::uint32_t position = 1; position <= kEnd; ++position)
                         committed_.store(position);
                 }},
                {"filler",
                 [this] {
                     for (int i = 0; i < 2; ++i)
                         fill(held());
                 }},
                {"looker", [this] {
                     for (int i = 0; i < 2; ++i) {
                         const std::uint32_t from = begin_lookup();
                         looked_from_ = from;
                         static_cast<void>(other_.load());  // some time passes
                         looked_from_ = kNone;
                         looked_up_.store(kNone);
                     }
                 }}};
    }

private:
    static constexpr std::uint32_t kEnd = 2;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::uint32_t held() {
        if constexpr (kFlaw == Flaw::bound_first) {
            const std::uint32_t bound = looked_up_.load();
            return std::min(bound, committed_.load());
        }
        const std::uint32_t committed = committed_.load();
        return std::min(committed, looked_up_.load());
    }
    std::uint32_t begin_lookup() {
        const std::uint32_t bound = committed_.load();
        looked_up_.store(bound);
        if constexpr (kFlaw == Flaw::no_second_look) return bound;
        return committed_.load();
    }
    /// All slots below are filled anew.
    void fill(std::uint32_t end) {
        test::expect(looked_from_ >= end, "a slot is used again while it is looked up");
        static_cast<void>(other_.load());  // some time passes
        test::expect(looked_from_ >= end, "a slot is used again while it is looked up");
    }

    ExploredAtomics::Atomic<std::uint32_t> committed_{0};
    ExploredAtomics::Atomic<std::uint32_t> looked_up_{kNone};
    ExploredAtomics::Atomic<std::uint32_t> other_{0};
    // Plain, so explored with pauses only.
    std::uint32_t looked_from_ = kNone;
};

template <Flaw kFlaw>
Exploration explore() {
    return test::explore_bounded([] { return std::make_unique<Lookup<kFlaw>>(); }, 3);
}

TEST(WindowLookup, no_slot_is_used_again_while_it_is_looked_up) {
    const Exploration exploration = explore<Flaw::none>();
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(WindowLookup, looking_for_the_bound_first_is_found) {
    expect_found(explore<Flaw::bound_first>(), "a slot is used again while it is looked up");
}

TEST(WindowLookup, not_looking_twice_is_found) {
    expect_found(explore<Flaw::no_second_look>(), "a slot is used again while it is looked up");
}

}  // namespace
}  // namespace heddle::executor
