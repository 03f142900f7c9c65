// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/merge_checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <types/text_bytes.hpp>

#include "program/durable_file.hpp"
#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node::lanes {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'H', 'D', 'M', 'E', 'R', 'G', 'E'};
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kVersionWithoutSaid = 1;
constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kFixedBytes = kMagic.size() + 4 + 1 + 1 + 8 + 2 * kHashBytes;

template <typename Integer>
void put(Integer value, Bytes& out) {
    for (std::size_t i = 0; i < sizeof value; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}
void put(const Hash& hash, Bytes& out) {
    out.insert(out.end(), hash.bytes.begin(), hash.bytes.end());
}

/// Of bytes whose size was looked at.
class Cursor {
public:
    explicit Cursor(BytesView bytes) : left_(bytes) {}
    template <typename Integer>
    Integer integer() {
        std::uint64_t value = 0;
        for (std::size_t i = sizeof(Integer); i-- > 0;)
            value = value << 8 | left_[i];
        left_ = left_.subspan(sizeof(Integer));
        return static_cast<Integer>(value);
    }
    Hash hash() {
        Hash result;
        std::ranges::copy(left_.first(kHashBytes), result.bytes.begin());
        left_ = left_.subspan(kHashBytes);
        return result;
    }
    BytesView bytes(std::size_t count) {
        const BytesView result = left_.first(count);
        left_ = left_.subspan(count);
        return result;
    }
    [[nodiscard]] BytesView left() const { return left_; }

private:
    BytesView left_;
};

}  // namespace

Bytes encode_checkpoint(const MergeCheckpoint& checkpoint) {
    Bytes out(kMagic.begin(), kMagic.end());
    put(kVersion, out);
    put(checkpoint.lane_count, out);
    put(checkpoint.leading, out);
    put(checkpoint.block, out);
    put(checkpoint.block_hash, out);
    put(checkpoint.order, out);
    for (const Hash& digest : checkpoint.log_digests)
        put(digest, out);
    put(static_cast<std::uint32_t>(checkpoint.said.size()), out);
    out.insert(out.end(), checkpoint.said.begin(), checkpoint.said.end());
    out.insert(out.end(), checkpoint.feed.begin(), checkpoint.feed.end());
    put(keccak256(out), out);
    return out;
}

std::optional<MergeCheckpoint> decode_checkpoint(BytesView bytes) {
    if (bytes.size() < kFixedBytes + kHashBytes) return std::nullopt;
    const BytesView covered = bytes.first(bytes.size() - kHashBytes);
    if (!equal(keccak256(covered).view(), bytes.last(kHashBytes))) return std::nullopt;
    if (!equal(covered.first(kMagic.size()), BytesView{kMagic})) return std::nullopt;
    Cursor in{covered.subspan(kMagic.size())};
    const auto version = in.integer<std::uint32_t>();
    if (version != kVersion && version != kVersionWithoutSaid) return std::nullopt;
    MergeCheckpoint checkpoint;
    checkpoint.lane_count = in.integer<std::uint8_t>();
    checkpoint.leading = in.integer<std::uint8_t>();
    checkpoint.block = in.integer<std::uint64_t>();
    checkpoint.block_hash = in.hash();
    checkpoint.order = in.hash();
    if (in.left().size() < checkpoint.lane_count * kHashBytes) return std::nullopt;
    for (std::size_t lane = 0; lane < checkpoint.lane_count; ++lane)
        checkpoint.log_digests.push_back(in.hash());
    if (version != kVersionWithoutSaid) {
        if (in.left().size() < sizeof(std::uint32_t)) return std::nullopt;
        const auto size = in.integer<std::uint32_t>();
        if (in.left().size() < size) return std::nullopt;
        const BytesView said = in.bytes(size);
        checkpoint.said.assign(said.begin(), said.end());
    }
    checkpoint.feed.assign(in.left().begin(), in.left().end());
    return checkpoint;
}

std::vector<std::string> checkpoint_paths(const std::string& folder) {
    return {folder + "/merge.checkpoint", folder + "/merge.checkpoint.before"};
}

std::expected<void, std::string> write_checkpoint(const std::string& folder,
                                                  const MergeCheckpoint& checkpoint) {
    const auto paths = checkpoint_paths(folder);
    const std::string next = paths.front() + ".next";
    const auto failed = [&] {
        return std::unexpected(fmt::format("{}: cannot be written: {}; is the disk full?", next,
                                           std::strerror(errno)));
    };
    if (!write_durably(next, encode_checkpoint(checkpoint))) return failed();
    // Between the two renames there is the one before only, which is as good.
    if (std::rename(paths.front().c_str(), paths.back().c_str()) != 0 && errno != ENOENT)
        return failed();
    if (std::rename(next.c_str(), paths.front().c_str()) != 0 || !sync_folder(folder))
        return failed();
    return {};
}

std::expected<std::optional<MergeCheckpoint>, std::string> read_checkpoint(
    const std::string& path) try {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::nullopt;
    std::string text;
    read_file(path, kMostCheckpointBytes, text);
    auto decoded = decode_checkpoint(bytes_of(text));
    if (!decoded.has_value())
        return std::unexpected(path + ": is no checkpoint of a merge, or is damaged");
    return decoded;
} catch (const InputError& problem) {
    return std::unexpected(std::string{problem.what()});
}

}  // namespace heddle::node::lanes
