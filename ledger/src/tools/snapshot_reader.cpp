// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <types/expected.hpp>
#include <types/rlp.hpp>
#include <types/text_bytes.hpp>

#include <ledger/snapshot.hpp>

#include "storage/whole_file.hpp"
#include "tools/snapshot_stream.hpp"
#include "tools/snapshot_writer.hpp"

namespace heddle::ledger {

namespace {

constexpr std::string_view kFormatName = "heddle-snapshot";
/// Enough for a state of tens of terabytes.
constexpr std::size_t kMaxManifestBytes = std::size_t{256} << 20;

BytesView name_bytes() noexcept {
    return bytes_of(kFormatName);
}

/// All but the last are full, and none is empty.
bool has_right_sizes(const std::vector<SnapshotManifest::Chunk>& chunks) {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const bool is_last = i + 1 == chunks.size();
        if (chunks[i].size > kSnapshotChunkBytes || chunks[i].size == 0) return false;
        if (!is_last && chunks[i].size != kSnapshotChunkBytes) return false;
    }
    return !chunks.empty();
}

rlp::Result<SnapshotManifest> decode_fields(rlp::Reader& fields) {
    SnapshotManifest manifest;
    HEDDLE_TRY(manifest.header, decode_header_item(fields));
    HEDDLE_TRY(manifest.total_difficulty, fields.read_uint256());
    HEDDLE_TRY(const BytesView chain, fields.read_string());
    manifest.chain.assign(chain.begin(), chain.end());
    HEDDLE_TRY(manifest.accounts, fields.read_uint64());
    HEDDLE_TRY(manifest.slots, fields.read_uint64());
    HEDDLE_TRY(manifest.codes, fields.read_uint64());
    HEDDLE_TRY(rlp::Reader chunks, fields.read_list());
    while (!chunks.at_end()) {
        HEDDLE_TRY(rlp::Reader chunk, chunks.read_list());
        SnapshotManifest::Chunk& added = manifest.chunks.emplace_back();
        HEDDLE_TRY(added.size, chunk.read_uint64());
        HEDDLE_TRY(added.hash, chunk.read_hash());
        HEDDLE_CHECK(chunk.expect_end());
    }
    HEDDLE_CHECK(fields.expect_end());
    return manifest;
}

/// Of a folder without a manifest.
LedgerError missing_manifest(const std::string& folder) {
    std::error_code error;
    for (const std::string& part : {std::string{kIdFile}, chunk_file(0)})
        if (std::filesystem::exists(std::filesystem::path{folder} / part, error))
            return {LedgerErrorCode::bad_snapshot,
                    "there is no file " + folder + "/" + kManifestFile};
    return {LedgerErrorCode::invalid,
            folder + " holds no snapshot: there is neither a manifest nor a chunk in it"};
}

/// Whether the manifest is what was written: of the chain's configuration nothing else tells.
/// Earlier versions wrote no id. @return whether there is one.
std::expected<bool, LedgerError> check_id(const std::string& folder, BytesView manifest) {
    const Bytes expected = id_text(snapshot_id(manifest));
    const std::string path = folder + "/" + kIdFile;
    HEDDLE_TRY(const auto found, read_file(path, expected.size(), LedgerErrorCode::bad_snapshot));
    if (!found.has_value()) return false;
    if (*found == expected) return true;
    return bad_snapshot(path + " is not the hash of the file " + kManifestFile + " beside it");
}

}  // namespace

Bytes encode_manifest(const SnapshotManifest& manifest) {
    Bytes out;
    rlp::encode_string(name_bytes(), out);
    rlp::encode_uint64(kSnapshotVersion, out);
    encode_header(manifest.header, out);
    rlp::encode_uint256(manifest.total_difficulty, out);
    rlp::encode_string(manifest.chain, out);
    rlp::encode_uint64(manifest.accounts, out);
    rlp::encode_uint64(manifest.slots, out);
    rlp::encode_uint64(manifest.codes, out);
    const std::size_t list = out.size();
    for (const SnapshotManifest::Chunk& chunk : manifest.chunks) {
        const std::size_t begin = out.size();
        rlp::encode_uint64(chunk.size, out);
        rlp::encode_hash(chunk.hash, out);
        rlp::wrap_list(begin, out);
    }
    rlp::wrap_list(list, out);
    rlp::wrap_list(0, out);
    return out;
}

std::expected<SnapshotManifest, LedgerError> decode_manifest(BytesView bytes) {
    rlp::Reader whole(bytes);
    auto fields = whole.read_list();
    const auto name = fields.has_value() ? fields->read_string() : rlp::Result<BytesView>{};
    if (!fields.has_value() || !name.has_value() || !equal(*name, name_bytes()))
        return bad_snapshot("the manifest is something else");
    const auto version = fields->read_uint64();
    if (!version.has_value()) return bad_snapshot("the manifest does not decode");
    if (*version != kSnapshotVersion)
        return std::unexpected(LedgerError{LedgerErrorCode::newer_format,
                                           "the snapshot has version " + std::to_string(*version) +
                                               ", this is for version " +
                                               std::to_string(kSnapshotVersion)});
    auto manifest = decode_fields(*fields);
    if (!manifest.has_value() || !whole.at_end())
        return bad_snapshot("the manifest does not decode");
    if (!has_right_sizes(manifest->chunks))
        return bad_snapshot("the manifest names chunks of impossible sizes");
    return *std::move(manifest);
}

Hash snapshot_id(BytesView manifest) {
    return keccak256(manifest);
}

std::expected<SnapshotReader, LedgerError> SnapshotReader::open(const std::string& folder) {
    HEDDLE_TRY(auto bytes, read_file(folder + "/" + kManifestFile, kMaxManifestBytes,
                                     LedgerErrorCode::bad_snapshot));
    if (!bytes.has_value()) return std::unexpected(missing_manifest(folder));
    HEDDLE_TRY(const bool has_id, check_id(folder, *bytes));
    auto manifest = decode_manifest(*bytes);
    if (!manifest.has_value()) {
        manifest.error().detail.append(" (in ").append(folder).append(")");
        return std::unexpected(std::move(manifest).error());
    }
    return SnapshotReader(folder, *std::move(bytes), *std::move(manifest), has_id);
}

std::expected<Bytes, LedgerError> SnapshotReader::read_chunk(std::size_t index) const {
    if (index >= manifest_.chunks.size())
        return std::unexpected(LedgerError{
            LedgerErrorCode::invalid,
            "chunk " + std::to_string(index) + " of " + std::to_string(manifest_.chunks.size())});
    const SnapshotManifest::Chunk& chunk = manifest_.chunks[index];
    const std::string path = folder_ + "/" + chunk_file(index);
    HEDDLE_TRY(auto bytes, read_file(path, kSnapshotChunkBytes, LedgerErrorCode::bad_snapshot));
    if (!bytes.has_value()) return bad_snapshot(path + " is missing");
    if (bytes->size() != chunk.size)
        return bad_snapshot(path + " has " + std::to_string(bytes->size()) + " bytes, not " +
                            std::to_string(chunk.size));
    if (keccak256(*bytes) != chunk.hash)
        return bad_snapshot(path + " has another hash than the manifest says");
    return *std::move(bytes);
}

}  // namespace heddle::ledger
