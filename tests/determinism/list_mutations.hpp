// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block access lists (EIP-7928) with one thing wrong: whatever a list consists of is dropped,
// added, repeated, exchanged, moved to another index or changed, as a list and as the bytes that
// it is sent as.
#pragma once

#include <cstdint>
#include <string>

#include <types/block_access_list.hpp>
#include <types/bytes.hpp>
#include <workload/random.hpp>

namespace heddle::test {

/// Changes the list somewhere.
/// @param last_index  What comes after the last transaction.
/// @return what was done; empty: nothing.
[[nodiscard]] std::string mutate(BlockAccessList& list, std::uint32_t last_index,
                                 workload::Random& random);
/// The same of the encoding, often so that it is none any more. Not empty before.
[[nodiscard]] std::string mutate(Bytes& encoded, workload::Random& random);

}  // namespace heddle::test
