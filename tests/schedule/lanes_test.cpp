// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of early scheduling under schedules drawn by seed, in each of the paper's execution
// models: every request is executed once, after what it conflicts with before it, and nobody sleeps
// for ever. The lanes, their meetings, stealing and parking are the executor's own code.
#include "early/lanes.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_stream.hpp"
#include "explorer.hpp"
#include "workers/parking_lot.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::MakeCase;

struct LaneAtomics : test::ExploredAtomics {
    using Mutex = test::ExploredMutex;
};

/// Wrong turns, to see whether they would be found.
enum class Flaw : std::uint8_t {
    none,
    forgets_a_worker,  // it is never woken
    mixes_classes,     // a class that is concurrent conflicts with itself
    splits_a_class,    // two classes that conflict have no lane in common
};

/// Where workers sleep, each alone.
class Lots {
public:
    Lots(unsigned workers, bool forgets_one) : forgets_one_(forgets_one) {
        for (unsigned i = 0; i < workers; ++i)
            lots_.push_back(std::make_unique<BasicParkingLot<LaneAtomics>>());
    }
    bool notify_worker(unsigned worker) noexcept {
        if (forgets_one_ && worker == 1) return false;
        return lots_[worker]->notify();
    }
    bool notify_any() noexcept {
        for (unsigned i = 1; i < lots_.size(); ++i)
            if (notify_worker(i)) return true;
        return lots_[0]->notify();
    }
    void notify_all() noexcept {
        for (const auto& lot : lots_)
            lot->notify();
    }
    template <typename HasWork>
    void park(unsigned worker, HasWork&& has_work) noexcept {
        lots_[worker]->park(has_work);
    }

private:
    const bool forgets_one_;
    std::vector<std::unique_ptr<BasicParkingLot<LaneAtomics>>> lots_;
};

/// Classes of requests in stream order, by name, and a fence where there is "|".
struct Stream {
    unsigned lanes = 2;
    unsigned workers = 2;
    std::vector<std::string> requests;
};

const RequestClasses kClasses{2};

/// Two shards: one on the first lane, the other on the last; reads with the writes.
ClassMapping mapping_of(unsigned lanes, Flaw flaw) {
    const ThreadSet all = first_threads(lanes);
    const ThreadSet last = ThreadSet{1} << (lanes - 1);
    ClassMapping mapping{lanes, std::vector<ClassPlace>(kClasses.count(), {true, all})};
    mapping.places[kClasses.moves()] = {false, all};
    // One shard that is mostly read, one that is mostly written.
    mapping.places[kClasses.local_read(0)] = {false, all};
    mapping.places[kClasses.local_write(0)] = {flaw != Flaw::mixes_classes, all};
    mapping.places[kClasses.local_read(1)] = {false, last};
    mapping.places[kClasses.local_write(1)] = {true, last};
    mapping.places[kClasses.global_read()] = {true, flaw == Flaw::splits_a_class ? 1 : last};
    return mapping;
}

/// Worker 0 dispatches, then takes part until everything is done; the others from the start.
class LanesCase final : public Case {
public:
    LanesCase(ThreadModel model, Stream stream, Flaw flaw)
        : stream_(std::move(stream)),
          mapping_(mapping_of(stream_.lanes, flaw)),
          lots_(stream_.workers, flaw == Flaw::forgets_a_worker),
          lanes_({.lanes = stream_.lanes,
                  .workers = stream_.workers,
                  .window = kWindow,
                  .model = model},
                 kClasses, lots_),
          states_(stream_.requests.size(), State::waiting) {
        for (const std::string& request : stream_.requests) {
            const auto id = kClasses.find(request);
            ids_.push_back(id.value_or(kFence));
            if (id.has_value()) ++due_;
        }
    }

    std::vector<Thread> threads() override {
        std::vector<Thread> result{{"dispatcher", [this] {
                                        dispatch();
                                        work(0);
                                    }}};
        for (unsigned worker = 1; worker < stream_.workers; ++worker)
            result.push_back({"worker", [this, worker] { work(worker); }});
        return result;
    }
    void at_end() override {
        test::expect(done_.load() == due_, "a request was not executed");
        test::expect(lanes_.backlog() <= stream_.lanes * stream_.requests.size(),
                     "more is left than there was");
    }
    [[nodiscard]] unsigned spurious_failures() const override { return 0; }

private:
    enum class State : std::uint8_t { waiting, running, done };
    static constexpr ClassId kFence = 1'000;
    static constexpr std::size_t kWindow = 16;

