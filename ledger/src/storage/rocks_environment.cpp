// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/rocks_environment.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "storage/rocks_log.hpp"

namespace heddle::ledger {

namespace {

// --- The durable length of a MANIFEST -----------------------------------------------------------
//
// `MANIFEST-n.length` has a mark and two places of a length (8 bytes) and the first 8 bytes of its
// Keccak-256 each, which the syncs of `MANIFEST-n` write in turn: the larger length counts, and a
// write that is torn leaves the one before. The file is as long as it ever was, so one that has
// been shortened tells. Earlier versions appended a record to `MANIFEST-n.durable` for each sync,
// where nothing told how many were gone, and so what of a database.

constexpr std::string_view kLengthSuffix = ".length";
constexpr std::string_view kEarlierSuffix = ".durable";
constexpr std::string_view kLengthMark = "heddle lengths 2";
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kRecordBytes = 2 * kLengthBytes;
constexpr std::size_t kPlaces = 2;
constexpr std::size_t kLengthFileBytes = kLengthMark.size() + kPlaces * kRecordBytes;
using LengthRecord = std::array<std::uint8_t, kRecordBytes>;

bool is_manifest(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name =
        std::string_view{path}.substr(slash == std::string::npos ? 0 : slash + 1);
    return name.starts_with("MANIFEST-") && !name.ends_with(kLengthSuffix) &&
           !name.ends_with(kEarlierSuffix);
}

std::string length_path(const std::string& manifest) {
    return manifest + std::string{kLengthSuffix};
}
std::string earlier_path(const std::string& manifest) {
    return manifest + std::string{kEarlierSuffix};
}

LengthRecord encode_length(std::uint64_t length) {
    LengthRecord record;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        record[i] = static_cast<std::uint8_t>(length >> (8 * i));
    const Hash hash = keccak256(BytesView{record.data(), kLengthBytes});
    std::copy_n(hash.bytes.begin(), kLengthBytes, record.begin() + kLengthBytes);
    return record;
}

/// nullopt: not a record that was written whole.
std::optional<std::uint64_t> decode_length(const char* bytes) {
    LengthRecord record{};
    std::copy_n(bytes, kRecordBytes, record.begin());
    std::uint64_t length = 0;
    for (std::size_t i = kLengthBytes; i-- != 0;)
        length = length << 8 | record[i];
    if (encode_length(length) != record) return std::nullopt;
    return length;
}

/// A MANIFEST whose durable length is noted before RocksDB hears that it is durable. One that never
/// was does not stay behind: CURRENT cannot name it, and each start on a full disk would leave one.
class Manifest final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    Manifest(std::unique_ptr<rocksdb::FSWritableFile> file,
             std::unique_ptr<rocksdb::FSRandomRWFile> lengths, RemoveFile remove)
        : FSWritableFileOwnerWrapper(std::move(file)),
          lengths_(std::move(lengths)),
          remove_(std::move(remove)) {}

    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
        if (auto status = FSWritableFileOwnerWrapper::Sync(options, context); !status.ok())
            return status;
        return note(options, context);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* context) override {
        if (auto status = FSWritableFileOwnerWrapper::Fsync(options, context); !status.ok())
            return status;
        return note(options, context);
    }
    rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* context) override {
        const auto status = FSWritableFileOwnerWrapper::Close(options, context);
        if (!was_durable_) remove_();
        return status;
    }

private:
    rocksdb::IOStatus note(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) {
        const LengthRecord record = encode_length(GetFileSize(options, context));
        const rocksdb::Slice bytes{reinterpret_cast<const char*>(record.data()), record.size()};
        const std::uint64_t at = kLengthMark.size() + place_ * kRecordBytes;
        if (auto status = lengths_->Write(at, bytes, options, context); !status.ok()) return status;
        auto status = lengths_->Sync(options, context);
        if (!status.ok()) return status;  // the other place has the length before
        place_ = (place_ + 1) % kPlaces;
        was_durable_ = true;
        return status;
    }

    const std::unique_ptr<rocksdb::FSRandomRWFile> lengths_;
    const RemoveFile remove_;
    std::size_t place_ = 0;  // of the next length
    bool was_durable_ = false;
};

/// The beginning of a file, and nothing of what follows.
class Beginning final : public rocksdb::FSSequentialFileOwnerWrapper {
public:
    Beginning(std::unique_ptr<rocksdb::FSSequentialFile> file, std::uint64_t length)
        : FSSequentialFileOwnerWrapper(std::move(file)), left_(length) {}

    rocksdb::IOStatus Read(std::size_t size, const rocksdb::IOOptions& options,
                           rocksdb::Slice* result, char* scratch,
                           rocksdb::IODebugContext* context) override {
        const auto status = FSSequentialFileOwnerWrapper::Read(
            static_cast<std::size_t>(std::min<std::uint64_t>(size, left_)), options, result,
            scratch, context);
        if (status.ok()) left_ -= result->size();
        return status;
    }
    rocksdb::IOStatus Skip(std::uint64_t size) override {
        size = std::min(size, left_);
        const auto status = FSSequentialFileOwnerWrapper::Skip(size);
        if (status.ok()) left_ -= size;
        return status;
    }

private:
    std::uint64_t left_;
};

