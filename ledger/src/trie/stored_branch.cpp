// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/stored_branch.hpp"

#include <algorithm>

#include "storage/byte_codec.hpp"

namespace heddle::ledger {
namespace {

constexpr std::size_t kChecksumSize = 4;
constexpr std::size_t kMaxVarint = 5;

void encode_mask(std::uint16_t mask, Bytes& out) {
    out.push_back(static_cast<std::uint8_t>(mask));
    out.push_back(static_cast<std::uint8_t>(mask >> 8));
}

/// Bytes from the front; every read says whether there was enough.
class Cursor {
public:
    explicit Cursor(BytesView bytes) noexcept : rest_(bytes) {}

    [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
    [[nodiscard]] bool read(std::size_t size, BytesView& out) noexcept {
        if (rest_.size() < size) return false;
        out = rest_.first(size);
        rest_ = rest_.subspan(size);
        return true;
    }
    [[nodiscard]] bool read_mask(std::uint16_t& mask) noexcept {
        BytesView bytes;
        if (!read(2, bytes)) return false;
        mask = static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
        return true;
    }
    [[nodiscard]] bool read_varint(std::uint32_t& value) noexcept {
        std::uint64_t result = 0;
        for (std::size_t i = 0; i < kMaxVarint && i < rest_.size(); ++i) {
            result |= std::uint64_t{rest_[i] & 0x7fU} << (7 * i);
            if ((rest_[i] & 0x80) != 0) continue;
            if (rest_[i] == 0 || result > UINT32_MAX) return false;
            value = static_cast<std::uint32_t>(result);
            rest_ = rest_.subspan(i + 1);
            return true;
        }
        return false;
    }
    [[nodiscard]] BytesView rest() const noexcept { return rest_; }

private:
    BytesView rest_;
};

bool decode_prefix(Cursor& cursor, NibblePath& prefix) {
    BytesView size;
    if (!cursor.read(1, size) || size[0] >= kKeyNibbles) return false;
    BytesView packed;
    if (!cursor.read((size[0] + 1U) / 2, packed)) return false;
    for (std::size_t i = 0; i < size[0]; ++i)
        prefix.push_back(nibble_at(packed.data(), i));
    return size[0] % 2 == 0 || (packed.back() & 0x0f) == 0;
}

bool decode_reference(Cursor& cursor, bool is_embedded, std::uint8_t* out) {
    std::size_t size = kReferenceSize;
    if (is_embedded) {
        if (cursor.at_end() || cursor.rest()[0] <= 0xc0 || cursor.rest()[0] > 0xc0 + 30)
            return false;
        size = embedded_size(cursor.rest().data());
    }
    BytesView bytes;
    if (!cursor.read(size, bytes)) return false;
    std::ranges::copy(bytes, out);
    return true;
}

std::size_t write_with_prefix(const StoredBranch& branch, std::uint8_t* out) {
    const std::size_t size =
        write_branch(branch.children, branch.embedded, branch.references.data(), out);
    if (branch.prefix.size == 0) return size;
    return write_extension(branch.prefix.view(), make_reference({out, size}), out);
}

}  // namespace

std::uint64_t StoredBranch::leaf_count() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < child_count(); ++i)
        sum += leaf_counts[i];
    return sum;
}

Reference StoredBranch::reference() const {
    std::uint8_t rlp[kMaxBranchRlp];
    return make_reference({rlp, write_with_prefix(*this, rlp)});
}

Hash StoredBranch::root_hash() const {
    std::uint8_t rlp[kMaxBranchRlp];
    return keccak256({rlp, write_with_prefix(*this, rlp)});
}

void encode_stored_branch(const StoredBranch& branch, Bytes& out) {
    const std::size_t begin = out.size();
    out.resize(begin + kChecksumSize);
    out.push_back(static_cast<std::uint8_t>(branch.prefix.size));
    for (std::size_t i = 0; i < branch.prefix.size; i += 2) {
        const int low = i + 1 < branch.prefix.size ? branch.prefix.nibbles[i + 1] : 0;
        out.push_back(static_cast<std::uint8_t>(branch.prefix.nibbles[i] << 4 | low));
    }
    encode_mask(branch.children, out);
    encode_mask(branch.embedded, out);
    for (std::size_t i = 0; i < branch.child_count(); ++i)
        append_varint(branch.leaf_counts[i], out);
    const std::uint8_t* reference = branch.references.data();
    for (std::uint32_t bits = branch.children; bits != 0; bits &= bits - 1) {
        const bool is_embedded = (branch.embedded & bits & -bits) != 0;
        const std::size_t size = is_embedded ? embedded_size(reference) : kReferenceSize;
        out.insert(out.end(), reference, reference + size);
        reference += kReferenceSize;
    }
    const Hash checksum = keccak256(BytesView(out).subspan(begin + kChecksumSize));
    std::copy_n(checksum.bytes.begin(), kChecksumSize,
                out.begin() + static_cast<std::ptrdiff_t>(begin));
}

std::optional<StoredBranch> decode_stored_branch(BytesView bytes) {
    Cursor cursor(bytes);
    BytesView checksum;
    if (!cursor.read(kChecksumSize, checksum)) return std::nullopt;
    const Hash expected = keccak256(cursor.rest());
    if (!std::ranges::equal(checksum, BytesView(expected.bytes).first(kChecksumSize)))
        return std::nullopt;

    StoredBranch branch;
    if (!decode_prefix(cursor, branch.prefix) || !cursor.read_mask(branch.children) ||
        !cursor.read_mask(branch.embedded))
        return std::nullopt;
    if (branch.child_count() < 2 || (branch.embedded | branch.children) != branch.children)
        return std::nullopt;
    for (std::size_t i = 0; i < branch.child_count(); ++i)
        if (!cursor.read_varint(branch.leaf_counts[i]) || branch.leaf_counts[i] == 0)
            return std::nullopt;
    std::uint8_t* reference = branch.references.data();
    for (std::uint32_t bits = branch.children; bits != 0; bits &= bits - 1) {
        if (!decode_reference(cursor, (branch.embedded & bits & -bits) != 0, reference))
            return std::nullopt;
        reference += kReferenceSize;
    }
    if (!cursor.at_end()) return std::nullopt;
    return branch;
}

}  // namespace heddle::ledger
