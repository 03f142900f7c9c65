// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The file system between RocksDB and the disk, over one that does what disks do when they fail.
#include "storage/rocks_environment.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "child_process.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

constexpr std::uintmax_t kRecordBytes = 16;  // a length and its check

/// What the files under test were asked for, in order, and how many syncs are still to fail.
struct Disk {
    std::vector<std::string> syncs;  // names of files
    std::size_t syncs_to_fail = 0;
    std::string unreadable;  // name of a file that cannot be read, but for its beginning
};

class DiskFile final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    DiskFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name, Disk& disk)
        : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}

    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
        disk_.syncs.push_back(name_);
        if (disk_.syncs_to_fail == 0) return FSWritableFileOwnerWrapper::Sync(options, context);
        --disk_.syncs_to_fail;
        return rocksdb::IOStatus::IOError("the disk is gone for a moment");
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* context) override {
        return Sync(options, context);
    }

private:
    const std::string name_;
    Disk& disk_;
};

/// Of which as much can be read as one record.
class UnreadableFile final : public rocksdb::FSSequentialFileOwnerWrapper {
public:
    using FSSequentialFileOwnerWrapper::FSSequentialFileOwnerWrapper;

    rocksdb::IOStatus Read(std::size_t size, const rocksdb::IOOptions& options,
                           rocksdb::Slice* result, char* scratch,
                           rocksdb::IODebugContext* context) override {
        if (std::exchange(was_read_, true) || size > kRecordBytes)
            return rocksdb::IOStatus::IOError("a bad sector");
        return FSSequentialFileOwnerWrapper::Read(size, options, result, scratch, context);
    }

private:
    bool was_read_ = false;
};

class DiskFileSystem final : public rocksdb::FileSystemWrapper {
public:
    explicit DiskFileSystem(Disk& disk)
        : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(disk) {}

    const char* Name() const override { return "DiskFileSystem"; }
    rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* context) override {
        auto status = FileSystemWrapper::NewWritableFile(path, options, file, context);
        if (status.ok())
            *file = std::make_unique<DiskFile>(
                std::move(*file), std::filesystem::path{path}.filename().string(), disk_);
        return status;
    }
    rocksdb::IOStatus NewSequentialFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                        rocksdb::IODebugContext* context) override {
        auto status = FileSystemWrapper::NewSequentialFile(path, options, file, context);
        if (status.ok() && std::filesystem::path{path}.filename() == disk_.unreadable)
            *file = std::make_unique<UnreadableFile>(std::move(*file));
        return status;
    }

private:
    Disk& disk_;
};

class RocksEnvironmentTest : public ::testing::Test {
protected:
    std::unique_ptr<rocksdb::FSWritableFile> create(const std::string& name) {
        std::unique_ptr<rocksdb::FSWritableFile> file;
        const auto status = files_->NewWritableFile((folder_.path() / name).string(),
                                                    rocksdb::FileOptions{}, &file, nullptr);
        EXPECT_TRUE(status.ok()) << status.ToString();
        return file;
    }
    std::string read(const std::string& name, std::size_t size) {
        std::unique_ptr<rocksdb::FSSequentialFile> file;
        EXPECT_TRUE(files_
                        ->NewSequentialFile((folder_.path() / name).string(),
                                            rocksdb::FileOptions{}, &file, nullptr)
                        .ok());
        std::string scratch(size, '\0');
        rocksdb::Slice result;
        EXPECT_TRUE(file->Read(size, rocksdb::IOOptions{}, &result, scratch.data(), nullptr).ok());
        return result.ToString();
    }

    /// Of opening MANIFEST-000001 for reading.
    rocksdb::IOStatus open_failure() {
        std::unique_ptr<rocksdb::FSSequentialFile> file;
        return files_->NewSequentialFile((folder_.path() / "MANIFEST-000001").string(),
                                         rocksdb::FileOptions{}, &file, nullptr);
    }
    /// The lengths of MANIFEST-000001, in place of what is noted of it. @return the file's path.
    std::filesystem::path note_as_earlier_versions(const std::vector<std::uint8_t>& lengths) {
        std::filesystem::remove(folder_.path() / "MANIFEST-000001.length");
        auto path = folder_.path() / "MANIFEST-000001.durable";
        std::ofstream file{path, std::ios::binary};
        for (const std::uint8_t length : lengths) {
            Bytes record(kRecordBytes / 2);
            record[0] = length;
            const Hash check = keccak256(record);
            record.insert(record.end(), check.bytes.begin(),
                          check.bytes.begin() + kRecordBytes / 2);
            file.write(reinterpret_cast<const char*>(record.data()), kRecordBytes);
        }
        return path;
    }

