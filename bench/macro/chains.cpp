// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chains.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <executor/executor.hpp>
#include <types/assert.hpp>
#include <workload/bytecode.hpp>
#include <workload/generator.hpp>
#include <workload/keys.hpp>
#include <workload/world.hpp>

#include "building/chain_maker.hpp"
#include "flat_sink.hpp"
#include "formats/witness_file.hpp"

namespace heddle::bench {
namespace {

using workload::Workload;

constexpr Uint256 kGwei{1'000'000'000};
constexpr std::uint64_t kTransferGas = 21'000;
constexpr std::uint64_t kTokenGas = 120'000;
constexpr std::uint64_t kAverageGas = 150'000;
constexpr std::uint64_t kFirstNeighbour = 0x1000'0000;  // of addresses that follow each other

/// The next transaction of the block `block`, `index` in it; signed, sender filled.
using NextTransaction = std::function<Transaction(const node::ChainMaker& maker, std::size_t block,
                                                  std::uint32_t index)>;

/// @param gas_limit  Before Amsterdam, where new accounts and slots take more.
Transaction make_transaction(const workload::Options& options, const Uint256& base_fee,
                             std::uint64_t gas_limit) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = options.chain_id;
    tx.max_priority_fee_per_gas = kGwei;
    tx.max_fee_per_gas = base_fee + base_fee + kGwei;
    tx.gas_limit = gas_limit * workload::gas_factor(options.revision);
    return tx;
}

Bytes token_transfer(const Address& recipient, const Uint256& amount) {
    Bytes data;
    for (int shift = 24; shift >= 0; shift -= 8)
        data.push_back(static_cast<std::uint8_t>(workload::token::kTransfer >> shift));
    data.resize(4 + 64);
    store_be(to_word(recipient), data.data() + 4);
    store_be(amount, data.data() + 36);
    return data;
}

enum class Payment : std::uint8_t { ether, tokens, to_neighbours };

/// Each account pays or is paid once in the whole chain.
NextTransaction independent(const workload::World& world, const workload::Options& options,
                            std::uint32_t count, Payment payment) {
    return [&world, options, count, payment](const node::ChainMaker& maker, std::size_t block,
                                             std::uint32_t index) {
        Transaction tx = make_transaction(options, maker.base_fee_per_gas(),
                                          payment == Payment::tokens ? kTokenGas : kTransferGas);
        const std::size_t sender = 2 * (block * count + index);
        const Address recipient = payment == Payment::to_neighbours
                                      ? address_from_low64(kFirstNeighbour + sender)
                                      : world.accounts[sender + 1].address;
        if (payment == Payment::tokens) {
            tx.to = world.tokens[index % world.tokens.size()];
            tx.data = token_transfer(recipient, kGwei);
        } else {
            tx.to = recipient;
            tx.value = kGwei;
        }
        workload::sign(tx, world.accounts[sender]);
        return tx;
    };
}

/// Everything goes on to an account that did not exist, less the fees.
NextTransaction passing_on(const workload::World& world, const workload::Options& options,
                           std::uint32_t count) {
    return [&world, options, count](const node::ChainMaker& maker, std::size_t block,
                                    std::uint32_t index) {
        const std::uint64_t step = block * count + index;
        const auto key = [&](std::uint64_t at) {
            return at == 0 ? world.accounts[0] : workload::derive_key(options.seed, "chain", at);
        };
        Transaction tx = make_transaction(options, maker.base_fee_per_gas(), kTransferGas);
        // Falls faster than fees can eat it.
        const std::uint64_t fee = 200'000 * workload::gas_factor(options.revision);
        tx.value = Uint256{100'000'000'000'000 - step * fee} * kGwei;
        tx.to = key(step + 1).address;
        workload::sign(tx, key(step));
        return tx;
    };
}

Workload kind_of(const std::string& name) {
    if (name == "erc20" || name == "hot_slot") return Workload::erc20;
    if (name == "amm") return Workload::swaps;
    return name == "mixed" ? Workload::mixed : Workload::transfers;
}

Block make_block(node::ChainMaker& maker, const workload::World& world, std::size_t block,
                 std::uint32_t count, const NextTransaction& next) {
    node::BlockPlan plan;
    plan.timestamp = workload::kGenesisTimestamp + 12 * (block + 1);
    plan.beneficiary = world.beneficiaries[block % world.beneficiaries.size()];
    HEDDLE_ASSERT(maker.begin_block(std::move(plan)).has_value());
    for (std::uint32_t i = 0; i < count; ++i)
        HEDDLE_ASSERT(maker.add(next(maker, block, i)).has_value());
    auto sealed = maker.seal();
    HEDDLE_ASSERT(sealed.has_value());
    return *std::move(sealed);
}

/// What the serial executor records.
void record_knowledge(Chain& chain) {
    executor::Options options;
    options.record_sets = true;
    options.make_access_lists = true;
    const auto executor = executor::make_serial_executor(std::move(options));
    ledger::MemoryState state = make_state(chain.genesis);
    FlatSink sink(state);
    const node::KnownHashes hashes(chain.hashes);
    executor->start(
        {.config = chain.genesis.config, .state = state, .block_hashes = hashes, .sink = sink},
        executor::make_chain_head(chain.first));
    for (const Block& block : chain.blocks)
        HEDDLE_ASSERT(executor::run(*executor, executor::make_ordered_block(block)).has_value());
    HEDDLE_ASSERT(executor->drain().has_value());
    chain.object_sets = sink.take_object_sets();
    chain.access_lists = sink.take_access_lists();
}

}  // namespace

std::size_t Chain::transaction_count() const {
    std::size_t count = 0;
    for (const Block& block : blocks)
        count += block.transactions.size();
    return count;
}

const std::vector<std::string>& chain_names() {
    static const std::vector<std::string> names = {"transfers", "neighbours", "erc20", "chain",
                                                   "hot_slot",  "amm",        "mixed"};
    return names;
}

Chain make_chain(const std::string& name, const ChainPlan& plan) {
    HEDDLE_ASSERT(std::ranges::find(chain_names(), name) != chain_names().end());
    workload::Options options;
    options.seed = plan.seed;
    options.revision = plan.revision;
    options.workload = kind_of(name);
    const auto total = static_cast<std::uint32_t>(plan.blocks) * plan.transactions;
    options.accounts = std::max(workload::kMinAccounts, 2 * total);
    if (name == "hot_slot") options.contention_ppm = workload::kMillion;
    workload::Generator generator(options);

    Chain chain;
    chain.name = name;
    const std::uint64_t gas_limit =
        std::max<std::uint64_t>(60'000'000, 2 * kAverageGas * plan.transactions) *
        workload::gas_factor(plan.revision);
    chain.genesis = workload::make_genesis(generator.take_alloc(), options, gas_limit);
    node::ChainMaker maker(chain.genesis);
    chain.first = maker.head();
    chain.hashes[chain.first.number] = maker.head_hash();

    NextTransaction next;
    if (name == "transfers" || name == "erc20" || name == "neighbours") {
        const Payment payment = name == "erc20"       ? Payment::tokens
                                : name == "transfers" ? Payment::ether
                                                      : Payment::to_neighbours;
        next = independent(generator.world(), options, plan.transactions, payment);
    } else if (name == "chain") {
        next = passing_on(generator.world(), options, plan.transactions);
    } else {
        next = [&generator](const node::ChainMaker& open, std::size_t, std::uint32_t) {
            return generator.next(open.base_fee_per_gas(), open.blobs_left());
        };
    }
    for (std::size_t i = 0; i < plan.blocks; ++i) {
        chain.blocks.push_back(make_block(maker, generator.world(), i, plan.transactions, next));
        chain.hashes[maker.head().number] = maker.head_hash();
    }
    record_knowledge(chain);
    return chain;
}

}  // namespace heddle::bench
