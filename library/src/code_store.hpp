// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code that callers have given and whose hash was found to be right. It is what its hash says, for
// every state: kept from call to call, so that it is asked for and hashed once and not a block.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::library {

/// Thread safety: any.
class CodeStore {
public:
    using Code = std::shared_ptr<const Bytes>;

    /// Null: it is not kept.
    [[nodiscard]] Code find(const Hash& code_hash) const;
    /// Takes code if it has this hash; at the cost of hashing it, unless it was here before.
    /// @return null: it has another one.
    [[nodiscard]] Code add(const Hash& code_hash, Bytes code);

private:
    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;  // of code
    static constexpr std::size_t kMaxHashes = std::size_t{1} << 16;

    [[nodiscard]] bool is_known(const Hash& code_hash) const;
    /// Under the mutex.
    void make_room(std::size_t size);

    mutable std::mutex mutex_;
    // Null: the code was right, and is not kept any more.
    std::unordered_map<Hash, Code, HashHasher> codes_;
    std::size_t bytes_ = 0;
};

}  // namespace heddle::library
