// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC calls one after another or in batches, for what the load generator does outside the time
// measured: asking for balances, prices, receipts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "formats/json.hpp"
#include "load/http_client.hpp"

namespace heddle::node::load {

/// The text of a request. `params` is the JSON of the array, brackets included.
[[nodiscard]] std::string make_call(std::uint64_t id, std::string_view method,
                                    std::string_view params);

/// Errors: InputError as HttpClient, and with the node's own words where it answers an error.
/// Thread safety: one thread.
class RpcClient {
public:
    explicit RpcClient(const Endpoint& endpoint) : http_(endpoint, 1) {}

    /// @return The result; valid until the next call.
    [[nodiscard]] JsonView call(std::string_view method, std::string_view params);

    /// Calls `method` with each of `params`, in batches of a hundred.
    /// @param take  Called with the index within `params` and the result, in any order.
    void call_all(std::string_view method, std::span<const std::string> params,
                  const std::function<void(std::size_t, const JsonView&)>& take);

private:
    [[nodiscard]] JsonView exchange(std::string_view body, std::string_view method);

    HttpClient http_;
    JsonParser parser_;
};

}  // namespace heddle::node::load
