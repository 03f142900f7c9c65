// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A network namespace for one validator, joined to that of the test by a cable that can be cut.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace heddle::test {

class Cable {
public:
    /// Null where this user may not make namespaces.
    [[nodiscard]] static std::unique_ptr<Cable> create();
    ~Cable();
    Cable(const Cable&) = delete;
    Cable& operator=(const Cable&) = delete;

    [[nodiscard]] const std::string& network() const noexcept { return name_; }
    /// On this side of the cable.
    [[nodiscard]] std::vector<std::string> near_addresses(unsigned count) const;
    /// In the namespace.
    [[nodiscard]] std::string far_address() const;
    void cut();
    void join();

private:
    explicit Cable(std::string name) : name_(std::move(name)) {}

    const std::string name_;
    std::string subnet_;  // `10.x.y.`
};

}  // namespace heddle::test
