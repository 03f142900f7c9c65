// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a machine keeps from call to call and from message to message, and when it lets go of it.
#include "machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <types/out_of_memory.hpp>

namespace heddle::vm {
namespace {

/// Frames from this depth on are so rare that nothing of them is kept from message to message.
constexpr std::uint32_t kUsualDepth = 8;
constexpr std::size_t kStackWords = std::size_t{kMaxCallDepth + 1} * kStackLimit;
/// Where no frame's stack has begun beyond this, in words, all of it is kept: a megabyte.
constexpr std::ptrdiff_t kKeptStackWords = 32'768;
/// Messages without higher stacks after which what is beyond goes back. To have so many pages again
/// takes much longer than the cheapest message that reaches them.
constexpr unsigned kHighStackMessages = 256;

}  // namespace

/// Uninitialised on purpose: pages that no call reaches are never touched. Two words to a line of
/// the caches, so that none lies in two of them.
Machine::Stack Machine::make_stack() noexcept {
    Stack stack(static_cast<Uint256*>(
        std::aligned_alloc(2 * sizeof(Uint256), kStackWords * sizeof(Uint256))));
    if (stack == nullptr) fail_allocation();
    return stack;
}

std::size_t Machine::frame_bytes() const noexcept {
    std::size_t bytes = static_cast<std::size_t>(touched_stack_) * sizeof(Uint256);
    for (const std::unique_ptr<Frame>& frame : frames_) {
        bytes += sizeof *frame + frame->memory.capacity() + frame->precompile_output.capacity();
        if (frame->own_code != nullptr) bytes += frame->own_code->size_in_memory();
    }
    return bytes;
}

void Machine::give_back_frames() noexcept {
    if (highest_stack_ > kKeptStackWords) {
        touched_stack_ = std::max(touched_stack_, highest_stack_);
        low_messages_ = 0;
    } else if (touched_stack_ != 0 && ++low_messages_ == kHighStackMessages) {
        touched_stack_ = 0;
        stack_.reset();
        stack_ = make_stack();
    }
    highest_stack_ = 0;
    // The outermost one may hold what is returned.
    for (std::uint32_t depth = std::exchange(deepest_, 0); depth != 0; --depth) {
        Frame& frame = *frames_[depth];
        if (depth >= kUsualDepth)
            frame.give_back();
        else if (frame.precompile_output.capacity() > kKeptOutput)
            Bytes{}.swap(frame.precompile_output);
    }
}

void Machine::fetch_code(CodeInUse& use, const AccountEntry& account) noexcept {
    use.code = code_cache_->find(*use.hash, schedule_->revision);
    if (use.code == nullptr) {
        use.code = std::make_shared<const Code>(state_.code(account), *schedule_,
                                                code_cache_->native(*use.hash));
        code_cache_->insert(*use.hash, schedule_->revision, use.code);
    }
    // It stays here when the cache, which others fill too, drops it.
    use.size_bytes = use.code->size_in_memory();
    codes_bytes_ += use.size_bytes;
    // To come back to an account costs a hundred gas, whatever it takes to have its code again.
    const bool is_kept = !lets_go_of_code_ && (use.was_let_go || account.was_code_read);
    if (!is_kept) may_go_.push_back(&use);
}

void Machine::give_back_codes() noexcept {
    if (!has_let_go_ && codes_bytes_ <= give_back_above_) return;
    may_go_.clear();
    if (std::exchange(has_let_go_, false) || codes_bytes_ > kPinnedCodeBytes) {
        codes_ = {};
        may_go_.shrink_to_fit();
        codes_bytes_ = 0;
    } else {
        for (auto& codes : codes_)
            std::erase_if(codes, [&](const auto& entry) { return is_dropped(entry.second); });
        count_codes();
    }
    give_back_above_ = codes_bytes_ + kept_code_bytes_;
}

/// Nobody else holds it, which others may change at once: then it is looked at the next time.
bool Machine::is_dropped(const CodeInUse& use) noexcept {
    return use.code == nullptr || use.code.use_count() == 1;
}

void Machine::count_codes() noexcept {
    codes_bytes_ = 0;
    for (auto& codes : codes_) {
        for (auto& [hash, use] : codes) {
            codes_bytes_ += kCodeEntryBytes + use.size_bytes;
            may_go_.push_back(&use);
        }
    }
}

void Machine::release_idle_codes() noexcept {
    std::erase_if(may_go_, [&](CodeInUse* use) {
        if (use->frames != 0) return false;
        codes_bytes_ -= std::exchange(use->size_bytes, 0);
        use->code.reset();
        use->was_let_go = true;
        return true;
    });
    has_let_go_ = true;
    // Each look goes through all that may go: there must be some more before the next one.
    release_codes_above_ = std::max(pinned_code_bytes_, codes_bytes_ + pinned_code_bytes_ / 2);
}

}  // namespace heddle::vm
