// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_transaction_api.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <expected>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mempool/admission.hpp"
#include "program/stop_signal.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/served_block_codec.hpp"

namespace heddle::node::rpc {
namespace {

using Tag = BlockSelector::Tag;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// What eth_sendRawTransactionSync waits where nothing is said, and at most.
constexpr milliseconds kSyncTimeout{20'000};
constexpr milliseconds kMaxSyncTimeout{60'000};
/// How long one waits without looking whether the node is to stop.
constexpr milliseconds kPatience{200};
/// EIP-7966: in the pool, but not in a block in time.
constexpr int kNotInTime = 4;

/// A transaction of a committed block.
struct FoundTransaction {
    SharedServedBlock block;
    std::size_t index = 0;
};

std::optional<FoundTransaction> find_committed(const Chain& chain, const Hash& hash) {
    const auto place = take(chain.find_transaction(hash));
    if (!place.has_value()) return std::nullopt;
    SharedServedBlock block = take(chain.served_block(place->number));
    if (!block || place->index >= block->stored->block.transactions.size()) return std::nullopt;
    return FoundTransaction{std::move(block), place->index};
}

/// Where a transaction is now: in a block, else in the pool.
struct Found {
    std::optional<FoundTransaction> committed;
    SharedTransaction pooled;
};

Found find_anywhere(const Services& services, const Hash& hash) {
    Found found;
    // One that waits here is in no block of the chain that this one forks, and nobody is asked.
    if (services.chain.fork_base() != nullptr) found.pooled = services.mempool.find(hash);
    if (found.pooled) return found;
    found.committed = find_committed(services.chain, hash);
    if (found.committed.has_value()) return found;
    found.pooled = services.mempool.find(hash);
    // It may have moved from the pool to a block between the two questions.
    if (!found.pooled) found.committed = find_committed(services.chain, hash);
    return found;
}

Bytes encode(const Transaction& tx) {
    Bytes encoded;
    encode_transaction(tx, encoded);
    return encoded;
}

Handler get_transaction(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const Hash hash = hash_argument(call.params, 0);
        const Found found = find_anywhere(services, hash);
        if (found.committed.has_value())
            return write_transaction_of(*found.committed->block, found.committed->index, out);
        if (found.pooled) return write_transaction(found.pooled->tx, hash, std::nullopt, out);
        out.null();
    });
}

Handler get_raw_transaction(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const Found found = find_anywhere(services, hash_argument(call.params, 0));
        if (found.committed.has_value())
            return out.hex(
                encode(found.committed->block->stored->block.transactions[found.committed->index]));
        // With its blobs, as it was sent: so it can be sent again.
        out.hex(found.pooled ? encode_network_form(*found.pooled) : Bytes{});
    });
}

using ReadSelector = std::function<BlockSelector(const Params&)>;

BlockSelector number_selector(const Params& params) {
    return argument(params, 0, to_number_selector);
}

BlockSelector hash_selector(const Params& params) {
    return {.tag = Tag::none, .hash = hash_argument(params, 0)};
}

/// What is shown of a transaction of a block; `committed` is null where the block is pending.
struct Shown {
    const Transaction& tx;
    const Hash& hash;
    const FoundTransaction* committed = nullptr;
};
using Show = void (*)(const Shown& shown, JsonWriter& out);

/// Shows one of a block's transactions, or that there is none.
Handler get_by_index(const Services& services, const ReadSelector& read,
                     const SharedPendingBlocks& pending, Show show,
                     void (*show_nothing)(JsonWriter& out)) {
    return at_most(2, [=](const Call& call, JsonWriter& out) {
        const BlockSelector selector = read(call.params);
        const std::uint64_t index = uint64_argument(call.params, 1);
        if (selector.tag == Tag::pending) {
            const SharedPendingBlock block = pending->get(call);
            if (index >= block->transaction_hashes.size()) return show_nothing(out);
            return show({block->block.transactions[index], block->transaction_hashes[index]}, out);
        }
        SharedServedBlock block = find_served_block(services.chain, selector);
        if (!block || index >= block->stored->block.transactions.size()) return show_nothing(out);
        const FoundTransaction found{std::move(block), index};
        show({found.block->stored->block.transactions[index],
              found.block->transaction_hashes[index], &found},
             out);
    });
}

