// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/authority.hpp"

#include <fmt/format.h>

namespace heddle::node {

std::string authority(std::string_view host, std::uint16_t port) {
    // Without its brackets the last part of an address of IPv6 could not be told from a port.
    const bool is_bare_v6 = host.find(':') != std::string_view::npos;
    return is_bare_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace heddle::node
