// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a disk still holds after the power fails. The model is that of a journaling file system in
// ordered mode (ext4, xfs), taken as weak as their documentation allows:
//
//  - Data. What was written to a file since its last successful fsync or fdatasync is not durable.
//    At a power loss the file is cut back anywhere between its durable length and its length. The
//    last sector (512 bytes) of what is left beyond the durable length may be zeros or garbage, or
//    one page (4 KiB) in the middle of it zeros: pages are written in any order. Ranges below the
//    durable length that were overwritten or cut off come back or not: of the changes of one file
//    a prefix survives. Durable bytes that nobody rewrote never change. Files are independent: a
//    later write to one file may survive where an earlier write to another does not.
//  - Names. Creating, renaming, linking and removing names are entries of one journal, in the order
//    of the calls. At a power loss a prefix of it survives. fsync of any folder makes the whole
//    journal durable so far; fsync of a file makes its data and length durable, not its name.
//  - sync_file_range promises nothing. What lay on the disk before the process began is durable,
//    unless the process before it was killed and left a carry file, see unsynced().
//
// Not for what bypasses write calls: bytes written through mmap or stdio's own buffers (RocksDB's
// info log) count as written when the power fails, since lengths are read from the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace heddle::fault {

/// Remembers what is needed to take back everything that is not durable.
///
/// Not safe for concurrent use. Calls named will_* come before the change, the others after it
/// succeeded. Paths are absolute.
class DiskModel {
public:
    /// `undo_folder` is made on the same file system when needed; it holds links to files whose
    /// removal is not durable yet.
    explicit DiskModel(std::string undo_folder) : undo_folder_(std::move(undo_folder)) {}

    void opened(int fd, const std::string& path, bool is_new);
    void closed(int fd);
    void will_write(int fd, off_t offset, std::size_t size);
    void will_truncate(int fd, off_t new_size);
    void synced(int fd);

    void made(const std::string& path, bool is_folder);
    /// Keeps what `path` names while its removal can still be undone; "" when it names no file.
    [[nodiscard]] std::string keep(const std::string& path);
    /// Forgets what keep() returned, because the removal failed.
    static void discard(const std::string& kept);
    void renamed(const std::string& from, const std::string& to, const std::string& kept);
    void removed(const std::string& path, const std::string& kept);
    void folder_removed(const std::string& path);
    void names_synced();

    /// Brings the disk into a state that a power loss now could leave, chosen by `seed`, and says
    /// what was lost, a line each. The model is of no use afterwards.
    [[nodiscard]] std::string lose_power(std::uint64_t seed);

    /// Lines `LENGTH PATH` of the files whose data is durable to that length only: for the process
    /// that opens them next without a reboot in between.
    [[nodiscard]] std::string unsynced() const;
    /// Takes over what a killed process left, from the text of unsynced().
    void take_over(const std::string& text);

private:
    using Identity = std::pair<dev_t, ino_t>;

    /// Bytes below the durable length that are about to change.
    struct Change {
        bool is_truncation = false;
        off_t offset = 0;  // of a truncation: the new length
        std::string before;
    };

    struct File {
        std::string path;  // as it was opened; for reports
        int fd = -1;       // our own, so that neither close nor rename loses the file
        int openers = 0;
        off_t durable_size = 0;
        std::vector<Change> changes;
    };

    enum class NameKind : std::uint8_t { made, folder_made, renamed, removed, folder_removed };

    struct NameChange {
        NameKind kind;
        std::string path;
        std::string to;    // renamed
        std::string kept;  // renamed, removed: what the change hid, under our own name
    };

    class Dice;

    [[nodiscard]] File* find(int fd);
    [[nodiscard]] static bool is_durable(const File& file);
    void forget_durable_files();
    void undo(const NameChange& change);
    static void tear(File& file, Dice& dice, std::string& report);

    std::string undo_folder_;
    std::uint64_t kept_count_ = 0;
    std::map<Identity, File> files_;
    std::vector<NameChange> journal_;
};

}  // namespace heddle::fault
