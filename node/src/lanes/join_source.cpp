// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/join_source.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <ledger/snapshot.hpp>

#include "logging/log.hpp"
#include "program/durable_file.hpp"
#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

namespace fs = std::filesystem;
using consensus_adapter::cometbft::SnapshotOffer;

constexpr std::string_view kEnding = ".checkpoint";

/// nullopt: it is the name of something else.
std::optional<std::uint64_t> number_of(std::string_view name) {
    if (!name.ends_with(kEnding)) return std::nullopt;
    name.remove_suffix(kEnding.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return number;
}

/// nullopt: there is nothing from there on.
std::optional<Bytes> part_of(BytesView whole, std::uint64_t offset) {
    if (offset > whole.size()) return std::nullopt;
    const BytesView rest = whole.subspan(static_cast<std::size_t>(offset));
    const BytesView part = rest.first(std::min(rest.size(), kMostPartBytes));
    return Bytes(part.begin(), part.end());
}

}  // namespace

JoinSource::JoinSource(Chain& chain, std::string folder, SnapshotStoreOptions snapshots)
    : folder_([&] {
          std::error_code error;
          fs::create_directories(folder, error);
          if (error) fail_input("{}: cannot be created: {}", folder, error.message());
          return std::move(folder);
      }()),
      snapshots_(chain, std::move(snapshots)) {}

std::string JoinSource::path_of(std::uint64_t number) const {
    return fmt::format("{}/{}{}", folder_, number, kEnding);
}

void JoinSource::begin(const MergeCheckpoint& checkpoint) {
    const Bytes bytes = encode_checkpoint(checkpoint);
    const std::string path = path_of(checkpoint.block);
    const std::string next = path + ".next";
    if (!write_durably(next, bytes) || std::rename(next.c_str(), path.c_str()) != 0) {
        logger(Component::consensus)
            .warn("nobody can join after block {}: {}: cannot be written: {}", checkpoint.block,
                  path, std::strerror(errno));
        return;
    }
    {
        const std::scoped_lock lock{mutex_};
        kept_[checkpoint.block] = Kept{checkpoint.block_hash, bytes.size(), keccak256(bytes)};
    }
    const bool is_begun = snapshots_.begin({checkpoint.block, checkpoint.block_hash});
    const auto has_one = [&] {
        const std::vector<SnapshotOffer> list = snapshots_.list();
        return std::ranges::find(list, checkpoint.block, &SnapshotOffer::height) != list.end();
    };
    // Another may be written still: then nobody can join by this one.
    if (!is_begun && !has_one()) {
        std::error_code ignored;
        fs::remove(path, ignored);
        const std::scoped_lock lock{mutex_};
        kept_.erase(checkpoint.block);
    }
    remove_old();
}

/// What is older than every snapshot that there is, or may be.
void JoinSource::remove_old() {
    const auto oldest = snapshots_.oldest();
    if (!oldest.has_value()) return;
    std::error_code error;
    for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
         entry.increment(error)) {
        const auto number = number_of(entry->path().filename().string());
        if (!number.has_value() || *number >= *oldest) continue;
        std::error_code ignored;
        fs::remove(entry->path(), ignored);
    }
    const std::scoped_lock lock{mutex_};
    kept_.erase(kept_.begin(), kept_.lower_bound(*oldest));
}

std::optional<JoinSource::Kept> JoinSource::find_checkpoint(std::uint64_t number) {
    const std::scoped_lock lock{mutex_};
    const auto known = kept_.find(number);
    if (known != kept_.end()) return known->second;
    const auto read = read_checkpoint(path_of(number));
    if (!read.has_value()) {
        logger(Component::consensus).warn("nobody can join by it: {}", read.error());
        return std::nullopt;
    }
    if (!read->has_value()) return std::nullopt;
    const Bytes bytes = encode_checkpoint(**read);
    return kept_[number] = Kept{(*read)->block_hash, bytes.size(), keccak256(bytes)};
}

std::vector<JoinOffer> JoinSource::offers() {
    std::vector<JoinOffer> offers;
    for (const SnapshotOffer& snapshot : snapshots_.list()) {
        const auto checkpoint = find_checkpoint(snapshot.height);
        const auto manifest = ledger::decode_manifest(snapshot.metadata);
        if (!checkpoint.has_value() || !manifest.has_value()) continue;
        if (header_hash(manifest->header) != checkpoint->block_hash) continue;
        offers.push_back({snapshot.height, checkpoint->block_hash, snapshot.metadata.size(),
                          snapshot.chunks, checkpoint->size, checkpoint->hash});
    }
    return offers;
}

std::optional<Bytes> JoinSource::read_checkpoint_part(std::uint64_t number,
                                                      std::uint64_t offset) const {
    std::ifstream file{path_of(number), std::ios::binary | std::ios::ate};
    if (!file) return std::nullopt;
    const auto size = static_cast<std::uint64_t>(file.tellg());
    if (offset > size) return std::nullopt;
    Bytes bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size - offset, kMostPartBytes)));
    file.seekg(static_cast<std::streamoff>(offset));
    // A stream of bytes reads characters.
    file.read(reinterpret_cast<char*>(bytes.data()),  // NOLINT
              static_cast<std::streamsize>(bytes.size()));
    if (!file) return std::nullopt;
    return bytes;
}

std::optional<Bytes> JoinSource::part(std::uint64_t number, const JoinPart& part,
                                      std::uint64_t offset) {
    if (part.kind == JoinPart::Kind::checkpoint)
        return find_checkpoint(number).has_value() ? read_checkpoint_part(number, offset)
                                                   : std::nullopt;
    if (part.kind == JoinPart::Kind::chunk) {
        const Bytes chunk = snapshots_.load_chunk(number, ledger::kSnapshotVersion, part.chunk);
        return chunk.empty() ? std::nullopt : part_of(chunk, offset);
    }
    for (const SnapshotOffer& snapshot : snapshots_.list())
        if (snapshot.height == number) return part_of(snapshot.metadata, offset);
    return std::nullopt;
}

}  // namespace heddle::node::lanes
