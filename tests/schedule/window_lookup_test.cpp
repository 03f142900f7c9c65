// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the window's slots are used again while another thread looks up positions, under every
// interleaving.
#include "stream/window_bounds.hpp"

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

using Bounds = BasicWindowBounds<ExploredAtomics>;

/// BasicWindowBounds once more, as far as it goes, with a flaw.
template <Flaw kFlaw>
class FlawedBounds {
public:
    void set_committed(std::uint64_t end) { committed_.store(end); }
    std::uint64_t held() {
        if constexpr (kFlaw == Flaw::bound_first) {
            const std::uint64_t bound = looked_up_.load();
            return std::min(bound, committed_.load());
        }
        const std::uint64_t committed = committed_.load();
        return std::min(committed, looked_up_.load());
    }
    std::uint64_t begin_lookup() {
        const std::uint64_t bound = committed_.load();
        looked_up_.store(bound);
        if constexpr (kFlaw == Flaw::no_second_look) return bound;
        return committed_.load();
    }
    void end_lookup() { looked_up_.store(kNone); }

private:
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    ExploredAtomics::Atomic<std::uint64_t> committed_{1};
    ExploredAtomics::Atomic<std::uint64_t> looked_up_{kNone};
};

/// One thread commits, one fills in tasks, one looks them up.
template <typename BoundsType>
class Lookup final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"committer",
                 [this] {
                     for (std::uint64_t position = 1; position <= kEnd; ++position)
                         bounds_.set_committed(position + 1);
                 }},
                {"filler",
                 [this] {
                     for (int i = 0; i < 2; ++i)
                         fill(bounds_.held());
                 }},
                {"looker", [this] {
                     for (int i = 0; i < 2; ++i) {
                         looked_from_ = bounds_.begin_lookup();
                         static_cast<void>(other_.load());  // some time passes
                         looked_from_ = kNone;
                         bounds_.end_lookup();
                     }
                 }}};
    }

private:
    static constexpr std::uint64_t kEnd = 2;
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    /// All slots below are filled anew.
    void fill(std::uint64_t end) {
        test::expect(looked_from_ >= end, "a slot is used again while it is looked up");
        static_cast<void>(other_.load());  // some time passes
        test::expect(looked_from_ >= end, "a slot is used again while it is looked up");
    }

    BoundsType bounds_;
    ExploredAtomics::Atomic<std::uint32_t> other_{0};
    // Plain, so explored with pauses only.
    std::uint64_t looked_from_ = kNone;
};

template <typename BoundsType>
Exploration explore() {
    return test::explore_bounded([] { return std::make_unique<Lookup<BoundsType>>(); }, 3);
}

TEST(WindowLookup, no_slot_is_used_again_while_it_is_looked_up) {
    const Exploration exploration = explore<Bounds>();
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(WindowLookup, model_of_the_bounds_without_flaw_holds) {
    expect_holds(explore<FlawedBounds<Flaw::none>>());
}

TEST(WindowLookup, looking_for_the_bound_first_is_found) {
    expect_found(explore<FlawedBounds<Flaw::bound_first>>(),
                 "a slot is used again while it is looked up");
}

TEST(WindowLookup, not_looking_twice_is_found) {
    expect_found(explore<FlawedBounds<Flaw::no_second_look>>(),
                 "a slot is used again while it is looked up");
}

}  // namespace
}  // namespace heddle::executor
