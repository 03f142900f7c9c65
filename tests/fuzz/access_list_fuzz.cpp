// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block access lists (EIP-7928): a decoded one encodes to the same bytes, errors say where they
// are, and checks and comparisons end.
//
// Block access lists (EIP-7928): a decoded one encodes to the same bytes, errors say where they
// are, checks and comparisons end, and whoever executes from lists is of the same opinion.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <types/block_access_list.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>

#include "targets.hpp"
#include "values/listed_state.hpp"

namespace heddle::fuzz {
namespace {

constexpr std::size_t kTransactions = 2;
constexpr std::uint64_t kGasLimit = 30'000'000;

/// Of nobody.
class EmptyState final : public StateView {
public:
    [[nodiscard]] std::optional<Account> account(const Address&) const noexcept override {
        return std::nullopt;
    }
    [[nodiscard]] Uint256 storage(const Address&, const Uint256&) const noexcept override {
        return {};
    }
    [[nodiscard]] bool has_storage(const Address&) const noexcept override { return false; }
    [[nodiscard]] BytesView code(const Hash&) const noexcept override { return {}; }
};

/// @return whether it is a list for those who execute from lists.
bool take(executor::ListedState& state, BytesView input, std::size_t most_parts) {
    static const EmptyState before;
    if (!state.begin(input, before, kTransactions, kGasLimit, most_parts)) return false;
    for (std::size_t part = 0; part < state.part_count(); ++part)
        state.fill(part);
    return state.finish();
}

bool is_changed(const ListedAccount& account) {
    return !account.storage_changes.empty() || !account.balance_changes.empty() ||
           !account.nonce_changes.empty() || !account.code_changes.empty();
}

/// Where code goes the account may end, and its storage with it: what is left is less plain.
bool may_end(const ListedAccount& account) {
    return std::ranges::any_of(account.code_changes,
                               [](const auto& change) { return change.value.empty(); });
}

/// What the block leaves of an account that was not there before.
AccountChange change_of(const ListedAccount& listed) {
    AccountChange change;
    change.address = listed.address;
    Account account;
    if (!listed.balance_changes.empty()) account.balance = listed.balance_changes.back().value;
    if (!listed.nonce_changes.empty()) account.nonce = listed.nonce_changes.back().value;
    if (!listed.code_changes.empty())
        account.code_hash = keccak256(listed.code_changes.back().value);
    if (account.is_empty()) return change;
    change.account = account;
    for (const ListedSlot& slot : listed.storage_changes)
        change.storage.push_back({slot.slot, slot.changes.back().value});
    return change;
}

void check_tables(BytesView input, const BlockAccessList& list, bool is_good) {
    static executor::ListedState whole;
    static executor::ListedState in_parts;
    require(take(whole, input, 1) == is_good, "a list that is judged in two ways");
    require(take(in_parts, input, 3) == is_good, "a list that is judged otherwise in parts");
    if (!is_good) return;
    require(whole.item_count() == item_count(list), "another number of items");
    const StateDiff diff = whole.diff();
    require(diff == in_parts.diff(), "another diff in parts");
    auto change = diff.accounts.begin();
    for (const ListedAccount& account : list.accounts) {
        if (!is_changed(account)) continue;
        require(change != diff.accounts.end() && change->address == account.address,
                "a change that is lost");
        require(may_end(account) || *change == change_of(account), "another change");
        ++change;
    }
    require(change == diff.accounts.end(), "a change of nobody who is listed");
}

}  // namespace

void access_list(BytesView input) {
    const auto list = decode_block_access_list(input);
    if (!list.has_value()) {
        require(!to_string(list.error()).empty(), "an error without words");
        require(list.error().rlp.has_value() && list.error().rlp->offset <= input.size(),
                "an error outside the input");
        check_tables(input, {}, false);
        return;
    }
    Bytes out;
    encode_block_access_list(*list, out);
    require(equal(out, input), "a list changed");
    require(!first_difference(*list, *list).has_value(), "a list differs from itself");
    const auto form = check_form(*list, kTransactions, kGasLimit);
    if (!form.has_value()) require(!to_string(form.error()).empty(), "a rule without words");
    check_tables(input, *list, form.has_value());
    if (!list->accounts.empty()) {
        const auto difference = first_difference(*list, BlockAccessList{});
        require(difference.has_value() && !to_string(*difference).empty(), "no difference");
    }
}

}  // namespace heddle::fuzz
