// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "aria/reordering.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

/// One unit's touch of one object, with all it does there in one mode.
struct Place {
    std::uint64_t object = 0;
    std::uint32_t unit = 0;
    TouchMode mode = TouchMode::read;
};

/// Sorted by object, then unit; each pair once.
std::vector<Place> places_of(std::span<const Footprint* const> footprints) {
    std::vector<Place> places;
    for (std::uint32_t unit = 0; unit < footprints.size(); ++unit)
        for (const Touch& touch : *footprints[unit])
            places.push_back({std::uint64_t{touch.is_slot} << 32 | touch.object, unit, touch.mode});
    std::ranges::sort(places, {},
                      [](const Place& place) { return std::pair{place.object, place.unit}; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        Place& last = places[kept == 0 ? 0 : kept - 1];
        if (kept != 0 && last.object == places[i].object && last.unit == places[i].unit) {
            if (last.mode != places[i].mode) last.mode = TouchMode::write;
        } else {
            places[kept++] = places[i];
        }
    }
    places.resize(kept);
    return places;
}

/// Who stands before whom. Beside the units there are nodes for objects, so that an object that
/// many read and many move takes as many edges, not their product.
class Graph {
public:
    explicit Graph(std::size_t units) : units_(units), successors_(units), before_(units) {}

    /// Of one object: those who only read it, who writes it, those who move it.
    void add_object(std::span<const Place> places) {
        const bool changes_any =
            std::ranges::any_of(places, [](const Place& place) { return changes(place.mode); });
        if (!changes_any || places.size() == 1) return;
        const std::uint32_t before_write = make_node();
        const std::uint32_t before_moves = make_node();
        add_edge(before_write, before_moves);
        for (const Place& place : places) {
            if (place.mode == TouchMode::read) add_edge(place.unit, before_write);
            if (place.mode == TouchMode::write) {
                add_edge(before_write, place.unit);
                add_edge(place.unit, before_moves);
            }
            if (place.mode == TouchMode::move) add_edge(before_moves, place.unit);
        }
    }
    [[nodiscard]] std::vector<std::uint32_t> order() {
        // Nodes of objects are dealt with as soon as they can be: nobody waits for them in vain.
        std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
        std::vector<std::uint32_t> free_nodes;
        const auto release = [&](std::uint32_t node) {
            if (node < units_)
                ready.push(node);
            else
                free_nodes.push_back(node);
        };
        for (std::uint32_t node = 0; node < before_.size(); ++node)
            if (before_[node] == 0) release(node);
        std::vector<std::uint32_t> result;
        result.reserve(units_);
        while (!ready.empty() || !free_nodes.empty()) {
            std::uint32_t node = 0;
            if (!free_nodes.empty()) {
                node = free_nodes.back();
                free_nodes.pop_back();
            } else {
                node = ready.top();
                ready.pop();
                result.push_back(node);
            }
            for (const std::uint32_t next : successors_[node])
                if (--before_[next] == 0) release(next);
        }
        // Lemma 1 (Aria §5.3): what rule 2 lets through has no cycle.
        HEDDLE_ASSERT(result.size() == units_);
        return result;
    }

private:
    std::uint32_t make_node() {
        successors_.emplace_back();
        before_.push_back(0);
        return static_cast<std::uint32_t>(before_.size() - 1);
    }
    void add_edge(std::uint32_t from, std::uint32_t to) {
        successors_[from].push_back(to);
        ++before_[to];
    }

    const std::size_t units_;
    std::vector<std::vector<std::uint32_t>> successors_;
    std::vector<std::uint32_t> before_;
};

}  // namespace

void FirstTouches::begin_batch() noexcept {
    for (Table* const table : {&readers_, &changers_}) {
        table->accounts.begin_batch();
        table->slots.begin_batch();
    }
}

void FirstTouches::reserve(std::uint32_t unit, const Footprint& footprint) {
    for (const Touch& touch : footprint) {
        if (reads(touch.mode)) readers_.of(touch.is_slot).reserve(touch.object, unit);
        if (changes(touch.mode)) changers_.of(touch.is_slot).reserve(touch.object, unit);
    }
}

bool FirstTouches::goes_ahead(std::uint32_t unit, const Footprint& footprint) const noexcept {
    return std::ranges::any_of(footprint, [&](const Touch& touch) {
        return reads(touch.mode) && changers_.of(touch.is_slot).first(touch.object) < unit;
    });
}

bool FirstTouches::commits(std::uint32_t unit, const Footprint& footprint) const noexcept {
    const bool goes_behind = std::ranges::any_of(footprint, [&](const Touch& touch) {
        return changes(touch.mode) && readers_.of(touch.is_slot).first(touch.object) < unit;
    });
    return !goes_behind || !goes_ahead(unit, footprint);
}

std::vector<std::uint32_t> order_units(std::span<const Footprint* const> footprints) {
    const std::vector<Place> places = places_of(footprints);
    Graph graph(footprints.size());
    for (std::size_t begin = 0; begin < places.size();) {
        std::size_t end = begin;
        while (end < places.size() && places[end].object == places[begin].object)
            ++end;
        graph.add_object(std::span{places}.subspan(begin, end - begin));
        begin = end;
    }
    return graph.order();
}

}  // namespace heddle::executor
