// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/object_codec.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/hash.hpp>

namespace heddle {
namespace {

using Code = ObjectCodecErrorCode;
template <typename T>
using Result = std::expected<T, ObjectCodecError>;

constexpr std::uint8_t kind_bit(ObjectKind kind) noexcept {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
}
constexpr std::uint8_t kStorageBit = kind_bit(ObjectKind::storage);
constexpr std::uint8_t kAllKinds = (1u << 5) - 1;
constexpr unsigned kModeBits = 2;
/// Address, kinds.
constexpr std::size_t kMinAccountBytes = 21;

static_assert(kind_bit(ObjectKind::storage_all) == 1u << 4);
static_assert(static_cast<unsigned>(AccessMode::write) < 1u << kModeBits);

void append_varint(std::uint64_t value, Bytes& out) {
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<std::uint8_t>(value | 0x80));
    out.push_back(static_cast<std::uint8_t>(value));
}

void append_slot(const Uint256& slot, Bytes& out) {
    const Hash word = to_hash(slot);
    const auto first =
        std::find_if(word.bytes.begin(), word.bytes.end(), [](std::uint8_t b) { return b != 0; });
    out.push_back(static_cast<std::uint8_t>(word.bytes.end() - first));
    out.insert(out.end(), first, word.bytes.end());
}

/// The objects of some sets, each once and ascending, and which of them each access names.
struct ObjectTable {
    std::vector<const ObjectId*> objects;
    std::vector<std::uint32_t> places;  // in `objects`, by access: set after set
};

/// An access by the first bytes of its address, which nearly always decide: sorting compares
/// numbers, and looks at whole objects only within an account.
struct SortedAccess {
    std::uint64_t prefix = 0;
    const ObjectId* object = nullptr;
    std::uint32_t access = 0;

    explicit SortedAccess(const ObjectId& id, std::size_t index) noexcept
        : object(&id), access(static_cast<std::uint32_t>(index)) {
        for (std::size_t i = 0; i < sizeof prefix; ++i)
            prefix = prefix << 8 | id.address.bytes[i];
    }
    friend bool operator<(const SortedAccess& a, const SortedAccess& b) noexcept {
        return a.prefix != b.prefix ? a.prefix < b.prefix : *a.object < *b.object;
    }
};

ObjectTable make_table(std::span<const ObjectSet> sets) {
    std::size_t count = 0;
    for (const ObjectSet& set : sets)
        count += set.accesses().size();
    HEDDLE_ASSERT(count <= kMaxAccessesPerBlock);
    std::vector<SortedAccess> sorted;
    sorted.reserve(count);
    for (const ObjectSet& set : sets)
        for (const Access& access : set.accesses())
            sorted.emplace_back(access.object, sorted.size());
    std::ranges::sort(sorted, std::less{});
    ObjectTable table;
    table.places.resize(count);
    for (const SortedAccess& each : sorted) {
        if (table.objects.empty() || *table.objects.back() != *each.object)
            table.objects.push_back(each.object);
        table.places[each.access] = static_cast<std::uint32_t>(table.objects.size() - 1);
    }
    return table;
}

/// About what is written, so that it need not grow by doubling: counts and gaps are one or two
/// bytes.
std::size_t estimated_bytes(const ObjectTable& table, std::size_t accounts, std::size_t sets) {
    constexpr std::size_t kCountBytes = 2;
    std::size_t slots = 0;
    for (const ObjectId* object : table.objects)
        if (object->kind == ObjectKind::storage) slots += 1 + byte_width(object->slot);
    return 8 + slots + (kMinAccountBytes + kCountBytes) * accounts +
           kCountBytes * (sets + table.places.size());
}

/// One account of the table: the objects from `begin` to `end`.
void append_account(std::span<const ObjectId* const> objects, Bytes& out) {
    const BytesView address = objects.front()->address.view();
    out.insert(out.end(), address.begin(), address.end());
    std::uint8_t kinds = 0;
    std::size_t slots = 0;
    for (const ObjectId* object : objects) {
        const bool is_slot = object->kind == ObjectKind::storage;
        HEDDLE_ASSERT(is_slot || object->slot.is_zero());
        kinds |= kind_bit(object->kind);
        slots += is_slot ? 1 : 0;
    }
    out.push_back(kinds);
    if (slots == 0) return;
    append_varint(slots, out);
    for (const ObjectId* object : objects)
        if (object->kind == ObjectKind::storage) append_slot(object->slot, out);
}

/// @param places  of the set's objects in the table, ascending.
void append_set(const ObjectSet& set, std::span<const std::uint32_t> places, Bytes& out) {
    append_varint(places.size(), out);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::uint64_t gap = places[i] - next;
        append_varint(gap << kModeBits | static_cast<unsigned>(set.accesses()[i].mode), out);
        next = places[i] + 1;
    }
}

