// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Finding logs in committed blocks: blooms say which blocks are worth reading, and what was read
// is kept for a while. Execution is not kept waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "chain/chain.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/bloom_index.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/log_filter.hpp"

namespace heddle::node::rpc {

/// The logs of a block and where they are in it. Immutable.
struct BlockLogs {
    struct Entry {
        Log log;
        LogPlace place;
    };
    std::vector<Entry> entries;
    std::size_t bytes = 0;  // roughly, in memory
};
/// Shared by the search and whoever is answering.
using SharedBlockLogs = std::shared_ptr<const BlockLogs>;

/// @param is_removed  Whether the block was taken back.
[[nodiscard]] SharedBlockLogs make_block_logs(const ledger::StoredBlock& block,
                                              bool is_removed = false);

/// Thread safety: any.
class LogSearch {
public:
    /// @param log_bytes    Of logs of blocks that are kept, roughly; one block's are, whatever they
    ///                     take.
    /// @param bloom_bytes  Of the index of blooms; one section is kept in any case.
    LogSearch(const Chain& chain, std::size_t log_bytes, std::size_t bloom_bytes);

    /// Told of each log found, in the order of the chain. @return whether to go on.
    using Found = std::function<bool(const BlockLogs::Entry&)>;
    /// Logs of blocks `from` to `to`; neither is above the head.
    /// Errors: RpcError timed_out, internal_error; what `found` throws.
    void search(const LogFilter& filter, std::uint64_t from, std::uint64_t to, const Call& call,
                const Found& found);

    /// Of one block. Errors: RpcError internal_error.
    [[nodiscard]] SharedBlockLogs logs_of(std::uint64_t number);

    /// Of logs that are kept.
    [[nodiscard]] std::size_t kept_bytes() const {
        const std::scoped_lock lock{mutex_};
        return bytes_;
    }
    /// Of the index of blooms.
    [[nodiscard]] std::size_t bloom_bytes() const { return blooms_.kept_bytes(); }

private:
    /// Of blocks of the chain that this one forks. @return whether to go on.
    [[nodiscard]] bool search_source(const LogFilter& filter, std::uint64_t from, std::uint64_t to,
                                     const Found& found);
    using Order = std::list<std::uint64_t>;
    struct Kept {
        SharedBlockLogs logs;
        Order::iterator place;
    };
    /// Forgets all where blocks were taken back since it was kept. With the lock.
    void drop_outdated(std::uint64_t rewinds);

    const Chain& chain_;
    const std::size_t max_bytes_;
    BloomIndex blooms_;
    mutable std::mutex mutex_;  // guards what follows
    Order order_;               // the block used last first
    std::unordered_map<std::uint64_t, Kept> kept_;
    std::size_t bytes_ = 0;
    std::uint64_t rewinds_ = 0;  // Chain::rewind_count() of what is kept
};

}  // namespace heddle::node::rpc
