// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of the page (node/src/page), which the build makes constants of.
#pragma once

#include <span>
#include <string_view>

namespace heddle::node {

struct PageFile {
    std::string_view path;  // at which it is served, e.g. `/page/main.js`
    std::string_view content_type;
    std::string_view etag;  // with its quotes; of the content
    std::string_view body;
};

/// Good for as long as the program runs.
[[nodiscard]] std::span<const PageFile> page_files() noexcept;

}  // namespace heddle::node
