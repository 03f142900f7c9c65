// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/block_access_list.hpp>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <types/hash.hpp>

namespace heddle {
namespace {

const Address kFirst = address_from_low64(1);
const Address kSecond = address_from_low64(2);
constexpr std::uint64_t kGasLimit = 30'000'000;

/// Something of everything.
BlockAccessList example() {
    ListedAccount contract;
    contract.address = kFirst;
    contract.storage_changes = {{Uint256{0}, {{0, Uint256{5}}, {2, Uint256{0}}}},
                                {~Uint256{}, {{3, ~Uint256{}}}}};
    contract.storage_reads = {Uint256{1}, Uint256{0x80}};
    contract.balance_changes = {{1, Uint256{0}}, {3, Uint256{1'000}}};
    contract.nonce_changes = {{2, 1}};
    contract.code_changes = {{2, Bytes{0x60, 0x00}}, {3, Bytes{}}};
    ListedAccount touched;
    touched.address = kSecond;
    return {{contract, touched}};
}

Bytes encoded(const BlockAccessList& list) {
    Bytes out;
    encode_block_access_list(list, out);
    return out;
}

std::optional<AccessListErrorCode> form_of(const std::function<void(BlockAccessList&)>& change,
                                           std::uint64_t gas_limit = kGasLimit) {
    BlockAccessList list = example();
    change(list);
    const auto checked = check_form(list, 2, gas_limit);
    return checked.has_value() ? std::nullopt : std::optional{checked.error().code};
}

// EIP-7928: the hash of a list without accounts.
TEST(BlockAccessList, of_nothing_has_the_hash_of_the_empty_list) {
    EXPECT_EQ(encoded({}), Bytes{0xc0});
    EXPECT_EQ(keccak256(encoded({})), kEmptyListHash);
}

TEST(BlockAccessList, comes_back_from_its_encoding) {
    EXPECT_EQ(decode_block_access_list(encoded(example())), example());
}

// By hand: an account that was only touched, then one with a slot that transaction 1 sets to 2.
TEST(BlockAccessList, is_encoded_as_the_eip_says) {
    BlockAccessList list;
    list.accounts.resize(1);
    list.accounts[0].address = kSecond;
    list.accounts[0].storage_changes = {{Uint256{0}, {{1, Uint256{2}}}}};

    EXPECT_EQ(to_hex(encoded(list)),
              "0xe1e0940000000000000000000000000000000000000002c6c580c3c20102c0c0c0c0");
}

TEST(BlockAccessList, refuses_every_cut_and_every_byte_more) {
    const Bytes bytes = encoded(example());

    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(decode_block_access_list(BytesView{bytes}.first(size)).has_value()) << size;
    Bytes longer = bytes;
    longer.push_back(0xc0);
    EXPECT_FALSE(decode_block_access_list(longer).has_value());
}

TEST(BlockAccessList, what_decodes_encodes_to_the_same_bytes) {
    const Bytes bytes = encoded(example());

    for (std::size_t i = 0; i < bytes.size(); ++i)
        for (unsigned bit = 0; bit < 8; ++bit) {
            Bytes changed = bytes;
            changed[i] = static_cast<std::uint8_t>(changed[i] ^ 1u << bit);
            const auto list = decode_block_access_list(changed);
            if (list.has_value()) EXPECT_EQ(encoded(*list), changed) << i;
        }
}

/// A list with one account whose fields after the address are these, each an item of RLP.
bool decodes(const std::vector<std::string_view>& fields) {
    Bytes bytes;
    rlp::encode_address(kFirst, bytes);
    for (const std::string_view field : fields) {
        const Bytes item = *from_hex(field);
        bytes.insert(bytes.end(), item.begin(), item.end());
    }
    rlp::wrap_list(0, bytes);
    rlp::wrap_list(0, bytes);
    return decode_block_access_list(bytes).has_value();
}

TEST(BlockAccessList, refuses_numbers_that_are_not_canonical_or_too_wide) {
    EXPECT_TRUE(decodes({"c0", "c101", "c7c684ffffffff01", "cbca0188ffffffffffffffff", "c0"}));
    EXPECT_FALSE(decodes({"c0", "c100", "c0", "c0", "c0"}));
    EXPECT_FALSE(decodes({"c0", "c3820001", "c0", "c0", "c0"}));
    EXPECT_FALSE(decodes({"c0", "c0", "c8c785010000000001", "c0", "c0"}));
    EXPECT_FALSE(decodes({"c0", "c0", "c0", "cccb0189010000000000000000", "c0"}));
    EXPECT_FALSE(decodes({"c0", "c0", "c3c20100", "c0", "c0"}));
}

TEST(BlockAccessList, refuses_fields_too_few_and_too_many) {
    EXPECT_TRUE(decodes({"c0", "c0", "c0", "c0", "c3c20180"}));
    EXPECT_FALSE(decodes({"c0", "c0", "c0", "c0"}));
    EXPECT_FALSE(decodes({"c0", "c0", "c0", "c0", "c0", "c0"}));
    EXPECT_FALSE(decodes({"c0", "c0", "c2c101", "c0", "c0"}));
    EXPECT_TRUE(decodes({"c6c501c3c20101", "c0", "c0", "c0", "c0"}));
    EXPECT_FALSE(decodes({"c7c601c3c2010101", "c0", "c0", "c0", "c0"}));
    EXPECT_FALSE(decodes({"c0", "c0", "c4c3010203", "c0", "c0"}));
    EXPECT_FALSE(decodes({"80", "c0", "c0", "c0", "c0"}));
}

TEST(BlockAccessList, names_account_and_field_of_what_does_not_decode) {
    Bytes bytes = encoded(example());
    // The nonce's change of the first account: [2, 1] becomes a string.
    const Bytes nonce{0xc3, 0xc2, 0x02, 0x01};
    const auto at = std::ranges::search(bytes, nonce).begin();
    ASSERT_NE(at, bytes.end());
    *(at + 1) = 0x82;

    const auto list = decode_block_access_list(bytes);

    ASSERT_FALSE(list.has_value());
    EXPECT_EQ(list.error().code, AccessListErrorCode::malformed);
    EXPECT_EQ(list.error().address, kFirst);
    EXPECT_EQ(list.error().field, "nonce_changes");
    EXPECT_EQ(list.error().rlp->code, rlp::ErrorCode::unexpected_string);
}

/// Notes everything that it is told.
class Transcript final : public AccessListVisitor {
public:
    BlockAccessList list;
    void account(const Address& address) override {
        list.accounts.emplace_back().address = address;
    }
    void changed_slot(const Uint256& slot) override {
        list.accounts.back().storage_changes.push_back({slot, {}});
    }
    void slot_change(std::uint32_t index, const Uint256& value) override {
        list.accounts.back().storage_changes.back().changes.push_back({index, value});
    }
    void read_slot(const Uint256& slot) override {
        list.accounts.back().storage_reads.push_back(slot);
    }
    void balance_change(std::uint32_t index, const Uint256& wei) override {
        list.accounts.back().balance_changes.push_back({index, wei});
    }
    void nonce_change(std::uint32_t index, std::uint64_t nonce) override {
        list.accounts.back().nonce_changes.push_back({index, nonce});
    }
    void code_change(std::uint32_t index, BytesView code) override {
        list.accounts.back().code_changes.push_back({index, {code.begin(), code.end()}});
    }
};

TEST(BlockAccessList, is_the_same_in_pieces) {
    // Small accounts, large ones, one that is most of the list.
    for (const std::size_t large : {0u, 1u, 300u}) {
        BlockAccessList list = example();
        for (std::uint64_t i = 10; i < 60; ++i) {
            ListedAccount& account = list.accounts.emplace_back();
            account.address = address_from_low64(i);
            for (std::uint64_t slot = 1; slot <= i % 7 + (i == 30 ? large : 0); ++slot)
                account.storage_reads.push_back(Uint256{slot});
        }
        const Bytes whole = encoded(list);
        for (std::size_t most = 1; most <= 70; ++most) {
            const auto pieces = split_access_list(whole, most);
            ASSERT_TRUE(pieces.has_value());
            EXPECT_GE(pieces->size(), 1u);
            EXPECT_LE(pieces->size(), most);
            Transcript transcript;
            for (const BytesView piece : *pieces) {
                EXPECT_FALSE(piece.empty());
                if (large == 0) EXPECT_LE(piece.size(), whole.size() / most + 250);
                EXPECT_TRUE(visit_listed_accounts(piece, transcript).has_value());
            }
            EXPECT_EQ(transcript.list, list);
        }
    }
    EXPECT_TRUE(split_access_list(encoded({}), 3)->empty());
}

TEST(BlockAccessList, is_cut_only_where_all_extents_are_right) {
    const Bytes whole = encoded(example());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto pieces = split_access_list(BytesView{whole}.first(size), 2);
        ASSERT_FALSE(pieces.has_value());
        EXPECT_EQ(pieces.error().code, AccessListErrorCode::malformed);
    }
    // What is inside of an account is found out later.
    const Bytes strange = {0xc2, 0x01, 0x02};
    const auto pieces = split_access_list(strange, 2);
    ASSERT_TRUE(pieces.has_value());
    Transcript transcript;
    EXPECT_FALSE(visit_listed_accounts(pieces->front(), transcript).has_value());
}

TEST(BlockAccessList, of_good_form_is_accepted) {
    EXPECT_EQ(form_of([](BlockAccessList&) {}), std::nullopt);
    EXPECT_TRUE(check_form({}, 0, 0).has_value());
}

TEST(BlockAccessList, must_be_in_order_and_without_repetition) {
    using enum AccessListErrorCode;
    const auto swap = [](auto& items) { std::swap(items[0], items[1]); };
    const auto repeat = [](auto& items) { items[1] = items[0]; };

    EXPECT_EQ(form_of([&](auto& l) { swap(l.accounts); }), accounts_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { repeat(l.accounts); }), accounts_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { swap(l.accounts[0].storage_changes); }), slots_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { repeat(l.accounts[0].storage_changes); }), slots_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { swap(l.accounts[0].storage_reads); }), slots_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { repeat(l.accounts[0].storage_reads); }), slots_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { swap(l.accounts[0].storage_changes[0].changes); }),
              changes_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { swap(l.accounts[0].balance_changes); }), changes_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { repeat(l.accounts[0].code_changes); }), changes_out_of_order);
    EXPECT_EQ(form_of([&](auto& l) { l.accounts[0].nonce_changes = {{2, 1}, {2, 2}}; }),
              changes_out_of_order);
}

