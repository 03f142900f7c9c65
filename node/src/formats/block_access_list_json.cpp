// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/block_access_list_json.hpp"

#include <limits>
#include <string_view>
#include <vector>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"

namespace heddle::node {

namespace {

void write_value(const Uint256& value, JsonWriter& json) {
    json.quantity(value);
}
void write_value(std::uint64_t value, JsonWriter& json) {
    json.quantity(value);
}
void write_value(const Bytes& value, JsonWriter& json) {
    json.hex(value);
}

template <typename Value>
void write_changes(std::string_view name, std::string_view value_name,
                   const std::vector<ListedChange<Value>>& changes, JsonWriter& json) {
    json.key(name);
    json.begin_array();
    for (const ListedChange<Value>& change : changes) {
        json.begin_object();
        json.key("index");
        json.quantity(std::uint64_t{change.index});
        json.key(value_name);
        write_value(change.value, json);
        json.end_object();
    }
    json.end_array();
}

void write_slot(const ListedSlot& slot, JsonWriter& json) {
    json.begin_object();
    json.key("key");
    json.hash(to_hash(slot.slot));
    json.key("changes");
    json.begin_array();
    for (const ListedChange<Uint256>& change : slot.changes) {
        json.begin_object();
        json.key("index");
        json.quantity(std::uint64_t{change.index});
        json.key("value");
        json.hash(to_hash(change.value));
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

void write_account(const ListedAccount& account, JsonWriter& json) {
    json.begin_object();
    json.key("address");
    json.address(account.address);
    json.key("storageChanges");
    json.begin_array();
    for (const ListedSlot& slot : account.storage_changes)
        write_slot(slot, json);
    json.end_array();
    json.key("storageReads");
    json.begin_array();
    for (const Uint256& slot : account.storage_reads)
        json.hash(to_hash(slot));
    json.end_array();
    write_changes("balanceChanges", "value", account.balance_changes, json);
    write_changes("nonceChanges", "value", account.nonce_changes, json);
    write_changes("codeChanges", "code", account.code_changes, json);
    json.end_object();
}

template <typename Use>
void for_each(const JsonView& array, Use&& use) {
    const std::size_t size = array.size();
    for (std::size_t i = 0; i < size; ++i)
        use(array.element(i));
}

template <typename Value, typename Read>
std::vector<ListedChange<Value>> parse_changes(const JsonView& json, std::string_view value_name,
                                               Read&& read) {
    std::vector<ListedChange<Value>> changes;
    for_each(json, [&](const JsonView& item) {
        const JsonView index = item.at("blockAccessIndex");
        if (index.uint64() > std::numeric_limits<std::uint32_t>::max())
            index.fail("expected an index of 32 bits");
        changes.push_back({static_cast<std::uint32_t>(index.uint64()), read(item.at(value_name))});
    });
    return changes;
}

Uint256 read_uint256(const JsonView& json) {
    return json.uint256();
}
std::uint64_t read_uint64(const JsonView& json) {
    return json.uint64();
}
Bytes read_bytes(const JsonView& json) {
    return json.bytes();
}

}  // namespace

void write_block_access_list(const BlockAccessList& list, JsonWriter& json) {
    json.begin_array();
    for (const ListedAccount& account : list.accounts)
        write_account(account, json);
    json.end_array();
}

BlockAccessList parse_fixture_access_list(const JsonView& json) {
    BlockAccessList list;
    for_each(json, [&](const JsonView& item) {
        ListedAccount& account = list.accounts.emplace_back();
        account.address = item.at("address").address();
        for_each(item.at("storageChanges"), [&](const JsonView& slot) {
            account.storage_changes.push_back(
                {slot.at("slot").uint256(),
                 parse_changes<Uint256>(slot.at("slotChanges"), "postValue", read_uint256)});
        });
        for_each(item.at("storageReads"),
                 [&](const JsonView& slot) { account.storage_reads.push_back(slot.uint256()); });
        account.balance_changes =
            parse_changes<Uint256>(item.at("balanceChanges"), "postBalance", read_uint256);
        account.nonce_changes =
            parse_changes<std::uint64_t>(item.at("nonceChanges"), "postNonce", read_uint64);
        account.code_changes = parse_changes<Bytes>(item.at("codeChanges"), "newCode", read_bytes);
    });
    return list;
}

}  // namespace heddle::node
