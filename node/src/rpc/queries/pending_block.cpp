// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/pending_block.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <consensus_adapter/block_rules.hpp>

#include "building/block_builder.hpp"
#include "building/block_room.hpp"
#include "building/pooled_candidates.hpp"
#include "chain/read_scope.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

/// Code may do something else when time has passed.
constexpr std::chrono::seconds kLifetime{1};

std::uint64_t now_seconds() {
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<seconds>(system_clock::now().time_since_epoch()).count());
}

BlockHeader next_header(const Services& services, const ledger::StoredHeader& head) {
    const Chain& chain = services.chain;
    if (auto header = chain.preview(head)) return *std::move(header);
    const std::uint64_t earliest = chain.config().earliest_timestamp(head.header.timestamp);
    BlockHeader header = chain.next_header(head, std::max(now_seconds(), earliest));
    header.beneficiary = services.beneficiary;
    if (services.gas_limit != 0)
        header.gas_limit =
            consensus_adapter::next_gas_limit(head.header.gas_limit, services.gas_limit);
    return header;
}

}  // namespace

std::expected<void, TransactionError> add_counted(BlockBuilder& builder, const Transaction& tx,
                                                  const Call& call) {
    const std::uint64_t before = builder.gas_used();
    auto added = builder.add(tx);
    call.note_gas(builder.gas_used() - before);
    return added;
}

Weight pending_weight(std::string_view params) {
    // A text may be spelled with escapes.
    const bool may_be = params.find("\"pending\"") != std::string_view::npos ||
                        params.find('\\') != std::string_view::npos;
    return may_be ? Weight::executing : Weight::reading;
}

PendingBlocks::Basis PendingBlocks::basis() const {
    const MempoolCounters pool = services_.mempool.counters();
    return {services_.chain.head().hash,
            pool.admitted + pool.evicted + pool.included + pool.dropped};
}

SharedPendingBlock PendingBlocks::get(const Call& call) {
    auto found = find(call);
    if (!found.has_value())
        throw RpcError(Code::server_error, "no block can be made: " + to_string(found.error()));
    return *std::move(found);
}

std::expected<SharedPendingBlock, BlockError> PendingBlocks::find(const Call& call) {
    // What the user of a development chain sets about the next block is in neither head nor pool.
    if (services_.control != nullptr) return make(call);
    const Basis basis = this->basis();
    const Clock::time_point now = Clock::now();
    {
        const std::scoped_lock lock{mutex_};
        if (made_ && basis_ == basis && now - made_at_ < kLifetime) return made_;
    }
    auto made = make(call);
    // The caller is told of it; others ask anew.
    if (!made.has_value() || ReadScope::is_failed()) return made;
    const std::scoped_lock lock{mutex_};
    basis_ = basis;
    made_at_ = now;
    made_ = *std::move(made);
    return made_;
}

std::expected<SharedPendingBlock, BlockError> PendingBlocks::make(const Call& call) const {
    const Chain& chain = services_.chain;
    auto [block, found] = ask_of(chain, BlockSelector{}, [&](const SelectedBlock& selected) {
        return chain.state_at(selected.header.header.number);
    });
    const ledger::StoredHeader& head = block.header;
    const auto state = take(std::move(found));
    BlockHeader header = next_header(services_, head);
    const BlockEnv env = chain.env_of_next(header, head);
    BlockBuilder builder(chain.config(), *state, chain.block_hashes(), chain.code_cache());
    if (auto begun = builder.begin(std::move(header), env, {}); !begun.has_value())
        return std::unexpected{std::move(begun).error()};
    auto pending = std::make_shared<PendingBlock>();
    std::vector<Transaction> transactions;
    const auto best = services_.mempool.best(env.base_fee_per_gas, env.blob_base_fee);
    std::size_t room = room_in_own_block(env.revision, 0);
    while (const SharedTransaction candidate = best->next()) {
        call.check_deadline();
        const std::size_t size = size_in_block(*candidate);
        if (size > room || !add_counted(builder, candidate->tx, call).has_value()) {
            best->skip_sender();
            continue;
        }
        room -= size;
        pending->transaction_hashes.push_back(candidate->hash);
        transactions.push_back(candidate->tx);
    }
    auto built = builder.finish(std::move(transactions));
    if (!built.has_value()) return std::unexpected{std::move(built).error()};
    pending->block = std::move(built->block);
    pending->receipts = std::move(built->result.receipts);
    pending->blob_base_fee = env.blob_base_fee;
    pending->block.header.state_root = head.header.state_root;
    // Known only once the consensus has proposed the block.
    pending->block.header.parent_beacon_block_root.reset();
    return pending;
}

}  // namespace heddle::node::rpc
