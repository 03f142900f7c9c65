// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The boundary between C and the rest: how failures become a heddle_error, how exceptions end here,
// how structs of other sizes are read and written, how values are turned into ours.
#pragma once

#include <heddle.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <expected>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <types/address.hpp>
#include <types/block_error.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/transaction_error.hpp>
#include <types/uint256.hpp>

namespace heddle::library {

/// Why a call fails.
struct Failure {
    heddle_status status = HEDDLE_INTERNAL;
    std::string text;  // a sentence
    std::string rule{};
    std::int64_t transaction_index = -1;
    std::int32_t callback_result = 0;
};
template <typename T>
using Result = std::expected<T, Failure>;

[[nodiscard]] inline std::unexpected<Failure> fail(heddle_status status, std::string text) {
    return std::unexpected(Failure{.status = status, .text = std::move(text)});
}
[[nodiscard]] Failure to_failure(const BlockError& error);
[[nodiscard]] Failure to_failure(TransactionError error);

/// A sentence's words as one: "nonce too low" becomes `nonce_too_low`.
[[nodiscard]] std::string rule_word(std::string_view text);

/// Fills in what the caller has given for it, which may be nothing.
void report(const Failure& failure, heddle_error* error) noexcept;

/// No struct of any version is larger, in bytes: a size above it is no size.
inline constexpr std::size_t kMaxStructBytes = 4'096;
/// The size of a struct in the first version that had it: the least that is taken. A struct that
/// grows keeps its first size here.
template <typename T>
inline constexpr std::size_t kFirstBytes = sizeof(T);

/// Whether a struct's size may be that of some version of it.
template <typename T>
[[nodiscard]] constexpr bool is_size_of(std::size_t size) noexcept {
    return size >= kFirstBytes<T> && size <= kMaxStructBytes;
}

/// Whether there is nothing, or room for an error.
[[nodiscard]] inline bool is_usable(const heddle_error* error) noexcept {
    return error == nullptr || is_size_of<heddle_error>(error->size);
}

/// Runs the body of a function of the interface, out of which nothing is thrown.
/// @param body  Returns Result<void>.
template <typename Body>
heddle_status run_call(heddle_error* error, Body&& body) noexcept {
    if (!is_usable(error)) return HEDDLE_INVALID_ARGUMENT;
    Failure failure;
    try {
        Result<void> result = body();
        if (result.has_value()) return HEDDLE_OK;
        failure = std::move(result).error();
    } catch (const std::bad_alloc&) {
        failure.status = HEDDLE_OUT_OF_MEMORY;
        failure.text = "out of memory";  // which takes none: it is short
    } catch (const std::exception& exception) {
        report({.status = HEDDLE_INTERNAL, .text = exception.what()}, error);
        return HEDDLE_INTERNAL;
    } catch (...) {
        failure.text = "unknown";
    }
    report(failure, error);
    return failure.status;
}

/// A call that makes something: `*out` is null unless it succeeds.
template <typename Object, typename Body>
heddle_status make_call(Object** out, heddle_error* error, Body&& body) noexcept {
    if (out != nullptr) *out = nullptr;
    return run_call(error, [&]() -> Result<void> {
        if (out == nullptr) return fail(HEDDLE_INVALID_ARGUMENT, "out is null");
        return body();
    });
}

/// Copies a struct that begins with its size, as long or short as the caller's version has it.
/// @param name  For the error.
/// Errors: null, too short or too long a size, or a field set that this version does not know.
template <typename T>
[[nodiscard]] Result<T> take(const T* given, std::string_view name) {
    static_assert(std::is_trivially_copyable_v<T> && offsetof(T, size) == 0);
    const std::string what{name};
    if (given == nullptr) return fail(HEDDLE_INVALID_ARGUMENT, what + " is null");
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof(size));
    if (!is_size_of<T>(size))
        return fail(HEDDLE_INVALID_ARGUMENT,
                    what + ".size is " + std::to_string(size) + ", not that of the struct");
    T taken{};
    std::memcpy(&taken, given, std::min(size, sizeof(T)));
    taken.size = sizeof(T);
    // Bytes of the caller's, behind what this version declares.
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(given);
    for (std::size_t i = sizeof(T); i < size; ++i)
        if (bytes[i] != 0)
            return fail(HEDDLE_INVALID_ARGUMENT,
                        what + " has a field set that this version of the library does not know");
    return taken;
}

/// Writes as much of a struct as the caller has room for, and zeros behind.
template <typename T>
[[nodiscard]] heddle_status give(const T& value, T* out) noexcept {
    static_assert(std::is_trivially_copyable_v<T> && offsetof(T, size) == 0);
    if (out == nullptr) return HEDDLE_INVALID_ARGUMENT;
    const std::size_t size = out->size;
    if (!is_size_of<T>(size)) return HEDDLE_INVALID_ARGUMENT;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(out);
    std::memcpy(bytes, &value, std::min(size, sizeof(T)));
    if (size > sizeof(T)) std::memset(bytes + sizeof(T), 0, size - sizeof(T));
    out->size = size;
    return HEDDLE_OK;
}

// Values as they are told and as we hold them: the same bytes, but for numbers.
[[nodiscard]] inline heddle_address told(const Address& address) noexcept {
    heddle_address out;
    std::memcpy(out.bytes, address.bytes.data(), sizeof(out.bytes));
    return out;
}
[[nodiscard]] inline heddle_hash told(const Hash& hash) noexcept {
    heddle_hash out;
    std::memcpy(out.bytes, hash.bytes.data(), sizeof(out.bytes));
    return out;
}
[[nodiscard]] inline heddle_word told(const Uint256& value) noexcept {
    heddle_word out;
    store_be(value, out.bytes);
    return out;
}
[[nodiscard]] inline heddle_bytes told(const Bytes& bytes) noexcept {
    return {bytes.data(), bytes.size()};
}
[[nodiscard]] inline Address taken(const heddle_address& address) noexcept {
    Address out;
    std::memcpy(out.bytes.data(), address.bytes, sizeof(address.bytes));
    return out;
}
[[nodiscard]] inline Hash taken(const heddle_hash& hash) noexcept {
    Hash out;
    std::memcpy(out.bytes.data(), hash.bytes, sizeof(hash.bytes));
    return out;
}
[[nodiscard]] inline Uint256 taken(const heddle_word& word) noexcept {
    return load_be(word.bytes);
}
[[nodiscard]] inline BytesView view_of(const heddle_bytes& bytes) noexcept {
    return {bytes.data, bytes.size};
}

/// Errors: null with a size, or more than `most` bytes.
[[nodiscard]] Result<BytesView> take_bytes(const heddle_bytes& bytes, std::size_t most,
                                           std::string_view name);

}  // namespace heddle::library
