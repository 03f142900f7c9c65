// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/log_tracer.hpp"

#include <iterator>
#include <utility>

namespace heddle::node::simulation {
namespace {

/// Stands for ether itself (ERC-7528).
constexpr Address make_ether_address() noexcept {
    Address address;
    for (auto& byte : address.bytes)
        byte = 0xee;
    return address;
}
constexpr Address kEther = make_ether_address();

/// KEC of Transfer(address,address,uint256).
const Hash& transfer_topic() noexcept {
    static const Hash topic =
        *hash_from_hex("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
    return topic;
}

}  // namespace

void LogTracer::on_enter(const vm::TraceCall& call) noexcept {
    calls_.emplace_back();
    using Kind = vm::TraceCall::Kind;
    const bool moves_ether =
        call.kind != Kind::delegate_call && call.kind != Kind::call_code && !call.value.is_zero();
    // From Amsterdam on each transfer has a log of its own (EIP-7708).
    if (!with_transfers_ || !moves_ether || call.revision >= Revision::amsterdam) return;
    Log log;
    log.address = kEther;
    log.topics = {transfer_topic(), to_hash(to_word(call.from)), to_hash(to_word(call.to))};
    log.data.resize(32);
    store_be(call.value, log.data.data());
    add(std::move(log));
}

void LogTracer::on_exit(vm::Status status, std::int64_t, BytesView) noexcept {
    std::vector<SimulatedLog> logs = std::move(calls_.back());
    calls_.pop_back();
    if (status != vm::Status::success) return forget(logs);
    auto& outer = calls_.back();
    outer.insert(outer.end(), std::make_move_iterator(logs.begin()),
                 std::make_move_iterator(logs.end()));
}

void LogTracer::on_log(const Log& log, std::size_t) noexcept {
    add(log);
}

void LogTracer::add(Log log) {
    text_bytes_ += text_of(log);
    if (most_text_ != 0 && text_bytes_ > most_text_) has_too_much_ = true;
    calls_.back().push_back({std::move(log), count_++});
}

std::vector<SimulatedLog> LogTracer::take_logs() noexcept {
    return std::exchange(calls_.front(), {});
}

}  // namespace heddle::node::simulation
