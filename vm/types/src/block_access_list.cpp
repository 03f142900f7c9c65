// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/block_access_list.hpp>

#include <limits>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/expected.hpp>

namespace heddle {
namespace {

using Code = AccessListErrorCode;

// --- RLP -----------------------------------------------------------------------------------------

rlp::Result<std::uint32_t> read_index(rlp::Reader& reader) {
    const std::size_t offset = reader.offset();
    HEDDLE_TRY(const std::uint64_t index, reader.read_uint64());
    if (index > std::numeric_limits<std::uint32_t>::max())
        return std::unexpected(rlp::Error{rlp::ErrorCode::overflow, offset});
    return static_cast<std::uint32_t>(index);
}

rlp::Result<Uint256> read(rlp::Reader& reader, Uint256 /*kind*/) {
    return reader.read_uint256();
}
rlp::Result<std::uint64_t> read(rlp::Reader& reader, std::uint64_t /*kind*/) {
    return reader.read_uint64();
}
rlp::Result<BytesView> read(rlp::Reader& reader, BytesView /*kind*/) {
    return reader.read_string();
}

/// @param tell  Is told of each change, with index and value.
template <typename Value, typename Tell>
rlp::Result<void> read_changes(rlp::Reader& reader, Tell&& tell) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end()) {
        HEDDLE_TRY(rlp::Reader fields, items.read_list());
        HEDDLE_TRY(const std::uint32_t index, read_index(fields));
        HEDDLE_TRY(const Value value, read(fields, Value{}));
        HEDDLE_CHECK(fields.expect_end());
        tell(index, value);
    }
    return {};
}

rlp::Result<void> read_storage_changes(rlp::Reader& reader, AccessListVisitor& visitor) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end()) {
        HEDDLE_TRY(rlp::Reader fields, items.read_list());
        HEDDLE_TRY(const Uint256 slot, fields.read_uint256());
        visitor.changed_slot(slot);
        HEDDLE_CHECK(read_changes<Uint256>(fields, [&](std::uint32_t index, const Uint256& value) {
            visitor.slot_change(index, value);
        }));
        HEDDLE_CHECK(fields.expect_end());
    }
    return {};
}

rlp::Result<void> read_storage_reads(rlp::Reader& reader, AccessListVisitor& visitor) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end()) {
        HEDDLE_TRY(const Uint256 slot, items.read_uint256());
        visitor.read_slot(slot);
    }
    return {};
}

/// Where decoding has got to, for messages.
struct Place {
    std::optional<Address> address{};
    std::string_view field{};
};

rlp::Result<void> read_account(rlp::Reader& reader, AccessListVisitor& visitor, Place& place) {
    place = {};
    HEDDLE_TRY(rlp::Reader fields, reader.read_list());
    HEDDLE_TRY(const Address address, fields.read_address());
    visitor.account(address);
    place = {address, "storage_changes"};
    HEDDLE_CHECK(read_storage_changes(fields, visitor));
    place.field = "storage_reads";
    HEDDLE_CHECK(read_storage_reads(fields, visitor));
    place.field = "balance_changes";
    HEDDLE_CHECK(read_changes<Uint256>(fields, [&](std::uint32_t index, const Uint256& wei) {
        visitor.balance_change(index, wei);
    }));
    place.field = "nonce_changes";
    HEDDLE_CHECK(read_changes<std::uint64_t>(fields, [&](std::uint32_t index, std::uint64_t nonce) {
        visitor.nonce_change(index, nonce);
    }));
    place.field = "code_changes";
    HEDDLE_CHECK(read_changes<BytesView>(
        fields, [&](std::uint32_t index, BytesView code) { visitor.code_change(index, code); }));
    place.field = {};
    return fields.expect_end();
}

/// A cursor over the accounts of a list.
rlp::Result<rlp::Reader> enter(BytesView bytes) {
    rlp::Reader reader(bytes);
    HEDDLE_TRY(const rlp::Reader items, reader.read_list());
    HEDDLE_CHECK(reader.expect_end());
    return items;
}

rlp::Result<void> read_accounts(rlp::Reader items, AccessListVisitor& visitor, Place& place) {
    while (!items.at_end())
        HEDDLE_CHECK(read_account(items, visitor, place));
    return {};
}

AccessListError malformed(const rlp::Error& error, const Place& place = {}) {
    return {Code::malformed, error, place.address, place.field, std::nullopt, std::nullopt};
}

std::expected<void, AccessListError> visit(const rlp::Reader& items, AccessListVisitor& visitor) {
    Place place;
    if (const auto read = read_accounts(items, visitor, place); !read.has_value())
        return std::unexpected(malformed(read.error(), place));
    return {};
}

/// Makes the list again of what it is told.
class ListMaker final : public AccessListVisitor {
public:
    void account(const Address& address) override {
        list_.accounts.emplace_back().address = address;
    }
    void changed_slot(const Uint256& slot) override {
        last().storage_changes.emplace_back().slot = slot;
    }
    void slot_change(std::uint32_t index, const Uint256& value) override {
        last().storage_changes.back().changes.push_back({index, value});
    }
    void read_slot(const Uint256& slot) override { last().storage_reads.push_back(slot); }
    void balance_change(std::uint32_t index, const Uint256& wei) override {
        last().balance_changes.push_back({index, wei});
    }
    void nonce_change(std::uint32_t index, std::uint64_t nonce) override {
        last().nonce_changes.push_back({index, nonce});
    }
    void code_change(std::uint32_t index, BytesView code) override {
        last().code_changes.push_back({index, Bytes(code.begin(), code.end())});
    }
    [[nodiscard]] BlockAccessList take() noexcept { return std::move(list_); }

private:
    [[nodiscard]] ListedAccount& last() noexcept { return list_.accounts.back(); }

