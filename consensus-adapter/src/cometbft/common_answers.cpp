// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/common_answers.hpp"

#include <types/bytes.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr int kAccept = 1;
constexpr int kReject = 2;
constexpr int kDuplicateVote = 1;

}  // namespace

bool answer_common(const abci::Request& request, abci::Response& response) {
    using Case = abci::Request::ValueCase;
    switch (request.value_case()) {
        case Case::kEcho:
            response.mutable_echo()->set_message(request.echo().message());
            return true;
        case Case::kFlush:
            response.mutable_flush();
            return true;
        case Case::kExtendVote:
            response.mutable_extend_vote();
            return true;
        case Case::kVerifyVoteExtension:
            response.mutable_verify_vote_extension()->set_status(
                request.verify_vote_extension().vote_extension().empty() ? kAccept : kReject);
            return true;
        default:
            return false;
    }
}

std::string to_sentence(const abci::Misbehavior& proven, std::int64_t height) {
    const abci::Validator& validator = proven.validator();
    return "block " + std::to_string(height) + " proves that the validator " +
           to_hex(as_bytes(validator.address())) + " with " + std::to_string(validator.power()) +
           " of the power " + std::to_string(proven.total_voting_power()) +
           (proven.type() == kDuplicateVote ? " has signed two different votes of height "
                                            : " has signed a false block of height ") +
           std::to_string(proven.height());
}

}  // namespace heddle::consensus_adapter::cometbft
