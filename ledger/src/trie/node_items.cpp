// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/node_items.hpp"

#include <cstring>

#include <types/rlp.hpp>

namespace heddle::ledger {

std::optional<NodeItems> split_node(BytesView node) {
    rlp::Reader outer(node);
    auto list = outer.read_list();
    if (!list.has_value() || !outer.at_end()) return std::nullopt;
    NodeItems items;
    while (!list->at_end()) {
        const auto raw = list->read_raw();
        if (!raw.has_value() || items.count == items.raw.size()) return std::nullopt;
        items.raw[items.count++] = *raw;
    }
    if (items.count != 2 && items.count != 17) return std::nullopt;
    return items;
}

std::optional<BytesView> string_item(BytesView raw) {
    rlp::Reader reader(raw);
    const auto text = reader.read_string();
    if (!text.has_value() || !reader.at_end()) return std::nullopt;
    return *text;
}

std::optional<NodePath> decode_path(BytesView raw) {
    const auto text = string_item(raw);
    if (!text.has_value() || text->empty() || text->size() > 33) return std::nullopt;
    const std::uint8_t first = (*text)[0];
    const bool is_odd = (first & 0x10) != 0;
    if ((first & 0xc0) != 0 || (!is_odd && (first & 0x0f) != 0)) return std::nullopt;
    if (is_odd && text->size() > 32) return std::nullopt;
    NodePath path;
    path.is_leaf = (first & 0x20) != 0;
    for (std::size_t i = is_odd ? 1 : 2; i < 2 * text->size(); ++i)
        path.nibbles.push_back(nibble_at(text->data(), i));
    return path;
}

std::optional<NodeLink> decode_link(BytesView raw) {
    NodeLink link;
    if (raw[0] >= 0xc0) {
        if (raw.size() >= kReferenceSize) return std::nullopt;
        link.embedded = raw;
        return link;
    }
    const auto hash = string_item(raw);
    if (!hash.has_value() || hash->size() != kReferenceSize) return std::nullopt;
    std::memcpy(link.hash.bytes.data(), hash->data(), kReferenceSize);
    return link;
}

}  // namespace heddle::ledger
