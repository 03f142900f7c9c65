// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The page at `/`: front_page.html, which the build makes a constant of. It shows the chain with
// what JSON-RPC over WebSocket gives, and needs nothing from anywhere else.
#pragma once

#include <string_view>

namespace heddle::node {

extern const std::string_view kFrontPage;

}  // namespace heddle::node
