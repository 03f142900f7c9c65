// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle lane: one validator of a lane, under its CometBFT.
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <consensus_adapter/cometbft/abci_server.hpp>
#include <consensus_adapter/lanes/lane_application.hpp>
#include <consensus_adapter/lanes/lane_store.hpp>

#include "lanes/lane_clock.hpp"
#include "lanes/lane_home.hpp"
#include "lanes/lane_methods.hpp"
#include "lanes/lane_watch.hpp"
#include "lanes/payer_book.hpp"
#include "lanes/payer_source.hpp"
#include "logging/log.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/transport/server.hpp"
#include "service/node_pages.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
namespace cometbft = consensus_adapter::cometbft;
using consensus_adapter::lanes::LaneApplication;
using consensus_adapter::lanes::LaneNumber;
using consensus_adapter::lanes::LaneRules;
using consensus_adapter::lanes::LaneStore;
using consensus_adapter::lanes::Witness;

/// The largest block of a lane, in hexadecimal digits.
constexpr std::size_t kMostAnswerBytes = std::size_t{40} << 20;

struct LaneOptions {
    std::string home;
    std::string log_level = "info";
};

std::unique_ptr<LaneStore> open_store(const fs::path& path, const lanes::LaneHome& home) {
    auto store = LaneStore::open(path.string(), home.head);
    if (!store.has_value()) fail_input("{}", to_string(store.error()));
    if ((*store)->dropped_bytes() != 0)
        logger(Component::consensus)
            .warn("{}: {} bytes at its end were not whole; CometBFT gives the rest again",
                  path.string(), (*store)->dropped_bytes());
    return *std::move(store);
}

LaneRules make_rules(const lanes::LaneHome& home) {
    LaneRules rules;
    rules.head = home.head;
    rules.comet_chain_id = home.comet_chain_id;
    rules.chain_id = home.chain_id;
    rules.mover = home.mover;
    rules.min_fee_per_gas = home.min_fee_per_gas;
    rules.silence_ms = home.silence_ms;
    rules.retain_blocks = home.retain_blocks;
    for (const std::vector<std::string>& validators : home.lanes)
        rules.witnesses.push_back(validators.size());
    return rules;
}

std::vector<follow::Endpoint> payer_nodes(const lanes::LaneHome& home) {
    std::vector<follow::Endpoint> nodes;
    nodes.reserve(home.nodes.size());
    for (const std::string& node : home.nodes)
        nodes.push_back(follow::parse_endpoint(node, "nodes in lane.json"));
    return nodes;
}

