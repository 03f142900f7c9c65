// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block access lists (EIP-7928): every account and slot that a block accesses, and what it gives
// them, step by step. The wire format and the rules of form; how a list comes about while a block
// runs is vm/access_list_recorder.hpp's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/rlp.hpp>
#include <types/uint256.hpp>

namespace heddle {

/// What a field has after the steps of an index: 0 is what comes before the first transaction, 1 to
/// n are the transactions, n + 1 is what comes after the last.
template <typename Value>
struct ListedChange {
    std::uint32_t index = 0;
    Value value{};
    friend bool operator==(const ListedChange&, const ListedChange&) = default;
};

struct ListedSlot {
    Uint256 slot;
    std::vector<ListedChange<Uint256>> changes;  // never empty
    friend bool operator==(const ListedSlot&, const ListedSlot&) = default;
};

/// An account that was accessed, if only that: then all of its lists are empty.
struct ListedAccount {
    Address address;
    std::vector<ListedSlot> storage_changes{};
    std::vector<Uint256> storage_reads{};                  // slots that no index changes
    std::vector<ListedChange<Uint256>> balance_changes{};  // wei
    std::vector<ListedChange<std::uint64_t>> nonce_changes{};
    std::vector<ListedChange<Bytes>> code_changes{};  // empty: the code is gone
    friend bool operator==(const ListedAccount&, const ListedAccount&) = default;
};

/// Accounts ascend by address, slots and reads by number, changes by index; nothing occurs twice.
struct BlockAccessList {
    std::vector<ListedAccount> accounts;
    friend bool operator==(const BlockAccessList&, const BlockAccessList&) = default;
};

/// What of the block's gas limit each item of its list stands for.
inline constexpr std::uint64_t kAccessListItemGas = 2'000;
/// No code is longer in a list (EIP-7954).
inline constexpr std::size_t kMaxListedCodeBytes = 65'536;

/// Accounts and slots, changed ones and others: what the gas limit bounds.
[[nodiscard]] std::uint64_t item_count(const BlockAccessList& list) noexcept;
/// How many items the list of a block with this gas limit may have.
[[nodiscard]] constexpr std::uint64_t max_item_count(std::uint64_t gas_limit) noexcept {
    return gas_limit / kAccessListItemGas;
}

enum class AccessListErrorCode : std::uint8_t {
    malformed,  // `rlp` says why
    accounts_out_of_order,
    slots_out_of_order,
    slot_without_change,
    slot_changed_and_read,
    changes_out_of_order,
    index_above_last,
    code_too_long,
    too_many_items,
};

/// Why a list is none, and where. "Out of order" includes what occurs twice.
struct AccessListError {
    AccessListErrorCode code = AccessListErrorCode::malformed;
    std::optional<rlp::Error> rlp;
    std::optional<Address> address;
    std::string_view field;  // of the account, as in the EIP; may be empty
    std::optional<Uint256> slot;
    std::optional<std::uint32_t> index;
    friend bool operator==(const AccessListError&, const AccessListError&) = default;
};
/// One sentence: what is wrong, account, field, slot, index.
[[nodiscard]] std::string to_string(const AccessListError& error);

/// Is told what a list consists of, in the order of its encoding: an account, then what it has; a
/// changed slot, then its changes. So a list can be taken in without becoming a BlockAccessList.
class AccessListVisitor {
public:
    virtual ~AccessListVisitor() = default;
    virtual void account(const Address& address) = 0;
    virtual void changed_slot(const Uint256& slot) = 0;
    virtual void slot_change(std::uint32_t index, const Uint256& value) = 0;
    virtual void read_slot(const Uint256& slot) = 0;
    virtual void balance_change(std::uint32_t index, const Uint256& wei) = 0;
    virtual void nonce_change(std::uint32_t index, std::uint64_t nonce) = 0;
    /// @param code  Part of the encoding.
    virtual void code_change(std::uint32_t index, BytesView code) = 0;
};

/// Tells of a list whose RLP is canonical; order and bounds are AccessListForm's business. Where it
/// turns out not to be, the visitor has been told of what is before.
/// Time is linear in the bytes; no memory.
[[nodiscard]] std::expected<void, AccessListError> visit_access_list(BytesView encoded,
                                                                     AccessListVisitor& visitor);
void visit_access_list(const BlockAccessList& list, AccessListVisitor& visitor);

/// Cuts an encoded list into pieces of about the same size, whole accounts each, in their order and
/// as far as their extent tells: visit_listed_accounts() of one after the other is
/// visit_access_list() of the whole.
/// @param most  Pieces; at least one.
/// @return fewer where there are few accounts, none for a list without any; parts of `encoded`.
/// Errors: malformed, where not even the extents of accounts can be told.
/// Time is linear in the accounts.
[[nodiscard]] std::expected<std::vector<BytesView>, AccessListError> split_access_list(
    BytesView encoded, std::size_t most);
/// The same as visit_access_list() for a piece; offsets of errors are in it.
[[nodiscard]] std::expected<void, AccessListError> visit_listed_accounts(
    BytesView piece, AccessListVisitor& visitor);

/// Checks what can be said of a list without executing its block, while it is told of it.
class AccessListForm final : public AccessListVisitor {
public:
    explicit AccessListForm(std::size_t transaction_count) noexcept
        : last_index_(std::uint64_t{transaction_count} + 1) {}

