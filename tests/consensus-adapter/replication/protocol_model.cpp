// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol_model.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/replication/epoch.hpp>

namespace heddle::consensus_adapter::replication {

ProtocolModel::ProtocolModel(ModelOptions options, std::uint64_t seed)
    : options_(options), random_(seed), nodes_(options.members) {
    for (Id id = 0; id < nodes_.size(); ++id) {
        nodes_[id].disk.state = first_state(name_of(id), name_of(0));
        start(id);
    }
}

Acknowledgements::Time ProtocolModel::now() const {
    return Acknowledgements::Time{} + std::chrono::milliseconds{steps_};
}

Tail ProtocolModel::tail_of(const Node& node) const {
    return {node.disk.chain.back().epoch, node.disk.chain.size() - 1, {}};
}

void ProtocolModel::start(Id id) {
    Node& node = nodes_[id];
    Membership membership{name_of(id), {}, options_.acks};
    for (Id other = 0; other < nodes_.size(); ++other)
        membership.members.push_back(name_of(other));
    node.member = std::make_unique<Member>(membership, node.disk.state, node.disk);
    node.acknowledgements.reset();
    node.streams.clear();
    node.session = 0;
    node.is_joined = false;
    node.candidacy = 0;
    if (node.disk.state.role != Role::primary) return;

    const ModelChain& chain = node.disk.chain;
    const std::uint64_t kept = chain.size() - 1;
    std::uint64_t first = kept + 1;
    while (first > 1 && chain[first - 1].epoch == node.disk.state.epoch)
        --first;
    AcknowledgementOptions options;
    for (Id other = 0; other < nodes_.size(); ++other)
        if (other != id) options.backups.push_back(name_of(other));
    options.acks = options_.acks;
    options.timeout = std::chrono::hours{1'000};
    options.window = 8;
    node.kept_at_start = kept;
    node.acknowledgements.emplace(options, PrimaryStart{node.disk.shown, kept, first}, now());
}

void ProtocolModel::kill(Id id) {
    nodes_[id].member.reset();
    nodes_[id].acknowledgements.reset();
}

void ProtocolModel::follow_role(Id id) {
    Node& node = nodes_[id];
    if ((node.disk.state.role == Role::primary) != node.acknowledgements.has_value()) start(id);
}

void ProtocolModel::step() {
    ++steps_;
    const Id id = random(nodes_.size());
    Node& node = nodes_[id];
    const std::uint64_t chance = random(1'000);
    if (!node.member) {
        if (chance < 100) start(id);
        return deliver();
    }
    if (chance < 4) return kill(id);
    if (chance < 6) return stand(id);
    if (chance < 200) return seal(id);
    if (chance < 300) return join(id);
    if (chance < 500) return stream(id);
    deliver();
}

void ProtocolModel::seal(Id id) {
    Node& node = nodes_[id];
    if (!node.acknowledgements.has_value() || !node.acknowledgements->has_room()) return;
    node.disk.chain.push_back({node.disk.state.epoch, next_block_++});
    node.acknowledgements->kept(node.disk.chain.size() - 1, now());
    show(id, node.acknowledgements->shown());
}

void ProtocolModel::join(Id id) {
    Node& node = nodes_[id];
    if (node.acknowledgements.has_value() || node.is_joined) return;
    const MemberState state = node.member->state();
    const Id leader = id_of(state.leader);
    if (leader == id) return;
    node.session = next_session_++;
    const ModelChain& chain = node.disk.chain;
    send(id, leader, Join{node.session, state, chain.size() - 1, chain.back()});
}

void ProtocolModel::stream(Id id) {
    Node& node = nodes_[id];
    if (!node.acknowledgements.has_value() || node.streams.empty()) return;
    auto entry =
        std::next(node.streams.begin(), static_cast<std::ptrdiff_t>(random(node.streams.size())));
    auto& [backup, stream] = *entry;
    if (stream.next >= node.disk.chain.size()) return;
    send(id, backup,
         Blocks{stream.session, node.disk.state.epoch, stream.next, node.disk.chain[stream.next],
                node.acknowledgements->shown()});
    ++stream.next;
}

void ProtocolModel::stand(Id id) {
    Node& node = nodes_[id];
    if (node.acknowledgements.has_value()) return;
    node.session = 0;
    node.is_joined = false;
    const std::uint64_t epoch = node.member->membership().next_epoch(node.member->state().epoch);
    if (!node.member->promise(epoch, name_of(id))) return;
    node.candidacy = epoch;
    node.promises.clear();
    for (Id other = 0; other < nodes_.size(); ++other)
        if (other != id) send(id, other, AskPromise{epoch});
    try_to_lead(id);
}

void ProtocolModel::try_to_lead(Id id) {
    Node& node = nodes_[id];
    if (node.candidacy == 0) return;
    if (!options_.forces && !may_lead(node.member->membership(), tail_of(node), node.promises))
        return;
    const std::uint64_t epoch = std::exchange(node.candidacy, 0);
    if (!node.member->lead(epoch)) return;
    if (leaders_.emplace(epoch, id).first->second != id && violation_.empty())
        violation_ = fmt::format("step {}: epoch {} has two leaders", steps_, epoch);
    ++promotions_;
    follow_role(id);
}

void ProtocolModel::show(Id id, std::uint64_t number) {
    Disk& disk = nodes_[id].disk;
    number = std::min<std::uint64_t>(number, disk.chain.size() - 1);
    for (std::uint64_t i = disk.shown + 1; i <= number; ++i) {
        const auto [known, is_new] = shown_.emplace(i, disk.chain[i]);
        if (!is_new && known->second != disk.chain[i] && violation_.empty())
            violation_ =
                fmt::format("step {}: {} shows block {} of epoch {}, of epoch {} before", steps_,
                            name_of(id), i, disk.chain[i].epoch, known->second.epoch);
    }
    disk.shown = std::max(disk.shown, number);
}

void ProtocolModel::send(Id from, Id to, Content content) {
    constexpr std::size_t kMostOnTheirWay = 64;
    const std::uint64_t chance = random(100);
    if (chance < 10 || network_.size() >= kMostOnTheirWay) return;  // lost
    if (chance < 20) network_.push_back({from, to, content});       // twice
    network_.push_back({from, to, std::move(content)});
}

void ProtocolModel::deliver() {
    if (network_.empty()) return;
    // Mostly in order, so that streams get somewhere.
    const std::size_t at = random(10) == 0 ? random(network_.size()) : 0;
    const Message message = std::move(network_[at]);
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(at));
    if (!nodes_[message.to].member) return;
    std::visit([&](const auto& content) { take(message, content); }, message.content);
    if (nodes_[message.to].member) follow_role(message.to);
}

void ProtocolModel::take(const Message& message, const Join& join) {
    Node& node = nodes_[message.to];
    if (!node.member->admit(join.state) || !node.acknowledgements.has_value()) return;
    const ModelChain& chain = node.disk.chain;
    if (join.tail >= chain.size() || chain[join.tail] != join.block)
        return send(message.to, message.from, Diverged{join.session, node.disk.state.epoch, chain});
    node.streams[message.from] = {join.session, join.tail + 1};
    send(message.to, message.from, Joined{join.session, node.disk.state.epoch});
}

void ProtocolModel::take(const Message& message, const Joined& joined) {
    Node& node = nodes_[message.to];
    if (joined.session != node.session || node.is_joined) return;
    if (!node.member->follow(joined.epoch, name_of(message.from))) return;
    node.is_joined = true;
    send(message.to, message.from,
         Acknowledge{node.session, joined.epoch, node.disk.chain.size() - 1});
}

void ProtocolModel::take(const Message& message, const Diverged& diverged) {
    Node& node = nodes_[message.to];
    if (diverged.session != node.session || node.is_joined) return;
    if (!node.member->follow(diverged.epoch, name_of(message.from))) return;
    ModelChain& chain = node.disk.chain;
    std::size_t common = 0;
    while (common < std::min(chain.size(), diverged.chain.size()) &&
           chain[common] == diverged.chain[common])
        ++common;
    if (common <= node.disk.shown && violation_.empty())
        violation_ = fmt::format("step {}: {} would take back block {}, which it has shown", steps_,
                                 name_of(message.to), node.disk.shown);
    chain.resize(common);
    node.disk.shown = std::min<std::uint64_t>(node.disk.shown, common - 1);
    node.session = 0;
    ++rollbacks_;
}

void ProtocolModel::take(const Message& message, const Blocks& blocks) {
    Node& node = nodes_[message.to];
    const std::uint64_t epoch = node.member->state().epoch;
    if (blocks.session != node.session || !node.is_joined || blocks.epoch != epoch) return;
    ModelChain& chain = node.disk.chain;
    if (blocks.number > chain.size()) {  // something was lost: the connection is closed
        node.session = 0;
        node.is_joined = false;
        return;
    }
    if (blocks.number == chain.size()) {
        if (!is_epoch_in_order(chain.back().epoch, blocks.block.epoch, epoch)) {
            if (violation_.empty()) violation_ = "a leader sends a block out of order";
            return;
        }
        chain.push_back(blocks.block);
    }
    show(message.to, blocks.shown);
    send(message.to, message.from, Acknowledge{node.session, epoch, chain.size() - 1});
}

void ProtocolModel::take(const Message& message, const Acknowledge& acknowledge) {
    Node& node = nodes_[message.to];
    if (!node.acknowledgements.has_value() || acknowledge.epoch != node.disk.state.epoch) return;
    node.acknowledgements->acknowledged(name_of(message.from), acknowledge.number, now());
    show(message.to, node.acknowledgements->shown());
}

void ProtocolModel::take(const Message& message, const AskPromise& asked) {
    Node& node = nodes_[message.to];
    Tail tail = tail_of(node);
    if (node.acknowledgements.has_value()) {
        // Of a primary's blocks only those count that may have been acknowledged.
        tail.number = std::max(node.acknowledgements->shown(), node.kept_at_start);
        tail.epoch = node.disk.chain[tail.number].epoch;
    }
    if (!node.member->promise(asked.epoch, name_of(message.from))) return;
    node.session = 0;
    node.is_joined = false;
    node.candidacy = 0;
    send(message.to, message.from, GivePromise{asked.epoch, tail});
}

void ProtocolModel::take(const Message& message, const GivePromise& given) {
    Node& node = nodes_[message.to];
    if (node.candidacy != given.epoch) return;
    const std::string member = name_of(message.from);
    if (std::ranges::find(node.promises, member, &Promise::member) != node.promises.end()) return;
    node.promises.push_back({member, given.tail});
    try_to_lead(message.to);
}

}  // namespace heddle::consensus_adapter::replication
