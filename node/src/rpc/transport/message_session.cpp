// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/message_session.hpp"

#include <iterator>
#include <utility>

#include <boost/asio/post.hpp>

namespace heddle::node::rpc {

MessageSession::MessageSession(ServerCore& core, IoThread& thread, std::weak_ptr<Connection> owner,
                               std::uint64_t client)
    : core_(&core),
      thread_(&thread),
      owner_(std::move(owner)),
      memory_(std::in_place, core.memory, client) {}

bool MessageSession::send(std::string message) {
    const std::scoped_lock lock(mutex_);
    if (!is_open_ || !make_room(message.size())) return false;
    (holds_ == 0 ? queue_ : held_).push_back(std::move(message));
    wake();
    return true;
}

void MessageSession::on_close(std::function<void()> action) {
    {
        const std::scoped_lock lock(mutex_);
        if (is_open_) {
            actions_.push_back(std::move(action));
            return;
        }
    }
    action();
}

void MessageSession::respond(std::string response) {
    const std::scoped_lock lock(mutex_);
    if (response.empty() || !is_open_ || !make_room(response.size())) return;
    queue_.push_back(std::move(response));
}

void MessageSession::hold() {
    const std::scoped_lock lock(mutex_);
    ++holds_;
}

void MessageSession::release() {
    const std::scoped_lock lock(mutex_);
    if (--holds_ != 0) return;
    std::ranges::move(held_, std::back_inserter(queue_));
    held_.clear();
}

std::optional<std::string> MessageSession::take() {
    const std::scoped_lock lock(mutex_);
    is_woken_ = false;
    if (queue_.empty()) return std::nullopt;
    std::string message = std::move(queue_.front());
    queue_.pop_front();
    written_bytes_ = message.size();
    return message;
}

void MessageSession::written() {
    const std::scoped_lock lock(mutex_);
    queued_bytes_ -= std::exchange(written_bytes_, 0);
    if (queued_bytes_ == 0 && memory_) memory_->release();
}

std::size_t MessageSession::queued_bytes() const {
    const std::scoped_lock lock(mutex_);
    return queued_bytes_;
}

void MessageSession::close() {
    std::vector<std::function<void()>> actions;
    {
        const std::scoped_lock lock(mutex_);
        if (!std::exchange(is_open_, false) && !memory_) return;
        memory_.reset();
        queue_.clear();
        held_.clear();
        actions.swap(actions_);
    }
    // Without the lock: they take locks of their own, under which others send.
    for (const auto& action : actions)
        action();
}

void MessageSession::wake() {
    if (std::exchange(is_woken_, true)) return;
    // The thread is there as long as the session is open.
    boost::asio::post(thread_->context, [owner = owner_] {
        if (const auto connection = owner.lock()) connection->flush();
    });
}

bool MessageSession::make_room(std::size_t bytes) {
    const std::size_t sum = queued_bytes_ + bytes;
    // One message may be larger than the queue: there would be no other way to send it.
    const bool is_too_much = queued_bytes_ != 0 && sum > core_->options.max_send_queue_bytes;
    if (!is_too_much && memory_->grow_to(sum)) {
        queued_bytes_ = sum;
        return true;
    }
    is_open_ = false;
    ++core_->cut_off;
    boost::asio::post(thread_->context, [owner = owner_] {
        if (const auto connection = owner.lock()) connection->close();
    });
    return false;
}

}  // namespace heddle::node::rpc
