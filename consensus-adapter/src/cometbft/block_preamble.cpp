// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/block_preamble.hpp"

#include <algorithm>

#include <types/assert.hpp>
#include <types/object_codec.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::size_t kAddressAt = 2;
constexpr std::size_t kGasLimitAt = kAddressAt + sizeof(Address::bytes);
constexpr std::size_t kHelpAt = kGasLimitAt + 8;
static_assert(kHelpAt == kBarePreambleBytes);

}  // namespace

Bytes encode_preamble(const BlockPreamble& preamble) {
    HEDDLE_ASSERT(preamble.access_list.empty() || preamble.object_sets.empty());
    Bytes out;
    out.reserve(kHelpAt + preamble.access_list.size());
    out.push_back(kPreambleMark);
    out.push_back(preamble.access_list.empty() ? kPreambleWithSets : kPreambleWithList);
    out.insert(out.end(), preamble.beneficiary.bytes.begin(), preamble.beneficiary.bytes.end());
    for (int shift = 56; shift >= 0; shift -= 8)
        out.push_back(static_cast<std::uint8_t>(preamble.gas_limit >> shift));
    HEDDLE_ASSERT(out.size() == kHelpAt);
    if (!preamble.object_sets.empty()) encode_object_sets(preamble.object_sets, out);
    out.insert(out.end(), preamble.access_list.begin(), preamble.access_list.end());
    return out;
}

std::string to_string(const PreambleError& error) {
    switch (error.code) {
        case PreambleErrorCode::no_preamble:
            return "the first item is no preamble";
        case PreambleErrorCode::too_short:
            return "the preamble has " + std::to_string(error.found) + " bytes; the least is " +
                   std::to_string(kHelpAt);
        case PreambleErrorCode::unknown_version:
            return "the preamble has version " + std::to_string(error.found) + "; known are " +
                   std::to_string(kPreambleWithSets) + " and " + std::to_string(kPreambleWithList);
    }
    return "unknown preamble error";
}

std::expected<DecodedPreamble, PreambleError> decode_preamble(BytesView bytes) {
    if (bytes.empty() || bytes[0] != kPreambleMark)
        return std::unexpected(PreambleError{PreambleErrorCode::no_preamble});
    if (bytes.size() < kHelpAt)
        return std::unexpected(PreambleError{PreambleErrorCode::too_short, bytes.size()});
    if (bytes[1] != kPreambleWithSets && bytes[1] != kPreambleWithList)
        return std::unexpected(PreambleError{PreambleErrorCode::unknown_version, bytes[1]});
    DecodedPreamble decoded;
    std::ranges::copy(bytes.subspan(kAddressAt, sizeof(Address::bytes)),
                      decoded.preamble.beneficiary.bytes.begin());
    for (const std::uint8_t byte : bytes.subspan(kGasLimitAt, 8))
        decoded.preamble.gas_limit = decoded.preamble.gas_limit << 8 | byte;
    if (bytes.size() == kHelpAt) return decoded;
    if (bytes.size() > kMaxPreambleBytes) {
        decoded.help_error = "the preamble has " + std::to_string(bytes.size()) +
                             " bytes; the most is " + std::to_string(kMaxPreambleBytes);
        return decoded;
    }
    const BytesView help = bytes.subspan(kHelpAt);
    if (bytes[1] == kPreambleWithList) {
        decoded.preamble.access_list.assign(help.begin(), help.end());
        return decoded;
    }
    auto sets = decode_object_sets(help);
    if (sets.has_value())
        decoded.preamble.object_sets = std::move(*sets);
    else
        decoded.help_error = "the object sets of the preamble: " + to_string(sets.error());
    return decoded;
}

}  // namespace heddle::consensus_adapter::cometbft