/// A cursor that checks everything it reads.
class Decoder {
public:
    explicit Decoder(BytesView bytes) noexcept : bytes_(bytes) {}

    Result<std::size_t> read_set_count() {
        HEDDLE_TRY(const std::uint8_t version, read_byte());
        if (version != kObjectCodecVersion) return error(Code::unknown_version, 0);
        return read_count(1);  // each set has at least its count
    }

    Result<std::vector<ObjectSet>> read() {
        HEDDLE_TRY(const std::size_t set_count, read_set_count());
        HEDDLE_CHECK(read_table());
        std::vector<ObjectSet> sets;
        if (set_count > left()) return error(Code::too_many, offset_);
        sets.reserve(set_count);
        for (std::size_t i = 0; i < set_count; ++i) {
            HEDDLE_TRY(ObjectSet set, read_set());
            sets.push_back(std::move(set));
        }
        if (left() != 0) return error(Code::trailing_bytes, offset_);
        if (std::ranges::find(is_used_, false) != is_used_.end())
            return error(Code::unused_object, offset_);
        return sets;
    }

private:
    static std::unexpected<ObjectCodecError> error(Code code, std::size_t offset) noexcept {
        return std::unexpected(ObjectCodecError{code, offset});
    }
    [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - offset_; }

    Result<BytesView> take(std::size_t size) {
        if (size > left()) return error(Code::truncated, bytes_.size());
        const BytesView taken = bytes_.subspan(offset_, size);
        offset_ += size;
        return taken;
    }

    Result<std::uint8_t> read_byte() {
        HEDDLE_TRY(const BytesView byte, take(1));
        return byte.front();
    }

    Result<std::uint64_t> read_varint() {
        const std::size_t begin = offset_;
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            HEDDLE_TRY(const std::uint8_t byte, read_byte());
            const std::uint64_t bits = byte & 0x7fu;
            if (shift > 63 || (shift == 63 && bits > 1)) return error(Code::non_canonical, begin);
            value |= bits << shift;
            if ((byte & 0x80) != 0) continue;
            if (byte == 0 && shift != 0) return error(Code::non_canonical, begin);
            return value;
        }
    }

    /// A number of items that take at least `min_bytes` each.
    Result<std::size_t> read_count(std::size_t min_bytes) {
        const std::size_t begin = offset_;
        HEDDLE_TRY(const std::uint64_t count, read_varint());
        if (count > left() / min_bytes) return error(Code::too_many, begin);
        return static_cast<std::size_t>(count);
    }

    Result<void> read_table() {
        HEDDLE_TRY(const std::size_t account_count, read_count(kMinAccountBytes));
        Address before;
        for (std::size_t i = 0; i < account_count; ++i) {
            const std::size_t begin = offset_;
            HEDDLE_TRY(const BytesView bytes, take(before.bytes.size()));
            Address address;
            std::ranges::copy(bytes, address.bytes.begin());
            if (i != 0 && !(before < address)) return error(Code::out_of_order, begin);
            before = address;
            HEDDLE_CHECK(read_account(address));
        }
        is_used_.resize(objects_.size(), false);
        return {};
    }

    Result<void> read_account(const Address& address) {
        const std::size_t begin = offset_;
        HEDDLE_TRY(const std::uint8_t kinds, read_byte());
        if (kinds == 0 || (kinds & ~kAllKinds) != 0) return error(Code::invalid_kinds, begin);
        for (const ObjectKind kind : {ObjectKind::balance, ObjectKind::nonce, ObjectKind::code})
            if ((kinds & kind_bit(kind)) != 0) objects_.push_back({address, kind, {}});
        if ((kinds & kStorageBit) != 0) HEDDLE_CHECK(read_slots(address));
        if ((kinds & kind_bit(ObjectKind::storage_all)) != 0)
            objects_.push_back({address, ObjectKind::storage_all, {}});
        return {};
    }

    Result<void> read_slots(const Address& address) {
        const std::size_t begin = offset_;
        HEDDLE_TRY(const std::size_t count, read_count(1));
        if (count == 0) return error(Code::invalid_kinds, begin);
        Uint256 before;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t slot_begin = offset_;
            HEDDLE_TRY(const Uint256 slot, read_slot());
            if (i != 0 && !(before < slot)) return error(Code::out_of_order, slot_begin);
            before = slot;
            objects_.push_back({address, ObjectKind::storage, slot});
        }
        return {};
    }

    Result<Uint256> read_slot() {
        const std::size_t begin = offset_;
        HEDDLE_TRY(const std::uint8_t size, read_byte());
        Hash word;
        if (size > word.bytes.size()) return error(Code::non_canonical, begin);
        HEDDLE_TRY(const BytesView bytes, take(size));
        if (size != 0 && bytes.front() == 0) return error(Code::non_canonical, begin);
        std::ranges::copy_backward(bytes, word.bytes.end());
        return to_word(word);
    }

    Result<ObjectSet> read_set() {
        const std::size_t begin = offset_;
        HEDDLE_TRY(const std::size_t count, read_count(1));
        if (count > objects_.size() || count > kMaxAccessesPerBlock - access_count_)
            return error(Code::too_many, begin);
        access_count_ += count;
        std::vector<Access> accesses;
        accesses.reserve(count);
        std::uint64_t next = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t access_begin = offset_;
            HEDDLE_TRY(const std::uint64_t value, read_varint());
            const std::uint64_t gap = value >> kModeBits;
            if (gap >= objects_.size() - next) return error(Code::unknown_object, access_begin);
            const auto index = static_cast<std::size_t>(next + gap);
            accesses.push_back({objects_[index], static_cast<AccessMode>(value & 3)});
            is_used_[index] = true;
            next = index + 1;
        }
        return ObjectSet{std::move(accesses)};
    }

    BytesView bytes_;
    std::size_t offset_ = 0;
    std::vector<ObjectId> objects_;
    std::vector<bool> is_used_;  // parallel to objects_
    std::size_t access_count_ = 0;
};

}  // namespace

