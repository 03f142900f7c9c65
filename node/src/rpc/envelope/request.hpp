// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A JSON-RPC request taken apart where it lies: the text is checked once from end to end, and what
// matters of it is remembered as slices. Parameters become a tree only when their call is answered,
// one call at a time, so that a batch never costs more memory than its largest call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rpc/envelope/method.hpp"

namespace heddle::node::rpc {

struct RequestLimits {
    std::size_t batch_items = 1'000;
    std::size_t values = 200'000;         // JSON values of one request; each costs some memory
    std::size_t light_batch_items = 16;   // batches of more count as heavy
    std::size_t light_bytes = 128 << 10;  // so do larger texts
};

/// One element of a batch, or the only one. All slices are JSON text as it was sent.
struct RequestItem {
    enum class Kind : std::uint8_t {
        call,
        notification,
        response,  // of a client that takes us for one; ignored
        invalid,
    };
    Kind kind = Kind::invalid;
    std::string_view id;             // empty: it had none, or one that is not allowed
    std::string_view name;           // of the method, with its quotes
    std::string_view params;         // empty: there were none
    const Method* method = nullptr;  // null: unknown
};

/// What a text asks for. Slices point into that text, which must outlive it.
/// Thread safety: one thread at a time.
class Request {
public:
    /// JSON-RPC 2.0. Replaces what was read before; memory is reused.
    void read(std::string_view text, const MethodTable& methods, const RequestLimits& limits);

    /// Empty: the text is JSON. Otherwise why it is not, or is too deep or too large.
    [[nodiscard]] std::string_view parse_error() const noexcept { return parse_error_; }
    [[nodiscard]] bool is_batch() const noexcept { return is_batch_; }
    /// Nothing of such a batch is to be answered; items() has its beginning.
    [[nodiscard]] bool is_batch_too_large() const noexcept { return is_batch_too_large_; }
    /// To be answered by a thread that may take its time.
    [[nodiscard]] bool is_heavy() const noexcept { return is_heavy_; }
    /// Not heavy, but one call that may turn out to be.
    [[nodiscard]] bool may_be_long() const noexcept { return may_be_long_; }
    /// Heavy, and some call of it executes code.
    [[nodiscard]] bool is_executing() const noexcept { return is_executing_; }
    /// Heavy, but one call that mostly sleeps.
    [[nodiscard]] bool is_waiting() const noexcept { return is_waiting_; }
    /// One executing call of those that Method::lasts_a_block is said of.
    [[nodiscard]] bool lasts_a_block() const noexcept { return lasts_a_block_; }
    [[nodiscard]] const std::vector<RequestItem>& items() const noexcept { return items_; }

    /// Keeps the methods alive that its items point to, until release() or the next read().
    void keep(std::shared_ptr<const MethodTable> methods) noexcept {
        methods_ = std::move(methods);
    }
    /// It is answered: its items must not be looked at any more.
    void release() noexcept { methods_.reset(); }

private:
    std::vector<RequestItem> items_;
    std::shared_ptr<const MethodTable> methods_;  // with other requests and the responder
    std::string_view parse_error_;
    bool is_batch_ = false;
    bool is_batch_too_large_ = false;
    bool is_heavy_ = false;
    bool may_be_long_ = false;
    bool is_executing_ = false;
    bool is_waiting_ = false;
    bool lasts_a_block_ = false;
};

/// The text of a JSON string, `json` being valid JSON with its quotes; U+FFFD for halves of
/// surrogate pairs that stand alone.
[[nodiscard]] std::string unescape_json_string(std::string_view json);

}  // namespace heddle::node::rpc
