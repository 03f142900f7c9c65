// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <ledger/genesis_loader.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ledger/memory_ledger.hpp>

#include "loading/state_sorter.hpp"
#include "random.hpp"
#include "storage/database.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

using test::Random;
using testing::HasSubstr;

const Bytes kChain{'c', 'h', 'a', 'i', 'n'};

DurableLedgerOptions options_for(std::string directory, unsigned threads) {
    DurableLedgerOptions options;
    options.directory = std::move(directory);
    options.memory_bytes = std::size_t{64} << 20;
    options.threads = threads;
    return options;
}

/// Code that repeats, slots without a value, and accounts with nothing at all.
GenesisAccount random_account(Random& random) {
    GenesisAccount account;
    std::ranges::copy(random.bytes(sizeof(Address)), account.address.bytes.begin());
    if (random.one_in(2)) account.nonce = random.below(1'000);
    if (!random.one_in(4)) account.balance = random.word();
    if (random.one_in(4)) account.code = Bytes(1 + random.below(5), 0x5b);
    std::size_t slots = random.one_in(3) ? random.below(4) : 0;
    if (random.one_in(50)) slots = 200;
    for (std::size_t i = 0; i < slots; ++i) {
        const Uint256 slot = random.word();
        account.storage.emplace_back(slot, random.one_in(5) ? Uint256{} : random.word());
    }
    return account;
}

Genesis random_genesis(Random& random, std::size_t accounts) {
    Genesis genesis;
    genesis.header.difficulty = 17;
    genesis.header.gas_limit = 5'000;
    if (random.one_in(2)) genesis.header.withdrawals_root = kEmptyTrieRoot;
    for (std::size_t i = 0; i < accounts; ++i)
        genesis.alloc.push_back(random_account(random));
    return genesis;
}

std::expected<void, LedgerError> give(const GenesisAccount& account, GenesisLoader& loader) {
    loader.begin_account(account.address);
    for (const auto& [slot, value] : account.storage)
        if (auto added = loader.add_slot(slot, value); !added.has_value()) return added;
    return loader.end_account(account.nonce, account.balance, account.code);
}

using Content = std::vector<std::pair<Bytes, Bytes>>;
/// Everything in the tables of a ledger that nobody has open.
std::array<Content, kTableCount> content_of(const std::string& directory) {
    std::array<Content, kTableCount> content;
    const auto database = Database::open({.directory = directory + "/ledger"}).value();
    for (std::size_t i = 0; i < kTableCount; ++i) {
        Cursor cursor = database->cursor(static_cast<Table>(i));
        for (cursor.seek({}); cursor.valid(); cursor.next())
            content[i].emplace_back(Bytes(cursor.key().begin(), cursor.key().end()),
                                    Bytes(cursor.value().begin(), cursor.value().end()));
        EXPECT_TRUE(cursor.error().has_value());
    }
    return content;
}

class GenesisLoaderTest : public testing::Test {
protected:
    LedgerErrorCode error_of(const std::vector<GenesisAccount>& accounts, std::string& detail) {
        auto loader = GenesisLoader::begin(options_for(folder_ / "wrong", 2)).value();
        for (const GenesisAccount& account : accounts)
            EXPECT_TRUE(give(account, loader).has_value());
        const auto loaded = loader.load({}, kChain);
        EXPECT_FALSE(loaded.has_value());
        detail = loaded.error().detail;
        return loaded.error().code;
    }

    test::TemporaryFolder folder_;
    Random random_{51};
};

TEST_F(GenesisLoaderTest, tables_are_those_of_the_plain_way) {
    const std::size_t sizes[] = {0, 1, 2, 3, 5, 17, 40, 600, 4'000};
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        SCOPED_TRACE(sizes[i]);
        const Genesis genesis = random_genesis(random_, sizes[i]);
        const std::string plain = folder_ / ("plain" + std::to_string(i));
        const std::string fast = folder_ / ("fast" + std::to_string(i));
        const unsigned threads = i % 2 == 0 ? 3 : 1;

        ASSERT_TRUE(DurableLedger::create(options_for(plain, 1), genesis, kChain).has_value());
        std::optional<Hash> hash;
        {
            auto loader = GenesisLoader::begin(options_for(fast, threads)).value();
            for (const GenesisAccount& account : genesis.alloc)
                ASSERT_TRUE(give(account, loader).has_value());
            hash = loader.load(genesis.header, kChain).value();
            ASSERT_TRUE(loader.finish().has_value());
        }

        EXPECT_EQ(*hash, MemoryLedger().initialize(genesis).hash);
        EXPECT_EQ(content_of(fast), content_of(plain));
    }
}

TEST_F(GenesisLoaderTest, is_no_ledger_before_it_is_finished_and_leaves_nothing_without) {
    const std::string directory = folder_ / "data";
    {
        auto loader = GenesisLoader::begin(options_for(directory, 1)).value();
        ASSERT_TRUE(give(random_account(random_), loader).has_value());
        ASSERT_TRUE(loader.load({}, kChain).has_value());

        EXPECT_FALSE(DurableLedger::exists(directory));
        EXPECT_EQ(DurableLedger::open(options_for(directory, 1)).error().code,
                  LedgerErrorCode::locked);
    }
    EXPECT_FALSE(std::filesystem::exists(directory));

    // A folder that was there, empty, stays.
    std::filesystem::create_directory(directory);
    ASSERT_TRUE(GenesisLoader::begin(options_for(directory, 1)).has_value());
    EXPECT_TRUE(std::filesystem::exists(directory) && std::filesystem::is_empty(directory));
}

TEST_F(GenesisLoaderTest, names_what_is_given_twice) {
    std::vector<GenesisAccount> accounts = random_genesis(random_, 300).alloc;
    std::string detail;

    accounts.push_back(accounts[7]);
    EXPECT_EQ(error_of(accounts, detail), LedgerErrorCode::invalid);
    EXPECT_EQ(detail, "address " + to_string(accounts[7].address) + " occurs twice");

    accounts.pop_back();
    accounts[9].storage = {{Uint256{5}, Uint256{1}}, {Uint256{6}, Uint256{1}}, {5, 2}};
    EXPECT_EQ(error_of(accounts, detail), LedgerErrorCode::invalid);
    EXPECT_THAT(detail, HasSubstr("slot " + to_hex(Uint256{5}) + " of address " +
                                  to_string(accounts[9].address) + " occurs twice"));

    // Which one counts could be told neither where one of them is zero.
    for (const std::uint64_t first : {0U, 1U}) {
        accounts[9].storage = {{Uint256{5}, Uint256{first}}, {Uint256{5}, Uint256{1 - first}}};
        EXPECT_EQ(error_of(accounts, detail), LedgerErrorCode::invalid) << first;
        EXPECT_THAT(detail, HasSubstr("slot " + to_hex(Uint256{5}) + " of address "));
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "wrong"));
}

