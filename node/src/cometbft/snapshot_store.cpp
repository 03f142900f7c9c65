// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/snapshot_store.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <types/block.hpp>
#include <types/counted.hpp>

#include "logging/log.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using consensus_adapter::BlockId;
using consensus_adapter::cometbft::SnapshotOffer;
using ledger::LedgerError;
using ledger::SnapshotReader;
using ledger::SnapshotWriter;
using Clock = std::chrono::steady_clock;

/// What ledger::SnapshotWriter writes under, and what is being removed: neither is a snapshot.
constexpr std::string_view kUnfinished = ".unfinished";
/// Peers ask for the same chunk at about the same time.
constexpr std::size_t kCachedChunks = 2;

std::optional<std::uint64_t> parse_number(std::string_view name) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    if (std::to_string(number) != name) return std::nullopt;
    return number;
}

/// Gives it another name first: half of it is never taken for a snapshot.
void remove_folder(const std::string& folder) {
    const std::string unfinished = folder + std::string{kUnfinished};
    std::error_code error;
    fs::remove_all(unfinished, error);
    fs::rename(folder, unfinished, error);
    if (!error) fs::remove_all(unfinished, error);
    if (error)
        logger(Component::chain)
            .warn("the old snapshot {} cannot be removed: {}", folder, error.message());
}

}  // namespace

std::string snapshot_folder(const std::string& datadir) {
    return (fs::path(datadir) / "snapshots").string();
}

SnapshotStore::SnapshotStore(Chain& chain, SnapshotStoreOptions options)
    : chain_(chain), options_(std::move(options)), unchecked_(find_folders()) {
    thread_ = std::thread([this] { run(); });
}

SnapshotStore::~SnapshotStore() {
    gives_up_.store(true, std::memory_order_relaxed);
    {
        const std::scoped_lock lock{mutex_};
        is_stopping_ = true;
        if (writer_) writer_->stop();
    }
    changed_.notify_all();
    thread_.join();
}

std::string SnapshotStore::folder_of(std::uint64_t number) const {
    return (fs::path(options_.folder) / std::to_string(number)).string();
}

void SnapshotStore::run() {
    check_found();
    std::unique_lock lock{mutex_};
    is_checking_ = false;
    for (;;) {
        if (!writer_) changed_.notify_all();
        changed_.wait(lock, [this] { return is_stopping_ || writer_; });
        if (is_stopping_) break;
        const std::shared_ptr<SnapshotWriter> writer = writer_;
        lock.unlock();
        write(*writer);
        lock.lock();
        // It holds files of the database on the disk.
        writer_.reset();
    }
    writer_.reset();
    changed_.notify_all();
}

