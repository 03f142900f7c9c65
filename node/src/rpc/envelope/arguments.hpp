// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a JSON-RPC call: values of its parameters by position, and what the caller is told
// where one is missing or wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include "formats/json.hpp"
#include "formats/strict_hex.hpp"
#include "program/error.hpp"
#include "rpc/envelope/method.hpp"

namespace heddle::node::rpc {

/// What the caller is told of what is wrong with an argument: which one, and where in it.
/// @param text  As InputError has it, perhaps with its place among the parameters.
[[nodiscard]] std::string argument_error(std::size_t index, std::string_view text);

/// What `convert` makes of the argument.
/// Errors: RpcError invalid_params where it is missing, or where `convert` throws InputError.
template <typename Convert>
[[nodiscard]] auto argument(const Params& params, std::size_t index, Convert convert) {
    const JsonView value = params.at(index);
    try {
        return convert(value);
    } catch (const InputError& error) {
        throw RpcError(Code::invalid_params, argument_error(index, error.what()));
    }
}
/// The same where it may be missing.
template <typename Convert>
[[nodiscard]] auto find_argument(const Params& params, std::size_t index, Convert convert)
    -> std::optional<decltype(convert(std::declval<JsonView>()))> {
    if (!params.find(index).has_value()) return std::nullopt;
    return argument(params, index, std::move(convert));
}

[[nodiscard]] std::uint64_t uint64_argument(const Params& params, std::size_t index);
[[nodiscard]] Bytes bytes_argument(const Params& params, std::size_t index);
[[nodiscard]] Hash hash_argument(const Params& params, std::size_t index);
[[nodiscard]] Address address_argument(const Params& params, std::size_t index);
[[nodiscard]] bool bool_argument(const Params& params, std::size_t index);

/// A slot of a storage: digits with or without `0x`, odd or even in number, at most 32 bytes.
struct StorageKey {
    Uint256 slot;
    bool is_full = false;  // all 32 bytes were given
};
/// Errors: RpcError invalid_params, worded as geth words it.
[[nodiscard]] StorageKey parse_storage_key(std::string_view text);

/// Errors: RpcError invalid_params "too many arguments, want at most N".
void expect_at_most(const Params& params, std::size_t count);
/// The same before each call of `handler`.
[[nodiscard]] Handler at_most(std::size_t count, Handler handler);

/// That the caller can be told of what comes later. Errors: RpcError method_not_found, as geth.
void expect_session(const Call& call);

}  // namespace heddle::node::rpc
