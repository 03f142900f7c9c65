// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/mapping_optimizer.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

/// A request is so many parts, so that most shares of it are whole numbers.
constexpr std::uint64_t kParts = 5'040;
/// What threads lose that have to meet for a request, in requests.
constexpr std::uint64_t kMeeting = 1;
/// Threads times classes, up to which all mappings are looked at.
constexpr std::size_t kSmall = 15;

/// The load of each thread as classes are placed.
class Loads {
public:
    void add(const ClassPlace& place, std::uint64_t weight) noexcept {
        const std::uint64_t each = load_of(place, weight);
        for (ThreadSet left = place.threads; left != 0; left &= left - 1) {
            std::uint64_t& load = loads_[static_cast<std::size_t>(std::countr_zero(left))];
            load += each;
            cost_.longest = std::max(cost_.longest, load);
            cost_.total += each;
        }
    }
    [[nodiscard]] const MappingCost& cost() const noexcept { return cost_; }
    [[nodiscard]] std::uint64_t of(unsigned thread) const noexcept { return loads_[thread]; }

private:
    /// For each of its threads.
    [[nodiscard]] static std::uint64_t load_of(const ClassPlace& place,
                                               std::uint64_t weight) noexcept {
        const unsigned count = count_of(place.threads);
        if (!place.is_sequential) return weight * kParts / std::max(count, 1U);
        return weight * kParts * (count > 1 ? 1 + kMeeting : 1);
    }

    std::array<std::uint64_t, kMaxThreads> loads_{};
    MappingCost cost_;
};

/// Depth first through all mappings, class by class, leaving out what breaks a rule or costs more
/// than the best one so far.
class Enumeration {
public:
    Enumeration(const RequestClasses& classes, unsigned threads,
                std::span<const std::uint64_t> weights)
        : classes_(classes), weights_(weights), current_{threads, {}} {}

    [[nodiscard]] ClassMapping best() {
        place_next(Loads{});
        HEDDLE_ASSERT(best_.has_value());  // everything sequential on all threads is one
        return *std::move(best_);
    }

private:
    void place_next(const Loads& loads) {
        if (best_.has_value() && loads.cost() >= best_cost_) return;
        const auto id = static_cast<ClassId>(current_.places.size());
        if (id == classes_.count()) {
            best_ = current_;
            best_cost_ = loads.cost();
            return;
        }
        for (const bool is_sequential : {false, true}) {
            for (ThreadSet threads = 1; threads <= first_threads(current_.threads); ++threads) {
                const ClassPlace place{is_sequential, threads};
                if (!fits(id, place)) continue;
                Loads next = loads;
                next.add(place, weights_[id]);
                current_.places.push_back(place);
                place_next(next);
                current_.places.pop_back();
            }
        }
    }
    /// Whether the class at this place breaks no rule with itself and those placed before.
    [[nodiscard]] bool fits(ClassId id, const ClassPlace& place) const {
        if (classes_.conflict(id, id) && !place.is_sequential) return false;
        for (ClassId other = 0; other < id; ++other)
            if (classes_.conflict(id, other) && !are_ordered(place, current_.places[other]))
                return false;
        return true;
    }

    const RequestClasses& classes_;
    const std::span<const std::uint64_t> weights_;
    ClassMapping current_;
    std::optional<ClassMapping> best_;
    MappingCost best_cost_;
};

/// The `count` threads that have least to do, of these the first ones.
ThreadSet least_loaded(const Loads& loads, unsigned threads, unsigned count) {
    std::array<unsigned, kMaxThreads> order{};
    std::iota(order.begin(), order.begin() + threads, 0U);
    std::ranges::sort(std::span{order}.first(threads), {},
                      [&](unsigned thread) { return std::pair{loads.of(thread), thread}; });
    ThreadSet set = 0;
    for (unsigned i = 0; i < count; ++i)
        set |= ThreadSet{1} << order[i];
    return set;
}