TEST(BlockAccessList, has_each_slot_changed_or_read_and_changed_ones_with_their_changes) {
    using enum AccessListErrorCode;

    EXPECT_EQ(form_of([](auto& l) { l.accounts[0].storage_changes[1].changes.clear(); }),
              slot_without_change);
    EXPECT_EQ(form_of([](auto& l) { l.accounts[0].storage_reads.push_back(~Uint256{}); }),
              slot_changed_and_read);
    EXPECT_EQ(form_of([](auto& l) { l.accounts[0].storage_reads[0] = Uint256{0}; }),
              slot_changed_and_read);
}

TEST(BlockAccessList, ends_with_the_index_after_the_last_transaction) {
    using enum AccessListErrorCode;

    EXPECT_EQ(form_of([](auto& l) { l.accounts[0].balance_changes.back().index = 4; }),
              index_above_last);
    EXPECT_EQ(form_of([](auto& l) { l.accounts[0].storage_changes[1].changes[0].index = ~0u; }),
              index_above_last);
    EXPECT_EQ(form_of([](auto& l) { l.accounts[0].nonce_changes[0].index = 3; }), std::nullopt);
}

TEST(BlockAccessList, holds_no_longer_code_than_may_be_deployed) {
    const auto with_code = [](std::size_t size) {
        return form_of([&](auto& l) { l.accounts[0].code_changes[0].value.resize(size); });
    };

    EXPECT_EQ(with_code(65'536), std::nullopt);
    EXPECT_EQ(with_code(65'537), AccessListErrorCode::code_too_long);
}

// EIP-7928: two accounts, two changed slots and two read ones are six items of 2,000 gas.
TEST(BlockAccessList, has_no_more_items_than_the_gas_limit_pays_for) {
    const auto nothing = [](BlockAccessList&) {};

    EXPECT_EQ(item_count(example()), 6u);
    EXPECT_EQ(form_of(nothing, 12'000), std::nullopt);
    EXPECT_EQ(form_of(nothing, 11'999), AccessListErrorCode::too_many_items);
}

TEST(BlockAccessList, an_error_says_where_it_is) {
    BlockAccessList list = example();
    list.accounts[0].storage_changes[1].changes[0].index = 9;

    const auto checked = check_form(list, 2, kGasLimit);

    ASSERT_FALSE(checked.has_value());
    const std::string text = to_string(checked.error());
    EXPECT_NE(text.find("index after the block's last"), std::string::npos) << text;
    EXPECT_NE(text.find(to_string(kFirst)), std::string::npos) << text;
    EXPECT_NE(text.find("storage_changes"), std::string::npos) << text;
    EXPECT_NE(text.find("index 9"), std::string::npos) << text;
}

/// Where the example differs from itself with `change`.
AccessListDifference difference(const std::function<void(BlockAccessList&)>& change) {
    BlockAccessList computed = example();
    change(computed);
    return first_difference(example(), computed).value_or(AccessListDifference{});
}

TEST(AccessListDifference, is_none_between_equal_lists) {
    EXPECT_FALSE(first_difference(example(), example()).has_value());
}

TEST(AccessListDifference, names_an_account_that_one_list_lacks) {
    auto missing = difference([](auto& l) { l.accounts.erase(l.accounts.begin()); });
    EXPECT_EQ(missing.address, kFirst);
    EXPECT_EQ(missing.claimed, "listed");
    EXPECT_EQ(missing.computed, "absent");
    auto extra =
        difference([](auto& l) { l.accounts.emplace_back().address = address_from_low64(3); });
    EXPECT_EQ(extra.address, address_from_low64(3));
    EXPECT_EQ(extra.claimed, "absent");
}

TEST(AccessListDifference, names_slot_index_and_both_values) {
    const auto value =
        difference([](auto& l) { l.accounts[0].storage_changes[0].changes[1].value = Uint256{9}; });
    EXPECT_EQ(value.field, "storage_changes");
    EXPECT_EQ(value.slot, Uint256{0});
    EXPECT_EQ(value.index, 2u);
    EXPECT_EQ(value.claimed, "0x0");
    EXPECT_EQ(value.computed, "0x9");
    const auto index =
        difference([](auto& l) { l.accounts[0].storage_changes[0].changes[0].index = 1; });
    EXPECT_EQ(index.index, 0u);
    EXPECT_EQ(index.claimed, "0x5");
    EXPECT_EQ(index.computed, "absent");
    const auto slot = difference([](auto& l) {
        l.accounts[0].storage_changes.erase(l.accounts[0].storage_changes.begin());
    });
    EXPECT_EQ(slot.slot, Uint256{0});
    EXPECT_EQ(slot.computed, "absent");
}

TEST(AccessListDifference, looks_at_every_field) {
    EXPECT_EQ(difference([](auto& l) { l.accounts[0].storage_reads.pop_back(); }).field,
              "storage_reads");
    EXPECT_EQ(difference([](auto& l) { l.accounts[0].balance_changes.pop_back(); }).field,
              "balance_changes");
    EXPECT_EQ(difference([](auto& l) { l.accounts[0].nonce_changes[0].value = 2; }).field,
              "nonce_changes");
    const auto code = difference([](auto& l) { l.accounts[0].code_changes.pop_back(); });
    EXPECT_EQ(code.field, "code_changes");
    EXPECT_EQ(code.index, 3u);
    EXPECT_EQ(code.claimed, "0x");
}

}  // namespace
}  // namespace heddle
