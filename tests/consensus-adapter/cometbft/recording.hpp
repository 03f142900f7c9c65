// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversations of a real CometBFT with the server on a chain that executes nothing, written down
// by a proxy between them, in the order of the answers. An exchange is a byte, the number of the
// connection, then the request and its answer, each with its length as a varint before it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "cometbft/framing.hpp"
#include "fake_chain.hpp"

namespace heddle::consensus_adapter::cometbft {

struct Exchange {
    std::size_t connection = 0;
    Bytes request;
    Bytes answer;
};

/// What was waiting on the chain when block `number` was to be proposed.
inline Proposal recorded_proposal(std::uint64_t number) {
    Proposal proposal;
    for (std::uint64_t i = 0; i < number % 4; ++i) {
        const bool is_executable = number % 3 != 0 || i != 0;
        proposal.transactions.push_back(
            make_transaction(is_executable ? i : kTooHighNonce, i == 1 ? Bytes{1} : Bytes{}));
        proposal.object_sets.push_back(make_set(number + i, 1 + i));
    }
    return proposal;
}

inline std::vector<Exchange> read_recording(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    const Bytes all{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
    FrameReader reader{all.size()};
    std::vector<Exchange> exchanges;
    std::size_t at = 0;
    const auto take = [&]() -> Bytes {
        // One byte after the other: what comes behind a message is not one.
        while (at < all.size()) {
            reader.room()[0] = all[at++];
            reader.received(1);
            const auto message = reader.next();
            if (message.has_value() && message->has_value())
                return {(*message)->begin(), (*message)->end()};
        }
        ADD_FAILURE() << path << " ends inside an exchange";
        return {};
    };
    while (at < all.size()) {
        Exchange& exchange = exchanges.emplace_back();
        exchange.connection = all[at++];
        exchange.request = take();
        exchange.answer = take();
    }
    return exchanges;
}

}  // namespace heddle::consensus_adapter::cometbft
