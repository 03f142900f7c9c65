// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block access list as tables. A list is sorted by address, so it is cut into pieces of whole
// accounts, each of which becomes a table of its own, by whoever is free: reading a list takes up
// to a tenth of the time that its block does, and nothing of the block can run before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include "values/list_part.hpp"

namespace heddle::executor {

/// Rows are known by numbers: that of the part, and in its lowest ListPart::kNumberBits that of the
/// row there.
///
/// Thread safety: begin() by one thread; then fill() of each part by any thread, at the same time;
/// then finish() by one thread; then everything else by any number.
class ListTables {
public:
    static constexpr std::size_t kMostParts = 16;
    /// Number of what is not listed.
    static constexpr std::uint32_t kAbsent = ListPart::kAbsent;

    using Code = ListPart::Code;
    using AccountRow = ListPart::AccountRow;
    using SlotRow = ListPart::SlotRow;
    template <typename Value>
    using Changes = ListPart::Changes<Value>;

    /// Forgets everything and cuts another list into parts.
    /// @param encoded     RLP; stays until finish().
    /// @param most_parts  At least one, at most kMostParts.
    /// @param gas_limit   That bounds its items, and the changes that it claims of them: of an item
    ///     there may be as many as there are transactions, and what nobody can have changed is not
    ///     worth memory.
    /// @return whether it can be one; else nothing more may be done.
    [[nodiscard]] bool begin(BytesView encoded, std::size_t transaction_count,
                             std::uint64_t gas_limit, std::size_t most_parts);
    /// Takes in a part, below part_count(). @return whether it is in good form by itself.
    bool fill(std::size_t part);
    /// @return whether it is a list in good form; else nothing may be asked.
    [[nodiscard]] bool finish();

    [[nodiscard]] std::size_t part_count() const noexcept { return pieces_.size(); }
    [[nodiscard]] const ListPart& part(std::size_t number) const noexcept { return parts_[number]; }

    // --- Numbers ---------------------------------------------------------------------------------
    [[nodiscard]] static std::uint32_t number(std::size_t part, std::size_t row) noexcept {
        return static_cast<std::uint32_t>(part << ListPart::kNumberBits | row);
    }
    [[nodiscard]] static std::size_t part_of(std::uint32_t number) noexcept {
        return number >> ListPart::kNumberBits;
    }
    [[nodiscard]] static std::uint32_t row_of(std::uint32_t number) noexcept {
        return number & ((std::uint32_t{1} << ListPart::kNumberBits) - 1);
    }
    /// kAbsent: not listed.
    [[nodiscard]] std::uint32_t find(const Address& address) const noexcept;
    [[nodiscard]] std::uint32_t find(std::uint32_t account, const Uint256& slot) const noexcept;
    /// Of the account's slots, those that change before those that are only read.
    [[nodiscard]] std::uint32_t slot_of(std::uint32_t account, std::uint32_t place) const noexcept {
        return number(part_of(account), this->account(account).slots.first + place);
    }
    [[nodiscard]] std::uint32_t account_of(std::uint32_t slot) const noexcept {
        return number(part_of(slot), this->slot(slot).account);
    }

    // --- What is behind them ---------------------------------------------------------------------
    [[nodiscard]] const AccountRow& account(std::uint32_t number) const noexcept {
        return holder(number).accounts()[row_of(number)];
    }
    [[nodiscard]] const SlotRow& slot(std::uint32_t number) const noexcept {
        return holder(number).slots()[row_of(number)];
    }
    [[nodiscard]] Changes<Uint256> changes(std::uint32_t slot) const noexcept {
        return holder(slot).changes(this->slot(slot));
    }
    [[nodiscard]] Changes<Uint256> balances(std::uint32_t account) const noexcept {
        return holder(account).balances(this->account(account));
    }
    [[nodiscard]] Changes<std::uint64_t> nonces(std::uint32_t account) const noexcept {
        return holder(account).nonces(this->account(account));
    }
    /// The value is for code() with the same account.
    [[nodiscard]] Changes<std::uint32_t> codes(std::uint32_t account) const noexcept {
        return holder(account).codes(this->account(account));
    }
    [[nodiscard]] const Code& code(std::uint32_t account, std::uint32_t value) const noexcept {
        return holder(account).code(value);
    }
    /// Code that the list brings; null: it does not.
    [[nodiscard]] const Code* find_code(const Hash& hash) const noexcept;
    /// Indices that put an end to the account, ascending.
    [[nodiscard]] std::span<const std::uint32_t> ends(std::uint32_t account) const noexcept {
        return holder(account).ends(this->account(account));
    }

    /// How many changes the list has at this index.
    [[nodiscard]] std::uint32_t change_count(std::uint32_t index) const noexcept {
        return change_counts_[index];
    }
    /// Accounts and slots.
    [[nodiscard]] std::uint64_t item_count() const noexcept {
        return bounds_.items.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t memory_bytes() const noexcept;

    /// `visit(number)` of every account, in order.
    template <typename Visit>
    void for_each_account(Visit&& visit) const {
        for (std::size_t part = 0; part < part_count(); ++part)
            for (std::size_t row = 0; row < parts_[part].accounts().size(); ++row)
                visit(number(part, row));
    }

private:
    [[nodiscard]] const ListPart& holder(std::uint32_t number) const noexcept {
        return parts_[part_of(number)];
    }

    ListBounds bounds_;
    std::vector<BytesView> pieces_;  // of the encoding, one for each part
    std::array<ListPart, kMostParts> parts_;
    std::array<bool, kMostParts> are_good_{};  // parts, each written by who fills it
    std::array<Address, kMostParts> first_{};  // of each part but the first: its first account
    std::vector<std::uint32_t> change_counts_;
};

}  // namespace heddle::executor
