// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What clients reach of a node: its methods and pages behind one port, whichever chain answers.
//
// How a chain takes another one's place. The new one is built beside the old, up to its methods;
// whatever fails on the way is thrown away, and the old one knows nothing of it. Then the responder
// gets the new methods, in one step. A request keeps the methods that it was read with, and these
// their chain: calls that have begun go on where they began. The old chain seals no more, and is
// closed by whoever exchanges the next one or stops the node, once no request has it; never by a
// thread that answers.
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

#include "logging/log.hpp"
#include "program/authority.hpp"
#include "service/node_impl.hpp"
#include "service/node_options.hpp"
#include "service/node_pages.hpp"

namespace heddle::node {

std::string Node::Front::make_loop_name() {
    std::random_device random;
    std::string name = "heddle-";
    for (int i = 0; i < 4; ++i)
        name += fmt::format("{:08x}", random());
    return name;
}

void Node::Front::start() {
    const auto first = std::make_shared<Impl>(*this, config, is_dev);
    {
        const std::scoped_lock lock{mutex_};
        chain_ = first;
    }
    first->start();
}

void Node::Front::stop() {
    // An exchange that asks a silent source ends now, not at its time limit.
    stopping.request_stop();
    {
        // Not for longer: an exchange that waits for its turn is a call that the server waits for.
        const std::scoped_lock lock{exchanging_};
        is_stopping_ = true;
    }
    const std::shared_ptr<Impl> last = current();
    if (!last) return;
    last->stop_waiting();
    if (server) server->stop();
    metrics.watch({});
    last->stop_sealing();
    server.reset();
    responder.reset();
    for (const auto& impl : std::exchange(retired_, {}))
        impl->close();
    last->close();
}

void Node::Front::watch(const Impl& impl) {
    if (current().get() != &impl) return;
    metrics.watch({impl.chain.get(), impl.mempool.get(), server.get(),
                   impl.comet ? &impl.comet->monitor() : nullptr, impl.forwarder(),
                   impl.application.get(), impl.follower.get(),
                   impl.member ? &impl.member->replication() : nullptr, impl.lanes.get(),
                   &impl.kept});
}

/// Each page as the chain has it that runs when somebody looks at it.
rpc::Pages Node::Front::pages_of_current(const Impl& first) {
    rpc::Pages pages;
    for (const auto& [path, page] : first.pages)
        pages[path] = {[this, path] {
                           const std::shared_ptr<Impl> now = current();
                           return now->pages.find(path)->second.make();
                       },
                       page.is_long};
    return pages;
}

void Node::Front::serve(Impl& next) {
    if (server) return;  // put_in_place() shows it
    const auto report = [this](const rpc::CallReport& call) { metrics.on_call(call); };
    const rpc::ResponderLimits limits = responder_limits(config, is_dev);
    rpc::Pages pages = next.pages;
    if (next.is_controlled()) {
        responder = std::make_unique<rpc::Responder>(
            std::shared_ptr<const rpc::MethodTable>(next.shared_from_this(), &next.methods), limits,
            report);
        pages = pages_of_current(next);
    } else {
        responder = std::make_unique<rpc::Responder>(next.methods, limits, report);
    }
    rpc::ServerOptions options = server_options(config, is_dev);
    options.loop_name = loop_name;
    server = std::make_unique<rpc::Server>(*responder, std::move(options), std::move(pages));
    server->start();
    watch(next);
    logger(Component::rpc)
        .info("listening on {} (HTTP and WebSocket)",
              authority(config.rpc.address, server->port()));
}

NodeConfig Node::Front::config_for(const ChainWish& wish) const {
    NodeConfig next = config;
    if (config.chain.is_datadir_temporary) next.chain.datadir.clear();
    next.forking.url = wish.source;
    next.forking.block = wish.block.has_value() ? std::to_string(*wish.block) : "latest";
    if (wish.source.empty()) next.forking.verify = next.forking.offline = false;
    // A genesis file is that of the chain, or says the rules of the source.
    if (is_forked(next) != is_forked(config)) next.chain.genesis.clear();
    check_forking(next, is_dev);
    return next;
}

std::expected<void, std::string> Node::Front::exchange(const ChainWish& wish) {
    const std::scoped_lock lock{exchanging_};
    if (is_stopping_) return std::unexpected("the node is stopping");
    std::shared_ptr<Impl> next;
    try {
        close_retired();
        if (retired_.size() >= kMostRetired)
            return std::unexpected(
                fmt::format("there are {} from before that still answer calls; try again",
                            counted(retired_.size(), "chain")));
        next = std::make_shared<Impl>(*this, config_for(wish), is_dev);
        next->folder.emplace("heddle-dev-", "the new chain needs a place");
        next->config.chain.datadir = next->folder->path();
        next->config.chain.is_datadir_temporary = true;
        next->start();
    } catch (const std::exception& error) {
        if (next) {
            next->stop_waiting();
            next->stop_sealing();
            next->close();
        }
        // Of an option that nobody has given here.
        constexpr std::string_view kOption = "--fork-url: ";
        const std::string_view text = error.what();
        return std::unexpected(
            std::string{text.starts_with(kOption) ? text.substr(kOption.size()) : text});
    }
    put_in_place(next);
    return {};
}

void Node::Front::put_in_place(const std::shared_ptr<Impl>& next) {
    std::shared_ptr<Impl> old;
    {
        const std::scoped_lock lock{mutex_};
        old = std::exchange(chain_, next);
    }
    responder->replace(std::shared_ptr<const rpc::MethodTable>(next, &next->methods));
    watch(*next);
    // Streams are of the blocks of one chain: unlike subscriptions they do not go over to the next.
    old->streams->end("another chain has taken the place of this one; subscribe anew");
    old->stop_waiting();
    old->stop_sealing();
    retired_.push_back(std::move(old));
}

/// Those that no request has any more: nobody can get at them anew.
void Node::Front::close_retired() {
    for (auto& impl : retired_) {
        if (impl.use_count() != 1) continue;
        const std::shared_ptr<Impl> closing = std::move(impl);
        closing->close();
    }
    std::erase(retired_, nullptr);
}

Node::Node(NodeConfig config, bool is_dev)
    : front_(std::make_unique<Front>(std::move(config), is_dev)) {}

Node::~Node() {
    try {
        front_->stop();
    } catch (const std::exception& error) {
        logger(Component::node).error("{}", error.what());
    }
}

void Node::start() {
    front_->start();
}

void Node::stop() {
    front_->stop();
}

void Node::stop_waiting() noexcept {
    front_->stopping.request_stop();
}

std::optional<std::string> Node::failure() const {
    const std::shared_ptr<Impl> now = front_->current();
    const std::scoped_lock lock{now->failure_mutex};
    return now->failure;
}

std::optional<Node::Restart> Node::restart() const {
    const std::shared_ptr<Impl> now = front_->current();
    const std::scoped_lock lock{now->failure_mutex};
    return now->restart;
}

std::uint16_t Node::port() const {
    return front_->server ? front_->server->port() : 0;
}

std::string Node::endpoint() const {
    return authority(front_->config.rpc.address, port());
}

}  // namespace heddle::node
