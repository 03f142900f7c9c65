// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC calls one after another or in batches, for what the load generator does outside the time
// measured: asking for balances, prices, receipts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json.hpp"
#include "load/http_client.hpp"

namespace heddle::node::load {

/// The text of a request. `params` is the JSON of the array, brackets included.
[[nodiscard]] std::string make_call(std::uint64_t id, std::string_view method,
                                    std::string_view params);

/// Whether a node says that what it was asked for is more than it sends at once.
[[nodiscard]] bool is_too_large(const JsonView& answer);

/// Errors: InputError as HttpClient, and with the node's own words where it answers an error.
/// Thread safety: one thread.
class RpcClient {
public:
    explicit RpcClient(const Endpoint& endpoint) : http_(endpoint, 1) {}

    /// @return The result; valid until the next call.
    [[nodiscard]] JsonView call(std::string_view method, std::string_view params);

    /// What is done with the result of the call that has this index, in any order.
    using Take = std::function<void(std::size_t index, const JsonView& result)>;

    /// Calls `method` with each of `params`, in batches of a hundred, or of as many as the node has
    /// room for in an answer.
    /// @return Those that are too large for an answer of their own.
    [[nodiscard]] std::vector<std::size_t> call_each(std::string_view method,
                                                     std::span<const std::string> params,
                                                     const Take& take);
    /// The same, where each must be answered.
    void call_all(std::string_view method, std::span<const std::string> params, const Take& take);

private:
    /// @param asked  Their ids. @return Of each, whether it was answered.
    [[nodiscard]] static std::vector<bool> take_answers(const JsonView& answers,
                                                        std::string_view method,
                                                        std::span<const std::size_t> asked,
                                                        const Take& take);
    [[nodiscard]] JsonView exchange(std::string_view body, std::string_view method);

    HttpClient http_;
    JsonParser parser_;
};

}  // namespace heddle::node::load
