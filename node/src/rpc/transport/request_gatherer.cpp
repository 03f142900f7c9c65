// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/request_gatherer.hpp"

#include <exception>
#include <utility>

#include <boost/asio/post.hpp>

#include "logging/log.hpp"

namespace heddle::node::rpc {

void RequestGatherer::add(const Responder& responder, SharingRequest request, Finish finish) {
    finishes_.reserve(kMostGathered);
    requests_.reserve(kMostGathered);
    if (!is_due_) {
        boost::asio::post(context_, [this, &responder] {
            is_due_ = false;
            answer(responder);
        });
        is_due_ = true;
    }
    requests_.push_back(std::move(request));
    finishes_.push_back(std::move(finish));
    if (requests_.size() == kMostGathered) answer(responder);
}

void RequestGatherer::answer(const Responder& responder) {
    // Whoever is answered may come with the next call before this ends.
    const std::vector<SharingRequest> requests = std::exchange(requests_, {});
    const std::vector<Finish> finishes = std::exchange(finishes_, {});
    bool is_answered = true;
    try {
        responder.answer_together(requests);
    } catch (const std::exception& error) {
        logger(Component::rpc).error("{} calls failed: {}", requests.size(), error.what());
        is_answered = false;
    }
    for (const Finish& finish : finishes)
        finish(is_answered);
}

}  // namespace heddle::node::rpc
