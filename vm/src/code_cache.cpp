// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code_cache.hpp"

#include <utility>

#include <vm/code_memory.hpp>

namespace heddle::vm {
namespace {

/// Holds the lock where there is one.
class Guard {
public:
    explicit Guard(CodeCacheLock* lock) : lock_(lock) {
        if (lock_ != nullptr) lock_->lock();
    }
    ~Guard() {
        if (lock_ != nullptr) lock_->unlock();
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

private:
    CodeCacheLock* lock_;
};

}  // namespace

std::shared_ptr<CodeCache> make_code_cache(std::size_t max_bytes,
                                           std::unique_ptr<CodeCacheLock> lock) {
    return std::make_shared<CodeCache>(max_bytes, std::move(lock));
}

std::size_t bytes_of(const CodeCache& cache) {
    return cache.bytes();
}

CodeCache::CodeCache(std::size_t max_bytes, std::unique_ptr<CodeCacheLock> lock,
                     std::span<const NativeCode* const> natives)
    : max_bytes_(max_bytes), lock_(std::move(lock)) {
    for (const NativeCode* native : natives)
        natives_.emplace(keccak256(native->stands_for()), native);
}

const NativeCode* CodeCache::native(const Hash& hash) const noexcept {
    const auto found = natives_.find(hash);
    return found == natives_.end() ? nullptr : found->second;
}

std::shared_ptr<const Code> CodeCache::find(const Hash& hash, Revision revision) {
    const Guard guard(lock_.get());
    const auto found = index_.find({hash, revision});
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->code;
}

void CodeCache::insert(const Hash& hash, Revision revision, std::shared_ptr<const Code> code) {
    const Guard guard(lock_.get());
    const Key key{hash, revision};
    if (index_.contains(key)) return;  // another worker was faster
    const std::size_t size = code->size_in_memory();
    bytes_ += size;
    entries_.push_front({key, std::move(code), size});
    index_.emplace(key, entries_.begin());
    make_room();
}

void CodeCache::measure(const Hash& hash, Revision revision) {
    const Guard guard(lock_.get());
    const auto found = index_.find({hash, revision});
    if (found == index_.end()) return;
    Entry& entry = *found->second;
    const std::size_t size = entry.code->size_in_memory();
    bytes_ += size - entry.size_bytes;
    entry.size_bytes = size;
    make_room();
}

std::size_t CodeCache::bytes() const {
    const Guard guard(lock_.get());
    return bytes_;
}

void CodeCache::make_room() {
    while (bytes_ > max_bytes_ && entries_.size() > 1) {
        const Entry& oldest = entries_.back();
        bytes_ -= oldest.size_bytes;
        index_.erase(oldest.key);
        entries_.pop_back();
    }
}

}  // namespace heddle::vm
