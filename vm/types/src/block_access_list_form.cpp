// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of a block access list's form.
#include <types/block_access_list.hpp>

namespace heddle {

using Code = AccessListErrorCode;

void AccessListForm::fail(Code code, std::string_view field, const std::optional<Uint256>& slot,
                          std::optional<std::uint32_t> index) {
    if (!error_.has_value())
        error_ = AccessListError{code, std::nullopt, address_, field, slot, index};
}

void AccessListForm::leave_slot() {
    if (!lacks_change_) return;
    lacks_change_ = false;
    fail(Code::slot_without_change, "storage_changes", changed_slots_.back());
}

void AccessListForm::change(std::string_view field, std::uint32_t index,
                            const std::optional<Uint256>& slot) {
    if (field_ != field) {
        field_ = field;
        last_change_.reset();
    }
    if (last_change_.has_value() && index <= *last_change_)
        fail(Code::changes_out_of_order, field, slot, index);
    if (index > last_index_) fail(Code::index_above_last, field, slot, index);
    last_change_ = index;
}

void AccessListForm::account(const Address& address) {
    ++items_;
    leave_slot();
    const bool is_in_order = !address_.has_value() || *address_ < address;
    address_ = address;
    if (!is_in_order) fail(Code::accounts_out_of_order, {});
    changed_slots_.clear();
    passed_slots_ = 0;
    last_read_.reset();
    field_ = {};
}

void AccessListForm::changed_slot(const Uint256& slot) {
    ++items_;
    leave_slot();
    if (!changed_slots_.empty() && slot <= changed_slots_.back())
        fail(Code::slots_out_of_order, "storage_changes", slot);
    changed_slots_.push_back(slot);
    lacks_change_ = true;
    field_ = {};
}

void AccessListForm::slot_change(std::uint32_t index, const Uint256& /*value*/) {
    lacks_change_ = false;
    change("storage_changes", index, changed_slots_.back());
}

void AccessListForm::read_slot(const Uint256& slot) {
    ++items_;
    leave_slot();
    if (last_read_.has_value() && slot <= *last_read_)
        fail(Code::slots_out_of_order, "storage_reads", slot);
    last_read_ = slot;
    while (passed_slots_ != changed_slots_.size() && changed_slots_[passed_slots_] < slot)
        ++passed_slots_;
    if (passed_slots_ != changed_slots_.size() && changed_slots_[passed_slots_] == slot)
        fail(Code::slot_changed_and_read, "storage_reads", slot);
}

void AccessListForm::balance_change(std::uint32_t index, const Uint256& /*wei*/) {
    leave_slot();
    change("balance_changes", index);
}

void AccessListForm::nonce_change(std::uint32_t index, std::uint64_t /*nonce*/) {
    leave_slot();
    change("nonce_changes", index);
}

void AccessListForm::code_change(std::uint32_t index, BytesView code) {
    leave_slot();
    change("code_changes", index);
    if (code.size() > kMaxListedCodeBytes)
        fail(Code::code_too_long, "code_changes", std::nullopt, index);
}

std::expected<void, AccessListError> AccessListForm::check(std::uint64_t gas_limit) {
    leave_slot();
    if (items_ > max_item_count(gas_limit)) {
        AccessListError error;
        error.code = Code::too_many_items;
        return std::unexpected(error);
    }
    if (error_.has_value()) return std::unexpected(*error_);
    return {};
}

std::expected<void, AccessListError> check_form(const BlockAccessList& list,
                                                std::size_t transaction_count,
                                                std::uint64_t gas_limit) {
    AccessListForm form(transaction_count);
    visit_access_list(list, form);
    return form.check(gas_limit);
}

}  // namespace heddle
