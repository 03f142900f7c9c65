// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/file_log.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <types/expected.hpp>

#include "program/durable_file.hpp"
#include "shim/log_frames.hpp"
#include "shim/recording_folder.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using Result = LogSink::Result;

std::unexpected<std::string> failed(const std::string& path, int error) {
    return std::unexpected(path + ": " + std::strerror(error));
}

/// One after the other, as far as possible in one call.
template <std::size_t kParts>
Result write_all(int file, std::array<BytesView, kParts> parts, const std::string& path) {
    std::array<iovec, kParts> left;
    for (std::size_t i = 0; i < kParts; ++i)
        left[i] = {const_cast<std::uint8_t*>(parts[i].data()), parts[i].size()};
    for (std::size_t first = 0; first < kParts;) {
        const ssize_t done = ::writev(file, &left[first], static_cast<int>(kParts - first));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return failed(path, errno);
        auto written = static_cast<std::size_t>(done);
        for (; first < kParts && written >= left[first].iov_len; ++first)
            written -= left[first].iov_len;
        if (first == kParts) break;
        left[first].iov_base = static_cast<std::uint8_t*>(left[first].iov_base) + written;
        left[first].iov_len -= written;
    }
    return {};
}

/// The digest of the last whole record of a segment. What follows it was being written when the
/// process ended; nobody has relied on it.
std::expected<Digest, std::string> last_digest(const SegmentFile& segment) {
    FrameReader reader(segment.path);
    while (true) {
        const auto frame = reader.next();
        if (frame.has_value()) continue;
        if (frame.error().kind == FrameEnd::Kind::unreadable)
            return std::unexpected(segment.path + ": " + frame.error().detail);
        return reader.digest();
    }
}

}  // namespace

// `syncing` takes what request_durable() leaves: it makes durable what was written before it
// looked.
struct FileLog::Impl {
    explicit Impl(FileLogOptions the_options) : options(std::move(the_options)) {}
    ~Impl() {
        {
            const std::scoped_lock lock{mutex};
            is_stopping = true;
            changed.notify_all();
        }
        if (syncing.joinable()) syncing.join();
        if (file >= 0) ::close(file);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void run();
    [[nodiscard]] Result wait(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] Result open_next(const std::string& path);
    void drop_oldest();

    const FileLogOptions options;
    // The writing thread's.
    std::deque<SegmentFile> segments;  // the one that is written is last
    SegmentLink next;
    std::optional<FrameWriter> frames;
    std::atomic<std::uint64_t> bytes{0};  // of the segment

    std::mutex mutex;
    std::condition_variable changed;
    int file = -1;                // guarded by mutex, as what follows; stays while it is synced
    std::string path;             // of it
    std::uint64_t requested = 0;  // calls of request_durable()
    std::uint64_t durable = 0;    // of these
    std::string failure;          // empty: none
    bool is_stopping = false;

    std::thread syncing;
};

void FileLog::Impl::run() {
    std::unique_lock lock{mutex};
    while (true) {
        changed.wait(lock, [this] { return is_stopping || durable != requested; });
        if (durable == requested) return;
        const std::uint64_t seen = requested;
        const int syncs = file;
        lock.unlock();
        const int error = ::fdatasync(syncs) == 0 ? 0 : errno;
        lock.lock();
        if (error != 0 && failure.empty()) failure = path + ": " + std::strerror(error);
        durable = seen;
        changed.notify_all();
    }
}

Result FileLog::Impl::wait(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t wanted = requested;
    changed.wait(lock, [&] { return durable >= wanted; });
    if (!failure.empty()) return std::unexpected(failure);
    return {};
}

Result FileLog::Impl::open_next(const std::string& next_path) {
    // Not one that is there: another node writes it.
    const int opened =
        ::open(next_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0) return failed(next_path, errno);
    std::unique_lock lock{mutex};
    if (file >= 0) {
        ++requested;
        changed.notify_all();
        auto kept = wait(lock);
        ::close(file);
        file = opened;
        path = next_path;
        return kept;
    }
    file = opened;
    path = next_path;
    return {};
}

/// A file that cannot be removed is tried again with the next.
void FileLog::Impl::drop_oldest() {
    if (options.limit_bytes == 0) return;
    std::uint64_t all = 0;
    for (const SegmentFile& segment : segments)
        all += segment.bytes;
    while (segments.size() > 1 && all > options.limit_bytes) {
        std::error_code ignored;
        fs::remove(segments.front().path, ignored);
        if (ignored) return;
        all -= segments.front().bytes;
        segments.pop_front();
    }
}

FileLog::FileLog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

FileLog::~FileLog() = default;

std::expected<std::unique_ptr<FileLog>, std::string> FileLog::open(FileLogOptions options) {
    auto impl = std::make_unique<Impl>(std::move(options));
    const std::string& folder = impl->options.folder;
    if (!make_folder_durably(folder)) return failed(folder, errno);
    HEDDLE_TRY(const std::vector<SegmentFile> found, find_segments(folder));
    impl->segments.assign(found.begin(), found.end());
    if (!found.empty()) {
        HEDDLE_TRY(impl->next.previous, last_digest(found.back()));
        impl->next.number = found.back().number + 1;
    }
    impl->syncing = std::thread([running = impl.get()] { running->run(); });
    return std::unique_ptr<FileLog>(new FileLog(std::move(impl)));
}

Result FileLog::begin_segment(const std::function<Bytes(const SegmentLink&)>& make_start) {
    Impl& self = *impl_;
    if (self.frames.has_value()) self.next.previous = self.frames->digest();
    const std::string path = segment_path(self.options.folder, self.next.number);
    const Bytes start = make_start(self.next);
    HEDDLE_CHECK(self.open_next(path));
    if (!self.segments.empty() && self.frames.has_value()) self.segments.back().bytes = self.bytes;
    self.segments.push_back({self.next.number, path, 0});
    ++self.next.number;
    self.frames.emplace();
    const Bytes head = FrameWriter::file_head();
    HEDDLE_CHECK(write_all(self.file, std::array{BytesView{head}}, path));
    self.bytes = head.size();
    HEDDLE_CHECK(append(start));
    self.drop_oldest();
    // So that the file survives a loss of power.
    if (!sync_folder(self.options.folder)) return failed(self.options.folder, errno);
    return {};
}

Result FileLog::append(BytesView record) {
    Impl& self = *impl_;
    const FrameWriter::Around around = self.frames->append(record);
    const std::array<BytesView, 3> parts{around.before, record, around.after.bytes};
    HEDDLE_CHECK(write_all(self.file, parts, self.path));
    self.bytes += around.before.size() + record.size() + around.after.bytes.size();
    self.segments.back().bytes = self.bytes;
    return {};
}

void FileLog::request_durable() {
    const std::scoped_lock lock{impl_->mutex};
    ++impl_->requested;
    impl_->changed.notify_all();
}

Result FileLog::wait_durable() {
    std::unique_lock lock{impl_->mutex};
    return impl_->wait(lock);
}

std::uint64_t FileLog::segment_bytes() const {
    return impl_->bytes;
}

}  // namespace heddle::node