    BlockAccessList list_;
};

void encode_value(const Uint256& value, Bytes& out) {
    rlp::encode_uint256(value, out);
}
void encode_value(std::uint64_t value, Bytes& out) {
    rlp::encode_uint64(value, out);
}
void encode_value(const Bytes& value, Bytes& out) {
    rlp::encode_string(value, out);
}

template <typename Value>
void encode_changes(const std::vector<ListedChange<Value>>& changes, Bytes& out) {
    const std::size_t begin = out.size();
    for (const ListedChange<Value>& change : changes) {
        const std::size_t fields = out.size();
        rlp::encode_uint64(change.index, out);
        encode_value(change.value, out);
        rlp::wrap_list(fields, out);
    }
    rlp::wrap_list(begin, out);
}

void encode_account(const ListedAccount& account, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_address(account.address, out);
    const std::size_t slots_begin = out.size();
    for (const ListedSlot& slot : account.storage_changes) {
        const std::size_t fields = out.size();
        rlp::encode_uint256(slot.slot, out);
        encode_changes(slot.changes, out);
        rlp::wrap_list(fields, out);
    }
    rlp::wrap_list(slots_begin, out);
    const std::size_t reads_begin = out.size();
    for (const Uint256& slot : account.storage_reads)
        rlp::encode_uint256(slot, out);
    rlp::wrap_list(reads_begin, out);
    encode_changes(account.balance_changes, out);
    encode_changes(account.nonce_changes, out);
    encode_changes(account.code_changes, out);
    rlp::wrap_list(begin, out);
}

std::string_view to_string(Code code) noexcept {
    switch (code) {
        case Code::malformed:
            return "malformed";
        case Code::accounts_out_of_order:
            return "accounts out of order";
        case Code::slots_out_of_order:
            return "slots out of order";
        case Code::slot_without_change:
            return "a changed slot without a change";
        case Code::slot_changed_and_read:
            return "a slot both changed and only read";
        case Code::changes_out_of_order:
            return "changes out of order";
        case Code::index_above_last:
            return "an index after the block's last";
        case Code::code_too_long:
            return "code too long";
        case Code::too_many_items:
            return "more items than the gas limit allows";
    }
    return "malformed";
}

}  // namespace

std::uint64_t item_count(const BlockAccessList& list) noexcept {
    std::uint64_t count = list.accounts.size();
    for (const ListedAccount& account : list.accounts)
        count += account.storage_changes.size() + account.storage_reads.size();
    return count;
}

std::string to_string(const AccessListError& error) {
    std::string text{to_string(error.code)};
    if (error.rlp.has_value()) text += fmt::format(": {}", rlp::to_string(*error.rlp));
    if (error.address.has_value()) text += fmt::format(", account {}", to_string(*error.address));
    if (!error.field.empty()) text += fmt::format(", {}", error.field);
    if (error.slot.has_value()) text += fmt::format(", slot {}", to_hex(*error.slot));
    if (error.index.has_value()) text += fmt::format(", index {}", *error.index);
    return text;
}

std::expected<void, AccessListError> visit_access_list(BytesView encoded,
                                                       AccessListVisitor& visitor) {
    const auto items = enter(encoded);
    if (!items.has_value()) return std::unexpected(malformed(items.error()));
    return visit(*items, visitor);
}

std::expected<void, AccessListError> visit_listed_accounts(BytesView piece,
                                                           AccessListVisitor& visitor) {
    return visit(rlp::Reader(piece), visitor);
}

std::expected<std::vector<BytesView>, AccessListError> split_access_list(BytesView encoded,
                                                                         std::size_t most) {
    HEDDLE_ASSERT(most > 0);
    auto items = enter(encoded);
    if (!items.has_value()) return std::unexpected(malformed(items.error()));
    const std::size_t begin = items->offset();
    const std::size_t size = encoded.size() - begin;
    std::vector<BytesView> pieces;
    for (std::size_t first = begin; !items->at_end();) {
        if (const auto account = items->read_raw(); !account.has_value())
            return std::unexpected(malformed(account.error()));
        // The first account that ends behind the piece's share of the bytes is its last.
        const std::size_t end = items->offset();
        if (!items->at_end() && (end - begin) * most < size * (pieces.size() + 1)) continue;
        pieces.push_back(encoded.subspan(first, end - first));
        first = end;
    }
    return pieces;
}

void visit_access_list(const BlockAccessList& list, AccessListVisitor& visitor) {
    for (const ListedAccount& account : list.accounts) {
        visitor.account(account.address);
        for (const ListedSlot& slot : account.storage_changes) {
            visitor.changed_slot(slot.slot);
            for (const auto& [index, value] : slot.changes)
                visitor.slot_change(index, value);
        }
        for (const Uint256& slot : account.storage_reads)
            visitor.read_slot(slot);
        for (const auto& [index, wei] : account.balance_changes)
            visitor.balance_change(index, wei);
        for (const auto& [index, nonce] : account.nonce_changes)
            visitor.nonce_change(index, nonce);
        for (const auto& [index, code] : account.code_changes)
            visitor.code_change(index, code);
    }
}

std::expected<BlockAccessList, AccessListError> decode_block_access_list(BytesView bytes) {
    ListMaker maker;
    HEDDLE_CHECK(visit_access_list(bytes, maker));
    return maker.take();
}

void encode_block_access_list(const BlockAccessList& list, Bytes& out) {
    const std::size_t begin = out.size();
    for (const ListedAccount& account : list.accounts)
        encode_account(account, out);
    rlp::wrap_list(begin, out);
}

}  // namespace heddle
