// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The state root of blocks whose leaves no block has touched before: what is around each leaf comes
// from the database. Accounts first, then slots of one contract, each leaf touched once, in random
// order. bench/README.md has the method.
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <types/assert.hpp>
#include <types/state_diff.hpp>
#include <workload/random.hpp>

#include "arguments.hpp"
#include "durable/state_loader.hpp"
#include "durable/trie_tables.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"
#include "table.hpp"
#include "trie/resident_state_trie.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;

/// For --help.
constexpr const char* kPurpose =
    "The state root of blocks whose leaves no block has touched before: what is around each "
    "leaf comes from the database.";

struct Plan {
    std::uint32_t accounts = 0;
    std::uint32_t slots = 0;
    std::uint32_t per_block = 0;
    std::uint32_t blocks = 0;
    std::size_t memory_bytes = 0;
    std::string directory;
};

/// The account that has the slots; the others have none.
const Address kContract = address_from_low64(1);

Address address_of(std::uint32_t index) {
    return address_from_low64(std::uint64_t{2} + index);
}

Account account_of(std::uint64_t nonce) {
    return {.nonce = nonce, .balance = Uint256{1'000'000'000'000'000'000}};
}

template <typename T>
T expect(std::expected<T, ledger::LedgerError> result) {
    if (!result.has_value()) fatal(to_string(result.error()).c_str(), __FILE__, __LINE__);
    return *std::move(result);
}

void expect(const std::expected<void, ledger::LedgerError>& result) {
    if (!result.has_value()) fatal(to_string(result.error()).c_str(), __FILE__, __LINE__);
}

/// Indexes below `count` with their hashes, in the order of these.
template <typename HashOf>
std::vector<std::pair<Hash, std::uint32_t>> sorted_by_hash(std::uint32_t count, HashOf hash_of) {
    std::vector<std::pair<Hash, std::uint32_t>> sorted(count);
    for (std::uint32_t i = 0; i < count; ++i)
        sorted[i] = {hash_of(i), i};
    std::ranges::sort(sorted);
    return sorted;
}

void add_slots(ledger::StateLoader& loader, const Hash& owner, std::uint32_t count) {
    for (const auto& [hash, index] : sorted_by_hash(
             count, [](std::uint32_t i) { return ledger::schema::hash_of_slot(Uint256{i}); }))
        expect(loader.add_slot(owner, hash, {Uint256{index}, Uint256{1 + index}}));
}

/// @return the state root.
Hash fill(const Plan& plan) {
    fs::remove_all(plan.directory);
    const auto database = expect(ledger::Database::open(
        {.directory = plan.directory, .create = true, .memory_bytes = plan.memory_bytes}));
    ledger::StateLoader loader(*database);
    const Hash contract = ledger::schema::hash_of(kContract);
    bool is_contract_added = false;
    const auto add_contract = [&] {
        add_slots(loader, contract, plan.slots);
        expect(loader.add_account(contract, kContract, account_of(1)));
        is_contract_added = true;
    };
    for (const auto& [hash, index] : sorted_by_hash(plan.accounts, [](std::uint32_t i) {
             return ledger::schema::hash_of(address_of(i));
         })) {
        if (!is_contract_added && contract < hash) add_contract();
        expect(loader.add_account(hash, address_of(index), account_of(1)));
    }
    if (!is_contract_added) add_contract();
    const Hash root = expect(loader.finish());
    expect(database->flush());
    return root;
}