std::string_view to_string(ObjectCodecErrorCode code) noexcept {
    switch (code) {
        case Code::truncated:
            return "bytes end inside a field";
        case Code::unknown_version:
            return "unknown version";
        case Code::non_canonical:
            return "number not in its shortest form";
        case Code::invalid_kinds:
            return "invalid kinds of objects";
        case Code::out_of_order:
            return "addresses or slots out of order";
        case Code::too_many:
            return "count too large";
        case Code::unknown_object:
            return "access to an object that is not in the table";
        case Code::unused_object:
            return "object without an access";
        case Code::trailing_bytes:
            return "bytes after the last set";
    }
    return "unknown error";
}

std::string to_string(const ObjectCodecError& error) {
    return fmt::format("object sets: {} at byte {}", to_string(error.code), error.offset);
}

void encode_object_sets(std::span<const ObjectSet> sets, Bytes& out) {
    const ObjectTable table = make_table(sets);
    std::vector<std::span<const ObjectId* const>> accounts;
    for (std::span<const ObjectId* const> rest = table.objects; !rest.empty();) {
        const auto end = std::ranges::find_if(rest, [&rest](const ObjectId* object) {
            return object->address != rest.front()->address;
        });
        const auto count = static_cast<std::size_t>(end - rest.begin());
        accounts.push_back(rest.first(count));
        rest = rest.subspan(count);
    }
    out.reserve(out.size() + estimated_bytes(table, accounts.size(), sets.size()));
    out.push_back(kObjectCodecVersion);
    append_varint(sets.size(), out);
    append_varint(accounts.size(), out);
    for (const std::span<const ObjectId* const> account : accounts)
        append_account(account, out);
    std::span<const std::uint32_t> places = table.places;
    for (const ObjectSet& set : sets) {
        append_set(set, places.first(set.accesses().size()), out);
        places = places.subspan(set.accesses().size());
    }
}

std::expected<std::size_t, ObjectCodecError> count_object_sets(BytesView bytes) {
    return Decoder{bytes}.read_set_count();
}

std::expected<std::vector<ObjectSet>, ObjectCodecError> decode_object_sets(BytesView bytes) {
    return Decoder{bytes}.read();
}

}  // namespace heddle
