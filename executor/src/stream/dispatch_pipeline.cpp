// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/dispatch_pipeline.hpp"

#include <algorithm>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

unsigned stages_of_submitter(unsigned threads) noexcept {
    return threads == 1 ? kDispatchStages : threads == 4 ? 0 : 1;
}

}  // namespace

DispatchPipeline::DispatchPipeline(DispatchWork& work, std::size_t batch_size, unsigned own_stages)
    : work_(work), batch_size_(std::max<std::size_t>(batch_size, 1)), own_stages_(own_stages) {}

// There is a pipeline before there are threads: where the machine has no room for all of them, its
// destructor ends those that there are.
DispatchPipeline::DispatchPipeline(unsigned threads, std::size_t batch_size, DispatchWork& work)
    : DispatchPipeline(work, batch_size, stages_of_submitter(threads)) {
    HEDDLE_ASSERT(threads >= 1 && threads <= kDispatchStages + 1);
    unsigned stage = own_stages_;
    for (unsigned i = 1; i < threads; ++i) {
        auto station = std::make_unique<Station>();
        station->stages.begin = stage;
        // The last thread takes whatever is left.
        stage = i + 1 == threads ? kDispatchStages : stage + 1;
        station->stages.end = stage;
        station->input = stations_.empty() ? &entered_ : &stations_.back()->done;
        stations_.push_back(std::move(station));
    }
    for (std::size_t i = 0; i < stations_.size(); ++i) {
        Station* const next = i + 1 < stations_.size() ? stations_[i + 1].get() : nullptr;
        threads_.emplace_back([this, station = stations_[i].get(), next] { run(*station, next); });
    }
}

DispatchPipeline::~DispatchPipeline() {
    is_stopping_.store(true, std::memory_order_seq_cst);
    for (const auto& station : stations_)
        station->parking.notify();
    for (StreamAtomics::Thread& thread : threads_)
        thread.join();
}

void DispatchPipeline::enter(std::uint64_t position) {
    if (own_stages_ != 0) work_.run_stages({0, own_stages_}, {position, position + 1});
    if (stations_.empty()) return;
    // Sequentially consistent for ParkingLot.
    entered_.store(position + 1, std::memory_order_seq_cst);
    stations_.front()->parking.notify();
}

void DispatchPipeline::run(Station& station, Station* next) {
    std::uint64_t position = station.done.load(std::memory_order_relaxed);
    const auto has_work = [&] {
        return station.input->load(std::memory_order_seq_cst) != position ||
               is_stopping_.load(std::memory_order_seq_cst);
    };
    for (;;) {
        const std::uint64_t available = station.input->load(std::memory_order_acquire);
        if (available == position) {
            if (is_stopping_.load(std::memory_order_relaxed)) return;
            station.parking.wait(has_work);
            continue;
        }
        const std::uint64_t end = std::min(available, position + batch_size_);
        work_.run_stages(station.stages, {position, end});
        position = end;
        station.done.store(position, std::memory_order_seq_cst);
        if (next != nullptr) next->parking.notify();
    }
}

}  // namespace heddle::executor
