// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "values/listed_state.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fakes.hpp"

namespace heddle::executor {
namespace {

const Address kAlice = address_from_low64(0xa);
const Address kBob = address_from_low64(0xb);
const Address kCarol = address_from_low64(0xc);
const Bytes kCode{1, 2, 3};
constexpr std::size_t kTransactions = 3;
constexpr std::uint64_t kGasLimit = 1'000'000;

/// Alice pays at 1 and 3 and writes slot 1 at 2; she and Bob are read besides. Carol gets code.
BlockAccessList list_of_block() {
    ListedAccount alice{.address = kAlice};
    alice.storage_changes = {{Uint256{1}, {{2, Uint256{12}}}}};
    alice.storage_reads = {Uint256{2}};
    alice.balance_changes = {{1, Uint256{90}}, {3, Uint256{70}}};
    alice.nonce_changes = {{1, 6}, {3, 7}};
    const ListedAccount bob{.address = kBob};
    ListedAccount carol{.address = kCarol};
    carol.nonce_changes = {{2, 1}};
    carol.code_changes = {{2, kCode}};
    return {.accounts = {alice, bob, carol}};
}

Account account(std::uint64_t nonce, std::uint64_t balance, const Hash& code = kEmptyCodeHash) {
    return {.nonce = nonce, .balance = Uint256{balance}, .code_hash = code};
}

AccountChange change_of(const Address& address, const std::optional<Account>& now,
                        std::vector<StorageChange> storage = {}) {
    return {.address = address,
            .account = now,
            .storage_cleared = false,
            .storage = std::move(storage)};
}
StateDiff diff_of(std::vector<AccountChange> accounts) {
    return {.accounts = std::move(accounts), .codes = {}};
}

/// The parameter: into how many parts lists are cut.
class ListedStateTest : public testing::TestWithParam<std::size_t> {
protected:
    void SetUp() override {
        base_.accounts[kAlice] = account(5, 100);
        base_.set_slot(kAlice, 1, 11);
        base_.set_slot(kAlice, 2, 22);
        attach();
    }
    void attach() {
        Bytes encoded;
        encode_block_access_list(list_, encoded);
        ASSERT_TRUE(takes(encoded));
    }
    /// @return whether the state takes it for a list.
    [[nodiscard]] bool takes(BytesView encoded, std::size_t transaction_count = kTransactions,
                             std::uint64_t gas_limit = kGasLimit) {
        if (!state_.begin(encoded, base_, transaction_count, gas_limit, GetParam())) return false;
        EXPECT_LE(state_.part_count(), GetParam());
        for (std::size_t part = state_.part_count(); part > 0; --part)
            state_.fill(part - 1);
        return state_.finish();
    }
    /// Alice's change at 1, as the list has it.
    static StateDiff first_diff() { return diff_of({change_of(kAlice, account(6, 90))}); }
    /// What happens at 2, with 12 and kCode as the list has it.
    static StateDiff second_diff(std::uint64_t written, const Bytes& code) {
        return diff_of({change_of(kAlice, account(6, 90), {{Uint256{1}, Uint256{written}}}),
                        change_of(kCarol, account(1, 0, keccak256(code)))});
    }
    /// The same question as claims() of a diff, by somebody who has noted the rows while running.
    [[nodiscard]] bool transaction_claims(std::uint32_t index, const StateDiff& diff,
                                          const std::optional<vm::DeferredFee>& fee) const {
        vm::AccessRecord accesses;
        AskedRows asked;
        const ListedView view(state_, index, &asked);
        for (const AccountChange& change : diff.accounts) {
            const auto place = static_cast<std::uint32_t>(accesses.accounts.size());
            accesses.changed_accounts.push_back(place);
            accesses.accounts.emplace_back().address = change.address;
            (void)view.account(change.address);
            for (const StorageChange& written : change.storage) {
                accesses.changed_slots.push_back(static_cast<std::uint32_t>(accesses.slots.size()));
                accesses.slots.push_back({written.slot, place, true});
                (void)view.storage(change.address, written.slot);
            }
        }
        if (!fee.has_value()) EXPECT_EQ(state_.note(accesses), state_.note(accesses, asked));
        const bool claims = state_.claims(index, diff, accesses, asked, fee);
        if (!fee.has_value()) EXPECT_EQ(claims, state_.claims(index, diff));
        return claims;
    }
    [[nodiscard]] bool claims(std::uint32_t index, const StateDiff& diff) const {
        return transaction_claims(index, diff, std::nullopt);
    }
    static vm::AccessRecord accesses_of(const std::vector<Address>& accounts) {
        vm::AccessRecord record;
        for (const Address& address : accounts)
            record.accounts.emplace_back().address = address;
        return record;
    }
    static vm::AccessRecord accesses_of_slots(const Address& address,
                                              const std::vector<std::uint64_t>& slots) {
        vm::AccessRecord record = accesses_of({address});
        for (const std::uint64_t slot : slots)
            record.slots.push_back({.slot = Uint256{slot}, .account = 0});
        return record;
    }

