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
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rpc/envelope/method.hpp"
#include "rpc/envelope/request.hpp"

namespace heddle::node::rpc {

struct ResponderLimits {
    RequestLimits request;
    std::size_t response_bytes = 25'000'000;  // of one result, and of all results of a batch
    std::size_t short_bytes = 128 << 10;      // of a result of Weight::reading that is not long
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
    std::uint64_t client = 0;          // Call::client
    CallCost* cost = nullptr;          // Call::cost
    std::string_view passed_by{};      // PassedBy; of the connection
};

/// Most calls of a method that are done together: what its caller waits for stays well below a
/// millisecond, and more would gain nothing.
inline constexpr std::size_t kMostGathered = 64;

/// A request of one call that waits for others of the same method.
struct SharingRequest {
    const Request* request = nullptr;
    Caller caller;
    std::chrono::steady_clock::time_point deadline;
    std::string* out = nullptr;  // gets the response
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
    /// Of methods that replace() may exchange; each request keeps those that it was read with.
    explicit Responder(std::shared_ptr<const MethodTable> methods, ResponderLimits limits = {},
                       CallObserver observer = {});

    /// Requests that are read from now on call these methods. Of a responder that shares them.
    void replace(std::shared_ptr<const MethodTable> methods);

    /// Takes `text` apart, for answer() or refuse(). `text` must outlive the request.
    void read(std::string_view text, Request& request) const;
    /// Calls what is asked for, in order, and appends the response to `out`: nothing at all when
    /// there were only notifications. Never throws but for lack of memory.
    /// @param deadline  Calls that have not begun by then fail with "request timed out".
    void answer(const Request& request, const Caller& caller, Deadline deadline,
                std::string& out) const;
    /// As answer(), of a request that is not heavy, for a thread that others wait for.
    /// @return false: it takes longer than they should wait; nothing was appended, and answer() is
    ///         left to a thread that may take its time.
    [[nodiscard]] bool answer_shortly(const Request& request, const Caller& caller,
                                      Deadline deadline, std::string& out) const;
    /// Whether the request is one call that is better answered with others of its method.
    [[nodiscard]] static bool can_share(const Request& request) noexcept;
    /// As answer() of each, which must be able to share; the calls of a method are done together,
    /// up to kMostGathered at once.
    void answer_together(std::span<const SharingRequest> requests) const;
    /// Appends a response in which every call failed so; calls nothing.
    void refuse(const Request& request, const RpcError& error, std::string& out) const;

    /// read() and answer() of a text.
    [[nodiscard]] std::string answer(std::string_view text, const Caller& caller,
                                     Deadline deadline) const;

private:
    /// A call that is to be answered.
    struct Asked {
        const RequestItem* item = nullptr;
        const Caller* caller = nullptr;
        Deadline deadline;
        std::size_t max_result_bytes = 0;
        bool is_hurried = false;  // what would take long throws Postponed instead
    };
    /// A call that has been done with others.
    struct Done {
        Gathering* gathering = nullptr;
        std::size_t index = 0;       // in the gathering
        std::exception_ptr failure;  // it was not taken, or all have failed; else null
        std::chrono::nanoseconds elapsed{};
    };
    /// Calls of one method that have been done together.
    struct Gathered {
        std::unique_ptr<Gathering> gathering;
        std::vector<Done> calls;  // as many as were asked for, in their order
    };

    [[nodiscard]] static Call call_of(const Asked& asked, const Params& params);
    /// `done`: it has been, and only its result is to be written; null: it is to be called.
    void answer_item(const Asked& asked, const Done* done, std::string& out) const;
    /// Appends the result. Throws RpcError, Postponed.
    void call(const Asked& asked, const Done* done, std::string& out) const;
    /// Throws RpcError where the caller may not have the method, or there is none.
    void check_callable(const Asked& asked) const;
    /// All of one method that can be gathered. Not empty.
    [[nodiscard]] Gathered gather(std::span<const Asked> calls) const;
    void answer_batch(const Request& request, const Caller& caller, Deadline deadline,
                      std::string& out) const;

    const MethodTable* const fixed_;              // null: they may be exchanged
    mutable std::mutex mutex_;                    // guards the next
    std::shared_ptr<const MethodTable> methods_;  // with requests
    ResponderLimits limits_;
    CallObserver observer_;
};

/// Appends `{"jsonrpc":"2.0","id":…,"error":{…}}`. `id` is JSON text; empty means null.
void append_error(std::string_view id, const RpcError& error, std::string& out);

}  // namespace heddle::node::rpc
