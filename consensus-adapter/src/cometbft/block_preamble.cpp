// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <types/assert.hpp>
#include <types/object_codec.hpp>

#include <consensus_adapter/cometbft/block_preamble.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::size_t kAddressAt = 2;
constexpr std::size_t kGasLimitAt = kAddressAt + sizeof(Address::bytes);
constexpr std::size_t kSetsAt = kGasLimitAt + 8;
static_assert(kSetsAt == kBarePreambleBytes);

}  // namespace

Bytes encode_preamble(const BlockPreamble& preamble) {
    Bytes out;
    out.reserve(kSetsAt);
    out.push_back(kPreambleMark);
    out.push_back(kPreambleVersion);
    out.insert(out.end(), preamble.beneficiary.bytes.begin(), preamble.beneficiary.bytes.end());
    for (int shift = 56; shift >= 0; shift -= 8)
        out.push_back(static_cast<std::uint8_t>(preamble.gas_limit >> shift));
    HEDDLE_ASSERT(out.size() == kSetsAt);
    if (!preamble.object_sets.empty()) encode_object_sets(preamble.object_sets, out);
    return out;
}

std::string to_string(const PreambleError& error) {
    switch (error.code) {
        case PreambleErrorCode::no_preamble:
            return "the first item is no preamble";
        case PreambleErrorCode::too_short:
            return "the preamble has " + std::to_string(error.found) + " bytes; the least is " +
                   std::to_string(kSetsAt);
        case PreambleErrorCode::unknown_version:
            return "the preamble has version " + std::to_string(error.found) + "; known is " +
                   std::to_string(kPreambleVersion);
    }
    return "unknown preamble error";
}

std::expected<DecodedPreamble, PreambleError> decode_preamble(BytesView bytes) {
    if (bytes.empty() || bytes[0] != kPreambleMark)
        return std::unexpected(PreambleError{PreambleErrorCode::no_preamble});
    if (bytes.size() < kSetsAt)
        return std::unexpected(PreambleError{PreambleErrorCode::too_short, bytes.size()});
    if (bytes[1] != kPreambleVersion)
        return std::unexpected(PreambleError{PreambleErrorCode::unknown_version, bytes[1]});
    DecodedPreamble decoded;
    std::ranges::copy(bytes.subspan(kAddressAt, sizeof(Address::bytes)),
                      decoded.preamble.beneficiary.bytes.begin());
    for (const std::uint8_t byte : bytes.subspan(kGasLimitAt, 8))
        decoded.preamble.gas_limit = decoded.preamble.gas_limit << 8 | byte;
    if (bytes.size() == kSetsAt) return decoded;
    if (bytes.size() > kMaxPreambleBytes) {
        decoded.sets_error = "the preamble has " + std::to_string(bytes.size()) +
                             " bytes; the most is " + std::to_string(kMaxPreambleBytes);
        return decoded;
    }
    auto sets = decode_object_sets(bytes.subspan(kSetsAt));
    if (sets.has_value())
        decoded.preamble.object_sets = std::move(*sets);
    else
        decoded.sets_error = "the object sets of the preamble: " + to_string(sets.error());
    return decoded;
}

}  // namespace heddle::consensus_adapter::cometbft
