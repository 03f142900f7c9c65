// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "mempool/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <types/counted.hpp>
#include <types/hash.hpp>

#include "logging/log.hpp"
#include "program/file.hpp"

namespace heddle::node {
namespace {

constexpr std::size_t kHeaderBytes = 8;
/// Trying again writes all that is in the pool.
constexpr std::size_t kBlocksToTryAgain = 30;
constexpr std::uint32_t kMaxRecordBytes = std::uint32_t{16} << 20;

void put_uint32(std::uint32_t value, Bytes& out) {
    for (int shift = 0; shift < 32; shift += 8)
        out.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint32_t get_uint32(const std::uint8_t* bytes) noexcept {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i)
        value = value << 8 | bytes[i];
    return value;
}

std::uint32_t checksum(BytesView record) noexcept {
    return get_uint32(keccak256(record).bytes.data());
}

void append_record(BytesView record, Bytes& out) {
    put_uint32(static_cast<std::uint32_t>(record.size()), out);
    put_uint32(checksum(record), out);
    out.insert(out.end(), record.begin(), record.end());
}

}  // namespace

TransactionJournal::~TransactionJournal() {
    close_file();
}

void TransactionJournal::close_file() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
}

void TransactionJournal::fail(const char* what, int error) {
    if (!has_failed_)
        logger(Component::mempool)
            .warn("cannot {} {}: {}; transactions will not survive a restart", what, path_,
                  std::strerror(error));
    has_failed_ = true;
    asked_since_ = 0;
    close_file();
}

bool TransactionJournal::write(int file, BytesView bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

bool TransactionJournal::read(const std::function<void(BytesView)>& on_record) const {
    if (path_.empty()) return true;
    require_regular_file(path_);
    std::ifstream file{path_, std::ios::binary};
    if (!file) return true;
    const auto damaged_end = [&] {
        logger(Component::mempool)
            .warn(
                "the end of {} is damaged and was left out; the process or the machine probably "
                "stopped while it was written",
                path_);
        return false;
    };
    Bytes record;
    std::uint8_t header[kHeaderBytes];
    std::size_t damaged = 0;
    bool is_whole = true;
    while (file.read(reinterpret_cast<char*>(header), kHeaderBytes)) {
        const std::uint32_t size = get_uint32(header);
        // Where its size is not believed, nobody knows where the next one begins.
        is_whole = size != 0 && size <= kMaxRecordBytes;
        if (!is_whole) break;
        record.resize(size);
        is_whole = !!file.read(reinterpret_cast<char*>(record.data()), size);
        if (!is_whole) break;
        if (checksum(record) == get_uint32(header + 4))
            on_record(record);
        else
            ++damaged;
    }
    if (damaged != 0)
        logger(Component::mempool)
            .warn("{} of {} left out, damaged", counted(damaged, "transaction"), path_);
    return is_whole && file.gcount() == 0 ? damaged == 0 : damaged_end();
}

void TransactionJournal::append(BytesView record) {
    if (path_.empty()) return;
    Bytes bytes;
    bytes.reserve(kHeaderBytes + record.size());
    append_record(record, bytes);
    const std::scoped_lock lock{mutex_};
    // Where the old file fails, the new one has it nevertheless.
    if (is_rewritten_) meanwhile_.insert(meanwhile_.end(), bytes.begin(), bytes.end());
    if (has_failed_) return;
    if (file_ < 0) file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file_ < 0) return fail("open", errno);
    if (!write(file_, bytes)) return fail("write", errno);
    appended_bytes_ += bytes.size();
}

bool TransactionJournal::write_new(
    int file, std::size_t& written,
    const std::function<void(const std::function<void(BytesView)>&)>& write_all) {
    Bytes bytes;
    bool is_good = true;
    const auto flush = [&] {
        is_good = is_good && write(file, bytes);
        written += bytes.size();
        bytes.clear();
    };
    write_all([&](BytesView record) {
        append_record(record, bytes);
        if (bytes.size() >= (std::size_t{1} << 20)) flush();
    });
    flush();
    return is_good && ::fsync(file) == 0;
}

void TransactionJournal::rewrite(
    const std::function<void(const std::function<void(BytesView)>&)>& write_all) {
    if (path_.empty()) return;
    const std::string next = path_ + ".new";
    const std::scoped_lock one_at_a_time{rewriting_};
    {
        const std::scoped_lock lock{mutex_};
        is_rewritten_ = true;
    }
    const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int error = errno;
    std::size_t written = 0;
    // What is not going to be the journal would only take room, perhaps of a disk that is full.
    const auto give_up = [&](const char* action, int reason) {
        ::unlink(next.c_str());
        fail(action, reason);
    };
    bool is_good = file >= 0 && write_new(file, written, write_all);
    if (file >= 0 && !is_good) error = errno;

    const std::scoped_lock lock{mutex_};
    is_rewritten_ = false;
    const Bytes meanwhile = std::exchange(meanwhile_, {});
    if (file < 0) return fail("open", error);
    if (is_good && !write(file, meanwhile)) {
        is_good = false;
        error = errno;
    }
    ::close(file);
    if (!is_good) return give_up("write", error);
    if (std::rename(next.c_str(), path_.c_str()) != 0) return give_up("replace", errno);
    close_file();  // it was the old one
    if (std::exchange(has_failed_, false))
        logger(Component::mempool).info("{} is written again", path_);
    rewritten_bytes_ = written;
    appended_bytes_ = meanwhile.size();
}

bool TransactionJournal::is_to_be_tried_again() {
    const std::scoped_lock lock{mutex_};
    if (!has_failed_ || ++asked_since_ < kBlocksToTryAgain) return false;
    asked_since_ = 0;
    return true;
}

bool TransactionJournal::has_doubled(std::size_t least_bytes) const {
    const std::scoped_lock lock{mutex_};
    return appended_bytes_ > std::max(least_bytes, rewritten_bytes_);
}

}  // namespace heddle::node
