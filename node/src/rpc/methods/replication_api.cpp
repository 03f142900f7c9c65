// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/replication_api.hpp"

#include <string>
#include <utility>

#include "replication/member_messages.hpp"
#include "rpc/envelope/arguments.hpp"

namespace heddle::node::rpc {
namespace {

/// The value, or the member's refusal as an error.
template <typename T>
T granted(std::expected<T, replication::MemberRefusal> answer) {
    if (!answer.has_value()) throw RpcError(Code::server_error, answer.error());
    return *std::move(answer);
}

void replicate(const Call& call, replication::Replication& replication, BlockStreams& streams,
               JsonWriter& out) {
    if (!call.session) throw RpcError(Code::method_not_found, "notifications not supported");
    const auto request = argument(call.params, 0, replication::parse_replicate_request);
    auto admission = granted(replication.admit(request));
    out.begin_object();
    out.key("member");
    out.string(admission.member);
    out.key("epoch");
    out.quantity(admission.epoch);
    if (admission.common.has_value()) {
        out.key("common");
        out.quantity(*admission.common);
    } else {
        const consensus_adapter::BlockId& last = request.locator.front();
        out.key("subscription");
        out.string(streams.add(call.session, {.from = last.number + 1,
                                              .parent = last.hash,
                                              .window = BlockStreams::kMaxWindow,
                                              .backup = std::move(admission.session),
                                              .ahead = request.ahead}));
    }
    out.end_object();
}

void promote(const Call& call, replication::Replication& replication, JsonWriter& out) {
    const auto force = find_argument(call.params, 0, [](const JsonView& value) {
        if (!value.is_object()) value.fail("expected an object");
        const auto member = value.find("force");
        return member.has_value() && member->boolean();
    });
    const auto promotion = granted(replication.promote(force.value_or(false)));
    out.begin_object();
    out.key("epoch");
    out.quantity(promotion.epoch);
    out.key("number");
    out.quantity(promotion.tail.number);
    out.key("hash");
    out.hash(promotion.tail.hash);
    out.key("promisedBy");
    out.begin_array();
    for (const std::string& member : promotion.promised_by)
        out.string(member);
    out.end_array();
    out.key("lastLeaderHead");
    out.quantity(promotion.leader_head);
    out.end_object();
}

}  // namespace

void add_replication_methods(MethodTable& table, replication::Replication& replication,
                             const std::shared_ptr<BlockStreams>& streams) {
    const auto add = [&table](std::string name, Weight weight, std::size_t count, Handler handler) {
        table.add(
            {std::move(name), at_most(count, std::move(handler)), weight, Access::authenticated});
    };
    add("heddle_promise", Weight::waiting, 1, [&replication](const Call& call, JsonWriter& out) {
        const auto request = argument(call.params, 0, replication::parse_promise_request);
        write(granted(replication.promise(request)), out);
    });
    add("heddle_promote", Weight::waiting, 1,
        [&replication](const Call& call, JsonWriter& out) { promote(call, replication, out); });
    add("heddle_replicate", Weight::light, 1,
        [&replication, streams](const Call& call, JsonWriter& out) {
            replicate(call, replication, *streams, out);
        });
    add("heddle_replication", Weight::light, 0,
        [&replication](const Call&, JsonWriter& out) { write(replication.status(), out); });
}

}  // namespace heddle::node::rpc
