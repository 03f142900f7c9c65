// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Opcodes that tracers look at.
#pragma once

#include <cstdint>

namespace heddle::node {

inline constexpr std::uint8_t kKeccak256 = 0x20;
inline constexpr std::uint8_t kBalance = 0x31;
inline constexpr std::uint8_t kCallDataCopy = 0x37;
inline constexpr std::uint8_t kCodeCopy = 0x39;
inline constexpr std::uint8_t kExtCodeSize = 0x3b;
inline constexpr std::uint8_t kExtCodeCopy = 0x3c;
inline constexpr std::uint8_t kReturnDataCopy = 0x3e;
inline constexpr std::uint8_t kExtCodeHash = 0x3f;
inline constexpr std::uint8_t kMload = 0x51;
inline constexpr std::uint8_t kMstore = 0x52;
inline constexpr std::uint8_t kMstore8 = 0x53;
inline constexpr std::uint8_t kSload = 0x54;
inline constexpr std::uint8_t kSstore = 0x55;
inline constexpr std::uint8_t kJump = 0x56;
inline constexpr std::uint8_t kJumpIf = 0x57;
inline constexpr std::uint8_t kMcopy = 0x5e;
inline constexpr std::uint8_t kLog0 = 0xa0;
inline constexpr std::uint8_t kCreate = 0xf0;
inline constexpr std::uint8_t kCall = 0xf1;
inline constexpr std::uint8_t kCallCode = 0xf2;
inline constexpr std::uint8_t kReturn = 0xf3;
inline constexpr std::uint8_t kDelegateCall = 0xf4;
inline constexpr std::uint8_t kCreate2 = 0xf5;
inline constexpr std::uint8_t kStaticCall = 0xfa;
inline constexpr std::uint8_t kRevert = 0xfd;
inline constexpr std::uint8_t kSelfDestruct = 0xff;

}  // namespace heddle::node
