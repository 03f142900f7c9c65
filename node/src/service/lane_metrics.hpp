// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What only a node over lanes counts.
#pragma once

#include <memory>

#include <prometheus/registry.h>

#include "lanes/lanes_view.hpp"

namespace heddle::node {

/// Thread safety: one caller at a time.
class LaneMetrics {
public:
    explicit LaneMetrics(prometheus::Registry& registry);
    ~LaneMetrics();
    LaneMetrics(const LaneMetrics&) = delete;
    LaneMetrics& operator=(const LaneMetrics&) = delete;
    LaneMetrics(LaneMetrics&&) = delete;
    LaneMetrics& operator=(LaneMetrics&&) = delete;

    void look(const lanes::LanesStatus& status);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::node
