// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The node's protocol under every interleaving: the dispatcher adds edges and releases the hold
// while predecessors complete and commit.
#include "dag/dag_node.hpp"

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;
using test::MakeCase;

using Node = BasicDagNode<ExploredAtomics>;

/// A wrong turn in the protocol, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    forgets_hold,        // edges are counted as they are added, and nothing holds the node back
    next_after_release,  // the edge is read after its successor may have run
    load_then_store,     // closing is not one step
    looks_again,         // the hold is released in one step, and what was left read in another
};

/// BasicDagNode once more, with a flaw.
template <Flaw kFlaw>
class FlawedNode {
public:
    struct Edge {
        FlawedNode* successor = nullptr;
        Edge* next = nullptr;
    };
    using Event = Node::Event;

    [[nodiscard]] bool add_successor(Event event, Edge& edge) noexcept {
        auto& stack = stack_of(event);
        if constexpr (kFlaw == Flaw::forgets_hold) edge.successor->guard_.fetch_add(1);
        Edge* head = stack.load();
        do {
            if (head == closed()) {
                if constexpr (kFlaw == Flaw::forgets_hold) edge.successor->guard_.fetch_sub(1);
                return false;
            }
            edge.next = head;
        } while (!stack.compare_exchange_weak(head, &edge));
        return true;
    }
    [[nodiscard]] bool release_hold(std::uint32_t edge_count) noexcept {
        if constexpr (kFlaw == Flaw::forgets_hold) return guard_.load() == 0;
        const std::uint32_t rest = kHold - edge_count;
        const bool is_ready = guard_.fetch_sub(rest) == rest;
        if constexpr (kFlaw == Flaw::looks_again) return guard_.load() == 0;
        return is_ready;
    }
    template <typename MakeReady>
    void close(Event event, MakeReady&& make_ready) noexcept {
        auto& stack = stack_of(event);
        Edge* edge = nullptr;
        if constexpr (kFlaw == Flaw::load_then_store) {
            edge = stack.load();
            stack.store(closed());
        } else {
            edge = stack.exchange(closed());
        }
        while (edge != nullptr) {
            Edge* next = edge->next;
            FlawedNode* const successor = edge->successor;
            if (successor->guard_.fetch_sub(1) == 1) make_ready(*successor);
            if constexpr (kFlaw == Flaw::next_after_release) next = edge->next;
            edge = next;
        }
    }

private:
    static constexpr std::uint32_t kHold = std::uint32_t{1} << 30;
    [[nodiscard]] static Edge* closed() noexcept {
        static Edge marker;
        return &marker;
    }
    [[nodiscard]] auto& stack_of(Event event) noexcept {
        return event == Event::complete ? on_complete_ : on_commit_;
    }
    ExploredAtomics::Atomic<std::uint32_t> guard_{kFlaw == Flaw::forgets_hold ? 0 : kHold};
    ExploredAtomics::Atomic<Edge*> on_complete_{nullptr};
    ExploredAtomics::Atomic<Edge*> on_commit_{nullptr};
};

/// Who waits for what: successor, predecessor, event.
struct Wait {
    std::size_t successor;
    std::size_t predecessor;
    Node::Event event;
};
constexpr auto kComplete = Node::Event::complete;
constexpr auto kCommit = Node::Event::commit;

/// One dispatcher, a thread for each predecessor. A successor uses its edges for something else as
/// soon as it is ready.
template <typename DagNode>
class DagCase final : public Case {
public:
    explicit DagCase(std::vector<Wait> waits) : waits_(std::move(waits)), edges_(waits_.size()) {}

    std::vector<Thread> threads() override {
        std::vector<Thread> result{{"dispatcher", [this] { dispatch(); }}};
        static constexpr std::array kNames{"first", "second", "third"};
        std::size_t count = 0;
        for (const Wait& wait : waits_)
            count = std::max(count, wait.predecessor + 1);
        for (std::size_t i = 0; i < count; ++i)
            result.push_back({kNames[i], [this, i] { pass_events(i); }});
        return result;
    }
    void at_end() override {
        for (const Wait& wait : waits_)
            test::expect(is_ready_[wait.successor], "a node never becomes ready");
    }

private:
    void dispatch() {
        for (std::size_t successor = 0; successor < kMost; ++successor) {
            std::uint32_t count = 0;
            bool is_used = false;
            for (std::size_t i = 0; i < waits_.size(); ++i) {
                if (waits_[i].successor != successor) continue;
                is_used = true;
                edges_[i].successor = &successors_[successor];
                if (predecessors_[waits_[i].predecessor].add_successor(waits_[i].event, edges_[i]))
                    ++count;
                else
                    test::expect(has_happened(waits_[i]), "refused before the event");
            }
            if (is_used && successors_[successor].release_hold(count))
                make_ready(successors_[successor]);
        }
    }
    void pass_events(std::size_t predecessor) {
        const auto ready = [this](DagNode& node) { make_ready(node); };
        is_complete_[predecessor] = true;
        predecessors_[predecessor].close(kComplete, ready);
        is_committed_[predecessor] = true;
        predecessors_[predecessor].close(kCommit, ready);
    }
    void make_ready(const DagNode& node) {
        const auto successor = static_cast<std::size_t>(&node - successors_.data());
        test::expect(!is_ready_[successor], "ready twice");
        is_ready_[successor] = true;
        for (std::size_t i = 0; i < waits_.size(); ++i) {
            if (waits_[i].successor != successor) continue;
            test::expect(has_happened(waits_[i]), "ready too early");
            edges_[i] = {};
        }
    }
    [[nodiscard]] bool has_happened(const Wait& wait) const {
        return wait.event == kComplete ? is_complete_[wait.predecessor]
                                       : is_committed_[wait.predecessor];
    }