/// The diffs of blocks that touch each drawn leaf once.
std::vector<StateDiff> draw_blocks(const Plan& plan, bool is_slots) {
    const std::uint32_t count = is_slots ? plan.slots : plan.accounts;
    std::vector<std::uint32_t> order(count);
    for (std::uint32_t i = 0; i < count; ++i)
        order[i] = i;
    workload::Random random(is_slots ? 2 : 1);
    std::vector<StateDiff> blocks;
    std::uint32_t taken = 0;
    for (std::uint32_t block = 0; block < plan.blocks && count - taken >= plan.per_block; ++block) {
        StateDiff& diff = blocks.emplace_back();
        if (is_slots) diff.accounts.push_back({kContract, account_of(2 + block), false, {}});
        for (std::uint32_t i = 0; i < plan.per_block; ++i, ++taken) {
            std::swap(order[taken], order[taken + random.below(count - taken)]);
            const std::uint32_t index = order[taken];
            if (is_slots)
                diff.accounts[0].storage.push_back({Uint256{index}, Uint256{7}});
            else
                diff.accounts.push_back({address_of(index), account_of(2), false, {}});
        }
        if (is_slots)
            std::ranges::sort(diff.accounts[0].storage, {}, &StorageChange::slot);
        else
            std::ranges::sort(diff.accounts, {}, &AccountChange::address);
    }
    return blocks;
}

double microseconds(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

void measure(const Plan& plan, const Hash& root, unsigned threads, bool is_slots, Table& table) {
    const std::vector<StateDiff> blocks = draw_blocks(plan, is_slots);
    if (blocks.empty()) return;
    const auto database = expect(ledger::Database::open(
        {.directory = plan.directory, .create = false, .memory_bytes = plan.memory_bytes}));
    const ledger::TrieTables store(*database);
    ledger::ResidentStateTrie trie(store, root, {.thread_count = threads, .trie = {}});
    const double thread_before = microseconds(CLOCK_THREAD_CPUTIME_ID);
    const double process_before = microseconds(CLOCK_PROCESS_CPUTIME_ID);
    const double begin = microseconds(CLOCK_MONOTONIC);
    Hash last;
    for (const StateDiff& diff : blocks) {
        const auto applied = trie.apply(diff);
        HEDDLE_ASSERT(applied.has_value());
        last = *applied;
    }
    const auto leaves = static_cast<double>(blocks.size()) * plan.per_block;
    const double wall = microseconds(CLOCK_MONOTONIC) - begin;
    table.add({is_slots ? "slot" : "account", std::to_string(threads),
               (microseconds(CLOCK_THREAD_CPUTIME_ID) - thread_before) / leaves,
               (microseconds(CLOCK_PROCESS_CPUTIME_ID) - process_before) / leaves, wall / leaves,
               static_cast<double>(trie.memory_bytes()) / leaves, to_string(last).substr(0, 18)});
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
    using namespace heddle::bench;
    Arguments arguments(argc, argv, kPurpose);
    Plan plan;
    plan.accounts = static_cast<std::uint32_t>(
        arguments.number("accounts", 1'000'000, "accounts of the state"));
    plan.slots = static_cast<std::uint32_t>(
        arguments.number("slots", 1'000'000, "slots of the one contract"));
    plan.per_block = static_cast<std::uint32_t>(
        arguments.number("per-block", 1'000, "leaves that a block touches"));
    plan.blocks = static_cast<std::uint32_t>(arguments.number("blocks", 50, "blocks of a run"));
    plan.memory_bytes = arguments.number("memory", 256, "MiB that the ledger may take") << 20;
    const std::vector<std::uint64_t> threads =
        arguments.numbers("threads", {1}, "threads that share the tries");
    const std::uint64_t repetitions =
        arguments.number("repetitions", 3, "runs of each, of which the median counts");
    plan.directory =
        arguments.text("directory",
                       (fs::temp_directory_path() / "heddle-first-touch-bench-").string() +
                           std::to_string(::getpid()),
                       "where the ledger lies");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    const heddle::Hash root = fill(plan);
    Tables tables;
    Table& table = tables.add("us per leaf that is touched for the first time", {{"leaf"},
                                                                                 {"threads"},
                                                                                 {"caller_cpu", 2},
                                                                                 {"all_cpu", 2},
                                                                                 {"wall", 2},
                                                                                 {"bytes", 0},
                                                                                 {"root"}});
    for (std::uint64_t i = 0; i < repetitions; ++i)
        for (const bool is_slots : {false, true})
            for (const std::uint64_t count : threads)
                measure(plan, root, static_cast<unsigned>(count), is_slots, table);
    tables.write_json(json);
    fs::remove_all(plan.directory);
    return 0;
}