// --- Locks ---------------------------------------------------------------------------------------

/// Whether another process has the lock of a file. Not for one that this process has locked: to
/// close a file takes back all its locks of the process.
bool is_locked_elsewhere(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return false;
    struct flock found{};
    found.l_type = F_WRLCK;
    found.l_whence = SEEK_SET;
    const bool is_told = ::fcntl(file, F_GETLK, &found) == 0;
    ::close(file);
    return is_told && found.l_type != F_UNLCK;
}

// --- The environment ----------------------------------------------------------------------------

class DurableFileSystem final : public rocksdb::FileSystemWrapper {
public:
    using FileSystemWrapper::FileSystemWrapper;

    const char* Name() const override { return "DurableFileSystem"; }

    rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* context) override {
        if (is_manifest(path)) return new_manifest(path, options, file, context);
        if (!path.ends_with(".log"))
            return FileSystemWrapper::NewWritableFile(path, options, file, context);
        // No write is under way: RocksDB begins a log between two of them.
        const std::string_view directory = std::string_view{path}.substr(0, path.rfind('/'));
        if (auto status = open_->sync(directory); !status.ok()) return status;
        auto status = FileSystemWrapper::NewWritableFile(path, options, file, context);
        if (status.ok())
            *file = std::make_unique<Log>(std::move(*file), path, open_,
                                          [this, path] { remove(path); });
        return status;
    }

    rocksdb::IOStatus NewSequentialFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                        rocksdb::IODebugContext* context) override {
        auto status = FileSystemWrapper::NewSequentialFile(path, options, file, context);
        if (!status.ok() || !is_manifest(path)) return status;
        std::optional<std::uint64_t> length;
        status = read_durable_length(path, options, length, context);
        if (status.ok() && length.has_value())
            *file = std::make_unique<Beginning>(std::move(*file), *length);
        return status;
    }

    rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* context) override {
        auto status = FileSystemWrapper::DeleteFile(path, options, context);
        if (status.ok() && is_manifest(path)) remove_lengths(path);
        return status;
    }

    /// Busy: who has it may let it go, which RocksDB's text alone would say.
    rocksdb::IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::FileLock** lock,
                               rocksdb::IODebugContext* context) override {
        const std::lock_guard guard{locks_mutex_};
        auto status = FileSystemWrapper::LockFile(path, options, lock, context);
        if (status.ok())
            locked_[*lock] = path;
        else if (is_locked_here(path) || is_locked_elsewhere(path))
            return rocksdb::IOStatus::Busy(path);
        return status;
    }
    rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock, const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* context) override {
        const std::lock_guard guard{locks_mutex_};
        locked_.erase(lock);
        return FileSystemWrapper::UnlockFile(lock, options, context);
    }

    /// The last length noted for the manifest; none, where nothing notes one. A part of what is
    /// noted, because the rest cannot be read, would be the end of an older manifest.
    rocksdb::IOStatus read_durable_length(const std::string& manifest,
                                          const rocksdb::FileOptions& options,
                                          std::optional<std::uint64_t>& length,
                                          rocksdb::IODebugContext* context) {
        const std::string path = length_path(manifest);
        std::unique_ptr<rocksdb::FSSequentialFile> file;
        auto status = FileSystemWrapper::NewSequentialFile(path, options, &file, context);
        if (status.IsPathNotFound())
            return read_earlier_lengths(manifest, options, length, context);
        std::array<char, kLengthFileBytes + 1> scratch{};  // one more, to see that there is none
        rocksdb::Slice bytes;
        if (status.ok())
            status =
                file->Read(scratch.size(), options.io_options, &bytes, scratch.data(), context);
        if (!status.ok()) return status;
        if (bytes.size() != kLengthFileBytes || !bytes.starts_with(rocksdb::Slice{kLengthMark}))
            return rocksdb::IOStatus::Corruption(path, "is not what was written");
        for (std::size_t place = 0; place < kPlaces; ++place)
            length = std::max(
                length, decode_length(bytes.data() + kLengthMark.size() + place * kRecordBytes));
        if (!length.has_value()) return rocksdb::IOStatus::Corruption(path, "names no length");
        return status;
    }

    void leave(const std::string& directory) {
        open_->forget(directory);
        const std::string path = directory + "/LOCK";
        const std::lock_guard guard{locks_mutex_};
        const auto found = std::ranges::find(
            locked_, path, [](const auto& lock) -> const std::string& { return lock.second; });
        if (found == locked_.end()) return;
        FileSystemWrapper::UnlockFile(found->first, rocksdb::IOOptions{}, nullptr)
            .PermitUncheckedError();
        locked_.erase(found);
    }

