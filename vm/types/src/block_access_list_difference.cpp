// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where two block access lists part.
#include <types/block_access_list.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr std::string_view kAbsent = "absent";
constexpr std::size_t kMaxShownBytes = 32;

std::string text_of(const Uint256& value) {
    return to_hex(value);
}
std::string text_of(std::uint64_t value) {
    return std::to_string(value);
}
std::string text_of(const Bytes& code) {
    if (code.size() <= kMaxShownBytes) return to_hex(code);
    return fmt::format("{}… ({} bytes)", to_hex(BytesView{code}.first(kMaxShownBytes)),
                       code.size());
}

using Found = std::optional<AccessListDifference>;

/// The first place at which two ascending ranges part: one element of each, null for an absent one.
template <typename Element, typename Key>
std::pair<const Element*, const Element*> first_parting(const std::vector<Element>& a,
                                                        const std::vector<Element>& b, Key key) {
    const auto [x, y] = std::ranges::mismatch(a, b);
    const Element* left = x == a.end() ? nullptr : &*x;
    const Element* right = y == b.end() ? nullptr : &*y;
    // One that the other list does not have at all comes before it there.
    if (left != nullptr && right != nullptr && key(*left) != key(*right))
        (key(*left) < key(*right) ? right : left) = nullptr;
    return {left, right};
}

/// The differences of one account of both.
class AccountDifference {
public:
    AccountDifference(const ListedAccount& claimed, const ListedAccount& computed) noexcept
        : claimed_(claimed), computed_(computed) {}

    [[nodiscard]] Found find() const {
        if (Found found = find_slot(); found.has_value()) return found;
        if (Found found = find_read(); found.has_value()) return found;
        if (Found found = find_change(claimed_.balance_changes, computed_.balance_changes,
                                      "balance_changes", std::nullopt);
            found.has_value())
            return found;
        if (Found found = find_change(claimed_.nonce_changes, computed_.nonce_changes,
                                      "nonce_changes", std::nullopt);
            found.has_value())
            return found;
        return find_change(claimed_.code_changes, computed_.code_changes, "code_changes",
                           std::nullopt);
    }

private:
    template <typename Value>
    [[nodiscard]] Found find_change(const std::vector<ListedChange<Value>>& claimed,
                                    const std::vector<ListedChange<Value>>& computed,
                                    std::string_view field,
                                    const std::optional<Uint256>& slot) const {
        const auto [left, right] = first_parting(
            claimed, computed, [](const ListedChange<Value>& change) { return change.index; });
        if (left == nullptr && right == nullptr) return std::nullopt;
        return AccessListDifference{
            claimed_.address,
            field,
            slot,
            left != nullptr ? left->index : right->index,
            left != nullptr ? text_of(left->value) : std::string{kAbsent},
            right != nullptr ? text_of(right->value) : std::string{kAbsent}};
    }

    [[nodiscard]] Found find_slot() const {
        const auto [left, right] =
            first_parting(claimed_.storage_changes, computed_.storage_changes,
                          [](const ListedSlot& slot) { return slot.slot; });
        if (left == nullptr && right == nullptr) return std::nullopt;
        static const std::vector<ListedChange<Uint256>> none;
        return find_change(left != nullptr ? left->changes : none,
                           right != nullptr ? right->changes : none, "storage_changes",
                           left != nullptr ? left->slot : right->slot);
    }

    [[nodiscard]] Found find_read() const {
        const auto [left, right] = first_parting(claimed_.storage_reads, computed_.storage_reads,
                                                 [](const Uint256& slot) { return slot; });
        if (left == nullptr && right == nullptr) return std::nullopt;
        return AccessListDifference{claimed_.address,
                                    "storage_reads",
                                    left != nullptr ? *left : *right,
                                    std::nullopt,
                                    std::string{left != nullptr ? "read" : kAbsent},
                                    std::string{right != nullptr ? "read" : kAbsent}};
    }

    const ListedAccount& claimed_;
    const ListedAccount& computed_;
};

}  // namespace

std::string to_string(const AccessListDifference& difference) {
    std::string text = fmt::format("account {}", to_string(difference.address));
    if (!difference.field.empty()) text += fmt::format(", {}", difference.field);
    if (difference.slot.has_value()) text += fmt::format(", slot {}", to_hex(*difference.slot));
    if (difference.index.has_value()) text += fmt::format(", index {}", *difference.index);
    return text + fmt::format(": claimed {}, computed {}", difference.claimed, difference.computed);
}

std::optional<AccessListDifference> first_difference(const BlockAccessList& claimed,
                                                     const BlockAccessList& computed) {
    const auto [left, right] =
        first_parting(claimed.accounts, computed.accounts,
                      [](const ListedAccount& account) { return account.address; });
    if (left == nullptr && right == nullptr) return std::nullopt;
    if (left != nullptr && right != nullptr) return AccountDifference(*left, *right).find();
    AccessListDifference difference;
    difference.address = left != nullptr ? left->address : right->address;
    difference.claimed = left != nullptr ? "listed" : kAbsent;
    difference.computed = right != nullptr ? "listed" : kAbsent;
    return difference;
}

}  // namespace heddle