    test::FakeState base_;
    BlockAccessList list_ = list_of_block();
    ListedState state_;
};

TEST_P(ListedStateTest, shows_what_was_before_the_block_where_nothing_changes_it) {
    EXPECT_EQ(state_.account(kAlice, 0), account(5, 100));
    EXPECT_EQ(state_.account(kBob, 4), std::nullopt);
    EXPECT_EQ(state_.storage(kAlice, Uint256{2}, 4), Uint256{22});
    EXPECT_EQ(state_.storage(kBob, Uint256{2}, 4), Uint256{});
}

TEST_P(ListedStateTest, shows_an_index_what_the_earlier_ones_have_changed_and_no_more) {
    EXPECT_EQ(state_.account(kAlice, 1), account(5, 100));
    EXPECT_EQ(state_.account(kAlice, 2), account(6, 90));
    EXPECT_EQ(state_.account(kAlice, 3), account(6, 90));
    EXPECT_EQ(state_.account(kAlice, 4), account(7, 70));
    EXPECT_EQ(state_.storage(kAlice, Uint256{1}, 2), Uint256{11});
    EXPECT_EQ(state_.storage(kAlice, Uint256{1}, 3), Uint256{12});
}

TEST_P(ListedStateTest, shows_code_that_the_list_brings) {
    EXPECT_EQ(state_.account(kCarol, 2), std::nullopt);
    EXPECT_EQ(state_.account(kCarol, 3), account(1, 0, keccak256(kCode)));
    EXPECT_EQ(Bytes(state_.code(keccak256(kCode)).begin(), state_.code(keccak256(kCode)).end()),
              kCode);
}

TEST_P(ListedStateTest, reads_accounts_that_the_list_leaves_out_where_they_are) {
    base_.accounts[address_from_low64(0xd)] = account(1, 1);

    EXPECT_EQ(state_.account(address_from_low64(0xd), 2), account(1, 1));
}

TEST_P(ListedStateTest, takes_an_account_that_is_left_empty_for_gone) {
    list_.accounts[0].balance_changes[1].value = Uint256{};
    list_.accounts[0].nonce_changes[1].value = 0;
    attach();

    EXPECT_EQ(state_.account(kAlice, 4), std::nullopt);
    EXPECT_EQ(state_.diff().accounts[0].account, std::nullopt);
}

TEST_P(ListedStateTest, confirms_changes_that_are_those_of_the_list) {
    EXPECT_TRUE(claims(1, first_diff()));
    EXPECT_TRUE(claims(2, second_diff(12, kCode)));
    EXPECT_TRUE(claims(0, StateDiff{}));
    EXPECT_TRUE(claims(4, {}));
}

TEST_P(ListedStateTest, refuses_a_change_that_the_list_gives_another_value) {
    EXPECT_FALSE(claims(1, diff_of({change_of(kAlice, account(6, 91))})));
    EXPECT_FALSE(claims(1, diff_of({change_of(kAlice, account(7, 90))})));
    EXPECT_FALSE(claims(2, second_diff(13, kCode)));
    EXPECT_FALSE(claims(2, second_diff(12, {})));
}

TEST_P(ListedStateTest, refuses_a_change_that_the_list_does_not_have) {
    StateDiff diff = first_diff();
    diff.accounts.push_back(change_of(kBob, account(0, 10)));
    EXPECT_FALSE(claims(1, diff));

    diff = first_diff();
    diff.accounts[0].storage = {{Uint256{1}, Uint256{12}}};
    EXPECT_FALSE(claims(1, diff));

    diff = first_diff();
    diff.accounts.push_back(change_of(address_from_low64(0xd), account(0, 10)));
    EXPECT_FALSE(claims(1, diff));
}

TEST_P(ListedStateTest, refuses_a_list_with_changes_that_do_not_happen) {
    EXPECT_FALSE(claims(1, {}));
    EXPECT_FALSE(claims(1, diff_of({change_of(kAlice, account(6, 100))})));
    StateDiff half = second_diff(12, kCode);
    half.accounts.pop_back();
    EXPECT_FALSE(claims(2, half));
}

TEST_P(ListedStateTest, takes_a_slot_that_keeps_its_value_for_unchanged) {
    StateDiff diff = first_diff();
    diff.accounts[0].storage = {{Uint256{2}, Uint256{22}}};

    EXPECT_TRUE(claims(1, diff));
}

TEST_P(ListedStateTest, counts_a_fee_that_is_not_in_the_diff) {
    list_.accounts[1].balance_changes = {{1, Uint256{4}}, {2, Uint256{9}}};
    attach();

    EXPECT_TRUE(transaction_claims(1, first_diff(), vm::DeferredFee{kBob, Uint256{4}}));
    EXPECT_FALSE(transaction_claims(1, first_diff(), vm::DeferredFee{kBob, Uint256{5}}));
    EXPECT_FALSE(transaction_claims(1, first_diff(), vm::DeferredFee{kBob, Uint256{}}));
    EXPECT_FALSE(transaction_claims(1, first_diff(), std::nullopt));
}

TEST_P(ListedStateTest, is_exhausted_when_all_of_it_was_accessed) {
    EXPECT_FALSE(state_.is_exhausted());
    EXPECT_TRUE(state_.note(accesses_of_slots(kAlice, {1, 2})));
    EXPECT_TRUE(state_.note(accesses_of({kBob})));
    EXPECT_FALSE(state_.is_exhausted());
    EXPECT_TRUE(state_.note(kCarol));
    EXPECT_TRUE(state_.is_exhausted());
}

TEST_P(ListedStateTest, counts_what_nobody_has_accessed_yet) {
    const std::uint64_t all = item_count(list_);
    EXPECT_EQ(state_.unaccessed(), all);
    EXPECT_TRUE(state_.note(accesses_of({kAlice})));
    EXPECT_EQ(state_.unaccessed(), all - 1);
    EXPECT_TRUE(state_.note(accesses_of_slots(kAlice, {1, 2})));
    EXPECT_TRUE(state_.note(kAlice));
    EXPECT_EQ(state_.unaccessed(), all - 3);
    attach();
    EXPECT_EQ(state_.unaccessed(), all);
}

TEST_P(ListedStateTest, names_all_of_the_list_that_can_be_read_ahead) {
    const ObjectSet objects = state_.objects();
    EXPECT_EQ(objects.accesses().size(), item_count(list_));
    EXPECT_NE(objects.find({kAlice, ObjectKind::balance, {}}), nullptr);
    EXPECT_NE(objects.find({kAlice, ObjectKind::storage, Uint256{1}}), nullptr);
    EXPECT_NE(objects.find({kAlice, ObjectKind::storage, Uint256{2}}), nullptr);
}

TEST_P(ListedStateTest, a_sample_of_a_short_list_is_all_of_it) {
    const std::vector<ObjectId> sample = state_.sample();
    const ObjectSet objects = state_.objects();
    EXPECT_EQ(sample.size(), objects.accesses().size());
    for (const ObjectId& object : sample)
        EXPECT_NE(objects.find(object), nullptr);
}

TEST_P(ListedStateTest, a_sample_of_a_long_list_is_short_and_from_everywhere_in_it) {
    list_ = {};
    for (std::uint64_t i = 1; i <= 160; ++i) {
        ListedAccount& account = list_.accounts.emplace_back();
        account.address = address_from_low64(i);
        account.storage_reads = {Uint256{1}, Uint256{2}};
    }
    attach();

    const std::vector<ObjectId> sample = state_.sample();
    EXPECT_GE(sample.size(), 32u);
    EXPECT_LE(sample.size(), 66u);
    std::set<Address> in_quarters;  // the first sampled account of each quarter of the list
    for (const ObjectId& object : sample) {
        EXPECT_NE(state_.objects().find(object), nullptr);
        for (std::uint64_t quarter = 0; quarter < 4; ++quarter)
            if (address_from_low64(40 * quarter) < object.address &&
                object.address <= address_from_low64(40 * quarter + 40))
                in_quarters.insert(address_from_low64(quarter));
    }
    EXPECT_EQ(in_quarters.size(), 4u);
}

TEST_P(ListedStateTest, finds_slots_of_accounts_that_are_asked_for_in_turn) {
    list_.accounts[1].storage_reads = {Uint256{2}};  // Bob's
    base_.set_slot(kBob, 2, 222);
    attach();
    const Address stranger = address_from_low64(0xd);
    base_.set_slot(stranger, 2, 2'222);
    AskedRows asked;
    const ListedView view(state_, 4, &asked);
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(view.storage(kAlice, Uint256{1}), Uint256{12});
        EXPECT_EQ(view.storage(kAlice, Uint256{2}), Uint256{22});
        EXPECT_EQ(view.storage(kBob, Uint256{2}), Uint256{222});
        EXPECT_EQ(view.storage(stranger, Uint256{2}), Uint256{2'222});
        EXPECT_EQ(view.account(kAlice), account(7, 70));
        EXPECT_EQ(view.storage(kBob, Uint256{2}), Uint256{222});
    }
    EXPECT_EQ(asked.accounts.size(), 3u);
    EXPECT_EQ(asked.slots.size(), 15u);
    // Another block's rows are others.
    std::swap(list_.accounts[0], list_.accounts[1]);
    list_.accounts.erase(list_.accounts.begin());
    attach();
    asked.clear();
    EXPECT_EQ(view.storage(kAlice, Uint256{2}), Uint256{22});
}

TEST_P(ListedStateTest, finds_the_zero_address_where_it_is_asked_for_first) {
    list_.accounts.insert(list_.accounts.begin(), ListedAccount{});
    attach();
    AskedRows asked;
    (void)ListedView(state_, 1, &asked).account(Address{});
    EXPECT_NE(asked.accounts, std::vector{ListTables::kAbsent});
}

TEST_P(ListedStateTest, refuses_accesses_that_the_list_leaves_out) {
    EXPECT_FALSE(state_.note(address_from_low64(0xd)));
    EXPECT_FALSE(state_.note(accesses_of({kAlice, address_from_low64(0xd)})));
    EXPECT_FALSE(state_.note(accesses_of_slots(kAlice, {1, 3})));
    vm::AccessRecord fresh = accesses_of({kCarol});
    fresh.fresh_slots.push_back({.slot = Uint256{1}, .account = 0});
    EXPECT_FALSE(state_.note(fresh));
}

TEST_P(ListedStateTest, gives_the_last_value_of_everything_that_changes) {
    const StateDiff diff = state_.diff();

    ASSERT_EQ(diff.accounts.size(), 2u);
    EXPECT_EQ(diff.accounts[0].account, account(7, 70));
    EXPECT_EQ(diff.accounts[0].storage, (std::vector<StorageChange>{{Uint256{1}, Uint256{12}}}));
    EXPECT_EQ(diff.accounts[1].account, account(1, 0, keccak256(kCode)));
    EXPECT_EQ(diff.codes, (std::vector<CodeChange>{{keccak256(kCode), kCode}}));
}

// Self-destruction before EIP-6780: everything of the account goes, and what comes later is new.
TEST_P(ListedStateTest, knows_that_storage_goes_with_an_account_whose_code_goes) {
    base_.accounts[kCarol] = account(1, 5, keccak256(kCode));
    base_.set_slot(kCarol, 7, 77);
    base_.set_slot(kCarol, 8, 88);
    list_ = {.accounts = {{.address = kCarol,
                           .storage_changes = {{Uint256{8}, {{1, Uint256{89}}, {3, Uint256{90}}}}},
                           .storage_reads = {Uint256{7}},
                           .balance_changes = {{2, Uint256{}}, {3, Uint256{1}}},
                           .nonce_changes = {{2, 0}},
                           .code_changes = {{2, {}}}}}};
    attach();

    EXPECT_EQ(state_.storage(kCarol, Uint256{7}, 2), Uint256{77});
    EXPECT_EQ(state_.storage(kCarol, Uint256{8}, 2), Uint256{89});
    EXPECT_TRUE(state_.has_storage(kCarol, 2));
    StateDiff end = diff_of({change_of(kCarol, std::nullopt)});
    end.accounts[0].storage_cleared = true;
    EXPECT_TRUE(claims(2, end));
    EXPECT_FALSE(claims(2, diff_of({change_of(kCarol, account(0, 0))})));

    EXPECT_EQ(state_.account(kCarol, 3), std::nullopt);
    EXPECT_EQ(state_.storage(kCarol, Uint256{7}, 3), Uint256{});
    EXPECT_EQ(state_.storage(kCarol, Uint256{8}, 3), Uint256{});
    EXPECT_FALSE(state_.has_storage(kCarol, 3));
    EXPECT_EQ(state_.storage(kCarol, Uint256{8}, 4), Uint256{90});
    const StateDiff diff = state_.diff();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_TRUE(diff.accounts[0].storage_cleared);
    EXPECT_EQ(diff.accounts[0].account, account(0, 1));
    EXPECT_EQ(diff.accounts[0].storage, (std::vector<StorageChange>{{Uint256{8}, Uint256{90}}}));
}

// Going through them for each creation at such an address took many times what the block takes.
TEST_P(ListedStateTest, does_not_go_through_slots_that_are_claimed_of_what_nobody_has_made) {
    list_ = {.accounts = {{.address = kCarol,
                           .storage_changes = {{Uint256{7}, {{1, Uint256{77}}}},
                                               {Uint256{8}, {{1, Uint256{88}}}}},
                           .balance_changes = {{1, Uint256{5}}}}}};
    attach();
    EXPECT_EQ(state_.storage(kCarol, Uint256{7}, 2), Uint256{77});
    EXPECT_FALSE(state_.has_storage(kCarol, 2));
    base_.set_slot(kCarol, 9, 99);
    EXPECT_TRUE(state_.has_storage(kCarol, 2));
}

TEST_P(ListedStateTest, knows_that_storage_which_was_written_in_the_block_goes_with_an_end_only) {
    list_ = {.accounts = {{.address = kCarol,
                           .storage_changes = {{Uint256{7}, {{1, Uint256{77}}}}},
                           .balance_changes = {{2, Uint256{5}}},
                           .nonce_changes = {{1, 1}, {2, 0}},
                           .code_changes = {{1, kCode}, {2, {}}}}}};
    attach();
    StateDiff cleared = diff_of({change_of(kCarol, account(0, 5))});
    cleared.accounts[0].storage_cleared = true;
    EXPECT_FALSE(claims(2, cleared)) << "it is still there, with code before";
}

// EIP-7702: a delegation that is taken back leaves the account, which has a nonce.
TEST_P(ListedStateTest, does_not_take_a_delegation_that_goes_for_an_end) {
    base_.accounts[kCarol] = account(1, 0, keccak256(kCode));
    base_.set_slot(kCarol, 7, 77);
    list_ = {.accounts = {{.address = kCarol,
                           .storage_reads = {Uint256{7}},
                           .nonce_changes = {{2, 2}},
                           .code_changes = {{2, {}}}}}};
    attach();

    EXPECT_EQ(state_.storage(kCarol, Uint256{7}, 3), Uint256{77});
    EXPECT_TRUE(state_.has_storage(kCarol, 3));
    EXPECT_FALSE(state_.diff().accounts[0].storage_cleared);
}

TEST_P(ListedStateTest, refuses_what_leaves_an_account_that_is_there_and_empty) {
    EXPECT_FALSE(claims(4, diff_of({change_of(kBob, account(0, 0))})));
}

TEST_P(ListedStateTest, takes_no_list_that_is_not_in_good_form) {
    Bytes encoded;
    encode_block_access_list(list_, encoded);

    EXPECT_TRUE(takes(encoded));
    EXPECT_FALSE(takes(encoded, 1));
    EXPECT_FALSE(takes(encoded, kTransactions, 1'999));
    EXPECT_FALSE(takes(BytesView{encoded}.first(encoded.size() - 1)));
}

TEST_P(ListedStateTest, takes_a_list_of_nothing) {
    list_ = {};
    attach();
    EXPECT_EQ(state_.part_count(), 0u);
    EXPECT_TRUE(state_.is_exhausted());
    EXPECT_EQ(state_.account(kAlice, 1), base_.account(kAlice));
    EXPECT_TRUE(state_.diff().accounts.empty());
}

TEST_P(ListedStateTest, takes_no_list_whose_parts_are_good_and_not_in_order) {
    std::ranges::swap(list_.accounts[0], list_.accounts[2]);
    Bytes encoded;
    encode_block_access_list(list_, encoded);
    EXPECT_FALSE(takes(encoded));
    list_.accounts[0] = list_.accounts[1] = list_.accounts[2];  // the same thrice
    encoded.clear();
    encode_block_access_list(list_, encoded);
    EXPECT_FALSE(takes(encoded));
}

TEST_P(ListedStateTest, counts_the_items_of_all_parts_together) {
    Bytes encoded;
    encode_block_access_list(list_, encoded);
    const std::uint64_t items = item_count(list_);
    EXPECT_TRUE(takes(encoded, kTransactions, kAccessListItemGas * items));
    EXPECT_FALSE(takes(encoded, kTransactions, kAccessListItemGas * items - 1));
}

TEST_P(ListedStateTest, has_all_expected_that_is_in_the_list) {
    base_.expected.clear();
    base_.most_expected = 1'000;
    attach();

    std::vector<ObjectId> listed;
    for (const Access& access : state_.objects().accesses())
        listed.push_back(access.object);
    EXPECT_GT(listed.size(), 4u);
    EXPECT_TRUE(std::ranges::is_permutation(base_.expected, listed));
}

TEST_P(ListedStateTest, asks_a_state_once_a_part_that_has_nothing_to_expect) {
    list_.accounts.clear();
    for (std::uint64_t i = 1; i <= 400; ++i)
        list_.accounts.emplace_back().address = address_from_low64(i);
    base_.expected.clear();
    attach();

    EXPECT_LE(base_.expected.size(), 32 * state_.part_count());
}

TEST_P(ListedStateTest, gives_many_threads_that_want_the_same_at_once_the_same) {
    for (int round = 0; round < 200; ++round) {
        attach();
        std::atomic<int> waiting{2};
        std::atomic<int> wrong{0};
        const auto look = [&] {
            --waiting;
            while (waiting.load() != 0)
                std::this_thread::yield();
            for (std::uint32_t index = 0; index < 5; ++index) {
                if (state_.account(kAlice, index) != (index < 2   ? account(5, 100)
                                                      : index < 4 ? account(6, 90)
                                                                  : account(7, 70)) ||
                    state_.storage(kAlice, Uint256{2}, index) != Uint256{22})
                    ++wrong;
            }
            if (!state_.note(accesses_of_slots(kAlice, {1, 2}))) ++wrong;
        };
        std::thread other(look);
        look();
        other.join();
        ASSERT_EQ(wrong.load(), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Parts, ListedStateTest, testing::Values(1, 2, 3, ListTables::kMostParts));

}  // namespace
}  // namespace heddle::executor
