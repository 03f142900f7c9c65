// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of era1 and ere files, for tests that write such files, right ones and wrong ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <snappy.h>

#include <types/block.hpp>
#include <types/rlp.hpp>

#include "crc32c.hpp"
#include "history_file.hpp"

namespace heddle::consensus_adapter::test {

inline void append_le(std::uint64_t value, std::size_t count, Bytes& out) {
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

inline void append_entry(std::uint16_t type, const Bytes& content, Bytes& out) {
    append_le(type, 2, out);
    append_le(content.size(), 4, out);
    append_le(0, 2, out);
    out.insert(out.end(), content.begin(), content.end());
}

inline Bytes compress(const Bytes& data) {
    Bytes out{0xff, 0x06, 0x00, 0x00, 's', 'N', 'a', 'P', 'p', 'Y', 0x00};
    std::string content;
    snappy::Compress(reinterpret_cast<const char*>(data.data()), data.size(), &content);
    append_le(content.size() + 4, 3, out);
    append_le(mask_crc(crc32c(data)), 4, out);
    out.insert(out.end(), content.begin(), content.end());
    return out;
}

inline Bytes little_endian(const Uint256& value) {
    Bytes bytes(32);
    store_be(value, bytes.data());
    std::ranges::reverse(bytes);
    return bytes;
}

inline Bytes header_of(const Block& block) {
    Bytes header;
    encode_header(block.header, header);
    return header;
}

inline Bytes body_of(const Block& block) {
    Bytes body;
    encode_body(block, body);
    rlp::wrap_list(0, body);
    return body;
}

struct ReadResult {
    std::vector<Block> blocks;
    std::optional<SourceError> error;
};

inline ReadResult read_all(HistoryFile& file) {
    ReadResult result;
    for (;;) {
        auto block = file.next({});
        if (!block.has_value()) {
            result.error = block.error();
            return result;
        }
        if (!block->has_value()) return result;
        result.blocks.push_back(std::move((*block)->block));
    }
}

}  // namespace heddle::consensus_adapter::test