/// Whether this process has a file open there, also one whose name is gone.
bool holds_file_in(const std::filesystem::path& folder) {
    return std::ranges::any_of(
        std::filesystem::directory_iterator("/proc/self/fd"), [&](const auto& entry) {
            std::error_code closed;  // that of the folder of links itself
            const std::string target = std::filesystem::read_symlink(entry, closed).native();
            return target.starts_with((folder / "").native()) && target.contains("sorted-");
        });
}

TEST_F(GenesisLoaderTest, state_larger_than_the_memory_goes_through_files) {
    auto options = options_for(folder_ / "data", 2);
    options.memory_bytes = std::size_t{4} << 20;
    const Genesis genesis = random_genesis(random_, 20'000);
    auto loader = GenesisLoader::begin(options).value();
    for (const GenesisAccount& account : genesis.alloc)
        ASSERT_TRUE(give(account, loader).has_value());
    EXPECT_TRUE(holds_file_in(folder_.path())) << "the memory was enough";
    const Hash hash = loader.load(genesis.header, kChain).value();
    EXPECT_EQ(hash, MemoryLedger().initialize(genesis).hash);
}

TEST_F(GenesisLoaderTest, calling_thread_hears_how_much_is_loaded) {
    for (const unsigned threads : {1U, 3U}) {
        const Genesis genesis = random_genesis(random_, 20'000);
        std::uint64_t records = genesis.alloc.size();
        std::vector<std::uint64_t> heard;
        std::uint64_t total = 0;
        const auto on_progress = [&, caller = std::this_thread::get_id()](
                                     std::string_view doing, std::uint64_t done, std::uint64_t of) {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            EXPECT_EQ(doing, "loading accounts and slots");
            heard.push_back(done);
            total = of;
        };
        auto loader = GenesisLoader::begin(options_for(folder_ / std::to_string(threads), threads),
                                           on_progress)
                          .value();
        for (const GenesisAccount& account : genesis.alloc) {
            records += account.storage.size();
            ASSERT_TRUE(give(account, loader).has_value());
        }
        ASSERT_TRUE(loader.load(genesis.header, kChain).has_value());
        EXPECT_TRUE(std::ranges::is_sorted(heard));
        // Among others it may have had nothing to do.
        if (threads != 1 && heard.empty()) continue;
        ASSERT_FALSE(heard.empty());
        EXPECT_EQ(total, records);
        EXPECT_LE(heard.back(), total);
    }
}

/// Whoever is to stop must not wait until a large state is sorted.
TEST_F(GenesisLoaderTest, is_given_up_while_it_merges_and_while_it_loads) {
    const Genesis genesis = random_genesis(random_, 20'000);
    for (const std::size_t memory_bytes : {std::size_t{1} << 21, std::size_t{1} << 30}) {
        SCOPED_TRACE(memory_bytes);
        auto options = options_for(folder_ / "data", 2);
        options.memory_bytes = memory_bytes;
        std::atomic<bool> is_given_up = false;
        std::atomic<std::size_t> asked = 0;
        const auto ask = [&] {
            ++asked;
            return is_given_up.load();
        };
        auto loader = GenesisLoader::begin(options, {}, ask).value();
        for (const GenesisAccount& account : genesis.alloc)
            ASSERT_TRUE(give(account, loader).has_value());
        // Runs are merged beforehand where the memory is much too little.
        EXPECT_EQ(asked.load() != 0, memory_bytes == std::size_t{1} << 21);

        is_given_up = true;
        const auto loaded = loader.load(genesis.header, kChain);

        ASSERT_FALSE(loaded.has_value());
        EXPECT_EQ(loaded.error().code, LedgerErrorCode::unavailable);
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "data"));
}

TEST_F(GenesisLoaderTest, sorter_gives_up_merging) {
    WorkerCrew crew(1);
    StateSorter sorter(folder_.path(), 1, crew, [] { return true; });
    std::size_t added = 0;
    std::expected<void, LedgerError> result;
    while (result.has_value() && added < 2 * kRunsPerLevel)
        result = sorter.add_account(address_from_low64(++added), {});
    EXPECT_EQ(added, kRunsPerLevel);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, LedgerErrorCode::unavailable);
}

/// Memory for one record at a time: every record is a run of its own.
TEST_F(GenesisLoaderTest, sorter_merges_runs_level_by_level) {
    constexpr std::size_t kRecords = 2 * kRunsPerLevel * kRunsPerLevel + 3 * kRunsPerLevel + 5;
    WorkerCrew crew(2);
    StateSorter sorter(folder_.path(), 1, crew);
    std::size_t most_runs = 0;
    std::uint64_t largest = 0;  // record
    for (std::size_t i = 0; i < kRecords; ++i) {
        Address address;
        std::ranges::copy(random_.bytes(sizeof address.bytes), address.bytes.begin());
        const std::size_t runs = sorter.runs();
        const std::uint64_t spilled = sorter.bytes_spilled();
        ASSERT_TRUE(sorter.add_account(address, {.nonce = i, .balance = 1}).has_value());
        most_runs = std::max(most_runs, sorter.runs());
        if (sorter.runs() > runs) largest = std::max(largest, sorter.bytes_spilled() - spilled);
    }
    ASSERT_TRUE(sorter.seal().has_value());

    EXPECT_EQ(sorter.runs(), 2U + 3U + 5U);
    EXPECT_LT(most_runs, 3 * kRunsPerLevel);
    EXPECT_LE(sorter.bytes_spilled(), 3 * kRecords * largest) << "once for each level";
    std::size_t visited = 0;
    for (std::size_t part = 0; part < kStateParts; ++part) {
        std::optional<Hash> last;
        const auto take = [&](const StateRecord& record) -> std::expected<void, LedgerError> {
            EXPECT_EQ(record.part(), part);
            EXPECT_TRUE(!last.has_value() || *last < record.account_hash());
            last = record.account_hash();
            ++visited;
            return {};
        };
        ASSERT_TRUE(sorter.visit(part, 1, take).has_value());
        EXPECT_EQ(sorter.has_part(part), last.has_value());
    }
    EXPECT_EQ(visited, kRecords);
}

/// Another state would have been loaded, or memory read that nobody owns.
TEST_F(GenesisLoaderTest, temporary_file_that_reads_as_something_else_is_told_of) {
    WorkerCrew crew(1);
    StateSorter sorter(folder_.path(), 1, crew);
    ASSERT_TRUE(sorter.add_slot(keccak256(Bytes{1}), 5, 7).has_value());
    ASSERT_EQ(sorter.runs(), 1U);
    ASSERT_TRUE(sorter.seal().has_value());
    // It has no name any more.
    int file = -1;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const std::string target = std::filesystem::read_symlink(entry.path(), gone).native();
        if (target.starts_with(folder_ / "sorted-")) file = std::stoi(entry.path().filename());
    }
    ASSERT_GE(file, 0);
    const auto visit_all = [&] {
        std::expected<void, LedgerError> result;
        for (std::size_t part = 0; part < kStateParts && result.has_value(); ++part)
            result = sorter.visit(
                part, 1, [](const StateRecord&) { return std::expected<void, LedgerError>{}; });
        return result;
    };
    ASSERT_TRUE(visit_all().has_value());
    for (std::uint64_t at = 0; at < sorter.bytes_spilled(); ++at) {
        const auto place = static_cast<off_t>(at);
        std::uint8_t byte = 0;
        ASSERT_EQ(::pread(file, &byte, 1, place), 1);
        const std::uint8_t other = byte ^ static_cast<std::uint8_t>(1U << at % 8);
        ASSERT_EQ(::pwrite(file, &other, 1, place), 1);
        const auto visited = visit_all();
        ASSERT_FALSE(visited.has_value()) << "byte " << at;
        EXPECT_EQ(visited.error().code, LedgerErrorCode::io_error);
        ASSERT_EQ(::pwrite(file, &byte, 1, place), 1);
    }
    EXPECT_TRUE(visit_all().has_value());
}

TEST_F(GenesisLoaderTest, disk_that_refuses_a_temporary_file_is_named) {
    const std::string missing = folder_ / "missing";
    WorkerCrew crew(1);
    StateSorter sorter(missing, 1, crew);
    const auto added = sorter.add_account(Address{}, {});
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().code, LedgerErrorCode::io_error);
    EXPECT_THAT(added.error().detail, HasSubstr(missing));
}

}  // namespace
}  // namespace heddle::ledger