    void dispatch() {
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (ids_[i] == kFence)
                lanes_.fence();
            else
                lanes_.add(i + 1, 100'000, ids_[i], mapping_.places[ids_[i]]);
        }
    }
    [[nodiscard]] bool is_over() const { return done_.load() == due_; }
    void work(unsigned worker) {
        while (!is_over()) {
            std::array<ReadyItem, 4> items;
            const ReadyBundle taken = lanes_.take(worker, items);
            for (std::size_t i = 0; i < taken.count; ++i)
                run(static_cast<std::size_t>(items[i].position) - 1);
            if (taken.count == 0)
                lots_.park(worker, [&] { return is_over() || lanes_.has_ready(worker); });
        }
    }
    void run(std::size_t request) {
        test::expect(states_[request] == State::waiting, "executed twice");
        states_[request] = State::running;
        for (std::size_t other = 0; other < ids_.size(); ++other) {
            if (other == request || ids_[other] == kFence) continue;
            const bool is_before = other < request;
            if (kClasses.conflict(ids_[other], ids_[request]) || is_fenced(other, request))
                test::expect(states_[other] == (is_before ? State::done : State::waiting),
                             "out of order with what it conflicts with");
        }
        // Somebody else may go on here.
        static_cast<void>(done_.load());
        states_[request] = State::done;
        lanes_.done(request + 1);
        if (done_.fetch_add(1) + 1 == due_) lots_.notify_all();
    }
    [[nodiscard]] bool is_fenced(std::size_t a, std::size_t b) const {
        for (std::size_t i = std::min(a, b); i < std::max(a, b); ++i)
            if (ids_[i] == kFence) return true;
        return false;
    }

    const Stream stream_;
    const ClassMapping mapping_;
    std::vector<ClassId> ids_;
    std::size_t due_ = 0;
    Lots lots_;
    BasicLanes<LaneAtomics, Lots> lanes_;
    std::vector<State> states_;
    test::ExploredAtomic<std::size_t> done_{0};
};

MakeCase lanes(ThreadModel model, const Stream& stream, Flaw flaw = Flaw::none) {
    return [=] { return std::make_unique<LanesCase>(model, stream, flaw); };
}

constexpr std::array kModels = {ThreadModel::barrier,      ThreadModel::busy_wait,
                                ThreadModel::conservative, ThreadModel::moderate,
                                ThreadModel::aggressive,   ThreadModel::optimistic};

const Stream kMixed{2, 2, {"write-0", "read-0", "write-1", "read-0", "write-global", "moves"}};
const Stream kMeetings{3, 3, {"write-0", "write-0", "write-global", "write-0"}};
const Stream kAlone{2, 3, {"write-1", "read-1", "read-1", "write-1", "read-global", "read-1"}};
const Stream kBehind{2, 2, {"write-1", "read-1", "read-1", "read-1", "read-1", "read-1", "read-1"}};
const Stream kFenced{2, 2, {"write-0", "read-1", "|", "write-1", "read-0"}};
const Stream kManyLanes{4, 2, {"read-0", "write-0", "moves", "read-global", "write-1"}};
const Stream kOneWorker{2, 1, {"write-0", "read-0", "|", "write-global", "write-1"}};

constexpr std::uint64_t kSchedules = 1'000;

class LanesSchedule : public testing::TestWithParam<ThreadModel> {};

TEST_P(LanesSchedule, keeps_what_conflicts_in_order_and_wakes_everybody) {
    const std::uint64_t seed = test::announced_seed();
    for (const Stream& stream :
         {kMixed, kMeetings, kAlone, kBehind, kFenced, kManyLanes, kOneWorker})
        expect_holds(explore_randomly(lanes(GetParam(), stream), seed, kSchedules));
}

TEST_P(LanesSchedule, holds_with_any_two_preemptions) {
    expect_holds(explore_bounded(lanes(GetParam(), {2, 2, {"write-0", "read-0", "write-0"}}), 2));
}

TEST_P(LanesSchedule, finds_a_worker_that_is_never_woken) {
    expect_found(explore_randomly(lanes(GetParam(), kMeetings, Flaw::forgets_a_worker), 1, 20'000),
                 "for ever asleep");
}

TEST_P(LanesSchedule, finds_classes_that_break_the_rules) {
    expect_found(explore_randomly(lanes(GetParam(), kMixed, Flaw::mixes_classes), 1, 20'000),
                 "out of order");
    expect_found(explore_randomly(lanes(GetParam(), kAlone, Flaw::splits_a_class), 1, 20'000),
                 "out of order");
}

INSTANTIATE_TEST_SUITE_P(Models, LanesSchedule, testing::ValuesIn(kModels));

}  // namespace
}  // namespace heddle::executor