    void account(const Address& address) override {
        ++items_;
        leave_slot();
        const bool is_in_order = !address_.has_value() || *address_ < address;
        address_ = address;
        if (!is_in_order) fail(AccessListErrorCode::accounts_out_of_order, Field::none);
        changed_slots_.clear();
        passed_slots_ = 0;
        last_read_.reset();
        field_ = Field::none;
    }
    void changed_slot(const Uint256& slot) override {
        ++items_;
        leave_slot();
        if (!changed_slots_.empty() && slot <= changed_slots_.back())
            fail(AccessListErrorCode::slots_out_of_order, Field::storage_changes, &slot);
        changed_slots_.push_back(slot);
        lacks_change_ = true;
        field_ = Field::none;
    }
    void slot_change(std::uint32_t index, const Uint256& /*value*/) override {
        lacks_change_ = false;
        change(Field::storage_changes, index, &changed_slots_.back());
    }
    void read_slot(const Uint256& slot) override {
        ++items_;
        leave_slot();
        if (last_read_.has_value() && slot <= *last_read_)
            fail(AccessListErrorCode::slots_out_of_order, Field::storage_reads, &slot);
        last_read_ = slot;
        while (passed_slots_ != changed_slots_.size() && changed_slots_[passed_slots_] < slot)
            ++passed_slots_;
        if (passed_slots_ != changed_slots_.size() && changed_slots_[passed_slots_] == slot)
            fail(AccessListErrorCode::slot_changed_and_read, Field::storage_reads, &slot);
    }
    void balance_change(std::uint32_t index, const Uint256& /*wei*/) override {
        leave_slot();
        change(Field::balance_changes, index);
    }
    void nonce_change(std::uint32_t index, std::uint64_t /*nonce*/) override {
        leave_slot();
        change(Field::nonce_changes, index);
    }
    void code_change(std::uint32_t index, BytesView code) override;

    /// Whether all is well so far.
    [[nodiscard]] bool is_good() const noexcept { return !error_.has_value(); }
    /// Accounts and slots so far.
    [[nodiscard]] std::uint64_t item_count() const noexcept { return items_; }
    /// Whether all is well but for the number of items, once it is told no more.
    [[nodiscard]] bool is_good_at_end() {
        leave_slot();
        return is_good();
    }
    /// Once the list is over.
    /// Errors: the first broken rule; that there are too many items comes first.
    [[nodiscard]] std::expected<void, AccessListError> check(std::uint64_t gas_limit);

private:
    enum class Field : std::uint8_t {
        none,
        storage_changes,
        storage_reads,
        balance_changes,
        nonce_changes,
        code_changes,
    };

    /// As in the EIP.
    [[nodiscard]] static std::string_view name_of(Field field) noexcept;
    /// Notes the first broken rule.
    void fail(AccessListErrorCode code, Field field, const Uint256* slot = nullptr,
              std::optional<std::uint32_t> index = {});
    void change(Field field, std::uint32_t index, const Uint256* slot = nullptr) {
        if (field_ != field) {
            field_ = field;
            last_change_.reset();
        }
        if (last_change_.has_value() && index <= *last_change_)
            fail(AccessListErrorCode::changes_out_of_order, field, slot, index);
        if (index > last_index_) fail(AccessListErrorCode::index_above_last, field, slot, index);
        last_change_ = index;
    }
    void leave_slot() {
        if (!lacks_change_) return;
        lacks_change_ = false;
        fail(AccessListErrorCode::slot_without_change, Field::storage_changes,
             &changed_slots_.back());
    }

    const std::uint64_t last_index_;
    std::optional<AccessListError> error_;  // the first
    std::uint64_t items_ = 0;

    // Of the present account.
    std::optional<Address> address_;
    std::vector<Uint256> changed_slots_;
    std::size_t passed_slots_ = 0;  // changed ones below the last that is read
    bool lacks_change_ = false;     // the last changed slot
    std::optional<Uint256> last_read_;
    // Of the present list of changes.
    Field field_ = Field::none;
    std::optional<std::uint32_t> last_change_;
};

/// Decodes a list whose RLP is canonical; order and bounds are check_form()'s business.
/// Time and memory are linear in the bytes.
[[nodiscard]] std::expected<BlockAccessList, AccessListError> decode_block_access_list(
    BytesView bytes);
/// Appends it. KEC of an encoded list is a header's block_access_list_hash.
void encode_block_access_list(const BlockAccessList& list, Bytes& out);

/// The same as AccessListForm.
[[nodiscard]] std::expected<void, AccessListError> check_form(const BlockAccessList& list,
                                                              std::size_t transaction_count,
                                                              std::uint64_t gas_limit);

/// Where two lists part.
struct AccessListDifference {
    Address address;
    std::string_view field;  // as in the EIP; empty: only one of them has the account
    std::optional<Uint256> slot;
    std::optional<std::uint32_t> index;
    std::string claimed;   // what the one says; "absent" where it says nothing
    std::string computed;  // what the other says
};
/// One sentence: account, field, slot, index, both values.
[[nodiscard]] std::string to_string(const AccessListDifference& difference);

/// The first difference of two lists that are in order; nullopt: they are equal.
[[nodiscard]] std::optional<AccessListDifference> first_difference(const BlockAccessList& claimed,
                                                                   const BlockAccessList& computed);

}  // namespace heddle
