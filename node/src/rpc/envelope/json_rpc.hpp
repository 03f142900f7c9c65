// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The envelope of JSON-RPC 2.0: from the text of a request to the text of its response. Batches,
// notifications, error codes and their texts are those of go-ethereum. It knows neither sockets nor
// Ethereum: methods come in a table.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "rpc/envelope/method.hpp"
#include "rpc/envelope/request.hpp"

namespace heddle::node::rpc {

struct ResponderLimits {
    RequestLimits request;
    std::size_t response_bytes = 25'000'000;  // of one result, and of all results of a batch
    bool exposes_authenticated = false;       // Access::authenticated methods answer everybody
};

/// One call that was answered.
struct CallReport {
    std::string_view method;  // as in the table, or "unknown"; so there are few of them
    std::chrono::nanoseconds elapsed{};
    int code = 0;  // 0: it succeeded
};
/// Called by the answering thread after each call; must be quick and safe from any thread.
using CallObserver = std::function<void(const CallReport& report)>;

/// Who asks.
struct Caller {
    std::shared_ptr<Session> session;  // null over HTTP
    bool is_authenticated = false;     // with a valid JWT
    bool is_loopback = false;          // Call::is_loopback
    CallCost* cost = nullptr;          // Call::cost
};

/// Thread safety: any number of threads answer at once. Each of them keeps a parser of its own for
/// the parameters.
class Responder {
public:
    using Deadline = std::chrono::steady_clock::time_point;

    /// @param methods   Borrowed; complete before the first request.
    /// @param observer  May be empty.
    explicit Responder(const MethodTable& methods, ResponderLimits limits = {},
                       CallObserver observer = {});

    /// Takes `text` apart, for answer() or refuse(). `text` must outlive the request.
    void read(std::string_view text, Request& request) const;
    /// Calls what is asked for, in order, and appends the response to `out`: nothing at all when
    /// there were only notifications. Never throws but for lack of memory.
    /// @param deadline  Calls that have not begun by then fail with "request timed out".
    void answer(const Request& request, const Caller& caller, Deadline deadline,
                std::string& out) const;
    /// Appends a response in which every call failed so; calls nothing.
    void refuse(const Request& request, const RpcError& error, std::string& out) const;

    /// read() and answer() of a text.
    [[nodiscard]] std::string answer(std::string_view text, const Caller& caller,
                                     Deadline deadline) const;

private:
    void answer_item(const RequestItem& item, const Caller& caller, Deadline deadline,
                     std::size_t max_result_bytes, std::string& out) const;
    /// Appends the result. Throws RpcError.
    void call(const RequestItem& item, const Caller& caller, Deadline deadline,
              std::size_t max_result_bytes, std::string& out) const;
    void answer_batch(const Request& request, const Caller& caller, Deadline deadline,
                      std::string& out) const;

    const MethodTable& methods_;
    ResponderLimits limits_;
    CallObserver observer_;
};

/// Appends `{"jsonrpc":"2.0","id":…,"error":{…}}`. `id` is JSON text; empty means null.
void append_error(std::string_view id, const RpcError& error, std::string& out);

}  // namespace heddle::node::rpc
