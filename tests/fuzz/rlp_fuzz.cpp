// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/rlp.hpp>

#include "targets.hpp"

namespace heddle::fuzz {
namespace {

constexpr unsigned kMaxDepth = 64;

/// Encodes again what the reader accepts; false at the first item that it refuses.
bool copy_items(rlp::Reader& reader, Bytes& out, unsigned depth) {
    while (!reader.at_end()) {
        if (reader.next_is_list()) {
            auto list = reader.read_list();
            if (!list) return false;
            const std::size_t begin = out.size();
            if (depth == kMaxDepth || !copy_items(*list, out, depth + 1)) return false;
            rlp::wrap_list(begin, out);
        } else {
            const auto string = reader.read_string();
            if (!string) return false;
            rlp::encode_string(*string, out);
        }
    }
    return true;
}

/// An integer that is read is the one that is written.
void check_integers(BytesView input) {
    Bytes out;
    rlp::Reader narrow(input);
    if (const auto value = narrow.read_uint64()) {
        rlp::encode_uint64(*value, out);
        require(equal(out, input.first(narrow.offset())), "a 64-bit integer changed");
    }
    out.clear();
    rlp::Reader wide(input);
    if (const auto value = wide.read_uint256()) {
        rlp::encode_uint256(*value, out);
        require(equal(out, input.first(wide.offset())), "a 256-bit integer changed");
    }
    rlp::Reader fixed(input);
    if (fixed.read_hash()) require(fixed.offset() == 33, "a hash of another size");
    fixed = rlp::Reader(input);
    if (fixed.read_address()) require(fixed.offset() == 21, "an address of another size");
}

}  // namespace

void rlp(BytesView input) {
    check_integers(input);
    heddle::rlp::Reader reader(input);
    Bytes out;
    if (copy_items(reader, out, 0))
        require(equal(out, input), "what was read is not what is written");
    heddle::rlp::Reader raw(input);
    while (!raw.at_end()) {
        const std::size_t before = raw.offset();
        const auto item = raw.read_raw();
        if (!item) break;
        require(raw.offset() == before + item->size() && !item->empty(), "a raw item's extent");
    }
}

}  // namespace heddle::fuzz
