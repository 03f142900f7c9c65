// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code of the contracts that blocks call by themselves, as the EIPs fix it. The deposit contract
// (EIP-6110) is only listened to and need not exist.
#pragma once

#include <array>
#include <string_view>

#include <vm/system_contracts.hpp>

namespace heddle::workload {

/// By the rows of vm::kSystemContracts, hexadecimal.
extern const std::array<std::string_view, vm::kSystemContracts.size()> kSystemContractCodes;

}  // namespace heddle::workload
