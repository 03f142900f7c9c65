// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of several connections that are answered together. Whoever comes first waits until the
// thread has looked at every connection that is ready by then, and no longer: there is no timer,
// and a call that comes alone waits for one look at the sockets, a microsecond or so.
#pragma once

#include <functional>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "rpc/envelope/json_rpc.hpp"

namespace heddle::node::rpc {

/// At most kMostGathered requests wait; each is light, and its bytes are counted by its connection.
/// Thread safety: the thread that runs `context` only.
class RequestGatherer {
public:
    /// Called once when the response is there; false: for want of memory there is none. Must keep
    /// alive what the request borrows, and must not throw.
    using Finish = std::function<void(bool is_answered)>;

    /// @param context  Outlives the gatherer; what it has not run by its end is never answered.
    explicit RequestGatherer(boost::asio::io_context& context) : context_(context) {}

    /// @param request  One that can share (Responder::can_share).
    void add(const Responder& responder, SharingRequest request, Finish finish);

private:
    /// Answers all that have come.
    void answer(const Responder& responder);

    boost::asio::io_context& context_;
    std::vector<SharingRequest> requests_;
    std::vector<Finish> finishes_;  // of each
    bool is_due_ = false;           // answer() is queued behind what is ready
};

}  // namespace heddle::node::rpc
