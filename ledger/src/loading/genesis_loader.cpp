// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/genesis_loader.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <types/expected.hpp>

#include "durable/genesis_block.hpp"
#include "durable/ledger_impl.hpp"
#include "durable/opening.hpp"
#include "loading/part_loader.hpp"
#include "loading/state_sorter.hpp"
#include "tools/marks.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kBatchBytes = std::size_t{8} << 20;
/// Code written lately, which is not written again: genesis states have the same code many times.
constexpr std::size_t kKnownCodes = std::size_t{1} << 14;
/// By one thread, until it says so.
constexpr std::uint64_t kRecordsPerReport = 1'024;

/// What sorts, of the memory of a whole ledger. The database has as much, and is little used
/// meanwhile.
constexpr std::size_t sorter_share(std::size_t memory_bytes) noexcept {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    return std::min(memory_bytes / 4, kMost);
}

void move_to(std::vector<TableFile>& all, std::vector<TableFile> files) {
    all.insert(all.end(), std::make_move_iterator(files.begin()),
               std::make_move_iterator(files.end()));
}

}  // namespace

struct GenesisLoader::Impl {
    Impl(DurableLedgerOptions the_options, NewDatabase made, WorkProgress progress,
         IsGivenUp is_given_up)
        : options(std::move(the_options)),
          on_progress(std::move(progress)),
          fresh(std::move(made)),
          threads(thread_count(options.threads)),
          crew(threads),
          sorter(fresh->folder(), sorter_share(options.memory_bytes), crew, std::move(is_given_up)),
          codes(fresh->database().batch()) {}

    DurableLedgerOptions options;
    const WorkProgress on_progress;
    std::uint64_t records = 0;         // accounts and slots
    std::optional<NewDatabase> fresh;  // none once finished
    unsigned threads;
    WorkerCrew crew;
    StateSorter sorter;

    WriteBatch codes;
    std::unordered_set<Hash, HashHasher> known_codes;
    Address address;                   // of the account that has begun
    std::optional<Hash> address_hash;  // of it, once it has a slot

    std::expected<void, LedgerError> add_code(const Hash& hash, BytesView code);
    std::expected<void, LedgerError> write_codes();
    std::expected<Hash, LedgerError> load_state();
};

std::expected<void, LedgerError> GenesisLoader::Impl::add_code(const Hash& hash, BytesView code) {
    if (known_codes.size() >= kKnownCodes) known_codes.clear();
    if (!known_codes.insert(hash).second) return {};
    codes.put(Table::codes, hash.view(), code);
    if (codes.size_bytes() < kBatchBytes) return {};
    return write_codes();
}

std::expected<void, LedgerError> GenesisLoader::Impl::write_codes() {
    HEDDLE_CHECK(fresh->database().write(codes, false));
    codes.clear();
    return {};
}

