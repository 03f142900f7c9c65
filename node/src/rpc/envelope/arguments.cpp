// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/envelope/arguments.hpp"

#include <fmt/format.h>

namespace heddle::node::rpc {

std::string argument_error(std::size_t index, std::string_view text) {
    const std::string place = fmt::format("params: $[{}]", index);
    if (text.starts_with(place)) {
        text.remove_prefix(place.size());
        if (text.starts_with(": "))
            text.remove_prefix(2);
        else if (text.starts_with('.'))
            text.remove_prefix(1);
    }
    return fmt::format("invalid argument {}: {}", index, text);
}

std::uint64_t uint64_argument(const Params& params, std::size_t index) {
    return argument(params, index, to_uint64);
}

Bytes bytes_argument(const Params& params, std::size_t index) {
    return argument(params, index, to_bytes);
}

Hash hash_argument(const Params& params, std::size_t index) {
    return argument(params, index, to_hash32);
}

Address address_argument(const Params& params, std::size_t index) {
    return argument(params, index, [](const JsonView& value) { return to_address(value); });
}

bool bool_argument(const Params& params, std::size_t index) {
    return argument(params, index, to_bool);
}

StorageKey parse_storage_key(std::string_view text) {
    constexpr std::size_t kFullDigits = 64;
    const std::string_view digits = has_hex_prefix(text) ? text.substr(2) : text;
    for (const char c : digits)
        if (!hex_digit(c).has_value())
            throw RpcError(Code::invalid_params,
                           fmt::format("invalid hex in storage key: \"{}\"", text.substr(0, 80)));
    if (digits.size() > kFullDigits)
        throw RpcError(Code::invalid_params,
                       fmt::format("storage key too long (want at most 32 bytes): \"{}\"",
                                   text.substr(0, 80)));
    StorageKey key;
    key.is_full = digits.size() + digits.size() % 2 == kFullDigits;
    for (const char c : digits)
        key.slot = key.slot << 4 | Uint256{*hex_digit(c)};
    return key;
}

void expect_at_most(const Params& params, std::size_t count) {
    if (params.size() > count)
        throw RpcError(Code::invalid_params,
                       fmt::format("too many arguments, want at most {}", count));
}

Handler at_most(std::size_t count, Handler handler) {
    return [count, handler = std::move(handler)](const Call& call, JsonWriter& result) {
        expect_at_most(call.params, count);
        handler(call, result);
    };
}

void expect_session(const Call& call) {
    if (!call.session) throw RpcError(Code::method_not_found, "notifications not supported");
}

}  // namespace heddle::node::rpc
