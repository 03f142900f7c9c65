// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/connection_table.hpp"

#include <functional>
#include <utility>

namespace heddle::node::rpc {

namespace {

/// Of IPv4 addresses, where an IPv6 address would be one of multicast, which nobody has.
constexpr std::uint64_t kIpv4 = std::uint64_t{0xff} << 56;

}  // namespace

Client client_of(const boost::asio::ip::address& address) noexcept {
    if (address.is_v4()) return {kIpv4 | address.to_v4().to_uint(), address.is_loopback()};
    const auto v6 = address.to_v6();
    if (v6.is_v4_mapped()) {
        const auto v4 = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6);
        return {kIpv4 | v4.to_uint(), v4.is_loopback()};
    }
    const auto bytes = v6.to_bytes();
    std::uint64_t network = 0;
    for (std::size_t i = 0; i < sizeof network; ++i)
        network = network << 8 | bytes[i];
    return {network, v6.is_loopback()};
}

ConnectionTable::Admission ConnectionTable::take(const Client& client, Clock::time_point now) {
    Admission admission;
    const std::scoped_lock lock(mutex_);
    const auto mine = by_client_.find(client.key);
    const bool is_client_full =
        limits_.per_client != 0 && mine != by_client_.end() && mine->second >= limits_.per_client;
    if (is_client_full || slots_.size() >= limits_.connections) {
        ConnectionSlot* const victim = longest_waiting(is_client_full ? &client : nullptr, now);
        if (victim == nullptr) return admission;
        admission.give_up = std::move(victim->give_up_);
        remove(*victim);
    }
    admission.slot = std::unique_ptr<ConnectionSlot>(
        new ConnectionSlot(*this, client, now.time_since_epoch().count()));
    add(*admission.slot);
    return admission;
}

ConnectionSlot* ConnectionTable::longest_waiting(const Client* client,
                                                 Clock::time_point now) const {
    const auto latest = (now - limits_.patience).time_since_epoch().count();
    ConnectionSlot* found = nullptr;
    auto since = latest;
    for (ConnectionSlot* const slot : slots_) {
        if (client != nullptr && slot->client_.key != client->key) continue;
        const auto waits_since = slot->waits_since_.load(std::memory_order_relaxed);
        const bool has_waited = waits_since <= latest && slot->give_up_;
        if (!has_waited || (found != nullptr && waits_since >= since)) continue;
        since = waits_since;
        found = slot;
    }
    return found;
}

void ConnectionTable::add(ConnectionSlot& slot) {
    std::size_t& count = by_client_[slot.client_.key];
    slots_.push_back(&slot);
    slot.position_ = slots_.size() - 1;
    ++count;
}

void ConnectionTable::remove(ConnectionSlot& slot) {
    ConnectionSlot* const last = slots_.back();
    slots_[slot.position_] = last;
    last->position_ = slot.position_;
    slots_.pop_back();
    slot.position_ = ConnectionSlot::kNowhere;
    const auto mine = by_client_.find(slot.client_.key);
    if (--mine->second == 0) by_client_.erase(mine);
}

std::size_t ConnectionTable::open() const {
    const std::scoped_lock lock(mutex_);
    return slots_.size();
}

void ConnectionTable::wait_until_empty(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return slots_.empty(); });
}

ConnectionSlot::~ConnectionSlot() {
    {
        const std::scoped_lock lock(table_.mutex_);
        if (position_ != kNowhere) table_.remove(*this);
    }
    table_.changed_.notify_all();
}

void ConnectionSlot::on_give_up(std::function<void()> action) {
    const std::scoped_lock lock(table_.mutex_);
    give_up_ = std::move(action);
}

}  // namespace heddle::node::rpc
