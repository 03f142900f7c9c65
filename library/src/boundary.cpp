// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "boundary.hpp"

#include <array>

namespace heddle::library {

namespace {

constexpr std::array kStatusNames = {
    "ok",        "invalid argument", "malformed", "rejected",      "callback failed",
    "bad state", "limit exceeded",   "busy",      "out of memory", "internal error",
};

/// As much as there is room for, with a zero behind it.
template <std::size_t kSize>
void copy_text(std::string_view text, char (&out)[kSize]) noexcept {
    const std::size_t size = std::min(text.size(), kSize - 1);
    (void)text.copy(out, size);
    std::memset(out + size, 0, kSize - size);
}

}  // namespace

std::string rule_word(std::string_view text) {
    std::string word;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (is_plain)
            word += c;
        else if (c >= 'A' && c <= 'Z')
            word += static_cast<char>(c - 'A' + 'a');
        else if (!word.empty() && word.back() != '_')
            word += '_';
    }
    return word;
}

Failure to_failure(TransactionError error) {
    const std::string_view text = to_string(error);
    return {.status = HEDDLE_REJECTED, .text = std::string{text}, .rule = rule_word(text)};
}

Failure to_failure(const BlockError& error) {
    const std::string_view rule =
        error.transaction.has_value() ? to_string(*error.transaction) : to_string(error.code);
    return {.status = HEDDLE_REJECTED,
            .text = to_string(error),
            .rule = rule_word(rule),
            .transaction_index = error.transaction.has_value() && error.index.has_value()
                                     ? static_cast<std::int64_t>(*error.index)
                                     : -1};
}

void report(const Failure& failure, heddle_error* error) noexcept {
    if (error == nullptr) return;
    heddle_error told{};
    told.size = sizeof(told);
    told.status = failure.status;
    told.callback_result = failure.callback_result;
    told.transaction_index = failure.transaction_index;
    copy_text(failure.rule, told.rule);
    copy_text(failure.text, told.text);
    (void)give(told, error);
}

Result<BytesView> take_bytes(const heddle_bytes& bytes, std::size_t most, std::string_view name) {
    if (bytes.size > most)
        return fail(HEDDLE_LIMIT, std::string{name} + " has " + std::to_string(bytes.size) +
                                      " bytes, at most " + std::to_string(most) + " are taken");
    if (bytes.data == nullptr && bytes.size != 0)
        return fail(HEDDLE_INVALID_ARGUMENT, std::string{name} + " is null and has a size");
    return view_of(bytes);
}

}  // namespace heddle::library

extern "C" {

const char* heddle_version(void) {
    return HEDDLE_VERSION;
}

const char* heddle_status_name(std::int32_t status) {
    const auto& names = heddle::library::kStatusNames;
    return status >= 0 && static_cast<std::size_t>(status) < names.size()
               ? names[static_cast<std::size_t>(status)]
               : "unknown status";
}

}  // extern "C"
