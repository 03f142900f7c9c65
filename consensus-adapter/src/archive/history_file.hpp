// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One file of history, whatever its format.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>

#include <types/block.hpp>

#include <consensus_adapter/block_source.hpp>

#include "gas_plausibility.hpp"

namespace heddle::consensus_adapter {

/// A block as it stands in a file.
struct StoredBlock {
    Block block;
    std::size_t encoded_size_bytes = 0;  // of its RLP; 0: not known
    std::size_t transaction_count = 0;   // more than there are in `block`: they are withheld
    std::uint64_t offset = 0;            // in the file
};

class HistoryFile {
public:
    virtual ~HistoryFile() = default;

    /// nullopt: the file ended where it should.
    [[nodiscard]] virtual std::expected<std::optional<StoredBlock>, SourceError> next(
        const GasPlausibility& plausibility) = 0;
    /// Bytes read so far.
    [[nodiscard]] virtual std::uint64_t offset() const noexcept = 0;
};

}  // namespace heddle::consensus_adapter
