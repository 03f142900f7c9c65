// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/request_classes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <types/assert.hpp>

namespace heddle::executor {

RequestClasses::RequestClasses(unsigned shards) noexcept : shards_(shards) {
    HEDDLE_ASSERT(shards >= 1 && shards <= kMaxShards);
}

bool RequestClasses::conflict(ClassId a, ClassId b) const noexcept {
    const auto [low, high] = std::minmax(a, b);
    if (high == global_write()) return true;
    if (high == global_read()) return low >= shards_ && low < moves();
    if (high == moves() || high < shards_) return false;
    // A local write beside a local read or write: of the same shard?
    return low == high || low + shards_ == high;
}

std::string RequestClasses::name(ClassId id) const {
    if (id < shards_) return fmt::format("read-{}", id);
    if (id < moves()) return fmt::format("write-{}", id - shards_);
    if (id == moves()) return "moves";
    return id == global_read() ? "read-global" : "write-global";
}

std::optional<ClassId> RequestClasses::find(std::string_view name) const {
    for (ClassId id = 0; id < count(); ++id)
        if (this->name(id) == name) return id;
    return std::nullopt;
}

}  // namespace heddle::executor