/// Few threads that together are in each of the sets; of those that are in as many, the one that
/// has least to do.
ThreadSet hit_all(std::vector<ThreadSet> sets, const Loads& loads, unsigned threads) {
    ThreadSet hits = 0;
    while (!sets.empty()) {
        unsigned best = 0;
        std::size_t most = 0;
        for (unsigned thread = 0; thread < threads; ++thread) {
            const auto count = static_cast<std::size_t>(std::ranges::count_if(
                sets, [&](ThreadSet set) { return (set >> thread & 1) != 0; }));
            if (count < most || (count == most && loads.of(thread) >= loads.of(best))) continue;
            best = thread;
            most = count;
        }
        HEDDLE_ASSERT(most != 0);
        hits |= ThreadSet{1} << best;
        std::erase_if(sets, [&](ThreadSet set) { return (set >> best & 1) != 0; });
    }
    return hits;
}

}  // namespace

MappingCost cost_of(const ClassMapping& mapping, std::span<const std::uint64_t> weights) {
    HEDDLE_ASSERT(mapping.places.size() == weights.size());
    Loads loads;
    for (std::size_t i = 0; i < weights.size(); ++i)
        loads.add(mapping.places[i], weights[i]);
    return loads.cost();
}

bool is_small_instance(const RequestClasses& classes, unsigned threads) noexcept {
    return std::size_t{classes.count()} * threads <= kSmall;
}

ClassMapping map_exactly(const RequestClasses& classes, unsigned threads,
                         std::span<const std::uint64_t> weights) {
    HEDDLE_ASSERT(is_small_instance(classes, threads) && weights.size() == classes.count());
    return Enumeration{classes, threads, weights}.best();
}

ClassMapping map_greedily(const RequestClasses& classes, unsigned threads,
                          std::span<const std::uint64_t> weights) {
    HEDDLE_ASSERT(threads >= 1 && threads <= kMaxThreads && weights.size() == classes.count());
    const ThreadSet all = first_threads(threads);
    ClassMapping mapping{threads, std::vector<ClassPlace>(classes.count())};
    Loads loads;
    // It conflicts with everything, concurrent classes on any thread among it.
    mapping.places[classes.global_write()] = {true, all};
    mapping.places[classes.moves()] = {false, all};
    loads.add(mapping.places[classes.global_write()], weights[classes.global_write()]);

    std::vector<unsigned> shards(classes.shards());
    std::iota(shards.begin(), shards.end(), 0U);
    std::ranges::sort(shards, std::ranges::greater{}, [&](unsigned shard) {
        return std::pair{weights[classes.local_read(shard)] + weights[classes.local_write(shard)],
                         classes.shards() - shard};
    });
    std::vector<ThreadSet> writers;
    for (const unsigned shard : shards) {
        std::optional<Loads> best;
        for (unsigned count = 1; count <= threads; ++count) {
            const ThreadSet set = least_loaded(loads, threads, count);
            Loads next = loads;
            next.add({false, set}, weights[classes.local_read(shard)]);
            next.add({true, set}, weights[classes.local_write(shard)]);
            if (best.has_value() && next.cost() >= best->cost()) continue;
            best = next;
            mapping.places[classes.local_read(shard)] = {false, set};
            mapping.places[classes.local_write(shard)] = {true, set};
        }
        loads = *best;
        writers.push_back(mapping.places[classes.local_write(shard)].threads);
    }
    // Concurrent it would have to be within each of the local writes (rule iv).
    const bool is_within = std::ranges::all_of(writers, [&](ThreadSet set) { return set == all; });
    mapping.places[classes.global_read()] = {
        !is_within, is_within ? all : hit_all(std::move(writers), loads, threads)};
    HEDDLE_DASSERT(!find_violation(classes, mapping).has_value());
    return mapping;
}

ClassMapping map_classes(const RequestClasses& classes, unsigned threads,
                         std::span<const std::uint64_t> weights) {
    return is_small_instance(classes, threads) ? map_exactly(classes, threads, weights)
                                               : map_greedily(classes, threads, weights);
}

}  // namespace heddle::executor
