// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A client of CometBFT's own JSON-RPC (port 26657): where the node hands its transactions in, and
// what CometBFT says of peers and progress.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <types/bytes.hpp>

namespace heddle::consensus_adapter::cometbft {

/// /status and /net_info.
struct CometStatus {
    std::string network;  // chain id
    std::string version;  // of CometBFT
    std::string moniker;
    std::uint64_t latest_height = 0;
    std::uint64_t earliest_height = 0;
    bool is_catching_up = false;
    std::int64_t voting_power = 0;  // of this node's validator; 0: it is none
    std::size_t peers = 0;
};

/// What became of one transaction handed in.
enum class BroadcastResult : std::uint8_t {
    accepted,
    already_there,
    mempool_full,  // no room, or not now: to be tried again
    refused,       // CheckTx said no, or no message of CometBFT's can hold it
};

enum class CometErrorCode : std::uint8_t {
    bad_address,    // it is none
    unreachable,    // nobody is there, or answers in time
    misunderstood,  // the answer is not one of CometBFT's
    refused,        // CometBFT says no
};
struct CometError {
    CometErrorCode code = CometErrorCode::unreachable;
    std::string sentence;  // with the address, what happened, and what to do where that is known
};
[[nodiscard]] inline const std::string& to_string(const CometError& error) noexcept {
    return error.sentence;
}

/// One keep-alive connection, made anew when it breaks. A call takes no longer than the timeout for
/// each exchange, of which broadcast() may need several; where the address is a name, finding it is
/// left to the system. Thread safety: one caller at a time.
class CometRpc {
public:
    /// @param address  `http://ADDRESS:PORT` or `tcp://ADDRESS:PORT`.
    /// Errors: bad_address.
    [[nodiscard]] static std::expected<CometRpc, CometError> create(
        const std::string& address, std::chrono::milliseconds timeout = std::chrono::seconds{5});
    CometRpc(CometRpc&&) noexcept;
    CometRpc& operator=(CometRpc&&) noexcept;
    ~CometRpc();

    /// Errors: unreachable, misunderstood, refused.
    [[nodiscard]] std::expected<CometStatus, CometError> status();
    /// Hands transactions in, in as few batches of calls as CometBFT's limits allow; these are
    /// learnt from its refusals. Only the last of each batch waits for its CheckTx, and so for
    /// those before it: CometBFT answers the calls of a batch one after another, some 0.8 ms for
    /// each that waits, 0.03 ms for each that does not. For the others `accepted` says that there
    /// was room.
    /// @return one result for each. Errors: as status(); some may have been taken.
    [[nodiscard]] std::expected<std::vector<BroadcastResult>, CometError> broadcast(
        std::span<const Bytes> transactions);

private:
    struct Impl;
    explicit CometRpc(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::consensus_adapter::cometbft
