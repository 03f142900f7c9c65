// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher's stages (DORADD §3.4) on one to four threads: Indexer, Prefetcher and Spawner
// work on the same ring of tasks and hand over counts, never tasks.
//
//   threads   the submitting thread does   and then
//   1         index, prefetch, spawn
//   2         index                        prefetch + spawn
//   3         index                        prefetch | spawn
//   4         nothing                      index | prefetch | spawn
//
// Each boundary is one counter: the stage before it stores the position up to which it is done
// (release), the stage behind it loads it (acquire), takes what is there, at most a batch, and
// never waits for more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workers/atomics.hpp"
#include "workers/parking_lot.hpp"

namespace heddle::executor {

enum class DispatchStage : std::uint8_t { index, prefetch, spawn };
inline constexpr unsigned kDispatchStages = 3;

/// Half-open.
struct StageRange {
    unsigned begin = 0;
    unsigned end = 0;
};
struct PositionRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

class DispatchWork {
public:
    virtual ~DispatchWork() = default;
    /// Each of the stages for all of the positions, then the next stage.
    virtual void run_stages(StageRange stages, PositionRange positions) = 0;
};

/// Thread safety: enter() by the submitting thread.
class DispatchPipeline {
public:
    /// @param threads     1 to 4, the submitting one included.
    /// @param batch_size  Most tasks handed over at once.
    /// Errors: std::system_error where the machine does not give it so many threads.
    DispatchPipeline(unsigned threads, std::size_t batch_size, DispatchWork& work);
    ~DispatchPipeline();
    DispatchPipeline(const DispatchPipeline&) = delete;
    DispatchPipeline& operator=(const DispatchPipeline&) = delete;

    /// The task at `position` is filled in. Positions are entered one by one from 1 on.
    void enter(std::uint64_t position);

private:
    using Count = StreamAtomics::Atomic<std::uint64_t>;

    /// The stages that one thread runs.
    struct Station {
        StageRange stages;
        const Count* input = nullptr;
        alignas(64) Count done{1};  // all positions below have passed
        ParkingLot parking;
    };

    DispatchPipeline(DispatchWork& work, std::size_t batch_size, unsigned own_stages);

    void run(Station& station, Station* next);

    DispatchWork& work_;
    const std::size_t batch_size_;
    const unsigned own_stages_;  // of the submitting thread
    alignas(64) Count entered_{1};
    StreamAtomics::Atomic<bool> is_stopping_{false};
    std::vector<std::unique_ptr<Station>> stations_;
    std::vector<StreamAtomics::Thread> threads_;
};

}  // namespace heddle::executor
