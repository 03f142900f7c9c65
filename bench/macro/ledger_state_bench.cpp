// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads of the state through the whole stack: DurableLedger's state, cached and not, a state of the
// past, and beside them MemoryState. bench/README.md has the method.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <executor/executor.hpp>
#include <ledger/durable_ledger.hpp>
#include <ledger/memory_state.hpp>
#include <measure/statistics.hpp>
#include <types/assert.hpp>
#include <types/block.hpp>
#include <workload/random.hpp>
#include <workload/world.hpp>

#include "arguments.hpp"
#include "machine.hpp"
#include "table.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::measure;
namespace fs = std::filesystem;

/// For --help.
constexpr const char* kPurpose =
    "Reads of the state through the whole ledger, cached and not, of a state in the past, and "
    "of one in memory beside them.";

constexpr std::uint32_t kContracts = 1'000;
constexpr std::uint32_t kBlocks = 8;             // on top of the genesis block
constexpr std::uint32_t kChangesPerBlock = 500;  // accounts and slots each

struct Plan {
    std::uint32_t accounts = 0;
    std::uint32_t slots = 0;
    std::uint32_t hot = 0;  // values of the small set
    std::uint64_t reads = 0;
    std::uint64_t memory_mib = 0;
};

Address address_of(std::uint32_t index) {
    return workload::idle_address(1, index);
}

/// The values there are, and their allocation. The first accounts have the slots.
struct World {
    std::vector<Address> accounts;
    std::vector<std::pair<Address, Uint256>> slots;
    std::vector<GenesisAccount> alloc;

    explicit World(const Plan& plan) {
        accounts.reserve(plan.accounts);
        for (std::uint32_t i = 0; i < plan.accounts; ++i) {
            accounts.push_back(address_of(i));
            alloc.push_back({accounts[i], i % 7, Uint256{1 + i}, {}, {}});
        }
        const std::uint32_t contracts = std::min(kContracts, plan.accounts);
        for (std::uint32_t i = 0; i < plan.slots; ++i) {
            GenesisAccount& contract = alloc[i % contracts];
            slots.emplace_back(contract.address, Uint256{i});
            contract.storage.emplace_back(Uint256{i}, Uint256{1 + i});
        }
    }
};

/// A ledger in a folder that goes with it.
class Store {
public:
    Store(const World& world, const Plan& plan, const std::string& directory) : plan_(plan) {
        options_.directory = directory;
        options_.memory_bytes = plan.memory_mib << 20;
        fs::remove_all(directory);
        const Genesis genesis =
            workload::make_genesis(world.alloc, workload::Options{}, 30'000'000);
        open_with([&] { return ledger::DurableLedger::create(options_, genesis, {}); });
        for (std::uint32_t i = 0; i < kBlocks; ++i)
            commit(world, i);
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ~Store() {
        ledger_.reset();
        fs::remove_all(options_.directory);
    }

    [[nodiscard]] const ledger::DurableLedger& ledger() const noexcept { return *ledger_; }
    void reopen() {
        ledger_.reset();
        open_with([&] { return ledger::DurableLedger::open(options_); });
    }

private:
    template <typename Open>
    void open_with(Open open) {
        auto opened = open();
        if (!opened.has_value()) fatal(to_string(opened.error()).c_str(), __FILE__, __LINE__);
        ledger_ = *std::move(opened);
    }

    void commit(const World& world, std::uint32_t round) {
        const ledger::StoredHeader head = ledger_->head();
        FinishedBlock finished;
        finished.check_state_root = false;
        BlockHeader& header = finished.block.header;
        header = head.header;
        header.parent_hash = head.hash;
        ++header.number;
        finished.block.withdrawals.emplace();
        const std::uint32_t count = std::min<std::uint32_t>(
            {kChangesPerBlock, plan_.accounts / kBlocks, plan_.slots / kBlocks});
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t index = round * count + i;
            AccountChange change;
            change.address = world.accounts[index];
            change.account = ledger_->state().account(change.address);
            change.account->balance += Uint256{1};
            if (index < kContracts) change.storage.push_back({Uint256{index}, Uint256{2 + index}});
            finished.diff.accounts.push_back(std::move(change));
        }
        HEDDLE_ASSERT(ledger_->commit(std::move(finished)).has_value());
    }

    const Plan plan_;
    ledger::DurableLedgerOptions options_;
    std::unique_ptr<ledger::DurableLedger> ledger_;
};

/// Which values are read, drawn before anything is measured.
using Order = std::vector<std::uint32_t>;

Order draw(std::uint64_t seed, std::uint32_t values, std::uint64_t reads) {
    workload::Random random(seed);
    Order order(reads);
    for (std::uint32_t& index : order)
        index = random.below(values);
    return order;
}

