// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "replication/member_messages.hpp"

namespace heddle::node::replication {
namespace {

using consensus_adapter::replication::Role;

constexpr std::size_t kMaxMembers = 64;

void write_membership(const Membership& membership, JsonWriter& out) {
    out.key("member");
    out.string(membership.name);
    out.key("members");
    out.begin_array();
    for (const std::string& member : membership.members)
        out.string(member);
    out.end_array();
    out.key("acks");
    out.quantity(std::uint64_t{membership.acks});
}

Membership parse_membership(const JsonView& json) {
    Membership membership;
    membership.name = json.at("member").string();
    const JsonView members = json.at("members");
    if (members.size() > kMaxMembers) members.fail("too many members");
    for (std::size_t i = 0; i < members.size(); ++i)
        membership.members.emplace_back(members.element(i).string());
    membership.acks = json.at("acks").uint64();
    return membership;
}

void write_state(const MemberState& state, JsonWriter& out) {
    out.key("epoch");
    out.quantity(state.epoch);
    out.key("leader");
    out.string(state.leader);
}

}  // namespace

void write(const ReplicateRequest& request, JsonWriter& out) {
    out.begin_object();
    write_membership(request.membership, out);
    write_state(request.state, out);
    out.key("genesis");
    out.hash(request.genesis);
    out.key("locator");
    out.begin_array();
    for (const consensus_adapter::BlockId& block : request.locator) {
        out.begin_object();
        out.key("number");
        out.quantity(block.number);
        out.key("hash");
        out.hash(block.hash);
        out.end_object();
    }
    out.end_array();
    out.key("ahead");
    out.boolean(request.ahead);
    out.end_object();
}

ReplicateRequest parse_replicate_request(const JsonView& json) {
    ReplicateRequest request;
    request.membership = parse_membership(json);
    request.state = {json.at("epoch").uint64(), std::string{json.at("leader").string()},
                     Role::backup};
    request.genesis = json.at("genesis").hash();
    const JsonView locator = json.at("locator");
    if (locator.size() == 0 || locator.size() > kMaxLocator)
        locator.fail("expected some blocks, and not too many");
    for (std::size_t i = 0; i < locator.size(); ++i) {
        const JsonView block = locator.element(i);
        request.locator.push_back({block.at("number").uint64(), block.at("hash").hash()});
    }
    const auto ahead = json.find("ahead");  // an older member does not say it
    request.ahead = ahead.has_value() && ahead->boolean();
    return request;
}

ReplicateAnswer parse_replicate_answer(const JsonView& json) {
    ReplicateAnswer answer;
    if (const auto member = json.find("member")) answer.member = member->string();
    answer.epoch = json.at("epoch").uint64();
    if (const auto common = json.find("common")) {
        answer.common = common->uint64();
        return answer;
    }
    answer.subscription = json.at("subscription").string();
    return answer;
}

void write(const PromiseRequest& request, JsonWriter& out) {
    out.begin_object();
    write_membership(request.membership, out);
    out.key("epoch");
    out.quantity(request.epoch);
    out.key("candidate");
    out.string(request.candidate);
    out.end_object();
}

PromiseRequest parse_promise_request(const JsonView& json) {
    return {json.at("epoch").uint64(), std::string{json.at("candidate").string()},
            parse_membership(json)};
}

void write(const MemberStatus& status, JsonWriter& out) {
    out.begin_object();
    out.key("member");
    out.string(status.member);
    out.key("role");
    out.string(to_string(status.state.role));
    write_state(status.state, out);
    out.key("tail");
    out.begin_object();
    out.key("epoch");
    out.quantity(status.tail.epoch);
    out.key("number");
    out.quantity(status.tail.number);
    out.key("hash");
    out.hash(status.tail.hash);
    out.end_object();
    out.key("kept");
    out.quantity(status.kept);
    out.key("shown");
    out.quantity(status.shown);
    out.key("condition");
    out.string(status.condition);
    out.key("backups");
    out.begin_array();
    for (const BackupStatus& backup : status.backups) {
        out.begin_object();
        out.key("member");
        out.string(backup.name);
        out.key("connected");
        out.boolean(backup.is_connected);
        out.key("lost");
        out.boolean(backup.is_lost);
        out.key("number");
        out.quantity(backup.number);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

MemberStatus parse_member_status(const JsonView& json) {
    MemberStatus status;
    status.member = json.at("member").string();
    status.state = {
        json.at("epoch").uint64(), std::string{json.at("leader").string()},
        json.at("role").string() == to_string(Role::primary) ? Role::primary : Role::backup};
    const JsonView tail = json.at("tail");
    status.tail = {tail.at("epoch").uint64(), tail.at("number").uint64(), tail.at("hash").hash()};
    status.kept = json.at("kept").uint64();
    status.shown = json.at("shown").uint64();
    status.condition = json.at("condition").string();
    return status;
}

}  // namespace heddle::node::replication