private:
    [[nodiscard]] bool is_locked_here(const std::string& path) const {
        return std::ranges::any_of(locked_, [&](const auto& lock) { return lock.second == path; });
    }

    /// As earlier versions noted it.
    rocksdb::IOStatus read_earlier_lengths(const std::string& manifest,
                                           const rocksdb::FileOptions& options,
                                           std::optional<std::uint64_t>& length,
                                           rocksdb::IODebugContext* context) {
        const std::string path = earlier_path(manifest);
        std::unique_ptr<rocksdb::FSSequentialFile> file;
        auto status = FileSystemWrapper::NewSequentialFile(path, options, &file, context);
        if (status.IsPathNotFound()) return rocksdb::IOStatus::OK();
        std::size_t lost = 0;  // records at the end
        while (status.ok()) {
            std::array<char, kRecordBytes> scratch{};
            rocksdb::Slice bytes;
            status = file->Read(kRecordBytes, options.io_options, &bytes, scratch.data(), context);
            if (!status.ok() || bytes.size() < kRecordBytes) break;
            const auto noted = decode_length(bytes.data());
            if (noted.has_value()) length = noted;
            lost = noted.has_value() ? 0 : lost + 1;
        }
        // Each is on the disk before the next is written: a loss of power takes the last one only.
        if (status.ok() && lost > 1) return rocksdb::IOStatus::Corruption(path, "has lost its end");
        return status;
    }

    rocksdb::IOStatus new_manifest(const std::string& path, const rocksdb::FileOptions& options,
                                   std::unique_ptr<rocksdb::FSWritableFile>* file,
                                   rocksdb::IODebugContext* context) {
        // Those that a crash left under this name would speak of another manifest.
        remove_lengths(path);
        std::unique_ptr<rocksdb::FSRandomRWFile> lengths;
        auto status = new_lengths(length_path(path), options, lengths, context);
        if (status.ok()) status = FileSystemWrapper::NewWritableFile(path, options, file, context);
        if (status.ok())
            *file = std::make_unique<Manifest>(std::move(*file), std::move(lengths),
                                               [this, path] { remove(path); });
        else
            remove_lengths(path);  // there is no manifest that could take them with it
        return status;
    }

    /// With room for all that will be written to it. The first length forces it to the disk.
    rocksdb::IOStatus new_lengths(const std::string& path, const rocksdb::FileOptions& options,
                                  std::unique_ptr<rocksdb::FSRandomRWFile>& lengths,
                                  rocksdb::IODebugContext* context) {
        std::string empty{kLengthMark};
        empty.resize(kLengthFileBytes);
        std::unique_ptr<rocksdb::FSWritableFile> file;
        auto status = FileSystemWrapper::NewWritableFile(path, options, &file, context);
        if (status.ok()) status = file->Append(empty, options.io_options, context);
        if (status.ok()) status = file->Close(options.io_options, context);
        if (status.ok())
            status = FileSystemWrapper::NewRandomRWFile(path, options, &lengths, context);
        return status;
    }

    /// Without their manifest they say nothing to anybody: that they stay is no error.
    void remove_lengths(const std::string& manifest) {
        for (const std::string& path : {length_path(manifest), earlier_path(manifest)})
            FileSystemWrapper::DeleteFile(path, rocksdb::IOOptions{}, nullptr)
                .PermitUncheckedError();
    }

    void remove(const std::string& path) {
        DeleteFile(path, rocksdb::IOOptions{}, nullptr).PermitUncheckedError();
    }

    const std::shared_ptr<OpenLogs> open_ = std::make_shared<OpenLogs>();
    std::mutex locks_mutex_;
    std::map<rocksdb::FileLock*, std::string> locked_;  // by this process: the files' paths
};

class SilentLogger final : public rocksdb::Logger {
public:
    using rocksdb::Logger::Logv;
    void Logv(const char* /*format*/, std::va_list /*arguments*/) override {}
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> make_durable_file_system(
    const std::shared_ptr<rocksdb::FileSystem>& base) {
    return std::make_shared<DurableFileSystem>(base);
}

namespace {

const std::shared_ptr<DurableFileSystem>& durable_files() {
    // As long as the process: RocksDB's own threads are in it.
    static const auto* const files = new std::shared_ptr<DurableFileSystem>(
        std::make_shared<DurableFileSystem>(rocksdb::FileSystem::Default()));
    return *files;
}

}  // namespace

rocksdb::Env& durable_env() {
    static rocksdb::Env* const environment = rocksdb::NewCompositeEnv(durable_files()).release();
    return *environment;
}

rocksdb::IOStatus read_durable_length(const std::string& manifest,
                                      std::optional<std::uint64_t>& length) {
    return durable_files()->read_durable_length(manifest, rocksdb::FileOptions{}, length, nullptr);
}

void leave_folder(const std::string& directory) {
    durable_files()->leave(directory);
}

std::shared_ptr<rocksdb::Logger> make_silent_logger() {
    return std::make_shared<SilentLogger>();
}

}  // namespace heddle::ledger
