// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/object.hpp>

#include <algorithm>
#include <cstring>

namespace heddle {

std::strong_ordering operator<=>(const ObjectId& a, const ObjectId& b) noexcept {
    const int by_address = std::memcmp(a.address.bytes.data(), b.address.bytes.data(), 20);
    if (by_address != 0) return by_address <=> 0;
    if (a.kind != b.kind) return a.kind <=> b.kind;
    for (std::size_t i = 4; i-- > 0;)
        if (a.slot.words[i] != b.slot.words[i]) return a.slot.words[i] <=> b.slot.words[i];
    return std::strong_ordering::equal;
}

AccessMode merge(AccessMode a, AccessMode b) noexcept {
    if (a == b) return a;
    const auto is_delta = [](AccessMode mode) {
        return mode == AccessMode::add || mode == AccessMode::debit;
    };
    // A debit's bound covers the transaction's net move, so a credit beside it changes nothing.
    return is_delta(a) && is_delta(b) ? AccessMode::debit : AccessMode::write;
}

ObjectSet::ObjectSet(std::vector<Access> accesses) : accesses_(std::move(accesses)) {
    std::sort(accesses_.begin(), accesses_.end(),
              [](const Access& a, const Access& b) { return a.object < b.object; });
    std::size_t count = 0;
    for (const Access& access : accesses_) {
        if (count != 0 && accesses_[count - 1].object == access.object)
            accesses_[count - 1].mode = merge(accesses_[count - 1].mode, access.mode);
        else
            accesses_[count++] = access;
    }
    accesses_.resize(count);
}

const Access* ObjectSet::find(const ObjectId& object) const noexcept {
    const auto it = std::lower_bound(
        accesses_.begin(), accesses_.end(), object,
        [](const Access& access, const ObjectId& id) { return access.object < id; });
    return it != accesses_.end() && it->object == object ? &*it : nullptr;
}

}  // namespace heddle
