// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Members of a replicated chain in a world made of chance: messages are lost, come twice, late and
// in any order, members die between any two steps and come back with what was on their disks, and
// operators promote whom they like, several at once. Roles, promises and acknowledgements are the
// program's; everything around them is a few lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <consensus_adapter/replication/acknowledgements.hpp>
#include <consensus_adapter/replication/member.hpp>

namespace heddle::consensus_adapter::replication {

struct ModelOptions {
    std::size_t members = 3;
    std::size_t acks = 1;
    /// Whether operators force promotions, so that the rule of may_lead() is stepped over.
    bool forces = false;
};

class ProtocolModel {
public:
    ProtocolModel(ModelOptions options, std::uint64_t seed);

    /// One thing happens, somewhere.
    void step();

    /// The first broken promise; empty: all are kept.
    [[nodiscard]] const std::string& violation() const noexcept { return violation_; }
    [[nodiscard]] std::uint64_t shown_blocks() const noexcept { return shown_.size(); }
    [[nodiscard]] std::uint64_t promotions() const noexcept { return promotions_; }
    [[nodiscard]] std::uint64_t rollbacks() const noexcept { return rollbacks_; }

private:
    using Id = std::size_t;  // of a member
    struct ModelBlock {
        std::uint64_t epoch = 0;
        std::uint64_t id = 0;  // no two blocks share one
        friend bool operator==(const ModelBlock&, const ModelBlock&) = default;
    };
    using ModelChain = std::vector<ModelBlock>;

    struct Join {
        std::uint64_t session = 0;
        MemberState state;
        std::uint64_t tail = 0;
        ModelBlock block;
    };
    struct Joined {
        std::uint64_t session = 0;
        std::uint64_t epoch = 0;
    };
    /// The other's chain is not on this one.
    struct Diverged {
        std::uint64_t session = 0;
        std::uint64_t epoch = 0;
        ModelChain chain;
    };
    struct Blocks {
        std::uint64_t session = 0;
        std::uint64_t epoch = 0;  // of the session
        std::uint64_t number = 0;
        ModelBlock block;
        std::uint64_t shown = 0;
    };
    struct Acknowledge {
        std::uint64_t session = 0;
        std::uint64_t epoch = 0;
        std::uint64_t number = 0;
    };
    struct AskPromise {
        std::uint64_t epoch = 0;
    };
    struct GivePromise {
        std::uint64_t epoch = 0;
        Tail tail;
    };
    using Content =
        std::variant<Join, Joined, Diverged, Blocks, Acknowledge, AskPromise, GivePromise>;
    struct Message {
        Id from = 0;
        Id to = 0;
        Content content;
    };
    struct Disk final : MemberStore {
        bool save(const MemberState& next) override {
            state = next;
            return true;
        }
        MemberState state;
        ModelChain chain{{}};  // by number; the genesis block first
        std::uint64_t shown = 0;
    };
    /// What a primary knows of a session.
    struct Stream {
        std::uint64_t session = 0;
        std::uint64_t next = 0;
    };
    struct Node {
        Disk disk;
        // Lost with the process.
        std::unique_ptr<Member> member;  // null: it is dead
        std::optional<Acknowledgements> acknowledgements;
        std::uint64_t kept_at_start = 0;
        std::map<Id, Stream> streams;
        std::uint64_t session = 0;  // of a backup; 0: none
        bool is_joined = false;
        std::uint64_t candidacy = 0;  // the epoch it wants to lead in; 0: none
        std::vector<Promise> promises;
    };

    [[nodiscard]] static std::string name_of(Id id) { return std::string(1, char('a' + id)); }
    [[nodiscard]] static Id id_of(const std::string& name) { return Id(name.front() - 'a'); }
    [[nodiscard]] std::uint64_t random(std::uint64_t below) { return random_() % below; }
    [[nodiscard]] Tail tail_of(const Node& node) const;
    [[nodiscard]] Acknowledgements::Time now() const;

    void start(Id id);
    void kill(Id id);
    /// As the node starts again when its role has changed.
    void follow_role(Id id);
    void seal(Id id);
    void join(Id id);
    void stream(Id id);
    void stand(Id id);
    void try_to_lead(Id id);
    void show(Id id, std::uint64_t number);
    void send(Id from, Id to, Content content);
    void deliver();
    void take(const Message& message, const Join& join);
    void take(const Message& message, const Joined& joined);
    void take(const Message& message, const Diverged& diverged);
    void take(const Message& message, const Blocks& blocks);
    void take(const Message& message, const Acknowledge& acknowledge);
    void take(const Message& message, const AskPromise& asked);
    void take(const Message& message, const GivePromise& given);

    const ModelOptions options_;
    std::mt19937_64 random_;
    std::vector<Node> nodes_;
    std::vector<Message> network_;
    std::map<std::uint64_t, ModelBlock> shown_;  // to anybody, by number
    std::map<std::uint64_t, Id> leaders_;        // by epoch
    std::string violation_;
    std::uint64_t steps_ = 0;
    std::uint64_t next_block_ = 1;
    std::uint64_t next_session_ = 1;
    std::uint64_t promotions_ = 0;
    std::uint64_t rollbacks_ = 0;
};

}  // namespace heddle::consensus_adapter::replication
