// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Snapshots: the state after one block in chunks, from which another node starts without executing
// the chain. Their bytes depend on nothing but the chain up to that block. How chunks travel is not
// this file's business; docs/storage.md describes the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include <ledger/ledger_error.hpp>
#include <ledger/maintenance.hpp>

namespace heddle::ledger {

/// Every chunk but the last has this size.
inline constexpr std::size_t kSnapshotChunkBytes = std::size_t{10} << 20;
inline constexpr std::uint32_t kSnapshotVersion = 1;

/// What there is to know of a snapshot before its chunks. Whoever trusts the header, and compares
/// nothing else, ends up with the right state or an error.
struct SnapshotManifest {
    BlockHeader header;
    Uint256 total_difficulty;
    Bytes chain;  // as DurableLedger::create() was given it
    std::uint64_t accounts = 0;
    std::uint64_t slots = 0;
    std::uint64_t codes = 0;
    struct Chunk {
        std::uint64_t size = 0;
        Hash hash;  // KEC
        friend bool operator==(const Chunk&, const Chunk&) = default;
    };
    std::vector<Chunk> chunks;
    friend bool operator==(const SnapshotManifest&, const SnapshotManifest&) = default;
};

[[nodiscard]] Bytes encode_manifest(const SnapshotManifest& manifest);
/// Errors: bad_snapshot; newer_format.
[[nodiscard]] std::expected<SnapshotManifest, LedgerError> decode_manifest(BytesView bytes);
/// KEC of the manifest's bytes: equal snapshots have equal ids.
[[nodiscard]] Hash snapshot_id(BytesView manifest);

/// The state after a block, held fixed until it is written. Made by
/// DurableLedger::begin_snapshot(), which must outlive it; may be used by another thread while
/// blocks are committed.
class SnapshotWriter {
public:
    virtual ~SnapshotWriter() = default;
    [[nodiscard]] virtual const BlockHeader& header() const noexcept = 0;
    /// Writes manifest, id and chunks into a folder that must not exist. It has another name until
    /// it is complete and on the disk; what an interrupted call left under that name is removed.
    /// @return the snapshot's id.
    /// Errors: invalid where the folder exists or another process writes it, no_space, io_error,
    /// corrupt; unavailable after stop(), or where a block or code is longer than those who restore
    /// it take (256 MiB).
    [[nodiscard]] virtual std::expected<Hash, LedgerError> write(
        const std::string& folder, const WorkProgress& on_progress) = 0;
    /// Makes write() fail soon, for whoever wants to close the ledger. Thread safety: any.
    virtual void stop() noexcept = 0;
};

/// A snapshot in a folder. Thread safety: concurrent reads.
class SnapshotReader {
public:
    /// The manifest is checked against the id in the folder, which earlier versions did not write.
    /// Errors: invalid where no part of a snapshot is in the folder, bad_snapshot, newer_format,
    /// io_error.
    [[nodiscard]] static std::expected<SnapshotReader, LedgerError> open(const std::string& folder);

    [[nodiscard]] const SnapshotManifest& manifest() const noexcept { return manifest_; }
    [[nodiscard]] const Bytes& manifest_bytes() const noexcept { return manifest_bytes_; }
    [[nodiscard]] Hash id() const { return snapshot_id(manifest_bytes_); }
    /// Whether the folder had an id, which is then that. Without one nothing tells whether the
    /// chain's configuration is what was written.
    [[nodiscard]] bool has_id() const noexcept { return has_id_; }
    /// A chunk whose hash is that of the manifest. Errors: bad_snapshot, which names the file;
    /// io_error.
    [[nodiscard]] std::expected<Bytes, LedgerError> read_chunk(std::size_t index) const;

private:
    SnapshotReader(std::string folder, Bytes manifest_bytes, SnapshotManifest manifest, bool has_id)
        : folder_(std::move(folder)),
          manifest_bytes_(std::move(manifest_bytes)),
          manifest_(std::move(manifest)),
          has_id_(has_id) {}

    std::string folder_;
    Bytes manifest_bytes_;
    SnapshotManifest manifest_;
    bool has_id_;
};

/// Fills an empty data directory, chunk by chunk. After a crash the same snapshot goes on with
/// next_chunk(), which is behind the last chunk applied, or where a record began that is longer
/// than a chunk; another one begins anew. The directory is no ledger, and says that it is
/// unfinished, until finish() has verified everything.
/// Thread safety: none.
class SnapshotRestorer {
public:
    /// Errors: those of decode_manifest(), already_exists, not_a_ledger, locked, no_space,
    /// io_error.
    [[nodiscard]] static std::expected<SnapshotRestorer, LedgerError> begin(
        const MaintenanceOptions& options, BytesView manifest);
    SnapshotRestorer(SnapshotRestorer&&) noexcept;
    SnapshotRestorer& operator=(SnapshotRestorer&&) noexcept;
    ~SnapshotRestorer();

    [[nodiscard]] const SnapshotManifest& manifest() const noexcept;
    /// The hash of block 0 that the snapshot has, of which its header says nothing; known after the
    /// first chunk. Errors: bad_snapshot where there is none; io_error.
    [[nodiscard]] std::expected<Hash, LedgerError> genesis_hash() const;
    /// Which chunk apply() wants; manifest().chunks.size() after the last.
    [[nodiscard]] std::size_t next_chunk() const noexcept;
    /// Errors: bad_snapshot (another chunk, or one that does not decode; it may be fetched again
    /// and applied), no_space, io_error.
    [[nodiscard]] std::expected<void, LedgerError> apply(BytesView chunk);
    /// Verifies the state root and all else, and makes the directory a ledger.
    /// Errors: bad_snapshot, no_space, io_error. The directory stays unfinished.
    [[nodiscard]] std::expected<void, LedgerError> finish();
    /// Forgets what was applied: begin() begins anew, with the same snapshot too. For one that
    /// turned out to be bad; nothing else may follow. Errors: no_space, io_error.
    [[nodiscard]] std::expected<void, LedgerError> abandon();

private:
    struct Impl;
    explicit SnapshotRestorer(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

/// Verifies everything in a folder without keeping it: hashes, order, code, state root.
/// @param memory_bytes  For hashes of code; where they are more, the chunks are read again.
/// Errors: as SnapshotReader and SnapshotRestorer::finish().
[[nodiscard]] std::expected<void, LedgerError> verify_snapshot(
    const std::string& folder, const WorkProgress& on_progress,
    std::size_t memory_bytes = std::size_t{64} << 20);

}  // namespace heddle::ledger
