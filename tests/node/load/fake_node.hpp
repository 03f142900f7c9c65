// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that answers what a test tells it to, for the parts of the load generator.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "load/http_client.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/transport/server.hpp"

namespace heddle::node::load {

/// Handlers run one at a time.
class FakeNode {
public:
    void on(std::string method, rpc::Handler handler) {
        methods_.add({std::move(method), std::move(handler)});
    }
    /// Of one answer, and of a batch of them.
    void limit_answers(std::size_t bytes) { limits_.response_bytes = bytes; }
    void start(rpc::ServerOptions options = {}) {
        options.port = 0;
        options.io_threads = 1;
        options.worker_threads = 1;
        responder_ = std::make_unique<rpc::Responder>(methods_, limits_);
        server_ = std::make_unique<rpc::Server>(*responder_, options, rpc::Pages{});
        server_->start();
    }
    [[nodiscard]] Endpoint endpoint() const { return {"127.0.0.1", server_->port(), "/"}; }

private:
    rpc::MethodTable methods_;
    rpc::ResponderLimits limits_;
    std::unique_ptr<rpc::Responder> responder_;
    std::unique_ptr<rpc::Server> server_;
};

}  // namespace heddle::node::load
