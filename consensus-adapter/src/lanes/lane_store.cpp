// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_store.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <consensus_adapter/lanes/placement.hpp>

#include "archive/crc32c.hpp"
#include "lanes/field_reader.hpp"

namespace heddle::consensus_adapter::lanes {

namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'H', 'D', 'L', 'L', 'A', 'N', 'E'};
constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kSizeBytes = 4;
constexpr std::size_t kChecksumBytes = 4;

Bytes encode_head(const LaneLogHead& head) {
    Bytes bytes(kMagic.begin(), kMagic.end());
    put(kLaneLogVersion, bytes);
    put(head.lane, bytes);
    put(head.lane_count, bytes);
    put(head.leading, bytes);
    put(std::uint8_t{0}, bytes);
    return bytes;
}

/// As many bytes as there are, up to `size`; nullopt: the system refused, see errno.
std::optional<Bytes> read_at(int file, std::uint64_t offset, std::size_t size) {
    Bytes result(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count =
            ::pread(file, result.data() + done, size - done, static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    result.resize(done);
    return result;
}

bool write_at(int file, std::uint64_t offset, BytesView bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::pwrite(file, bytes.data() + done, bytes.size() - done,
                                       static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

/// The block in a record that begins with its size; nullopt: it is not whole.
std::optional<BytesView> block_in(BytesView record) {
    if (record.size() < kSizeBytes + kChecksumBytes) return std::nullopt;
    const std::size_t covered = record.size() - kChecksumBytes;
    const auto stored = FieldReader{record.subspan(covered)}.integer<std::uint32_t>();
    if (stored != crc32c(record.first(covered))) return std::nullopt;
    return record.subspan(kSizeBytes, covered - kSizeBytes);
}

}  // namespace

Hash next_digest(const Hash& before, BytesView encoded_block) {
    const Hash block = keccak256(encoded_block);
    Bytes both(before.bytes.begin(), before.bytes.end());
    both.insert(both.end(), block.bytes.begin(), block.bytes.end());
    return keccak256(both);
}

struct LaneStore::Impl {
    Impl(std::string the_path, LaneLogHead the_head) : path(std::move(the_path)), head(the_head) {}
    ~Impl() {
        if (file >= 0) ::close(file);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    Impl(Impl&&) = delete;
    Impl& operator=(Impl&&) = delete;

    template <typename Fault>
    [[nodiscard]] std::unexpected<SourceError> error(Fault fault, std::uint64_t offset,
                                                     std::string detail) const {
        return std::unexpected(SourceError{fault, path, offset, std::nullopt, std::move(detail)});
    }
    [[nodiscard]] std::expected<void, SourceError> open();
    [[nodiscard]] std::expected<void, SourceError> check_head();
    [[nodiscard]] std::expected<void, SourceError> scan(std::uint64_t size);

    const std::string path;
    const LaneLogHead head;
    int file = -1;
    std::uint64_t dropped = 0;

    mutable std::mutex mutex;
    std::vector<std::uint64_t> offsets;  // of the record of each height; guarded by mutex
    std::uint64_t end = kHeadBytes;      // also
    Hash digest;                         // also
};

std::expected<void, SourceError> LaneStore::Impl::open() {
    file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return error(FileFault::cannot_open, 0, std::strerror(errno));
    if (::flock(file, LOCK_EX | LOCK_NB) != 0)
        return error(FileFault::cannot_open, 0, "another process has this log");
    struct stat status{};
    if (::fstat(file, &status) != 0) return error(FileFault::read_failed, 0, std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return error(FileFault::cannot_open, 0, "not a regular file");
    if (status.st_size == 0) {
        const Bytes bytes = encode_head(head);
        if (!write_at(file, 0, bytes) || ::fsync(file) != 0)
            return error(FileFault::write_failed, 0, std::strerror(errno));
        return {};
    }
    HEDDLE_CHECK(check_head());
    return scan(static_cast<std::uint64_t>(status.st_size));
}

std::expected<void, SourceError> LaneStore::Impl::check_head() {
    const auto bytes = read_at(file, 0, kHeadBytes);
    if (!bytes.has_value()) return error(FileFault::read_failed, 0, std::strerror(errno));
    const Bytes wanted = encode_head(head);
    if (*bytes == wanted) return {};
    if (bytes->size() < kHeadBytes ||
        !equal(BytesView{*bytes}.first(kMagic.size()), BytesView{kMagic}))
        return error(LaneLogFault::not_a_lane_log, 0, "starts with " + to_hex(*bytes));
    FieldReader fields{BytesView{*bytes}.subspan(kMagic.size())};
    const auto version = fields.integer<std::uint32_t>();
    if (version != kLaneLogVersion)
        return error(LaneLogFault::unknown_version, 0, fmt::format("version {}", version));
    return error(LaneLogFault::wrong_place, 0,
                 fmt::format("is not the log of lane {} of {}, led by {}", head.lane,
                             head.lane_count, head.leading));
}

/// Whole records from the beginning on; what comes after them is cut off.
std::expected<void, SourceError> LaneStore::Impl::scan(std::uint64_t size) {
    while (end < size) {
        const auto length = read_at(file, end, kSizeBytes);
        if (!length.has_value()) return error(FileFault::read_failed, end, std::strerror(errno));
        const auto block_bytes = FieldReader{*length}.integer<std::uint32_t>();
        if (length->size() < kSizeBytes || block_bytes > kMaxLaneBlockBytes) break;
        const auto record = read_at(file, end, kSizeBytes + block_bytes + kChecksumBytes);
        if (!record.has_value()) return error(FileFault::read_failed, end, std::strerror(errno));
        if (record->size() < kSizeBytes + block_bytes + kChecksumBytes) break;
        const auto block = block_in(*record);
        if (!block.has_value()) break;
        const auto decoded = decode_lane_block(*block);
        if (!decoded.has_value() || decoded->lane != head.lane ||
            decoded->height != offsets.size() + 1)
            break;
        offsets.push_back(end);
        digest = next_digest(digest, *block);
        end += record->size();
    }
    if (end >= size) return {};
    dropped = size - end;
    if (::ftruncate(file, static_cast<off_t>(end)) != 0 || ::fsync(file) != 0)
        return error(FileFault::write_failed, end, std::strerror(errno));
    return {};
}

LaneStore::LaneStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LaneStore::~LaneStore() = default;

std::expected<std::unique_ptr<LaneStore>, SourceError> LaneStore::open(const std::string& path,
                                                                       LaneLogHead head) {
    HEDDLE_ASSERT(head.lane_count <= kMaxLanes && head.lane < head.lane_count &&
                  head.leading < head.lane_count);
    auto impl = std::make_unique<Impl>(path, head);
    HEDDLE_CHECK(impl->open());
    return std::unique_ptr<LaneStore>{new LaneStore(std::move(impl))};
}

std::uint64_t LaneStore::height() const {
    const std::scoped_lock lock{impl_->mutex};
    return impl_->offsets.size();
}

Hash LaneStore::digest() const {
    const std::scoped_lock lock{impl_->mutex};
    return impl_->digest;
}

std::uint64_t LaneStore::bytes_after(std::uint64_t height) const {
    const std::scoped_lock lock{impl_->mutex};
    return height < impl_->offsets.size() ? impl_->end - impl_->offsets[height] : 0;
}

std::uint64_t LaneStore::dropped_bytes() const noexcept {
    return impl_->dropped;
}

std::expected<void, SourceError> LaneStore::append(BytesView encoded_block, Keeping keeping) {
    Impl& impl = *impl_;
    std::uint64_t end = 0;
    {
        const std::scoped_lock lock{impl.mutex};
        end = impl.end;
    }
    if (encoded_block.size() > kMaxLaneBlockBytes)
        return impl.error(FileFault::too_large, end,
                          fmt::format("a block of {} bytes, at most {}", encoded_block.size(),
                                      kMaxLaneBlockBytes));
    Bytes record;
    record.reserve(kSizeBytes + encoded_block.size() + kChecksumBytes);
    put(static_cast<std::uint32_t>(encoded_block.size()), record);
    record.insert(record.end(), encoded_block.begin(), encoded_block.end());
    put(crc32c(record), record);
    if (!write_at(impl.file, end, record) ||
        (keeping == Keeping::durable && ::fdatasync(impl.file) != 0)) {
        const int error_number = errno;
        // What is half written would be cut off by the next start as well.
        (void)::ftruncate(impl.file, static_cast<off_t>(end));
        return impl.error(FileFault::write_failed, end, std::strerror(error_number));
    }
    const std::scoped_lock lock{impl.mutex};
    impl.offsets.push_back(end);
    impl.end = end + record.size();
    impl.digest = next_digest(impl.digest, encoded_block);
    return {};
}

std::expected<Bytes, SourceError> LaneStore::read(std::uint64_t height) const {
    const Impl& impl = *impl_;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    {
        const std::scoped_lock lock{impl.mutex};
        HEDDLE_ASSERT(height >= 1 && height <= impl.offsets.size());
        begin = impl.offsets[height - 1];
        end = height < impl.offsets.size() ? impl.offsets[height] : impl.end;
    }
    const auto record = read_at(impl.file, begin, end - begin);
    if (!record.has_value()) return impl.error(FileFault::read_failed, begin, std::strerror(errno));
    const auto block = block_in(*record);
    if (!block.has_value())
        return impl.error(LaneLogFault::malformed_block, begin,
                          fmt::format("the record of height {} was damaged", height));
    return Bytes(block->begin(), block->end());
}

}  // namespace heddle::consensus_adapter::lanes
