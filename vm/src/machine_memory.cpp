// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a machine keeps from call to call and from message to message, and when it lets go of it.
#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace heddle::vm {
namespace {

/// Frames from this depth on are so rare that nothing of them is kept from message to message.
constexpr std::uint32_t kUsualDepth = 8;
/// What there must be at least between two looks for code that no frame runs, as each goes through
/// all of it.
constexpr std::size_t kReleaseStride = kPinnedCodeBytes / 2;

}  // namespace

std::size_t Machine::frame_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const std::unique_ptr<Frame>& frame : frames_) {
        bytes += sizeof *frame + frame->memory.capacity() + frame->precompile_output.capacity();
        if (frame->own_code != nullptr) bytes += frame->own_code->size_in_memory();
    }
    return bytes;
}

void Machine::give_back_frames() noexcept {
    // The outermost one may hold what is returned.
    for (std::uint32_t depth = std::exchange(deepest_, 0); depth != 0; --depth) {
        Frame& frame = *frames_[depth];
        if (depth >= kUsualDepth)
            frame.give_back();
        else if (frame.precompile_output.capacity() > kKeptOutput)
            Bytes{}.swap(frame.precompile_output);
    }
}

void Machine::give_back_codes() noexcept {
    if (codes_bytes_ <= kPinnedCodeBytes) return;
    for (auto& codes : codes_)
        codes.clear();
    codes_bytes_ = 0;
}

void Machine::release_idle_codes() noexcept {
    for (auto& codes : codes_) {
        for (auto& [hash, use] : codes) {
            if (use.frames != 0 || use.code == nullptr) continue;
            codes_bytes_ -= std::exchange(use.size_bytes, 0);
            use.code.reset();
        }
    }
    release_codes_above_ = std::max(kPinnedCodeBytes, codes_bytes_ + kReleaseStride);
}

}  // namespace heddle::vm
