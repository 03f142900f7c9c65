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

/// EIP-7997's factory: Arachnid's deployment proxy, hexadecimal. It is called by transactions only.
inline constexpr std::string_view kDeploymentFactory = "4e59b44847b379578588920ca78fbf26c0b4956c";
inline constexpr std::string_view kDeploymentFactoryCode =
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0360160008160208237803582"
    "8234f58015156039578182fd5b8082525050506014600cf3";

}  // namespace heddle::workload
