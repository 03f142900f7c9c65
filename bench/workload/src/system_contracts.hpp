// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The contracts that blocks from Cancun on call at their begin and end, as the EIPs fix their
// addresses and code. The deposit contract (EIP-6110) is only listened to and need not exist.
#pragma once

#include <array>
#include <string_view>

#include <types/revision.hpp>

namespace heddle::workload {

struct SystemContract {
    std::string_view address_hex;
    std::string_view code_hex;
    Revision since = Revision::cancun;
};

extern const std::array<SystemContract, 4> kSystemContracts;

}  // namespace heddle::workload
