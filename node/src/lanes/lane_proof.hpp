// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a lane's validators have signed a block of its log. A header of CometBFT has the hash of
// the items of its height, and as AppHash the digest of the lane's log up to the height before
// (lane_application.hpp): so one signed header vouches for a block and for everything before it.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <consensus_adapter/cometbft/signed_header.hpp>
#include <consensus_adapter/lanes/lane_log.hpp>
#include <consensus_adapter/lanes/placement.hpp>
#include <types/hash.hpp>

#include "follow/endpoint.hpp"
#include "follow/rpc_caller.hpp"

namespace heddle::node::lanes {

/// The validators of CometBFT's genesis file of a lane.
/// Errors: InputError with the path and the member at fault.
[[nodiscard]] consensus_adapter::cometbft::TrustedValidators load_lane_validators(
    const std::filesystem::path& genesis);

/// Whether this is the block that the header is about, whoever has signed that.
/// @param lane        Whose log it is of.
/// @param log_before  Digest of the log up to the height before; nullopt: it is not compared.
/// Errors: one sentence.
[[nodiscard]] std::expected<void, std::string> check_block(
    const consensus_adapter::lanes::LaneLogHead& lane,
    const consensus_adapter::cometbft::SignedHeader& signed_header,
    const consensus_adapter::lanes::LaneBlock& block, const std::optional<Hash>& log_before);
/// The same, and whether these validators have signed the header.
[[nodiscard]] std::expected<void, std::string> check_signed(
    const consensus_adapter::cometbft::TrustedValidators& validators,
    const consensus_adapter::lanes::LaneLogHead& lane,
    const consensus_adapter::cometbft::SignedHeader& signed_header,
    const consensus_adapter::lanes::LaneBlock& block, const std::optional<Hash>& log_before);

/// Asks a CometBFT of the lane for signed headers, and who its validators are. Thread safety: one
/// caller at a time; a requested stop ends every call.
class CommitClient {
public:
    CommitClient(follow::Endpoint endpoint, std::stop_token stop);

    /// Errors: one sentence: it does not answer, or not with a signed header.
    [[nodiscard]] std::expected<consensus_adapter::cometbft::SignedHeader, std::string> commit(
        std::uint64_t height);
    /// Of this height, whose header says what the hash of them is: as the CometBFT that is asked
    /// says. Errors: one sentence.
    [[nodiscard]] std::expected<
        std::vector<consensus_adapter::cometbft::TrustedValidators::Validator>, std::string>
    validators(std::uint64_t height);

private:
    follow::RpcCaller caller_;
};

}  // namespace heddle::node::lanes
