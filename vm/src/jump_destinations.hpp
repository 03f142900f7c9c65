// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of code may be jumped to (YP 9.4.3): the JUMPDESTs that are no data of a PUSH. By
// stretches of 64 bytes, each by itself where that is possible, since most code is never entered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace heddle::vm {

/// Bytes of code that are looked at together.
inline constexpr std::size_t kCodeStretch = 64;

/// Stretches before the one that is asked for which are looked at to find out where its opcodes
/// begin. Of 50,000 stretches of two mainnet blocks' contracts 26 would need more.
inline constexpr std::size_t kStretchesLookedBack = 2;

/// The jump destinations of one stretch without a look at all code before it.
///
/// Where opcodes begin depends on all code before, but seldom on much of it: what looks like a PUSH
/// reaches 33 bytes at most, so a byte that no such reach covers begins an opcode however the code
/// before it is read. From the last one of these, opcodes are followed to the JUMPDEST in question;
/// most JUMPDESTs are such bytes themselves.
///
/// @param code     With at least kCodeStretch bytes behind its end, which are zero.
/// @param stretch  Its index; begins within the code.
/// @return One bit for each byte, the first one lowest. nullopt: no byte of this stretch and of
///         kStretchesLookedBack before it tells; find_jump_destinations() does.
/// Complexity: constant.
[[nodiscard]] std::optional<std::uint64_t> find_jump_destinations_alone(const std::uint8_t* code,
                                                                        std::size_t stretch);

/// The jump destinations of a stretch whose first opcode is known.
/// @param code  The stretch's first byte, with at least kCodeStretch behind it that may be read.
/// @param next  In: offset of the first opcode from there, at most 32 beyond the stretch. Out: the
///              same for the stretch behind it.
[[nodiscard]] std::uint64_t find_jump_destinations(const std::uint8_t* code, std::size_t& next);

/// The same of stretches one behind the other, by the fastest way that the processor has. With AVX2
/// it takes equally long for any code; without, each PUSH costs a step that waits for the one
/// before.
/// @param code   The first byte of the first stretch, with all stretches behind it to be read.
/// @param next   As above; of the stretch behind the last one when it returns.
/// @param found  One element a stretch.
void find_jump_destinations(const std::uint8_t* code, std::size_t& next,
                            std::span<std::uint64_t> found);

}  // namespace heddle::vm
