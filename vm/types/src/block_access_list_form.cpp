// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of a block access list's form.
#include <types/block_access_list.hpp>

namespace heddle {

using Code = AccessListErrorCode;

std::string_view AccessListForm::name_of(Field field) noexcept {
    switch (field) {
        case Field::none:
            break;
        case Field::storage_changes:
            return "storage_changes";
        case Field::storage_reads:
            return "storage_reads";
        case Field::balance_changes:
            return "balance_changes";
        case Field::nonce_changes:
            return "nonce_changes";
        case Field::code_changes:
            return "code_changes";
    }
    return {};
}

void AccessListForm::fail(Code code, Field field, const Uint256* slot,
                          std::optional<std::uint32_t> index) {
    if (error_.has_value()) return;
    error_ = AccessListError{code, std::nullopt, address_, name_of(field), std::nullopt, index};
    if (slot != nullptr) error_->slot = *slot;
}

void AccessListForm::code_change(std::uint32_t index, BytesView code) {
    leave_slot();
    change(Field::code_changes, index);
    if (code.size() > kMaxListedCodeBytes)
        fail(Code::code_too_long, Field::code_changes, nullptr, index);
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
