// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/cometbft/abci_server.hpp>

#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <types/expected.hpp>

#include "cometbft/abci_application.hpp"
#include "cometbft/abci_connection.hpp"
#include "cometbft/listen_address.hpp"
#include "cometbft/ordering_calls.hpp"

namespace heddle::consensus_adapter::cometbft {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// How long the last answer of a connection may take to be written.
constexpr std::chrono::seconds kPatience{2};
/// After an accept failed, which is for lack of file descriptors.
constexpr std::chrono::milliseconds kAcceptPause{100};

}  // namespace

/// One thread accepts; each connection has its own (abci_connection.hpp).
struct AbciServer::Impl {
    Impl(AbciHost& host, AbciServerOptions the_options)
        : options(std::move(the_options)),
          application(std::make_unique<AbciApplication>(host, options)) {}
    Impl(OrderingHost& host, AbciServerOptions the_options)
        : options(std::move(the_options)),
          application(std::make_unique<OrderingCalls>(host, options)) {}

    void run() {
        thread = std::thread{[this] {
            accept();
            context.run();
        }};
    }

    void accept() {
        acceptor.async_accept(context, [this](error_code error, AbciConnection::Socket socket) {
            if (!acceptor.is_open()) return;
            if (error) {
                pause.expires_after(kAcceptPause);
                pause.async_wait([this](error_code) {
                    if (acceptor.is_open()) accept();
                });
                return;
            }
            serve(std::move(socket));
            accept();
        });
    }

    void serve(AbciConnection::Socket socket) {
        connections.remove_if([](const AbciConnection& c) { return c.has_ended(); });
        if (connections.size() >= options.max_connections) {
            if (options.on_warning)
                options.on_warning("a connection of CometBFT is turned away: there are " +
                                   std::to_string(connections.size()) + " already");
            return;
        }
        error_code ignored;
        // Answers are small and waited for.
        if (!place.is_unix) ignored = socket.set_option(asio::ip::tcp::no_delay(true), ignored);
        connections.emplace_back(std::move(socket), *application, options);
    }

    void stop() {
        const std::scoped_lock lock{stopping};
        if (!thread.joinable()) return;
        asio::post(context, [this] {
            error_code ignored;
            ignored = acceptor.close(ignored);
            pause.cancel();
        });
        thread.join();
        if (place.is_unix) ::unlink(place.place.c_str());
        for (AbciConnection& connection : connections)
            connection.stop();
        for (AbciConnection& connection : connections)
            connection.wait(kPatience);
        connections.clear();
    }

    // Immutable once it runs.
    const AbciServerOptions options;
    ListenAddress place;
    const std::unique_ptr<AbciAnswers> application;

    asio::io_context context{1};
    // The accepting thread only; once it has ended, stop().
    Acceptor acceptor{context};
    asio::steady_timer pause{context};
    std::list<AbciConnection> connections;

    std::mutex stopping;  // held by stop()
    std::thread thread;   // guarded by stopping
};

AbciServer::AbciServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

AbciServer::~AbciServer() {
    stop();
}

template <typename Host>
std::expected<std::unique_ptr<AbciServer>, std::string> AbciServer::start_for(
    Host& host, AbciServerOptions options) {
    HEDDLE_TRY(ListenAddress place, parse_listen_address(options.address));
    auto impl = std::make_unique<Impl>(host, std::move(options));
    HEDDLE_TRY(impl->acceptor, listen(impl->context, place));
    impl->place = std::move(place);
    impl->run();
    return std::unique_ptr<AbciServer>{new AbciServer(std::move(impl))};
}

std::expected<std::unique_ptr<AbciServer>, std::string> AbciServer::start(
    AbciHost& host, AbciServerOptions options) {
    return start_for(host, std::move(options));
}

std::expected<std::unique_ptr<AbciServer>, std::string> AbciServer::start(
    OrderingHost& host, AbciServerOptions options) {
    return start_for(host, std::move(options));
}

std::string AbciServer::address() const {
    return to_string(impl_->place);
}

void AbciServer::stop() {
    impl_->stop();
}

}  // namespace heddle::consensus_adapter::cometbft