Handler get_transaction_by_index(const Services& services, const ReadSelector& read,
                                 const SharedPendingBlocks& pending) {
    const Show show = [](const Shown& shown, JsonWriter& out) {
        if (shown.committed == nullptr)
            return write_transaction(shown.tx, shown.hash, std::nullopt, out);
        write_transaction_of(*shown.committed->block, shown.committed->index, out);
    };
    return get_by_index(services, read, pending, show, [](JsonWriter& out) { out.null(); });
}

Handler get_raw_transaction_by_index(const Services& services, const ReadSelector& read,
                                     const SharedPendingBlocks& pending) {
    const Show show = [](const Shown& shown, JsonWriter& out) { out.hex(encode(shown.tx)); };
    return get_by_index(services, read, pending, show, [](JsonWriter& out) { out.hex(Bytes{}); });
}

/// @return whether there is one; if not, nothing is written.
bool write_receipt_by_hash(const Services& services, const Hash& hash, JsonWriter& out) {
    const Found found = find_anywhere(services, hash);
    if (!found.committed.has_value()) return false;
    write_receipt_of(services.chain, *found.committed->block, found.committed->index, out);
    return true;
}

Handler get_transaction_receipt(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        if (!write_receipt_by_hash(services, hash_argument(call.params, 0), out)) out.null();
    });
}

/// To the node that this one follows. What that one takes is pending here, too, where the pool has
/// room for it: nonces that come next follow from it.
Hash hand_on(const Services& services, const Call& call) {
    const Bytes encoded = bytes_argument(call.params, 0);
    const auto sent = services.target->send(encoded, call.deadline);
    if (!sent.has_value())
        throw RpcError(sent.error().code, sent.error().message, sent.error().data);
    (void)services.mempool.add(encoded, services.origin_of(call));
    return *sent;
}

Hash add_to_pool(const Services& services, const Call& call) {
    if (services.target != nullptr) return hand_on(services, call);
    services.expect_taking();
    const Bytes encoded = bytes_argument(call.params, 0);
    services.expect_readable(encoded);
    const auto added = services.mempool.add(encoded, services.origin_of(call));
    if (!added.has_value()) throw RpcError(Code::server_error, added.error().message);
    return *added;
}

Handler send_raw_transaction(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const auto settling = services.settling();
        const Hash hash = add_to_pool(services, call);
        services.settle({&hash, 1}, call);
        out.hash(hash);
    });
}

/// Transactions whose senders are recovered together, which costs a seventh.
class SentTransactions final : public Gathering {
public:
    explicit SentTransactions(Services services) : services_(std::move(services)) {}

    void take(const Call& call) override {
        expect_at_most(call.params, 1);
        services_.expect_taking();
        encoded_.push_back(bytes_argument(call.params, 0));
        origins_.push_back(services_.origin_of(call));
    }

    /// In their order, so that each finds those before it in the pool.
    void run() override {
        const std::vector<BytesView> views(encoded_.begin(), encoded_.end());
        for (std::size_t begin = 0; begin < views.size();) {
            const Origin origin = origins_[begin];
            std::size_t end = begin + 1;
            while (end < views.size() && origins_[end] == origin)
                ++end;
            auto added =
                services_.mempool.add_all(std::span{views}.subspan(begin, end - begin), origin);
            std::ranges::move(added, std::back_inserter(added_));
            begin = end;
        }
    }

    void write(std::size_t index, JsonWriter& out) override {
        const auto& added = added_[index];
        if (!added.has_value()) throw RpcError(Code::server_error, added.error().message);
        out.hash(*added);
    }

private:
    Services services_;
    std::vector<Bytes> encoded_;
    std::vector<Origin> origins_;                             // of each
    std::vector<std::expected<Hash, AdmissionError>> added_;  // after run()
};

