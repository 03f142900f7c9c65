// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node that can be joined by, and who joins by it.
#pragma once

#include "lanes/lane_join.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <stop_token>
#include <string>
#include <utility>

#include "inputs/chain_input.hpp"
#include "join_server.hpp"
#include "lane_engine_fixture.hpp"
#include "program/error.hpp"
#include "rpc/envelope/arguments.hpp"

namespace heddle::node {

using lanes::MergeCheckpoint;

/// A node with a snapshot after block 4, of which block 6 is trusted.
class LaneJoinTest : public LaneEngineTest {
protected:
    static constexpr std::uint64_t kSnapshot = 4;
    static constexpr std::uint64_t kTrusted = 6;

    void round() {
        put(transfer(0, 1));
        order();
        first_->wait_for_merged(++merged_);
    }
    void begin(LanesNodeOptions options = {.snapshot_interval = kSnapshot}) {
        start_first(options);
        while (merged_ < kTrusted)
            round();
        serve();
    }
    void start_first(const LanesNodeOptions& options = {.snapshot_interval = kSnapshot}) {
        first_ = std::make_unique<LanesNode>(folder_ / "first", lanes_, options, genesis_);
    }
    void serve() {
        first_->engine().joining()->wait_idle();
        trusted_ = {kTrusted, first_->hashes().at(kTrusted)};
        server_ = std::make_unique<test::JoinServer>(*first_);
    }
    /// So that the snapshot has three chunks.
    void make_large() {
        for (std::uint64_t i = 0; i < 900; ++i) {
            GenesisAccount account;
            account.address = address_from_low64(0x10'0000 + i);
            account.code.assign(24'000, static_cast<std::uint8_t>(i));
            account.code[1] = static_cast<std::uint8_t>(i >> 8);
            genesis_.alloc.push_back(std::move(account));
        }
    }

    [[nodiscard]] std::string datadir() const { return folder_ / "second"; }
    [[nodiscard]] lanes::LaneJoinOptions options() const {
        lanes::LaneJoinOptions options;
        options.source = server_->endpoint();
        options.trusted = trusted_;
        options.chain.ledger.directory = datadir();
        options.chain.ledger.memory_bytes = std::size_t{64} << 20;
        options.chain.config = genesis_.config;
        options.chain.genesis_hash = compute_genesis_hash(genesis_);
        options.folder = datadir() + "/lanes";
        options.lane_count = kLanes;
        for (std::size_t lane = 0; lane < comets_.size(); ++lane)
            options.lanes.push_back(
                {comets_[lane]->first(), comets_[lane]->endpoint(),
                 options.folder + "/lane-" + std::to_string(lane) + ".validators"});
        options.pause = std::chrono::milliseconds{5};
        options.attempts = 5;
        return options;
    }
    /// @return why it is refused; empty: it has joined.
    [[nodiscard]] std::string join(const std::stop_token& stop = {}) const {
        return join(options(), stop);
    }
    [[nodiscard]] static std::string join(const lanes::LaneJoinOptions& options,
                                          const std::stop_token& stop = {}) {
        try {
            return join_lanes(options, stop) ? "" : "stopped";
        } catch (const InputError& error) {
            return error.what();
        }
    }
    [[nodiscard]] std::unique_ptr<LanesNode> start_second() const {
        LanesNodeOptions options;
        options.trusted = trusted_;
        if (!comets_.empty()) options.comets = &comets_;
        return std::make_unique<LanesNode>(datadir(), lanes_, options, genesis_);
    }
    void expect_nothing_is_there() const {
        EXPECT_FALSE(ledger::DurableLedger::exists(datadir()));
        EXPECT_FALSE(std::filesystem::exists(datadir() + "/lanes/merge.checkpoint"));
    }
    /// Refused for that reason, and an honest node is as good as before.
    void expect_refused(const std::string& why) {
        EXPECT_THAT(join(), HasSubstr(why));
        expect_nothing_is_there();
        server_->tamper(nullptr);
        EXPECT_EQ(join(), "");
        std::filesystem::remove_all(datadir());
    }

    [[nodiscard]] MergeCheckpoint checkpoint() const {
        return lanes::read_checkpoint(folder_ / "first/lanes/joining/4.checkpoint").value().value();
    }
    /// The node gives these bytes as its checkpoint, and says that they are.
    void give(const Bytes& bytes) {
        server_->tamper([bytes](const std::string& method, const rpc::Call& call,
                                std::string& answer) {
            if (method == "heddle_snapshots") {
                answer =
                    std::regex_replace(answer, std::regex{R"("checkpointBytes":"[^"]*")"},
                                       R"("checkpointBytes":")" + to_quantity(bytes.size()) + '"');
                answer =
                    std::regex_replace(answer, std::regex{R"("checkpointHash":"[^"]*")"},
                                       R"("checkpointHash":")" + to_string(keccak256(bytes)) + '"');
            }
            if (part_of(method, call) == "checkpoint") give_part(bytes, call, answer);
        });
    }
    void give(const MergeCheckpoint& checkpoint) { give(encode_checkpoint(checkpoint)); }
    static void give_part(const Bytes& whole, const rpc::Call& call, std::string& answer) {
        const std::uint64_t offset = rpc::uint64_argument(call.params, 2);
        const BytesView rest = BytesView{whole}.subspan(static_cast<std::size_t>(offset));
        answer = '"' + to_hex(rest.first(std::min(rest.size(), lanes::kMostPartBytes))) + '"';
    }
    /// Which part it is asked for; empty: something else.
    static std::string part_of(const std::string& method, const rpc::Call& call) {
        if (method != "heddle_snapshotPart") return {};
        return std::string{call.params.at(1).string()};
    }

    Genesis genesis_ = genesis_with_homes();
    std::unique_ptr<LanesNode> first_;
    std::unique_ptr<test::JoinServer> server_;  // ends before the node
    lanes::TrustedBlock trusted_;
    std::uint64_t merged_ = 0;
};

}  // namespace heddle::node
