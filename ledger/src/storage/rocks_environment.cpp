// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/rocks_environment.hpp"

#include <cstdarg>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace heddle::ledger {

namespace {

/// The logs that are open for writing. Thread safety: everything from any thread.
class OpenLogs {
public:
    void add(rocksdb::FSWritableFile* log) {
        const std::lock_guard lock{mutex_};
        logs_.insert(log);
    }
    void remove(rocksdb::FSWritableFile* log) {
        const std::lock_guard lock{mutex_};
        logs_.erase(log);
    }
    rocksdb::IOStatus sync() {
        const std::lock_guard lock{mutex_};
        for (rocksdb::FSWritableFile* log : logs_) {
            const auto status = log->Sync(rocksdb::IOOptions{}, nullptr);
            if (!status.ok()) return status;
        }
        return rocksdb::IOStatus::OK();
    }

private:
    std::mutex mutex_;
    std::set<rocksdb::FSWritableFile*> logs_;
};

/// A log that is among the open ones until RocksDB is done with it.
class Log final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    Log(std::unique_ptr<rocksdb::FSWritableFile> file, std::shared_ptr<OpenLogs> open)
        : FSWritableFileOwnerWrapper(std::move(file)), open_(std::move(open)) {
        open_->add(target());
    }
    ~Log() override { open_->remove(target()); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* context) override {
        open_->remove(target());
        return FSWritableFileOwnerWrapper::Close(options, context);
    }

private:
    const std::shared_ptr<OpenLogs> open_;
};

class LogOrderingFileSystem final : public rocksdb::FileSystemWrapper {
public:
    LogOrderingFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

    const char* Name() const override { return "LogOrderingFileSystem"; }

    rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* context) override {
        if (!path.ends_with(".log"))
            return FileSystemWrapper::NewWritableFile(path, options, file, context);
        // No write is under way: RocksDB begins a log between two of them.
        if (auto status = open_->sync(); !status.ok()) return status;
        auto status = FileSystemWrapper::NewWritableFile(path, options, file, context);
        if (status.ok()) *file = std::make_unique<Log>(std::move(*file), open_);
        return status;
    }

private:
    const std::shared_ptr<OpenLogs> open_ = std::make_shared<OpenLogs>();
};

class SilentLogger final : public rocksdb::Logger {
public:
    using rocksdb::Logger::Logv;
    void Logv(const char* /*format*/, std::va_list /*arguments*/) override {}
};

}  // namespace

std::unique_ptr<rocksdb::Env> make_log_ordering_env() {
    return rocksdb::NewCompositeEnv(std::make_shared<LogOrderingFileSystem>());
}

std::shared_ptr<rocksdb::Logger> make_silent_logger() {
    return std::make_shared<SilentLogger>();
}

}  // namespace heddle::ledger