/// Wakes one waiting thread at each new head. The waiting thread outlives the subscription.
class HeadAlarm {
public:
    explicit HeadAlarm(Chain& chain)
        : subscription_(chain.heads().subscribe([this](const SharedBlock&) { ring(); })) {}

    /// Until a head came that has not been waited for, or until then.
    void wait_until(Clock::time_point deadline) {
        std::unique_lock lock{mutex_};
        rung_.wait_until(lock, deadline, [&] { return is_rung_; });
        is_rung_ = false;
    }

private:
    void ring() {
        const std::scoped_lock lock{mutex_};
        is_rung_ = true;
        rung_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable rung_;
    bool is_rung_ = false;  // guarded by mutex_
    Feed<SharedBlock>::Subscription subscription_;
};

Handler send_raw_transaction_sync(const Services& services) {
    return at_most(2, [services](const Call& call, JsonWriter& out) {
        const auto asked = find_argument(call.params, 1, [](const JsonView& value) {
            return milliseconds{std::min<std::uint64_t>(value.uint64(), kMaxSyncTimeout.count())};
        });
        const bool is_given = asked.has_value() && *asked > milliseconds{0};
        // Not beyond the time that any call has.
        const Clock::time_point begin = Clock::now();
        const milliseconds timeout =
            std::min(is_given ? *asked : kSyncTimeout,
                     std::chrono::ceil<milliseconds>(call.deadline - begin));
        const Clock::time_point deadline = std::min(begin + timeout, call.deadline);
        // Before the transaction is there, so that its block cannot be missed.
        HeadAlarm alarm(services.chain);
        const Hash hash = add_to_pool(services, call);
        do {
            if (write_receipt_by_hash(services, hash, out)) return;
            alarm.wait_until(std::min(deadline, Clock::now() + kPatience));
        } while (Clock::now() < deadline && !StopSignal::is_raised());
        if (write_receipt_by_hash(services, hash, out)) return;
        throw RpcError(kNotInTime,
                       fmt::format("The transaction was added to the transaction pool but wasn't "
                                   "processed in {} ms.",
                                   timeout.count()),
                       '"' + to_string(hash) + '"');
    });
}

}  // namespace

void add_eth_transaction_methods(MethodTable& table, const Services& services,
                                 const SharedPendingBlocks& pending) {
    table.add({"eth_getTransactionByHash", get_transaction(services), Weight::reading});
    table.add({.name = "eth_getTransactionByBlockNumberAndIndex",
               .handler = get_transaction_by_index(services, number_selector, pending),
               .weigh = pending_weight});
    table.add({"eth_getTransactionByBlockHashAndIndex",
               get_transaction_by_index(services, hash_selector, pending), Weight::reading});
    table.add({"eth_getRawTransactionByHash", get_raw_transaction(services), Weight::reading});
    table.add({.name = "eth_getRawTransactionByBlockNumberAndIndex",
               .handler = get_raw_transaction_by_index(services, number_selector, pending),
               .weigh = pending_weight});
    table.add({"eth_getRawTransactionByBlockHashAndIndex",
               get_raw_transaction_by_index(services, hash_selector, pending), Weight::reading});
    table.add({"eth_getTransactionReceipt", get_transaction_receipt(services), Weight::reading});
    Method send{.name = "eth_sendRawTransaction", .handler = send_raw_transaction(services)};
    if (services.target != nullptr) {
        send.weight = Weight::waiting;  // for somebody else's answer
    } else if (services.waits_for_blocks) {
        send.weight = Weight::executing;  // for its block, which is being executed
        send.lasts_a_block = services.chain.fork_base() == nullptr;
    } else {
        send.gather = [services] { return std::make_unique<SentTransactions>(services); };
    }
    table.add(std::move(send));
    table.add({"eth_sendRawTransactionSync", send_raw_transaction_sync(services), Weight::waiting});
}

}  // namespace heddle::node::rpc
