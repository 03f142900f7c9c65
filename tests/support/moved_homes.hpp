// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Homes as they are after moves, for what executes none.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <consensus_adapter/lanes/directory.hpp>

namespace heddle::test {

class MovedHomes final : public consensus_adapter::lanes::HomeDirectory {
    using Home = consensus_adapter::lanes::Home;
    using HomeUnit = consensus_adapter::lanes::HomeUnit;

public:
    explicit MovedHomes(consensus_adapter::lanes::HomeRanges ranges) : ranges_(std::move(ranges)) {}

    [[nodiscard]] HomeUnit unit_of(const ObjectId& object) const override {
        return ranges_.unit_of(object);
    }
    [[nodiscard]] std::vector<HomeUnit> units_of(const Address& address) const override {
        return ranges_.units_of(address);
    }
    [[nodiscard]] Home home_of(const HomeUnit& unit) const override {
        const auto moved = moved_.find(unit);
        return moved != moved_.end() ? moved->second : ranges_.home_of(unit);
    }
    void move(const HomeUnit& unit, Home home) { moved_[unit] = home; }

private:
    const consensus_adapter::lanes::RangeDirectory ranges_;
    std::map<HomeUnit, Home> moved_;
};

}  // namespace heddle::test
