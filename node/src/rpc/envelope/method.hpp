// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a JSON-RPC method is: a name, a function of parameters, and what it may cost. No transport
// and no Ethereum knowledge.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"

namespace heddle::node::rpc {

/// JSON-RPC 2.0 §5.1, EIP-1474, and those that go-ethereum added.
enum class Code : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    server_error = -32000,
    not_found = -32001,
    timed_out = -32002,
    response_too_large = -32003,
    limit_exceeded = -32005,
    reverted = 3,  // execution reverted; data is what it returned
};

/// What a method fails with; its parts go to the caller as they are.
class RpcError : public std::runtime_error {
public:
    RpcError(int code, const std::string& message, std::string data = {})
        : std::runtime_error(message), code_(code), message_(message), data_(std::move(data)) {}
    RpcError(Code code, const std::string& message, std::string data = {})
        : RpcError(static_cast<int>(code), message, std::move(data)) {}

    [[nodiscard]] int code() const noexcept { return code_; }
    /// The whole of it: what() ends at a zero byte, and others choose parts of it.
    [[nodiscard]] const std::string& message() const noexcept { return message_; }
    /// JSON text; empty: there is none.
    [[nodiscard]] const std::string& data() const noexcept { return data_; }

private:
    int code_;
    std::string message_;
    std::string data_;
};

/// Positional parameters of a call. Conversions of a parameter throw InputError, which becomes
/// invalid_params.
/// Thread safety: one thread at a time.
class Params {
public:
    /// @param array  nullopt: the call had none. Must be an array.
    explicit Params(std::optional<JsonView> array = std::nullopt) : array_(array) {}

    [[nodiscard]] std::size_t size() const { return array_ ? array_->size() : 0; }
    /// Errors: RpcError "missing value for required argument N".
    [[nodiscard]] JsonView at(std::size_t index) const;
    /// nullopt: absent or null.
    [[nodiscard]] std::optional<JsonView> find(std::size_t index) const;

private:
    std::optional<JsonView> array_;
};

/// A connection that stays open, to which notifications can be sent.
/// Thread safety: any.
class Session {
public:
    virtual ~Session() = default;
    /// Queues one message of JSON text. A client that does not read fast enough is cut off.
    /// @return false: the connection is gone.
    virtual bool send(std::string message) = 0;
    /// `action` runs once when the connection ends; at once if it has ended.
    virtual void on_close(std::function<void()> action) = 0;
};

/// What answering has cost beside time.
struct CallCost {
    std::uint64_t gas = 0;  // executed, also where the call failed
};

/// One call that is being answered.
struct Call {
    Params params;
    std::chrono::steady_clock::time_point deadline;
    std::size_t max_result_bytes = 0;
    std::shared_ptr<Session> session;  // with its transport; null over HTTP
    bool is_loopback = false;          // asked by a program on this machine
    CallCost* cost = nullptr;          // null: nobody counts
    std::uint64_t client = 0;          // who asks, as far as an address tells (Client::key)

    /// Code was executed for this call.
    void note_gas(std::uint64_t gas) const noexcept {
        if (cost != nullptr) cost->gas += gas;
    }
    /// Throws RpcError timed_out beyond the deadline. For loops.
    void check_deadline() const;
    /// Whether there is time left, for what asks now and then.
    [[nodiscard]] std::function<bool()> until_deadline() const {
        return [end = deadline] { return std::chrono::steady_clock::now() < end; };
    }
};

/// Appends the result to `result`, or throws RpcError or InputError.
using Handler = std::function<void(const Call& call, JsonWriter& result)>;

/// Calls of one method that are done together, where that costs less than one after another. What
/// each is answered is what the method's handler would have answered, called for each in the order
/// in which they were taken.
/// Thread safety: one thread at a time.
class Gathering {
public:
    virtual ~Gathering() = default;
    /// Keeps what it needs of the call. Throws as a Handler; the call is not one of them then.
    virtual void take(const Call& call) = 0;
    /// Does everything that was taken, once. Throws as a Handler: all of them have failed then.
    virtual void run() = 0;
    /// Appends the result of the `index`-th call that was taken, from 0, or throws as a Handler.
    virtual void write(std::size_t index, JsonWriter& result) = 0;
};
using MakeGathering = std::function<std::unique_ptr<Gathering>()>;

enum class Access : std::uint8_t {
    open,
    authenticated,  // with a JWT only, or where the node was told to expose it
};
enum class Weight : std::uint8_t {
    light,      // microseconds: reads of a few values
    reading,    // light, unless what it reads is not at hand or its answer is long: then it is
                // begun once more where what is heavy runs, so that it must change nothing
    heavy,      // reads much; a bounded number of them runs at once
    executing,  // runs code for as long as its gas lasts: keeps neither of the kinds above
    waiting,    // sleeps until something happens: must not keep those that have work to do
};

struct Method {
    std::string name;
    Handler handler;
    Weight weight = Weight::light;
    Access access = Access::open;
    MakeGathering gather{};  // empty: each call is done on its own
    /// What one call weighs, by the text of its parameters; null: always `weight`. It must not
    /// take a call for light that is not, whatever the text.
    Weight (*weigh)(std::string_view params) = nullptr;
    /// Executes no longer than a block, and for nobody but those who wait for that block. A
    /// connection that is alone on its thread has it done there: handing a call to another thread
    /// and back takes as long as a small block.
    bool lasts_a_block = false;
};

/// Thread safety: reads concurrently, once it is filled.
class MethodTable {
public:
    /// No two methods share a name.
    void add(Method method);
    [[nodiscard]] const Method* find(std::string_view name) const;
    /// From now on all that read may wait for another machine, each on its own: for a chain whose
    /// state is elsewhere. What executes keeps its weight.
    void let_reads_wait();
    /// Ascending.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    struct NameHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>{}(name);
        }
    };
    std::unordered_map<std::string, Method, NameHash, std::equal_to<>> methods_;
};

}  // namespace heddle::node::rpc
