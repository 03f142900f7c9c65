// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Host and port, as URLs have them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::node {

/// `127.0.0.1:8545`, `[::1]:8545` (RFC 3986, section 3.2).
/// @param host  A name or an address; one of IPv6 without its brackets.
[[nodiscard]] std::string authority(std::string_view host, std::uint16_t port);

}  // namespace heddle::node
