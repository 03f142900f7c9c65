// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which objects each synthetic transaction accesses: the key choice of DORADD §5.1 (Table 1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <types/assert.hpp>
#include <workload/random.hpp>

namespace heddle::bench {

struct AccessPattern {
    std::uint32_t objects = 10'000'000;   // that there are
    std::uint32_t objects_per_tx = 10;    // different ones
    std::uint32_t hot_per_tx = 0;         // of these, so many out of the hot set
    std::uint32_t hot_objects = 77;       // size of the hot set
    std::uint32_t hot_spacing = 1 << 17;  // their distance; less where there is no room for it
    std::uint64_t seed = 1;
};

/// A log of transactions, made before anything is measured. A pure function of its arguments.
class AccessStream {
public:
    AccessStream(const AccessPattern& pattern, std::size_t transactions)
        : objects_per_tx_(pattern.objects_per_tx) {
        HEDDLE_ASSERT(pattern.hot_per_tx <= pattern.objects_per_tx &&
                      pattern.hot_per_tx <= pattern.hot_objects &&
                      2 * (pattern.objects_per_tx + pattern.hot_objects) <= pattern.objects);
        const std::uint32_t spacing =
            std::min(pattern.hot_spacing, pattern.objects / pattern.hot_objects);
        workload::Random random(pattern.seed);
        ids_.reserve(transactions * objects_per_tx_);
        for (std::size_t i = 0; i < transactions; ++i) {
            const std::size_t first = ids_.size();
            while (ids_.size() - first < objects_per_tx_) {
                const bool is_hot = ids_.size() - first < pattern.hot_per_tx;
                const std::uint32_t id = is_hot ? random.below(pattern.hot_objects) * spacing
                                                : random.below(pattern.objects);
                const auto chosen = std::span(ids_).subspan(first);
                if (std::ranges::find(chosen, id) == chosen.end()) ids_.push_back(id);
            }
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return ids_.size() / objects_per_tx_; }
    [[nodiscard]] std::uint32_t objects_per_tx() const noexcept { return objects_per_tx_; }
    [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t tx) const noexcept {
        return {ids_.data() + tx * objects_per_tx_, objects_per_tx_};
    }

private:
    std::uint32_t objects_per_tx_;
    std::vector<std::uint32_t> ids_;
};

}  // namespace heddle::bench