    static constexpr std::size_t kMost = 3;
    const std::vector<Wait> waits_;
    std::vector<typename DagNode::Edge> edges_;
    std::array<DagNode, kMost> predecessors_;
    std::array<DagNode, kMost> successors_;
    std::array<bool, kMost> is_complete_{};
    std::array<bool, kMost> is_committed_{};
    std::array<bool, kMost> is_ready_{};
};

template <typename DagNode>
MakeCase dag_case(std::vector<Wait> waits) {
    return [waits = std::move(waits)] { return std::make_unique<DagCase<DagNode>>(waits); };
}
template <Flaw kFlaw>
MakeCase flawed(std::vector<Wait> waits) {
    return dag_case<FlawedNode<kFlaw>>(std::move(waits));
}

const std::vector<Wait> kTwo{{0, 0, kComplete}, {0, 1, kComplete}};
const std::vector<Wait> kThree{{0, 0, kComplete}, {0, 1, kComplete}, {0, 2, kComplete}};
const std::vector<Wait> kMixed{{0, 0, kComplete}, {0, 0, kCommit}, {0, 1, kCommit}};
const std::vector<Wait> kShared{{0, 0, kComplete}, {1, 0, kComplete}, {1, 1, kComplete}};

TEST(DagNodeSchedule, is_ready_once_after_two_completions) {
    const Exploration exploration = explore_all(dag_case<Node>(kTwo));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(DagNodeSchedule, is_ready_once_after_three_completions) {
    const Exploration exploration = explore_all(dag_case<Node>(kThree));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(DagNodeSchedule, is_ready_once_after_completions_and_commits) {
    const Exploration exploration = explore_all(dag_case<Node>(kMixed));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(DagNodeSchedule, one_event_readies_all_successors) {
    const Exploration exploration = explore_all(dag_case<Node>(kShared));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(DagNodeSchedule, edges_may_be_used_again_when_ready) {
    expect_holds(explore_bounded(dag_case<Node>(kShared), 3));
}

TEST(DagNodeSchedule, holds_under_random_schedules) {
    const std::vector<Wait> waits{{0, 0, kComplete}, {0, 1, kCommit},   {0, 2, kComplete},
                                  {1, 0, kComplete}, {1, 2, kCommit},   {2, 0, kCommit},
                                  {2, 1, kComplete}, {2, 2, kComplete}, {1, 1, kComplete}};
    const std::uint64_t seed = test::announced_seed();
    expect_holds(explore_randomly(dag_case<Node>(waits), seed, 20'000));
}

TEST(DagNodeSchedule, model_of_the_node_without_flaw_holds) {
    expect_holds(explore_all(flawed<Flaw::none>(kMixed)));
    expect_holds(explore_all(flawed<Flaw::none>(kShared)));
}

TEST(DagNodeSchedule, forgotten_hold_is_found) {
    expect_found(explore_all(flawed<Flaw::forgets_hold>(kTwo)), "ready twice");
}

TEST(DagNodeSchedule, closing_in_two_steps_is_found) {
    expect_found(explore_all(flawed<Flaw::load_then_store>(kTwo)), "a node never becomes ready");
}

TEST(DagNodeSchedule, looking_again_after_the_release_is_found) {
    expect_found(explore_all(flawed<Flaw::looks_again>(kTwo)), "ready twice");
}

/// The edge is plain data: only where a thread is interrupted after its decrement can it be seen.
TEST(DagNodeSchedule, reading_the_edge_after_the_decrement_is_found) {
    expect_found(explore_bounded(flawed<Flaw::next_after_release>(kShared), 2),
                 "a node never becomes ready");
    expect_found(explore_randomly(flawed<Flaw::next_after_release>(kShared), test::announced_seed(),
                                  100'000),
                 "a node never becomes ready");
}

}  // namespace
}  // namespace heddle::executor