    /// Of the files that are there, sorted.
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            result.push_back(entry.path().filename().string());
        std::ranges::sort(result);
        return result;
    }

    test::TemporaryFolder folder_;
    Disk disk_;
    std::shared_ptr<rocksdb::FileSystem> files_ =
        make_durable_file_system(std::make_shared<DiskFileSystem>(disk_));
};

rocksdb::IOStatus append(rocksdb::FSWritableFile& file, const std::string& bytes) {
    return file.Append(bytes, rocksdb::IOOptions{}, nullptr);
}
rocksdb::IOStatus sync(rocksdb::FSWritableFile& file) {
    return file.Sync(rocksdb::IOOptions{}, nullptr);
}

TEST_F(RocksEnvironmentTest, a_log_whose_sync_has_failed_once_fails_for_ever) {
    const auto log = create("000001.log");
    ASSERT_TRUE(append(*log, "a").ok());
    ASSERT_TRUE(sync(*log).ok());
    disk_.syncs_to_fail = 1;
    ASSERT_TRUE(append(*log, "b").ok());
    EXPECT_FALSE(sync(*log).ok());
    EXPECT_FALSE(sync(*log).ok()) << "the disk would say now that all is well";
    EXPECT_FALSE(log->Fsync(rocksdb::IOOptions{}, nullptr).ok());
    EXPECT_EQ(disk_.syncs.size(), 2u) << "the disk was asked once more";
}

/// RocksDB forces one that was closed once more, and where that failed it ended the process when it
/// was about to do so again.
TEST_F(RocksEnvironmentTest, a_log_is_not_forced_again_before_something_is_added) {
    const auto first = create("000001.log");
    ASSERT_TRUE(append(*first, "a").ok());
    const auto second = create("000002.log");
    ASSERT_EQ(disk_.syncs, std::vector<std::string>{"000001.log"});

    disk_.syncs_to_fail = 1;
    EXPECT_TRUE(sync(*first).ok());
    EXPECT_TRUE(first->Fsync(rocksdb::IOOptions{}, nullptr).ok());
    EXPECT_EQ(disk_.syncs.size(), 1u) << "the disk was asked once more";

    ASSERT_TRUE(append(*first, "b").ok());
    EXPECT_FALSE(sync(*first).ok());
    EXPECT_EQ(disk_.syncs.size(), 2u);
}

TEST_F(RocksEnvironmentTest, no_log_begins_behind_one_that_is_not_durable) {
    const auto first = create("000001.log");
    ASSERT_TRUE(append(*first, "a").ok());
    const auto second = create("000002.log");
    EXPECT_EQ(disk_.syncs, std::vector<std::string>{"000001.log"});

    disk_.syncs_to_fail = 1;
    std::unique_ptr<rocksdb::FSWritableFile> third;
    EXPECT_FALSE(files_
                     ->NewWritableFile((folder_.path() / "000003.log").string(),
                                       rocksdb::FileOptions{}, &third, nullptr)
                     .ok());
}

/// Before, a database whose disk had failed kept others of the process from writing.
TEST_F(RocksEnvironmentTest, a_log_of_another_database_does_not_matter) {
    std::filesystem::create_directories(folder_.path() / "other");
    const auto first = create("other/000001.log");
    ASSERT_TRUE(append(*first, "a").ok());
    disk_.syncs_to_fail = 1;
    ASSERT_FALSE(sync(*first).ok());
    const auto second = create("000001.log");
    EXPECT_NE(second, nullptr);
    EXPECT_EQ(disk_.syncs, std::vector<std::string>{"000001.log"}) << "the one that failed";
}

TEST_F(RocksEnvironmentTest, a_log_that_is_done_with_is_not_forced_again) {
    auto first = create("000001.log");
    ASSERT_TRUE(first->Close(rocksdb::IOOptions{}, nullptr).ok());
    first.reset();
    const auto second = create("000002.log");
    EXPECT_TRUE(disk_.syncs.empty());
}

TEST_F(RocksEnvironmentTest, what_a_manifest_has_beyond_its_durable_length_is_not_read) {
    const auto manifest = create("MANIFEST-000001");
    ASSERT_TRUE(append(*manifest, "durable").ok());
    ASSERT_TRUE(sync(*manifest).ok());
    ASSERT_TRUE(append(*manifest, "lost").ok());
    EXPECT_EQ(read("MANIFEST-000001", 100), "durable");
    ASSERT_TRUE(sync(*manifest).ok());
    EXPECT_EQ(read("MANIFEST-000001", 100), "durablelost");
}

