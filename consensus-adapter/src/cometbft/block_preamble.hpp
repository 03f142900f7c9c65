// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a proposer says of its block before the transactions: the first item of a CometBFT block.
// Everything in it may be a lie: fees go where it says, the gas limit is brought within bounds, and
// object sets or the access list are only a help.
//
// | field       | size | what                                                                   |
// |-------------|------|------------------------------------------------------------------------|
// | mark        | 1    | 0x80: no transaction begins with it (EIP-2718)                         |
// | version     | 1    | 1, or 2                                                                |
// | beneficiary | 20   |                                                                        |
// | gas limit   | 8    | big-endian                                                             |
// | version 1:                                                                                    |
// | sets        | rest | as types/object_codec.hpp encodes them; nothing: none are declared     |
// | version 2:                                                                                    |
// | list        | rest | the block's access list in RLP (EIP-7928)                              |
//
// Programs that know version 1 only take a preamble of version 2 for malformed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/object.hpp>

namespace heddle::consensus_adapter::cometbft {

inline constexpr std::uint8_t kPreambleMark = 0x80;
inline constexpr std::uint8_t kPreambleWithSets = 1;  // versions
inline constexpr std::uint8_t kPreambleWithList = 2;
/// Size of a preamble with neither object sets nor an access list.
inline constexpr std::size_t kBarePreambleBytes = 30;
/// Largest preamble that a proposal may have.
inline constexpr std::size_t kMaxPreambleBytes = std::size_t{16} << 20;

struct BlockPreamble {
    Address beneficiary{};
    std::uint64_t gas_limit = 0;
    std::vector<ObjectSet> object_sets{};  // one for each transaction, or none
    Bytes access_list{};                   // RLP; where there is one, there are no object sets
    friend bool operator==(const BlockPreamble&, const BlockPreamble&) = default;
};

/// Thread safety: pure. Together the sets hold at most kMaxAccessesPerBlock accesses.
[[nodiscard]] Bytes encode_preamble(const BlockPreamble& preamble);

enum class PreambleErrorCode : std::uint8_t {
    no_preamble,      // no mark
    too_short,        // fewer bytes than a bare one has
    unknown_version,  // written by another program
};
struct PreambleError {
    PreambleErrorCode code = PreambleErrorCode::no_preamble;
    std::size_t found = 0;  // bytes, or the version
    friend bool operator==(const PreambleError&, const PreambleError&) = default;
};
[[nodiscard]] std::string to_string(const PreambleError& error);

/// A preamble is believed without its help where that cannot be decoded: a decided block has to be
/// executed whatever it says. Of an access list nothing is checked but its size.
struct DecodedPreamble {
    BlockPreamble preamble;
    std::string help_error;  // empty: none
};
[[nodiscard]] std::expected<DecodedPreamble, PreambleError> decode_preamble(BytesView bytes);

}  // namespace heddle::consensus_adapter::cometbft
