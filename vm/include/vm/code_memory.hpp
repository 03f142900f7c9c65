// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What analysed code takes, and room for it outside of the memory that a process has for itself:
// for code that one transaction comes back to. vm itself knows no files: whoever has them supplies
// it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <vm/evm.hpp>

namespace heddle::vm {

/// Memory that somebody can take back and have again, such as a file that is mapped: who asks for a
/// page of it waits for no more than that page.
/// Thread safety: one thread at a time.
class CodeShelf {
public:
    virtual ~CodeShelf() = default;
    /// @return `bytes` of it, aligned as by new, with unknown contents; null: there is no room.
    [[nodiscard]] virtual std::byte* take(std::size_t bytes) noexcept = 0;
    /// What was taken in one piece is going to be used, and may be read into memory. What was used
    /// before may leave it; contents and addresses stay.
    virtual void look_at(const std::byte* room, std::size_t bytes) noexcept = 0;
    /// All that was taken is gone.
    virtual void clear() noexcept = 0;
};

/// Null: there is none.
/// Thread safety: any.
using CodeShelfMaker = std::function<std::unique_ptr<CodeShelf>()>;

/// As make_code_cache(), for machines of which each has a shelf of its own once it needs one.
[[nodiscard]] std::shared_ptr<CodeCache> make_shelved_code_cache(
    std::size_t max_bytes, std::unique_ptr<CodeCacheLock> lock, CodeShelfMaker make_shelf);

/// Memory of all that the cache has, in bytes.
/// Thread safety: as the cache.
[[nodiscard]] std::size_t bytes_of(const CodeCache& cache);

}  // namespace heddle::vm
