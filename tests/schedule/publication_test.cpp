// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Publication under many interleavings: all threads get one value, which was whole when they got
// it, and what the others made is discarded by who made it.
#include <types/publication.hpp>

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomic;
using test::MakeCase;

/// Wrong turns, to see whether they would be found.
enum class Flaw : std::uint8_t {
    none,
    store,          // who has made a value stores it without looking
    keeps_its_own,  // who comes second goes on with its own value
};

struct Made {
    int maker = -1;
    bool is_discarded = false;
};

class PublicationCase final : public Case {
public:
    PublicationCase(unsigned threads, Flaw flaw) : threads_(threads), flaw_(flaw) {}

    std::vector<Thread> threads() override {
        static constexpr std::array kNames{"first", "second", "third"};
        std::vector<Thread> result;
        for (unsigned i = 0; i < threads_; ++i)
            result.push_back({kNames[i], [this, i] { got_[i] = run(static_cast<int>(i)); }});
        return result;
    }
    void at_end() override {
        unsigned kept = 0;
        for (unsigned i = 0; i < threads_; ++i) {
            test::expect(got_[i] == got_[0], "two threads have different values");
            if (made_[i].maker >= 0 && !made_[i].is_discarded) ++kept;
        }
        test::expect(kept == 1, "not one value is kept");
        test::expect(!got_[0]->is_discarded, "the value in use is discarded");
    }

private:
    Made* run(int thread) {
        Made* const absent = nullptr;
        Made* own = nullptr;
        const auto make = [&] {
            own = &made_[static_cast<unsigned>(thread)];
            own->maker = thread;
            return own;
        };
        const auto discard = [](Made* made) { made->is_discarded = true; };
        if (flaw_ == Flaw::store) {
            if (Made* const found = place_.load()) return found;
            place_.store(make());
            return own;
        }
        Made* const value = find_or_publish(place_, absent, make, discard);
        test::expect(value->maker >= 0, "a value is seen before it is made");
        return flaw_ == Flaw::keeps_its_own && own != nullptr ? own : value;
    }

    const unsigned threads_;
    const Flaw flaw_;
    ExploredAtomic<Made*> place_{nullptr};
    std::array<Made, 3> made_{};
    std::array<Made*, 3> got_{};
};

MakeCase publication(unsigned threads, Flaw flaw = Flaw::none) {
    return [=] { return std::make_unique<PublicationCase>(threads, flaw); };
}

TEST(PublicationSchedule, two_threads_agree_in_all_orders) {
    const Exploration exploration = explore_all(publication(2));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(PublicationSchedule, three_threads_agree_in_random_orders) {
    expect_holds(explore_randomly(publication(3), test::announced_seed(), 20'000));
}

TEST(PublicationSchedule, storing_without_looking_is_found) {
    expect_found(explore_all(publication(2, Flaw::store)), "two threads have different values");
}

TEST(PublicationSchedule, going_on_with_a_discarded_value_is_found) {
    expect_found(explore_all(publication(2, Flaw::keeps_its_own)),
                 "two threads have different values");
}

}  // namespace
}  // namespace heddle
