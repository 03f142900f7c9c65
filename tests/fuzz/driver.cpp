// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's entry point; HEDDLE_FUZZ_TARGET names the function.
#include <cstddef>
#include <cstdint>

#include "targets.hpp"

// libFuzzer declares it nowhere.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    heddle::fuzz::HEDDLE_FUZZ_TARGET({data, size});
    return 0;
}
