// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A lane inside the test: its application and its JSON-RPC are the program's, and the test decides
// what is ordered when, in CometBFT's place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <consensus_adapter/lanes/lane_application.hpp>
#include <consensus_adapter/lanes/lane_store.hpp>

#include "follow/endpoint.hpp"
#include "lanes/lane_methods.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/transport/server.hpp"

namespace heddle::node::test {

class TestLane {
public:
    /// @param folder  Of its log. @param port  0: any that is free.
    TestLane(std::string folder, consensus_adapter::lanes::LaneLogHead head, std::uint16_t port = 0)
        : head_(head), path_(std::move(folder) + "/lane-" + std::to_string(head.lane) + ".log") {
        start(port);
    }

    /// Answers nobody any more; its log stays.
    void stop() {
        if (!server_) return;
        server_.reset();
        responder_.reset();
        application_.reset();
        store_.reset();
    }
    /// Keeps so many blocks of its log from now on.
    void retain(std::uint64_t blocks) {
        stop();
        retain_blocks_ = blocks;
        start(port_);
    }
    /// With the log that there is, at the port that it had.
    void start_again() { start(port_); }
    /// With another log, at the port that it had: what it decides from now on it decides anew.
    void start_anew(const std::string& path) {
        stop();
        path_ = path;
        start(port_);
    }

    /// The next height, of these items.
    void order(const std::vector<Bytes>& items, std::uint64_t time_ms = 1'700'000'000'000) {
        const std::vector<BytesView> views(items.begin(), items.end());
        const std::uint64_t height = application_->committed().height + 1;
        ASSERT_TRUE(application_->finalize({height, time_ms + height}, views).has_value());
        ASSERT_TRUE(application_->commit().has_value());
    }
    /// The next height, with a cut, of the leading lane.
    void cut(std::vector<std::uint64_t> heights, std::vector<Bytes> items = {},
             consensus_adapter::lanes::LaneSet silent = {}) {
        items.insert(items.begin(),
                     consensus_adapter::lanes::encode_cut({std::move(heights), silent}));
        order(items);
    }
    [[nodiscard]] std::uint64_t height() const { return application_->committed().height; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Null while it is stopped.
    [[nodiscard]] const consensus_adapter::lanes::LaneStore* store() const { return store_.get(); }
    [[nodiscard]] follow::Endpoint endpoint() const {
        return follow::parse_endpoint("http://127.0.0.1:" + std::to_string(port_), "lane");
    }

private:
    void start(std::uint16_t port) {
        store_ = consensus_adapter::lanes::LaneStore::open(path_, head_).value();
        consensus_adapter::lanes::LaneRules rules;
        rules.head = head_;
        rules.chain_id = 1337;
        rules.retain_blocks = retain_blocks_;
        const auto clock = [] { return std::uint64_t{1'700'000'000'000'000}; };
        application_ = std::make_unique<consensus_adapter::lanes::LaneApplication>(
            *store_, std::move(rules), consensus_adapter::lanes::LaneClocks{clock, clock});
        methods_ = {};
        lanes::add_lane_log_methods(methods_, *application_, clock);
        responder_ = std::make_unique<rpc::Responder>(methods_);
        rpc::ServerOptions options;
        options.port = port;
        server_ = std::make_unique<rpc::Server>(*responder_, options);
        server_->start();
        port_ = server_->port();
    }

    const consensus_adapter::lanes::LaneLogHead head_;
    std::string path_;
    std::uint16_t port_ = 0;
    std::uint64_t retain_blocks_ = 0;
    std::unique_ptr<consensus_adapter::lanes::LaneStore> store_;
    std::unique_ptr<consensus_adapter::lanes::LaneApplication> application_;
    rpc::MethodTable methods_;
    std::unique_ptr<rpc::Responder> responder_;
    std::unique_ptr<rpc::Server> server_;
};

}  // namespace heddle::node::test