std::vector<std::uint64_t> SnapshotStore::find_folders() const {
    std::error_code error;
    std::vector<std::uint64_t> numbers;
    for (fs::directory_iterator entry(options_.folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (const auto number = parse_number(name)) {
            numbers.push_back(*number);
            continue;
        }
        const std::string_view view = name;
        if (view.ends_with(kUnfinished) &&
            parse_number(view.substr(0, view.size() - kUnfinished.size()))) {
            std::error_code ignored;
            fs::remove_all(entry->path(), ignored);
            continue;
        }
        logger(Component::chain)
            .warn("{} is no snapshot and is left alone", entry->path().string());
    }
    std::ranges::sort(numbers);
    return numbers;
}

void SnapshotStore::check_found() {
    for (;;) {
        std::uint64_t number = 0;
        {
            const std::scoped_lock lock{mutex_};
            if (unchecked_.empty() || is_stopping_) break;
            number = unchecked_.back();
        }
        if (SharedKept snapshot = open_checked(number)) offer(std::move(snapshot));
        const std::scoped_lock lock{mutex_};
        unchecked_.pop_back();
    }
    remove_old();
}

SnapshotStore::SharedKept SnapshotStore::open_checked(std::uint64_t number) {
    const std::string folder = folder_of(number);
    const auto refuse = [&](const std::string& why) -> SharedKept {
        logger(Component::chain)
            .warn("the snapshot {} is not offered: {}; it can be removed", folder, why);
        return nullptr;
    };
    auto reader = SnapshotReader::open(folder);
    if (!reader.has_value()) return refuse(to_string(reader.error()));
    const BlockHeader& header = reader->manifest().header;
    if (header.number != number) return refuse("it is of block " + std::to_string(header.number));
    const auto known = chain_.header(number);
    if (!known.has_value()) return refuse(to_string(known.error()));
    if (!known->has_value() || (*known)->hash != header_hash(header))
        return refuse("its block is not one of this chain");
    if (!is_offerable(*reader)) return nullptr;
    for (std::size_t i = 0; i < reader->manifest().chunks.size(); ++i) {
        if (gives_up_.load(std::memory_order_relaxed)) return nullptr;
        if (const auto chunk = reader->read_chunk(i); !chunk.has_value())
            return refuse(to_string(chunk.error()));
    }
    const Hash id = reader->id();
    return std::make_shared<const Kept>(Kept{number, *std::move(reader), id});
}

bool SnapshotStore::is_offerable(const SnapshotReader& reader) const {
    if (reader.manifest_bytes().size() <= options_.max_manifest_bytes) return true;
    logger(Component::chain)
        .warn(
            "the snapshot of block {} is not offered: its manifest has {} bytes, and CometBFT "
            "carries {}; nodes can be given a copy of its folder instead (heddle snapshot restore)",
            reader.manifest().header.number, reader.manifest_bytes().size(),
            options_.max_manifest_bytes);
    return false;
}

void SnapshotStore::on_committed(const BlockId& block) {
    if (options_.interval == 0 || block.number % options_.interval != 0) return;
    (void)begin(block);
}

bool SnapshotStore::begin(const BlockId& block) {
    {
        const std::scoped_lock lock{mutex_};
        if (is_stopping_) return false;
        if (writer_) {
            ++stats_.skipped;
            logger(Component::chain)
                .info("no snapshot is made of block {}: another is still being written",
                      block.number);
            return false;
        }
    }
    std::error_code error;
    if (fs::exists(folder_of(block.number), error)) return false;
    const auto start = Clock::now();
    auto writer = chain_.begin_snapshot();
    const auto time = Clock::now() - start;
    const std::scoped_lock lock{mutex_};
    stats_.last_begin = time;
    if (!writer.has_value()) {
        ++stats_.failed;
        logger(Component::chain)
            .warn("no snapshot is made of block {}: {}", block.number, to_string(writer.error()));
        return false;
    }
    writer_ = *std::move(writer);
    changed_.notify_all();
    return true;
}

void SnapshotStore::write(SnapshotWriter& writer) {
    const std::uint64_t number = writer.header().number;
    const std::string folder = folder_of(number);
    remove_old();  // before, as there may be no room for the next one
    const auto begin = Clock::now();
    const auto written = writer.write(folder, nullptr);
    const auto time = Clock::now() - begin;
    auto reader = written.has_value() ? SnapshotReader::open(folder)
                                      : std::unexpected(LedgerError{written.error()});
    {
        const std::scoped_lock lock{mutex_};
        stats_.last_write = time;
        reader.has_value() ? ++stats_.made : ++stats_.failed;
    }
    if (!reader.has_value()) {
        if (!gives_up_.load(std::memory_order_relaxed))
            logger(Component::chain)
                .warn("no snapshot was made of block {}: {}", number, to_string(reader.error()));
        std::error_code error;
        fs::remove_all(folder + std::string{kUnfinished}, error);
        return;
    }
    logger(Component::chain)
        .info("snapshot of block {}: {}, {}, {:.1f} s", number,
              counted(reader->manifest().accounts, "account"),
              counted(reader->manifest().chunks.size(), "chunk"),
              std::chrono::duration<double>(time).count());
    if (is_offerable(*reader)) {
        const Hash id = reader->id();
        offer(std::make_shared<const Kept>(Kept{number, *std::move(reader), id}));
    }
    remove_old();
}

void SnapshotStore::offer(SharedKept snapshot) {
    const std::scoped_lock lock{mutex_};
    const auto place = std::ranges::find_if(
        snapshots_, [&](const SharedKept& kept) { return kept->number < snapshot->number; });
    snapshots_.insert(place, std::move(snapshot));
}

bool SnapshotStore::is_held(std::uint64_t number, Clock::time_point now) {
    Use& use = uses_[number];
    if (!use.old_since.has_value()) use.old_since = now;
    return use.asked.has_value() && now - *use.asked < options_.hold &&
           now - *use.old_since < options_.longest_hold;
}

std::vector<SnapshotStore::SharedKept> SnapshotStore::take_old() {
    std::vector<SharedKept> old;
    const std::size_t kept = kept_count();
    const Clock::time_point now = Clock::now();
    std::size_t held = 0;
    // The oldest first: whoever is at it has come the farthest.
    for (std::size_t i = snapshots_.size(); i-- > kept;) {
        if (is_held(snapshots_[i]->number, now) && held++ < kept) continue;
        old.push_back(std::move(snapshots_[i]));
        snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return old;
}

void SnapshotStore::remove_old() {
    std::vector<SharedKept> old;
    {
        const std::scoped_lock lock{mutex_};
        old = take_old();
    }
    for (const SharedKept& snapshot : old) {
        drop(snapshot);
        remove_folder(folder_of(snapshot->number));
    }
}

void SnapshotStore::drop(const SharedKept& snapshot) {
    const std::scoped_lock lock{mutex_};
    std::erase(snapshots_, snapshot);
    uses_.erase(snapshot->number);
    std::erase_if(cache_, [&](const CachedChunk& chunk) { return chunk.snapshot == snapshot; });
}

SnapshotStore::SharedKept SnapshotStore::find(std::uint64_t number) const {
    const std::scoped_lock lock{mutex_};
    for (const SharedKept& snapshot : snapshots_)
        if (snapshot->number == number) return snapshot;
    return nullptr;
}

std::optional<std::uint64_t> SnapshotStore::oldest() const {
    const std::scoped_lock lock{mutex_};
    std::optional<std::uint64_t> oldest;
    const auto count = [&](std::uint64_t number) {
        oldest = std::min(oldest.value_or(number), number);
    };
    for (const std::uint64_t number : unchecked_)
        count(number);
    if (!snapshots_.empty()) count(snapshots_.back()->number);
    if (writer_) count(writer_->header().number);
    return oldest;
}

std::vector<SnapshotOffer> SnapshotStore::list() const {
    std::vector<SharedKept> snapshots;
    {
        const std::scoped_lock lock{mutex_};
        const std::size_t count = std::min(kept_count(), snapshots_.size());
        snapshots.assign(snapshots_.begin(),
                         snapshots_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    std::vector<SnapshotOffer> offers;
    for (const SharedKept& snapshot : snapshots) {
        const SnapshotReader& reader = snapshot->reader;
        const Hash& id = snapshot->id;
        offers.push_back({snapshot->number, ledger::kSnapshotVersion,
                          static_cast<std::uint32_t>(reader.manifest().chunks.size()),
                          Bytes(id.bytes.begin(), id.bytes.end()), reader.manifest_bytes()});
    }
    return offers;
}

Bytes SnapshotStore::load_chunk(std::uint64_t height, std::uint32_t format, std::uint32_t index) {
    const SharedKept snapshot = find(height);
    if (!snapshot || format != ledger::kSnapshotVersion ||
        index >= snapshot->reader.manifest().chunks.size())
        return {};
    const auto is_wanted = [&](const CachedChunk& chunk) {
        return chunk.snapshot == snapshot && chunk.index == index;
    };
    {
        const std::scoped_lock lock{mutex_};
        // It may have been removed since.
        if (std::ranges::find(snapshots_, snapshot) != snapshots_.end())
            uses_[height].asked = Clock::now();
        const auto found = std::ranges::find_if(cache_, is_wanted);
        if (found != cache_.end()) {
            std::rotate(cache_.begin(), found, found + 1);
            return *cache_.front().bytes;
        }
    }
    auto read = snapshot->reader.read_chunk(index);
    if (!read.has_value()) {
        // Removed meanwhile, it was no longer offered either.
        if (find(height) != snapshot) return {};
        drop(snapshot);
        logger(Component::chain)
            .warn("the snapshot of block {} is offered no more: {}", height,
                  to_string(read.error()));
        return {};
    }
    const auto bytes = std::make_shared<const Bytes>(*std::move(read));
    const std::scoped_lock lock{mutex_};
    const bool is_offered = std::ranges::find(snapshots_, snapshot) != snapshots_.end();
    if (is_offered && std::ranges::find_if(cache_, is_wanted) == cache_.end()) {
        cache_.insert(cache_.begin(), {snapshot, index, bytes});
        if (cache_.size() > kCachedChunks) cache_.pop_back();
    }
    return *bytes;
}

SnapshotStoreStats SnapshotStore::stats() const {
    const std::scoped_lock lock{mutex_};
    return stats_;
}

void SnapshotStore::wait_idle() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !is_checking_ && !writer_; });
}

}  // namespace heddle::node
