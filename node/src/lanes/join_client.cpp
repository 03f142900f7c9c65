// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/join_client.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>

#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

using consensus_adapter::follow::FollowFault;

/// More than a node keeps snapshots.
constexpr std::size_t kMostOffers = 1'024;

/// A part in hexadecimal digits, or headers, and what is around them.
follow::ConnectionLimits limits() {
    follow::ConnectionLimits limits;
    limits.max_answer_bytes = std::size_t{8} << 20;
    return limits;
}

std::size_t size_at(const JsonView& json, std::string_view name, std::size_t most) {
    const JsonView value = json.at(name);
    const std::uint64_t size = value.uint64();
    if (size > most) value.fail("larger than it can be");
    return static_cast<std::size_t>(size);
}

std::string written(const JoinPart& part) {
    switch (part.kind) {
        case JoinPart::Kind::manifest:
            return R"("manifest")";
        case JoinPart::Kind::checkpoint:
            return R"("checkpoint")";
        case JoinPart::Kind::chunk:
            break;
    }
    return fmt::format(R"("0x{:x}")", part.chunk);
}

}  // namespace

JoinClient::JoinClient(follow::Endpoint endpoint, std::stop_token stop)
    : caller_(std::move(endpoint), limits(), std::move(stop)) {}

std::expected<std::vector<JoinOffer>, JoinClient::FollowError> JoinClient::offers() try {
    HEDDLE_TRY(const JsonView json, caller_.call({"heddle_snapshots", "[]"}));
    if (json.size() > kMostOffers) json.fail("more than a node can have");
    std::vector<JoinOffer> offers(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonView one = json.element(i);
        JoinOffer& offer = offers[i];
        offer.number = one.at("number").uint64();
        offer.block_hash = one.at("hash").hash();
        offer.manifest_bytes = size_at(one, "manifestBytes", kMostManifestBytes);
        offer.chunks = static_cast<std::uint32_t>(
            size_at(one, "chunks", std::numeric_limits<std::uint32_t>::max()));
        offer.checkpoint_bytes = size_at(one, "checkpointBytes", kMostCheckpointBytes);
        offer.checkpoint_hash = one.at("checkpointHash").hash();
    }
    return offers;
} catch (const InputError& problem) {
    return std::unexpected(caller_.error(FollowFault::misunderstood, problem.what()));
}

std::expected<Bytes, JoinClient::FollowError> JoinClient::part(std::uint64_t number,
                                                               const JoinPart& part,
                                                               std::uint64_t offset,
                                                               std::size_t size) try {
    HEDDLE_TRY(const JsonView json,
               caller_.call({"heddle_snapshotPart", fmt::format(R"(["0x{:x}",{},"0x{:x}"])", number,
                                                                written(part), offset)}));
    Bytes bytes = json.bytes();
    if (bytes.size() == size) return bytes;
    return std::unexpected(caller_.error(
        FollowFault::misunderstood,
        fmt::format(
            "{} bytes of the snapshot of block {} from byte {} of {} on, where there are {}",
            bytes.size(), number, offset, written(part), size)));
} catch (const InputError& problem) {
    return std::unexpected(caller_.error(FollowFault::misunderstood, problem.what()));
}

std::expected<std::vector<Bytes>, JoinClient::FollowError> JoinClient::headers(
    std::uint64_t from, std::size_t count) try {
    std::vector<follow::Question> questions;
    for (std::uint64_t number = from; number < from + count; ++number)
        questions.push_back({"debug_getRawHeader", fmt::format(R"(["0x{:x}"])", number)});
    HEDDLE_TRY(const std::vector<follow::Answer> answers, caller_.call_all(questions));
    std::vector<Bytes> headers;
    for (const follow::Answer& answer : answers) {
        if (!answer.has_value())
            return std::unexpected(caller_.refusal("debug_getRawHeader", answer.error()));
        headers.push_back(answer->bytes());
        if (headers.back().empty())
            return std::unexpected(
                caller_.error(FollowFault::absent,
                              fmt::format("has no block {} (yet)", from + headers.size() - 1)));
    }
    return headers;
} catch (const InputError& problem) {
    return std::unexpected(caller_.error(FollowFault::misunderstood, problem.what()));
}

}  // namespace heddle::node::lanes