/// The parts in the order in which they start; each needs only those above it.
class LaneService {
public:
    explicit LaneService(const LaneOptions& options)
        : folder_(options.home),
          home_(lanes::LaneHome::load(folder_)),
          store_(open_store(folder_ / "lane.log", home_)),
          payer_source_(payer_nodes(home_), home_.chain_id, stop_.get_token()),
          payers_([this](std::span<const Address> them) { return payer_source_.look_up(them); },
                  [] { return std::chrono::milliseconds{lanes::steady_us() / 1'000}; }),
          application_(*store_, make_rules(home_), {lanes::now_us, lanes::steady_us}, payers()) {
        lanes::add_lane_log_methods(methods_, application_, lanes::now_us);
        rpc::ResponderLimits limits;
        limits.response_bytes = kMostAnswerBytes;
        responder_ = std::make_unique<rpc::Responder>(methods_, limits);
        rpc::ServerOptions server;
        server.address = home_.address;
        server.port = home_.port;
        server.max_buffered_bytes = 4 * kMostAnswerBytes;
        server.allowed_hosts = {"*"};
        server.port_option = "port in lane.json";
        server_ = std::make_unique<rpc::Server>(*responder_, server, pages());
    }
    ~LaneService() { stop(); }
    LaneService(const LaneService&) = delete;
    LaneService& operator=(const LaneService&) = delete;
    LaneService(LaneService&&) = delete;
    LaneService& operator=(LaneService&&) = delete;

    void start() {
        server_->start();
        if (home_.head.lane == home_.head.leading) watch_others();
        cometbft::AbciServerOptions options;
        options.address = home_.abci;
        options.version = client_version();
        options.on_warning = [](const std::string& text) {
            logger(Component::consensus).warn("{}", text);
        };
        options.on_failure = [this](const std::string& reason) { fail(reason); };
        auto abci = cometbft::AbciServer::start(application_, std::move(options));
        if (!abci.has_value()) fail_input("abci in lane.json: {}", abci.error());
        abci_ = *std::move(abci);
        logger(Component::consensus)
            .info("lane {} of {}, height {}: waiting for CometBFT on {}, log at {}:{}",
                  home_.head.lane, home_.head.lane_count, store_->height(), abci_->address(),
                  home_.address, server_->port());
    }
    void stop() {
        stop_.request_stop();
        if (abci_) abci_->stop();
        watches_.clear();
        server_->stop();
    }
    [[nodiscard]] std::optional<std::string> failure() const {
        const std::scoped_lock lock{mutex_};
        return failure_;
    }
    /// Warns once for each reason. From one thread.
    void tell_of_old_blocks() {
        const auto why = application_.why_old_are_kept();
        if (why == told_of_old_blocks_) return;
        told_of_old_blocks_ = why;
        if (why.has_value())
            logger(Component::consensus)
                .warn("blocks beyond retainBlocks are kept until they can be given up: {}", *why);
        else
            logger(Component::consensus).info("old blocks are given up again");
    }

private:
    [[nodiscard]] consensus_adapter::lanes::PayerCheck payers() {
        if (home_.nodes.empty()) return {};
        return [this](std::span<const Transaction> them) { return payers_.refusals(them); };
    }
    void watch_others() {
        for (LaneNumber lane = 0; lane < home_.head.lane_count; ++lane) {
            if (lane == home_.head.lane) continue;
            auto wanted = home_.head;
            wanted.lane = lane;
            if (const std::size_t count = home_.lanes[lane].size();
                count < lanes::kWitnessesToDoubtOne)
                logger(Component::consensus)
                    .warn(
                        "lane {} is watched at {} of its validators (lanes in lane.json): one "
                        "that tells of heights which there are not is believed, and merging "
                        "waits for them; of {} it would be outvoted",
                        lane, count, lanes::kWitnessesToDoubtOne);
            for (std::size_t i = 0; i < home_.lanes[lane].size(); ++i)
                watches_.push_back(std::make_unique<lanes::LaneWatch>(
                    follow::parse_endpoint(home_.lanes[lane][i], "lanes in lane.json"), wanted,
                    home_.chain_id, [this, witness = Witness{lane, i}](std::uint64_t height) {
                        return application_.saw(witness, height);
                    }));
        }
    }
    [[nodiscard]] rpc::Pages pages() {
        rpc::Pages pages;
        pages["/health"] = {[this] {
            const auto why = failure();
            return rpc::Page{why.has_value() ? 503u : 200u, "application/json",
                             fmt::format(R"({{"lane":{},"height":{},"waiting":{},"doubted":{}}})"
                                         "\n",
                                         home_.head.lane, store_->height(), application_.waiting(),
                                         application_.doubted())};
        }};
        return pages;
    }
    void fail(const std::string& reason) {
        logger(Component::consensus).critical("{}", reason);
        const std::scoped_lock lock{mutex_};
        if (!failure_.has_value()) failure_ = reason;
    }

    const fs::path folder_;
    const lanes::LaneHome home_;
    const std::unique_ptr<LaneStore> store_;
    std::stop_source stop_;
    lanes::PayerSource payer_source_;
    lanes::PayerBook payers_;
    LaneApplication application_;
    rpc::MethodTable methods_;
    std::unique_ptr<rpc::Responder> responder_;
    mutable std::mutex mutex_;
    std::optional<std::string> failure_;             // guarded by mutex_
    std::optional<std::string> told_of_old_blocks_;  // of who tells
    std::unique_ptr<rpc::Server> server_;
    std::vector<std::unique_ptr<lanes::LaneWatch>> watches_;
    std::unique_ptr<cometbft::AbciServer> abci_;
};

ExitCode run_lane(const LaneOptions& options) {
    configure_logging({false, options.log_level, {}});
    const StopSignal signal;
    LaneService service{options};
    service.start();
    while (!StopSignal::is_raised() && !service.failure().has_value()) {
        service.tell_of_old_blocks();
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
    service.stop();
    if (const auto failure = service.failure()) throw StorageError(*failure);
    logger(Component::consensus).info("stopped");
    return ExitCode::ok;
}

}  // namespace

void register_lane(Command app, Action& action) {
    Command command = app.add_subcommand(
        "lane", "Run a validator of a lane: orders entries under CometBFT, executes nothing");
    const auto options = std::make_shared<LaneOptions>();
    command.add_option("--home", options->home, "Its folder, with lane.json (`heddle testnet`)")
        .type_name("DIR")
        .required();
    command
        .add_option("--log-level", options->log_level,
                    "Least level of messages: trace, debug, info, warning, error or off")
        .offers(log_levels())
        .capture_default();
    command.callback([options, &action] { action = [options] { return run_lane(*options); }; });
}

}  // namespace heddle::node
