// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block's object sets as bytes. What files and messages wrap around them (which block, checksums)
// is theirs.
//
// | field        | size   | what                                                                 |
// |--------------|--------|----------------------------------------------------------------------|
// | version      | 1      | 0x01                                                                 |
// | set count    | varint | one set for each transaction                                         |
// | account count| varint | entries of the object table                                          |
// | object table |        | for each account, ascending by address:                              |
// |   address    | 20     |                                                                      |
// |   kinds      | 1      | bit k: an object of ObjectKind k is used; not zero; bits 5-7 zero    |
// |   slot count | varint | only with bit 3 (storage); not zero                                  |
// |   slots      |        | ascending, each a length byte, then so many bytes big-endian without |
// |              |        | leading zeros                                                        |
// | sets         |        | for each transaction:                                                |
// |   count      | varint | accesses of the set                                                  |
// |   accesses   | varint | each gap * 4 + mode, ascending by object; gap: objects left out since|
// |              |        | the access before; mode: the number of the AccessMode                |
//
// Objects are counted through the table from 0, in the order of ObjectId: so they need no names in
// the sets, where most accesses take one byte. A varint has seven bits a byte, the lowest first,
// and the top bit set in every byte but the last (LEB128); it is as short as it can be. Every
// object of the table is used. So there is exactly one encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <types/bytes.hpp>
#include <types/object.hpp>

namespace heddle {

inline constexpr std::uint8_t kObjectCodecVersion = 1;
/// Most accesses of one block, all sets together, so that few bytes cannot ask for much memory.
/// Far above what a gas limit of 1,000,000,000 allows.
inline constexpr std::size_t kMaxAccessesPerBlock = std::size_t{1} << 22;

enum class ObjectCodecErrorCode : std::uint8_t {
    truncated,        // the bytes end inside a field
    unknown_version,  // not kObjectCodecVersion
    non_canonical,    // a varint or a slot that could be shorter, or a varint beyond 64 bits
    invalid_kinds,    // no object, or bits that mean nothing
    out_of_order,     // addresses or slots that do not ascend
    too_many,         // a count beyond what the bytes left can hold, or beyond the limit
    unknown_object,   // an access beyond the object table
    unused_object,    // an object of the table that no set has
    trailing_bytes,   // more bytes after the last set
};
[[nodiscard]] std::string_view to_string(ObjectCodecErrorCode code) noexcept;

struct ObjectCodecError {
    ObjectCodecErrorCode code = ObjectCodecErrorCode::truncated;
    std::size_t offset = 0;  // in bytes, where it was found
    friend bool operator==(const ObjectCodecError&, const ObjectCodecError&) = default;
};
[[nodiscard]] std::string to_string(const ObjectCodecError& error);

/// Appends the encoding of a block's sets, one for each transaction. Together they hold at most
/// kMaxAccessesPerBlock accesses.
void encode_object_sets(std::span<const ObjectSet> sets, Bytes& out);

/// How many sets an encoding says that it has; none is decoded. Errors: as decode_object_sets().
[[nodiscard]] std::expected<std::size_t, ObjectCodecError> count_object_sets(BytesView bytes);

/// Memory: bounded by the input and the limit, whatever the counts in it claim.
[[nodiscard]] std::expected<std::vector<ObjectSet>, ObjectCodecError> decode_object_sets(
    BytesView bytes);

}  // namespace heddle