TEST_F(RocksEnvironmentTest, a_manifest_whose_sync_failed_keeps_the_length_it_had) {
    const auto manifest = create("MANIFEST-000001");
    ASSERT_TRUE(append(*manifest, "durable").ok());
    ASSERT_TRUE(sync(*manifest).ok());
    ASSERT_TRUE(append(*manifest, "lost").ok());
    disk_.syncs_to_fail = 1;
    EXPECT_FALSE(sync(*manifest).ok());
    EXPECT_EQ(read("MANIFEST-000001", 100), "durable");
}

/// With an earlier length the ledger would be that of an earlier time.
TEST_F(RocksEnvironmentTest, a_manifest_whose_durable_length_cannot_be_read_is_not_cut) {
    const auto manifest = create("MANIFEST-000001");
    ASSERT_TRUE(append(*manifest, "durable").ok());
    ASSERT_TRUE(sync(*manifest).ok());
    ASSERT_TRUE(append(*manifest, "too").ok());
    ASSERT_TRUE(sync(*manifest).ok());

    for (const char* const suffix : {".length", ".durable"}) {
        disk_.unreadable = std::string{"MANIFEST-000001"} + suffix;
        EXPECT_TRUE(open_failure().IsIOError()) << open_failure().ToString();
        disk_.unreadable.clear();
        EXPECT_EQ(read("MANIFEST-000001", 100), "durabletoo");
        note_as_earlier_versions({7, 10});
    }
}

TEST_F(RocksEnvironmentTest, a_durable_length_that_is_torn_leaves_the_one_before) {
    const auto manifest = create("MANIFEST-000001");
    std::string whole;
    for (std::uintmax_t syncs = 1; syncs <= 4; ++syncs) {
        const std::string before = std::exchange(whole, whole + std::to_string(syncs));
        ASSERT_TRUE(append(*manifest, std::to_string(syncs)).ok());
        ASSERT_TRUE(sync(*manifest).ok());
        EXPECT_EQ(read("MANIFEST-000001", 100), whole);
        if (syncs == 1) continue;
        std::fstream note(folder_.path() / "MANIFEST-000001.length",
                          std::ios::in | std::ios::out | std::ios::binary);
        const auto last = static_cast<std::streamoff>(kRecordBytes * (1 + (syncs + 1) % 2));
        note.seekg(last);
        std::string record(kRecordBytes, '\0');
        note.read(record.data(), static_cast<std::streamsize>(record.size()));
        note.seekp(last + 4).write("torn", 4).flush();
        EXPECT_EQ(read("MANIFEST-000001", 100), before);
        note.seekp(last).write(record.data(), static_cast<std::streamsize>(record.size())).flush();
        EXPECT_EQ(read("MANIFEST-000001", 100), whole);
    }
}

/// One of long ago would be that of a database without what came since.
TEST_F(RocksEnvironmentTest, a_note_of_the_durable_length_that_is_not_as_it_was_made_is_damage) {
    const auto manifest = create("MANIFEST-000001");
    for (const char* const part : {"a", "b", "c"}) {
        ASSERT_TRUE(append(*manifest, part).ok());
        ASSERT_TRUE(sync(*manifest).ok());
    }
    const auto path = folder_.path() / "MANIFEST-000001.length";
    const std::uintmax_t size = std::filesystem::file_size(path);
    std::ifstream content{path, std::ios::binary};
    const std::string note{std::istreambuf_iterator<char>{content}, {}};
    for (std::uintmax_t left = 0; left <= 2 * size; ++left) {
        if (left == size) continue;
        std::filesystem::resize_file(path, left);
        EXPECT_TRUE(open_failure().IsCorruption()) << left << ": " << open_failure().ToString();
        std::ofstream{path, std::ios::binary} << note;
    }
    std::ofstream{path, std::ios::binary} << std::string(size, '\0');
    EXPECT_TRUE(open_failure().IsCorruption());
    std::ofstream{path, std::ios::binary} << note.substr(0, kRecordBytes)
                                          << std::string(size - kRecordBytes, '\0');
    EXPECT_TRUE(open_failure().IsCorruption()) << "it names no length";
    std::ofstream{path, std::ios::binary} << note;
    EXPECT_EQ(read("MANIFEST-000001", 100), "abc");
}

