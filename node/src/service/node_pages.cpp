// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/node_pages.hpp"

#include <utility>

#include <fmt/format.h>

#include "formats/json_writer.hpp"
#include "replication/replication.hpp"
#include "service/front_page.hpp"

namespace heddle::node {
namespace {

rpc::Page json_page(unsigned status, std::string body) {
    return {status, "application/json", std::move(body)};
}

rpc::Page health_page(const NodePages& parts) {
    const auto failure = parts.failure();
    const SharedBlock head = parts.chain->head_block();
    const MempoolStatus pool = parts.mempool->status();
    std::string body;
    JsonWriter out{body, JsonWriter::Style::compact};
    out.begin_object();
    out.key("ready");
    out.boolean(!failure.has_value());
    out.key("head");
    out.number(head->block.header.number);
    out.key("headTimestamp");
    out.number(head->block.header.timestamp);
    out.key("durable");
    out.number(parts.chain->ledger().durable());
    out.key("pendingTransactions");
    out.number(pool.pending);
    if (parts.replication != nullptr) {
        const auto health = parts.replication->health();
        out.key("replication");
        out.begin_object();
        out.key("role");
        out.string(health.is_primary ? "primary" : "backup");
        out.key("condition");
        out.string(health.condition);
        if (!health.link_error.empty()) {
            out.key("error");
            out.string(health.link_error);
        }
        out.end_object();
    }
    if (failure.has_value()) {
        out.key("failure");
        out.string(*failure);
    }
    out.end_object();
    return json_page(failure.has_value() ? 503 : 200, std::move(body));
}

}  // namespace

rpc::Pages make_pages(NodePages parts) {
    rpc::Pages pages;
    pages["/"] = [] { return rpc::Page{200, "text/html; charset=utf-8", std::string{kFrontPage}}; };
    pages["/metrics"] = [metrics = parts.metrics] {
        return rpc::Page{200, "text/plain; version=0.0.4; charset=utf-8", metrics()};
    };
    pages["/health/live"] = [] { return json_page(200, R"({"live":true})"); };
    pages["/health"] = [parts = std::move(parts)] { return health_page(parts); };
    return pages;
}

std::string client_version() {
    return fmt::format("heddle/v{}/linux-{}", HEDDLE_VERSION,
#if defined(__x86_64__)
                       "amd64"
#elif defined(__aarch64__)
                       "arm64"
#else
                       "unknown"
#endif
    );
}

}  // namespace heddle::node
