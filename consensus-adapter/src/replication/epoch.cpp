// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/replication/epoch.hpp>

#include <algorithm>
#include <array>

namespace heddle::consensus_adapter::replication {
namespace {

constexpr std::array<std::uint8_t, 4> kMark{0x00, 0x45, 0x50, 0x31};

}  // namespace

std::uint64_t epoch_of(BytesView extra_data) noexcept {
    if (extra_data.size() < kEpochBytes) return 0;
    const BytesView end = extra_data.last(kEpochBytes);
    if (!std::ranges::equal(end.first(kMark.size()), kMark)) return 0;
    std::uint64_t epoch = 0;
    for (const std::uint8_t byte : end.subspan(kMark.size()))
        epoch = epoch << 8 | byte;
    return epoch;
}

Bytes with_epoch(BytesView text, std::uint64_t epoch) {
    Bytes extra_data{text.begin(), text.end()};
    extra_data.insert(extra_data.end(), kMark.begin(), kMark.end());
    for (int shift = 56; shift >= 0; shift -= 8)
        extra_data.push_back(static_cast<std::uint8_t>(epoch >> shift));
    return extra_data;
}

}  // namespace heddle::consensus_adapter::replication
