// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Filters that clients install and ask for changes from time to time. Blocks and logs are looked up
// when somebody asks, from where the filter was left: nothing is done for them when blocks come.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chain/chain.hpp"
#include "mempool/mempool.hpp"
#include "rpc/queries/log_search.hpp"
#include "rpc/queries/removed_logs.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// An identifier that nobody guesses: 128 random bits as hexadecimal text without leading zeros.
[[nodiscard]] std::string random_id();

/// Blocks `from` to `to`.
struct BlockRange {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
};
/// What a question about logs of the past means now.
/// Errors: RpcError, worded as geth words it: a range that is reversed, too wide, beyond the head
/// or no longer there; an unknown block.
[[nodiscard]] BlockRange range_of(const LogCriteria& criteria, const Chain& chain,
                                  const MethodLimits& limits);

/// Whether logs of such blocks can still come. Errors: RpcError, worded as geth words it.
void check_future_range(const LogCriteria& criteria);
/// Whether a block that is new is one of those.
[[nodiscard]] bool is_in_future_range(const LogCriteria& criteria, std::uint64_t number) noexcept;

/// Writes logs one after another and keeps the result within bounds.
class LogWriter {
public:
    /// Begins an array in `out`.
    LogWriter(const Call& call, const MethodLimits& limits, BlockRange range, JsonWriter& out);
    /// Errors: RpcError limit_exceeded, response_too_large.
    void write(const BlockLogs::Entry& entry);
    void finish() { out_.end_array(); }

private:
    const Call& call_;
    const MethodLimits& limits_;
    const BlockRange range_;
    JsonWriter& out_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
};

/// Thread safety: any.
class Filters {
public:
    /// @param search  Shared with eth_getLogs.
    Filters(const Services& services, std::shared_ptr<LogSearch> search);
    Filters(const Filters&) = delete;
    Filters& operator=(const Filters&) = delete;

    // Of the first three. `client`: who wants it (Call::client). Where there is no room, the client
    // that has most loses the filter that was left alone longest. Who has most itself loses only
    // one that seems forgotten. Errors: RpcError limit_exceeded where there is no such filter.

    /// Errors: also as range_of() where the blocks make no sense for what is to come.
    [[nodiscard]] std::string add_logs(LogCriteria criteria, std::uint64_t client);
    [[nodiscard]] std::string add_blocks(std::uint64_t client);
    /// @param in_full  Whether transactions are wanted, and not only their hashes.
    [[nodiscard]] std::string add_transactions(bool in_full, std::uint64_t client);
    /// @return false: there is no such filter.
    bool remove(std::string_view id);

    /// What happened since the filter was asked last; logs of blocks that it was told of and that
    /// were taken back since come first, marked as removed. Where it is more than one result may
    /// hold, the rest comes next time. Errors: RpcError server_error "filter not found".
    void write_changes(std::string_view id, const Call& call, JsonWriter& out);
    /// All logs of a filter. Errors: as write_changes() and range_of().
    void write_logs(std::string_view id, const Call& call, JsonWriter& out);

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint64_t kNoBlock = ~std::uint64_t{0};
    enum class Kind : std::uint8_t { logs, blocks, transactions };
    /// Up to where a filter was told.
    struct Position {
        std::uint64_t next_block = 0;
        std::uint64_t replaced = kNoBlock;   // taken back, which next_block does not show yet
        std::uint64_t next_removal = 0;      // number of the first one that was not told of whole
        std::size_t next_removed_block = 0;  // of that one's
    };
    struct Filter {
        Kind kind = Kind::logs;
        std::uint64_t client = 0;
        LogCriteria criteria;
        bool in_full = false;
        Clock::time_point last_use;               // guarded by mutex_, as the next one
        std::uint64_t first_replaced = kNoBlock;  // taken back since somebody began to ask
        std::mutex mutex;  // held while changes are written, before mutex_; guards what follows
        Position position;
        std::uint64_t next_arrival = 0;
    };
    using SharedRemoval = std::shared_ptr<const RemovedLogs>;  // with those who are asking
    /// What was taken back since a filter was asked, the oldest first.
    struct Removals {
        std::uint64_t begin = 0;  // number of the first one
        std::vector<SharedRemoval> list;
    };
    /// Logs are written block by block, until a result has enough.
    class Quota;
    using SharedFilter = std::shared_ptr<Filter>;  // with those who are asking it
    using Installed = std::unordered_map<std::string, SharedFilter>;

    [[nodiscard]] std::string add(SharedFilter filter);
    [[nodiscard]] SharedFilter find(std::string_view id);
    // With mutex_:
    void erase_expired();
    Installed::iterator erase(Installed::iterator which);
    void make_room(const Filter& wanted);
    /// With mutex_: those that the filter has not dealt with.
    [[nodiscard]] Removals removals_since(std::uint64_t number) const;
    void write_logs_of(Filter& filter, const Removals& removals, const Call& call, JsonWriter& out);
    /// @return whether it has come to the end of them.
    static bool write_removed_logs(const LogCriteria& criteria, const Removals& removals,
                                   Position& position, Quota& quota, JsonWriter& out);
    void write_new_logs(const LogCriteria& criteria, Position& position, const Call& call,
                        Quota& quota, JsonWriter& out);
    void write_new_blocks(Filter& filter, const Call& call, JsonWriter& out) const;
    void write_new_transactions(Filter& filter, const Call& call, JsonWriter& out);
    void write_in_full(const Hash& hash, JsonWriter& out) const;
    void on_arrival(const Hash& hash);
    /// Blocks are about to be taken back.
    void on_taking_back(const BlockSpan& blocks);
    /// Blocks above this one were taken back: those that come in their place are new.
    void on_rewind(std::uint64_t number);

    const Services services_;
    const std::shared_ptr<LogSearch> search_;
    std::mutex mutex_;  // guards what follows
    Installed filters_;
    std::size_t alternatives_ = 0;  // addresses and topics of all of them
    std::size_t log_filters_ = 0;
    SharedRemoval going_;                // what is being taken back; null: nothing with logs
    std::deque<SharedRemoval> removed_;  // the newest ones
    std::size_t removed_bytes_ = 0;      // of them
    std::uint64_t end_removal_ = 0;      // the number after the newest one

    std::atomic<std::size_t> transaction_filters_{0};
    std::mutex arrivals_mutex_;      // guards what follows
    std::deque<Hash> arrivals_;      // the newest ones
    std::uint64_t end_arrival_ = 0;  // the number after the newest one
    // Last: they use everything above.
    Feed<BecameExecutable>::Subscription subscription_;
    Feed<BlockSpan>::Subscription taking_back_;
    Feed<SharedBlock>::Subscription rewinds_;
};

}  // namespace heddle::node::rpc