/// With a length of long ago the database would be an empty one, and its files in nobody's list.
TEST_F(RocksEnvironmentTest, of_what_earlier_versions_noted_the_last_one_may_be_torn) {
    const auto manifest = create("MANIFEST-000001");
    ASSERT_TRUE(append(*manifest, "abc").ok());
    ASSERT_TRUE(sync(*manifest).ok());
    const auto path = note_as_earlier_versions({1, 2, 3});
    EXPECT_EQ(read("MANIFEST-000001", 100), "abc");
    const auto lose = [&](std::uintmax_t records) {
        const std::uintmax_t size = std::filesystem::file_size(path);
        std::filesystem::resize_file(path, size - records * kRecordBytes);
        std::filesystem::resize_file(path, size);  // with zeros
    };
    lose(1);
    EXPECT_EQ(read("MANIFEST-000001", 100), "ab");
    lose(2);
    EXPECT_TRUE(open_failure().IsCorruption()) << open_failure().ToString();
}

TEST_F(RocksEnvironmentTest, a_log_that_nothing_was_written_to_does_not_stay) {
    auto empty = create("000001.log");
    auto written = create("000002.log");
    ASSERT_TRUE(append(*written, "a").ok());

    ASSERT_TRUE(empty->Close(rocksdb::IOOptions{}, nullptr).ok());
    ASSERT_TRUE(written->Close(rocksdb::IOOptions{}, nullptr).ok());

    EXPECT_EQ(names(), std::vector<std::string>{"000002.log"});
}

TEST_F(RocksEnvironmentTest, a_manifest_that_never_was_durable_does_not_stay) {
    const auto failed = create("MANIFEST-000001");
    ASSERT_TRUE(append(*failed, "lost").ok());
    disk_.syncs_to_fail = 1;
    ASSERT_FALSE(sync(*failed).ok());
    const auto durable = create("MANIFEST-000002");
    ASSERT_TRUE(append(*durable, "durable").ok());
    ASSERT_TRUE(sync(*durable).ok());
    disk_.syncs_to_fail = 1;
    ASSERT_FALSE(sync(*durable).ok());

    ASSERT_TRUE(failed->Close(rocksdb::IOOptions{}, nullptr).ok());
    ASSERT_TRUE(durable->Close(rocksdb::IOOptions{}, nullptr).ok());

    EXPECT_EQ(names(), (std::vector<std::string>{"MANIFEST-000002", "MANIFEST-000002.length"}));
}

/// A process that has the lock of a file as long as this lives.
class Locker {
public:
    explicit Locker(const std::string& path) {
        std::array<int, 2> ready{};
        EXPECT_EQ(::pipe(ready.data()), 0);
        child_ = test::fork_child();
        if (child_ == 0) {
            struct flock wanted{};
            wanted.l_type = F_WRLCK;
            wanted.l_whence = SEEK_SET;
            const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
            if (::fcntl(file, F_SETLK, &wanted) == 0) (void)!::write(ready[1], "x", 1);
            ::close(ready[1]);
            for (;;)
                ::pause();
        }
        ::close(ready[1]);
        char byte = 0;
        EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "the other process has no lock";
        ::close(ready[0]);
    }
    ~Locker() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    Locker(const Locker&) = delete;
    Locker& operator=(const Locker&) = delete;

private:
    ::pid_t child_ = -1;
};

/// What RocksDB says of them has the system's words, which may be those of another language.
TEST_F(RocksEnvironmentTest, a_lock_that_somebody_has_is_busy_and_one_that_cannot_be_made_is_not) {
    const auto lock = [&](const std::string& name, rocksdb::FileLock*& result) {
        return files_->LockFile(folder_ / name, rocksdb::IOOptions{}, &result, nullptr);
    };
    rocksdb::FileLock* first = nullptr;
    rocksdb::FileLock* second = nullptr;
    {
        const Locker other{folder_ / "LOCK"};
        EXPECT_TRUE(lock("LOCK", first).IsBusy());
    }
    ASSERT_TRUE(lock("LOCK", first).ok());
    EXPECT_TRUE(lock("LOCK", second).IsBusy());
    ASSERT_TRUE(files_->UnlockFile(first, rocksdb::IOOptions{}, nullptr).ok());
    ASSERT_TRUE(lock("LOCK", first).ok());
    ASSERT_TRUE(files_->UnlockFile(first, rocksdb::IOOptions{}, nullptr).ok());

    const auto missing = lock("none/LOCK", second);
    EXPECT_FALSE(missing.ok() || missing.IsBusy()) << missing.ToString();
}

}  // namespace
}  // namespace heddle::ledger