/// Every value once, in no order.
Order shuffle(std::uint64_t seed, std::uint32_t values) {
    workload::Random random(seed);
    Order order(values);
    for (std::uint32_t i = 0; i < values; ++i) {
        const std::uint32_t place = random.below(i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    return order;
}

enum class Kind : std::uint8_t { account, slot };

/// What is read, in order, so that fetching the keys does not count.
struct Keys {
    std::vector<Address> accounts;
    std::vector<std::pair<Address, Uint256>> slots;

    Keys(const World& world, Kind kind, const Order& order) {
        for (const std::uint32_t index : order) {
            if (kind == Kind::account)
                accounts.push_back(world.accounts[index]);
            else
                slots.push_back(world.slots[index]);
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return accounts.size() + slots.size(); }

    /// @return how many values are there.
    [[nodiscard]] std::size_t read_from(const StateView& state) const {
        std::size_t found = 0;
        for (const Address& address : accounts)
            found += state.account(address).has_value() ? 1 : 0;
        for (const auto& [address, slot] : slots)
            found += state.storage(address, slot).is_zero() ? 0 : 1;
        return found;
    }
};

/// Nanoseconds that one read takes the slowest thread, each thread reading its own order.
double read_all(const StateView& state, const World& world, Kind kind,
                const std::vector<Order>& orders) {
    std::atomic<unsigned> waiting = 0;
    std::atomic<bool> is_begun = false;
    std::vector<double> times(orders.size());
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < orders.size(); ++t)
        threads.emplace_back([&, t] {
            const Keys keys(world, kind, orders[t]);
            executor::bind_this_thread(t);
            waiting.fetch_add(1);
            while (!is_begun.load()) {
            }
            const std::uint64_t begin = now_ns();
            const std::size_t found = keys.read_from(state);
            times[t] = static_cast<double>(now_ns() - begin) / static_cast<double>(keys.size());
            HEDDLE_ASSERT(found == keys.size());
        });
    while (waiting.load() != orders.size()) {
    }
    is_begun = true;
    threads.clear();
    return *std::ranges::max_element(times);
}

struct Case {
    Kind kind = Kind::account;
    std::string values;  // which
    unsigned threads = 1;
    std::uint32_t count = 0;
};

std::vector<Case> all_cases(const Plan& plan) {
    std::vector<Case> cases;
    for (const Kind kind : {Kind::account, Kind::slot})
        for (const bool is_hot : {true, false})
            for (const unsigned threads : {1u, 2u}) {
                const std::uint32_t all = kind == Kind::account ? plan.accounts : plan.slots;
                cases.push_back({kind, is_hot ? "few" : "all", threads,
                                 is_hot ? std::min(plan.hot, all) : all});
            }
    return cases;
}

void measure_cached(const Plan& plan, const World& world, Store& store, std::uint64_t repetitions,
                    Table& table) {
    ledger::MemoryState memory;
    for (const GenesisAccount& account : world.alloc)
        memory.add(account);
    const StateView& cached = store.ledger().state();
    const auto past = store.ledger().state_at(kBlocks / 2);
    HEDDLE_ASSERT(past.has_value());
    for (const Kind kind : {Kind::account, Kind::slot})
        read_all(cached, world, kind,
                 {shuffle(1, kind == Kind::account ? plan.accounts : plan.slots)});

    for (const Case& one : all_cases(plan)) {
        std::vector<double> in_memory;
        std::vector<double> durable;
        std::vector<double> historical;
        for (std::uint64_t i = 0; i < repetitions; ++i) {
            std::vector<Order> orders;
            for (unsigned t = 0; t < one.threads; ++t)
                orders.push_back(draw(i * 16 + t, one.count, plan.reads));
            in_memory.push_back(read_all(memory, world, one.kind, orders));
            durable.push_back(read_all(cached, world, one.kind, orders));
            for (Order& order : orders)
                order.resize(std::max<std::size_t>(1, order.size() / 20));
            historical.push_back(read_all(**past, world, one.kind, orders));
        }
        table.add({one.kind == Kind::account ? "account" : "slot", one.values,
                   std::to_string(one.threads), median(in_memory), median(durable),
                   median(historical)});
    }
}

void measure_uncached(const Plan& plan, const World& world, Store& store, std::uint64_t repetitions,
                      Table& table) {
    for (const Kind kind : {Kind::account, Kind::slot})
        for (const unsigned threads : {1u, 2u}) {
            std::vector<double> times;
            for (std::uint64_t i = 0; i < repetitions; ++i) {
                store.reopen();
                const Order order = shuffle(i, kind == Kind::account ? plan.accounts : plan.slots);
                const auto part = static_cast<std::ptrdiff_t>(order.size() / threads);
                std::vector<Order> orders;
                for (unsigned t = 0; t < threads; ++t)
                    orders.emplace_back(order.begin() + t * part, order.begin() + (t + 1) * part);
                times.push_back(read_all(store.ledger().state(), world, kind, orders));
            }
            table.add({kind == Kind::account ? "account" : "slot", std::to_string(threads),
                       median(times)});
        }
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments(argc, argv, kPurpose);
    Plan plan;
    plan.accounts =
        static_cast<std::uint32_t>(arguments.number("accounts", 200'000, "accounts of the state"));
    plan.slots =
        static_cast<std::uint32_t>(arguments.number("slots", 400'000, "slots of the state"));
    plan.hot = static_cast<std::uint32_t>(
        arguments.number("hot", 1'000, "values that are read again and again"));
    plan.reads = arguments.number("reads", 1'000'000, "reads of a run");
    plan.memory_mib = arguments.number("memory", 1'024, "MiB that the ledger may take");
    const std::uint64_t repetitions =
        arguments.number("repetitions", 5, "runs of each, of which the median counts");
    const std::string folder =
        arguments.text("directory",
                       (fs::temp_directory_path() / "heddle-ledger-state-bench-").string() +
                           std::to_string(::getpid()),
                       "where the ledger lies");
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    const World world(plan);
    Store store(world, plan, folder);
    Tables tables;
    Table& cached = tables.add(
        "ns per read of a state in memory, of one that is cached, and of one "
        "in the past",
        {{"value"}, {"read"}, {"threads"}, {"memory", 1}, {"cached", 1}, {"past", 1}});
    measure_cached(plan, world, store, repetitions, cached);
    Table& uncached =
        tables.add("ns per first read after opening", {{"value"}, {"threads"}, {"first", 1}});
    measure_uncached(plan, world, store, repetitions, uncached);
    tables.write_json(json);
    return 0;
}