/// @return the state root.
std::expected<Hash, LedgerError> GenesisLoader::Impl::load_state() {
    HEDDLE_CHECK(write_codes());
    HEDDLE_CHECK(sorter.seal());
    std::vector<std::size_t> parts;
    for (std::size_t part = 0; part < kStateParts; ++part)
        if (sorter.has_part(part)) parts.push_back(part);
    if (parts.empty()) return kEmptyTrieRoot;
    // Below a root with one child there is a longer path, or a leaf: no part knows by itself.
    const TrieSpan span = parts.size() == 1 ? TrieSpan::whole : TrieSpan::child_of_root;

    Database& database = fresh->database();
    NodeWriter nodes(database);
    std::vector<std::expected<LoadedPart, LedgerError>> loaded(parts.size());
    std::atomic<std::uint64_t> done = 0;  // a number and nothing else: relaxed
    crew.for_each_on_workers(parts.size(), [&](std::size_t i, unsigned worker) {
        PartLoader loader(database, nodes, span);
        std::uint64_t taken = 0;
        const auto visited = sorter.visit(parts[i], threads, [&](const StateRecord& record) {
            if (++taken % kRecordsPerReport == 0) {
                const std::uint64_t all =
                    done.fetch_add(kRecordsPerReport, std::memory_order_relaxed) +
                    kRecordsPerReport;
                // From the calling thread, as is promised.
                if (worker == 0 && on_progress)
                    on_progress("loading accounts and slots", all, records);
            }
            return loader.take(record);
        });
        if (visited.has_value())
            loaded[i] = loader.finish();
        else
            loaded[i] = std::unexpected(visited.error());
    });

    std::vector<BuiltPart> children;
    std::vector<TableFile> accounts;
    std::vector<TableFile> slots;
    Hash root;
    for (auto& part : loaded) {
        if (!part.has_value()) return std::unexpected(std::move(part).error());
        if (span == TrieSpan::whole)
            root = std::get<Hash>(part->trie);
        else
            children.push_back(std::get<BuiltPart>(part->trie));
        move_to(accounts, std::move(part->accounts));
        move_to(slots, std::move(part->slots));
    }
    if (span == TrieSpan::child_of_root)
        root = TrieBuilder::join_parts(children, [&](NibblesView path, BytesView node) {
            nodes.put(kAccountTrie, path, node);
        });
    HEDDLE_CHECK(nodes.finish());
    HEDDLE_CHECK(database.adopt(Table::accounts, accounts));
    HEDDLE_CHECK(database.adopt(Table::slots, slots));
    return root;
}

GenesisLoader::GenesisLoader(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
GenesisLoader::GenesisLoader(GenesisLoader&&) noexcept = default;

GenesisLoader::~GenesisLoader() {
    if (impl_ != nullptr && impl_->fresh.has_value()) std::move(*impl_->fresh).discard();
}

std::expected<GenesisLoader, LedgerError> GenesisLoader::begin(DurableLedgerOptions options,
                                                               WorkProgress on_progress,
                                                               std::function<bool()> is_given_up) {
    const std::size_t memory = database_share(options.memory_bytes);
    HEDDLE_TRY(NewDatabase fresh, NewDatabase::create(options.directory, memory));
    return GenesisLoader(std::make_unique<Impl>(std::move(options), std::move(fresh),
                                                std::move(on_progress), std::move(is_given_up)));
}

void GenesisLoader::begin_account(const Address& address) {
    impl_->address = address;
    impl_->address_hash.reset();
}

std::expected<void, LedgerError> GenesisLoader::add_slot(const Uint256& slot,
                                                         const Uint256& value) {
    ++impl_->records;
    if (!impl_->address_hash.has_value()) impl_->address_hash = schema::hash_of(impl_->address);
    return impl_->sorter.add_slot(*impl_->address_hash, slot, value);
}

std::expected<void, LedgerError> GenesisLoader::end_account(std::uint64_t nonce,
                                                            const Uint256& balance,
                                                            BytesView code) {
    Account account{.nonce = nonce, .balance = balance};
    if (!code.empty()) {
        account.code_hash = keccak256(code);
        HEDDLE_CHECK(impl_->add_code(account.code_hash, code));
    }
    ++impl_->records;
    return impl_->sorter.add_account(impl_->address, account);
}

std::expected<Hash, LedgerError> GenesisLoader::load(const BlockHeader& header, BytesView chain) {
    HEDDLE_TRY(const Hash root, impl_->load_state());
    return store_genesis_block(impl_->fresh->database(), header, root, chain);
}

std::expected<std::unique_ptr<DurableLedger>, LedgerError> GenesisLoader::finish() {
    HEDDLE_TRY(auto database, impl_->fresh->finish());
    impl_->fresh.reset();
    HEDDLE_TRY(auto opened,
               DurableLedger::Impl::open(std::move(impl_->options), std::move(database)));
    return std::unique_ptr<DurableLedger>(new DurableLedger(std::move(opened)));
}

}  // namespace heddle::ledger
