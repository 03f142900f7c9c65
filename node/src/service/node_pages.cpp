// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/node_pages.hpp"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

#include "formats/json_writer.hpp"
#include "replication/replication.hpp"
#include "service/page_files.hpp"

namespace heddle::node {
namespace {

/// By so many blocks a node may be behind for a moment, and still answer as others do.
constexpr std::uint64_t kLevelBlocks = 8;

rpc::Page json_page(unsigned status, std::string body) {
    return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

/// Scripts and styles come from this node alone, and nothing that a chain, a contract or an
/// artefact says is ever one of them; nobody puts the page into another one.
constexpr std::string_view kPageHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n";

rpc::Page page_of(const PageFile& file) {
    return {.status = 200,
            .content_type = std::string{file.content_type},
            .body = std::string{file.body},
            .headers = std::string{kPageHeaders},
            .etag = std::string{file.etag}};
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

/// Why reads should go elsewhere; nullopt: they need not.
std::optional<std::string> why_not_ready(const NodePages& parts) {
    if (auto failure = parts.failure()) return failure;
    if (parts.replication != nullptr) {
        const auto health = parts.replication->health();
        if (!health.is_primary && health.condition != "good")
            return fmt::format("this backup is {}", health.condition);
    }
    if (parts.network == nullptr) return std::nullopt;
    if (!parts.network->is_listening()) return "nothing tells it of new blocks at present";
    const auto progress = parts.network->catching_up();
    const std::uint64_t head = parts.chain->head().header.number;
    if (!progress.has_value() || progress->highest <= head + kLevelBlocks) return std::nullopt;
    return fmt::format("it is {} behind", counted(progress->highest - head, "block"));
}

rpc::Page ready_page(const NodePages& parts) {
    const auto why = why_not_ready(parts);
    std::string body;
    JsonWriter out{body, JsonWriter::Style::compact};
    out.begin_object();
    out.key("ready");
    out.boolean(!why.has_value());
    if (why.has_value()) {
        out.key("reason");
        out.string(*why);
    }
    out.end_object();
    return json_page(why.has_value() ? 503 : 200, std::move(body));
}

}  // namespace

rpc::Pages make_pages(NodePages parts) {
    rpc::Pages pages;
    for (const PageFile& file : page_files())
        pages[std::string{file.path}] = {[file] { return page_of(file); }};
    const auto metrics_page = [metrics = parts.metrics] {
        return rpc::Page{.status = 200,
                         .content_type = "text/plain; version=0.0.4; charset=utf-8",
                         .body = metrics()};
    };
    // Where all methods have been called it has 280 KB, which take milliseconds.
    pages["/metrics"] = {metrics_page, true};
    pages["/health/live"] = {[] { return json_page(200, R"({"live":true})"); }};
    pages["/health/ready"] = {[parts] { return ready_page(parts); }};
    pages["/health"] = {[parts = std::move(parts)] { return health_page(parts); }};
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
