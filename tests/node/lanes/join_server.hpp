// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a node answers to those that join by it, and what it would answer if it were somebody else:
// a test may change every answer on its way.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "follow/endpoint.hpp"
#include "lane_engine_fixture.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/methods/debug_raw_api.hpp"
#include "rpc/methods/lanes_api.hpp"
#include "rpc/queries/services.hpp"
#include "rpc/transport/server.hpp"

namespace heddle::node::test {

/// Thread safety: any.
class JoinServer {
public:
    /// Gets the JSON text of the answer, and may throw RpcError.
    using Tamper =
        std::function<void(const std::string& method, const rpc::Call& call, std::string& answer)>;

    /// @param node  Outlives it.
    explicit JoinServer(LanesNode& node) : services_{node.chain(), node.mempool(), "a test", {}} {
        rpc::add_join_methods(honest_, node.engine().joining());
        rpc::add_debug_raw_methods(honest_, services_);
        for (const std::string& name : honest_.names())
            methods_.add({name, [this, name](const rpc::Call& call, JsonWriter& out) {
                              answer(name, call, out);
                          }});
        responder_ = std::make_unique<rpc::Responder>(methods_);
        rpc::ServerOptions options;
        options.port = 0;
        server_ = std::make_unique<rpc::Server>(*responder_, options);
        server_->start();
    }

    void tamper(Tamper tamper) {
        const std::scoped_lock lock{mutex_};
        tamper_ = std::move(tamper);
    }
    [[nodiscard]] follow::Endpoint endpoint() const {
        return follow::parse_endpoint("http://127.0.0.1:" + std::to_string(server_->port()),
                                      "node");
    }

private:
    void answer(const std::string& name, const rpc::Call& call, JsonWriter& out) {
        std::string text;
        JsonWriter honest{text, JsonWriter::Style::compact};
        honest_.find(name)->handler(call, honest);
        {
            const std::scoped_lock lock{mutex_};
            if (tamper_) tamper_(name, call, text);
        }
        out.raw(text);
    }

    const rpc::Services services_;
    std::mutex mutex_;
    Tamper tamper_;  // guarded by mutex_
    rpc::MethodTable honest_;
    rpc::MethodTable methods_;
    std::unique_ptr<rpc::Responder> responder_;
    std::unique_ptr<rpc::Server> server_;
};

}  // namespace heddle::node::test
