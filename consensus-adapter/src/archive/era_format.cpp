// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "era_format.hpp"

#include <array>
#include <utility>

#include <types/expected.hpp>

#include "era_entries.hpp"

namespace heddle::consensus_adapter {
namespace {

/// Types of the first entries, as many as there are.
constexpr std::size_t kTellingEntries = 4;
using FirstTypes = std::array<std::optional<EntryType>, kTellingEntries>;

std::expected<FirstTypes, SourceError> first_types(const FileReader& file) {
    HEDDLE_TRY(FileReader another, file.duplicate());
    EntryReader entries{std::move(another)};
    FirstTypes types;
    for (auto& type : types) {
        const auto entry = entries.peek();
        // What is damaged is told by whoever reads it.
        if (!entry.has_value() && entry.error().code != FileFault::read_failed) return types;
        HEDDLE_CHECK(entry);
        if (!entry->has_value()) return types;
        type = (*entry)->type;
        entries.seek(entries.offset() + kEntryHeaderBytes + (*entry)->size);
    }
    return types;
}

/// Whether nothing but an ere file has this behind the first block's body.
bool is_behind_bodies(EntryType type) noexcept {
    return type == EntryType::compressed_slim_receipts || type == EntryType::proof ||
           type == EntryType::total_difficulty || type == EntryType::accumulator ||
           type == EntryType::dynamic_block_index;
}

}  // namespace

std::expected<EraFormat, SourceError> era_format_of(const FileReader& file) {
    HEDDLE_TRY(const FirstTypes types, first_types(file));
    if (types[0] != EntryType::version) return EraFormat::none;
    const bool has_headers_first = types[2] == EntryType::compressed_header;
    const bool has_one_block = types[3].has_value() && is_behind_bodies(*types[3]);
    return has_headers_first || has_one_block ? EraFormat::ere : EraFormat::era1;
}

}  // namespace heddle::consensus_adapter
