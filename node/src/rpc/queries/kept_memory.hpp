// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who keeps how much memory for whoever asks next: for the page of metrics. Bounds are the business
// of those who keep it (inputs/memory_plan.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace heddle::node::rpc {

/// Thread safety: any.
class KeptMemory {
public:
    /// @return bytes; may be called by any thread as long as this lives.
    using Look = std::function<std::size_t()>;

    /// @param part  Under which name; in place of who had it before.
    void set(std::string part, Look look) {
        const std::scoped_lock lock{mutex_};
        parts_.insert_or_assign(std::move(part), std::move(look));
    }
    /// In bytes, by part.
    [[nodiscard]] std::map<std::string, std::size_t> now() const {
        const std::scoped_lock lock{mutex_};
        std::map<std::string, std::size_t> bytes;
        for (const auto& [part, look] : parts_)
            bytes.emplace(part, look());
        return bytes;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, Look> parts_;  // guarded by mutex_
};

}  // namespace heddle::node::rpc
