// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/block_access_list.hpp>

#include <limits>
#include <utility>

#include <fmt/format.h>

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

rlp::Result<void> read_value(rlp::Reader& reader, Uint256& value) {
    HEDDLE_TRY(value, reader.read_uint256());
    return {};
}
rlp::Result<void> read_value(rlp::Reader& reader, std::uint64_t& value) {
    HEDDLE_TRY(value, reader.read_uint64());
    return {};
}
rlp::Result<void> read_value(rlp::Reader& reader, Bytes& value) {
    HEDDLE_TRY(const BytesView bytes, reader.read_string());
    value.assign(bytes.begin(), bytes.end());
    return {};
}

template <typename Value>
rlp::Result<void> read_changes(rlp::Reader& reader, std::vector<ListedChange<Value>>& changes) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end()) {
        HEDDLE_TRY(rlp::Reader fields, items.read_list());
        ListedChange<Value>& change = changes.emplace_back();
        HEDDLE_TRY(change.index, read_index(fields));
        HEDDLE_CHECK(read_value(fields, change.value));
        HEDDLE_CHECK(fields.expect_end());
    }
    return {};
}

rlp::Result<void> read_storage_changes(rlp::Reader& reader, std::vector<ListedSlot>& slots) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end()) {
        HEDDLE_TRY(rlp::Reader fields, items.read_list());
        ListedSlot& slot = slots.emplace_back();
        HEDDLE_CHECK(read_value(fields, slot.slot));
        HEDDLE_CHECK(read_changes(fields, slot.changes));
        HEDDLE_CHECK(fields.expect_end());
    }
    return {};
}

rlp::Result<void> read_storage_reads(rlp::Reader& reader, std::vector<Uint256>& slots) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end())
        HEDDLE_CHECK(read_value(items, slots.emplace_back()));
    return {};
}

/// Where decoding has got to, for messages.
struct Place {
    std::optional<Address> address{};
    std::string_view field{};
};

rlp::Result<void> read_account(rlp::Reader& reader, ListedAccount& account, Place& place) {
    place = {};
    HEDDLE_TRY(rlp::Reader fields, reader.read_list());
    HEDDLE_TRY(account.address, fields.read_address());
    place = {account.address, "storage_changes"};
    HEDDLE_CHECK(read_storage_changes(fields, account.storage_changes));
    place.field = "storage_reads";
    HEDDLE_CHECK(read_storage_reads(fields, account.storage_reads));
    place.field = "balance_changes";
    HEDDLE_CHECK(read_changes(fields, account.balance_changes));
    place.field = "nonce_changes";
    HEDDLE_CHECK(read_changes(fields, account.nonce_changes));
    place.field = "code_changes";
    HEDDLE_CHECK(read_changes(fields, account.code_changes));
    place.field = {};
    return fields.expect_end();
}

rlp::Result<void> read_accounts(BytesView bytes, BlockAccessList& list, Place& place) {
    rlp::Reader reader(bytes);
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    HEDDLE_CHECK(reader.expect_end());
    while (!items.at_end())
        HEDDLE_CHECK(read_account(items, list.accounts.emplace_back(), place));
    return {};
}

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

// --- Form ----------------------------------------------------------------------------------------

using Check = std::expected<void, AccessListError>;

/// The fields of one account, one after the other.
class AccountForm {
public:
    AccountForm(const ListedAccount& account, std::size_t transaction_count) noexcept
        : account_(account), last_index_(std::uint64_t{transaction_count} + 1) {}

    [[nodiscard]] Check check() const {
        HEDDLE_CHECK(check_storage());
        HEDDLE_CHECK(check_changes(account_.balance_changes, "balance_changes"));
        HEDDLE_CHECK(check_changes(account_.nonce_changes, "nonce_changes"));
        HEDDLE_CHECK(check_changes(account_.code_changes, "code_changes"));
        for (const ListedChange<Bytes>& change : account_.code_changes)
            if (change.value.size() > kMaxListedCodeBytes)
                return error(Code::code_too_long, "code_changes", std::nullopt, change.index);
        return {};
    }

private:
    [[nodiscard]] std::unexpected<AccessListError> error(
        Code code, std::string_view field, std::optional<Uint256> slot = {},
        std::optional<std::uint32_t> index = {}) const {
        return std::unexpected(
            AccessListError{code, std::nullopt, account_.address, field, slot, index});
    }

    template <typename Value>
    [[nodiscard]] Check check_changes(const std::vector<ListedChange<Value>>& changes,
                                      std::string_view field,
                                      std::optional<Uint256> slot = {}) const {
        const ListedChange<Value>* last = nullptr;
        for (const ListedChange<Value>& change : changes) {
            if (last != nullptr && change.index <= last->index)
                return error(Code::changes_out_of_order, field, slot, change.index);
            if (change.index > last_index_)
                return error(Code::index_above_last, field, slot, change.index);
            last = &change;
        }
        return {};
    }

    [[nodiscard]] Check check_storage() const {
        const Uint256* last = nullptr;
        for (const ListedSlot& slot : account_.storage_changes) {
            if (last != nullptr && slot.slot <= *last)
                return error(Code::slots_out_of_order, "storage_changes", slot.slot);
            if (slot.changes.empty())
                return error(Code::slot_without_change, "storage_changes", slot.slot);
            HEDDLE_CHECK(check_changes(slot.changes, "storage_changes", slot.slot));
            last = &slot.slot;
        }
        last = nullptr;
        auto changed = account_.storage_changes.begin();
        for (const Uint256& slot : account_.storage_reads) {
            if (last != nullptr && slot <= *last)
                return error(Code::slots_out_of_order, "storage_reads", slot);
            while (changed != account_.storage_changes.end() && changed->slot < slot)
                ++changed;
            if (changed != account_.storage_changes.end() && changed->slot == slot)
                return error(Code::slot_changed_and_read, "storage_reads", slot);
            last = &slot;
        }
        return {};
    }

    const ListedAccount& account_;
    std::uint64_t last_index_;
};

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

std::expected<BlockAccessList, AccessListError> decode_block_access_list(BytesView bytes) {
    BlockAccessList list;
    Place place;
    if (const auto read = read_accounts(bytes, list, place); !read.has_value())
        return std::unexpected(AccessListError{Code::malformed, read.error(), place.address,
                                               place.field, std::nullopt, std::nullopt});
    return list;
}

void encode_block_access_list(const BlockAccessList& list, Bytes& out) {
    const std::size_t begin = out.size();
    for (const ListedAccount& account : list.accounts)
        encode_account(account, out);
    rlp::wrap_list(begin, out);
}

Hash access_list_hash(const BlockAccessList& list) {
    Bytes encoded;
    encode_block_access_list(list, encoded);
    return keccak256(encoded);
}

std::expected<void, AccessListError> check_form(const BlockAccessList& list,
                                                std::size_t transaction_count,
                                                std::uint64_t gas_limit) {
    if (item_count(list) > max_item_count(gas_limit)) {
        AccessListError error;
        error.code = Code::too_many_items;
        return std::unexpected(error);
    }
    const ListedAccount* last = nullptr;
    for (const ListedAccount& account : list.accounts) {
        if (last != nullptr && !(last->address < account.address)) {
            AccessListError error;
            error.code = Code::accounts_out_of_order;
            error.address = account.address;
            return std::unexpected(error);
        }
        HEDDLE_CHECK(AccountForm(account, transaction_count).check());
        last = &account;
    }
    return {};
}

}  // namespace heddle
