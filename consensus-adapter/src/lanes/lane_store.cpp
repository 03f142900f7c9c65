// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_store.hpp>

#include <algorithm>
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
#include "archive/file_writer.hpp"
#include "lanes/field_reader.hpp"

namespace heddle::consensus_adapter::lanes {

namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'H', 'D', 'L', 'L', 'A', 'N', 'E'};
constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kStartBytes = 40;  // of a log whose oldest blocks were given up
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kSizeBytes = 4;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::uint64_t kCopyBytes = std::uint64_t{1} << 20;

/// @param shortened  The version where its oldest blocks were given up.
Bytes encode_head(const LaneLogHead& head, const LaneLogStart& start,
                  std::uint32_t shortened = kShortenedLaneLogVersion) {
    Bytes bytes(kMagic.begin(), kMagic.end());
    put(start.height == 0 ? kLaneLogVersion : shortened, bytes);
    put(head.lane, bytes);
    put(head.lane_count, bytes);
    put(head.leading, bytes);
    put(std::uint8_t{0}, bytes);
    if (start.height == 0) return bytes;
    put(start.height, bytes);
    bytes.insert(bytes.end(), start.digest.bytes.begin(), start.digest.bytes.end());
    if (shortened == kShortenedLaneLogVersion) put(crc32c(bytes), bytes);
    return bytes;
}

/// Readers go on with the file that they have while it is replaced.
class File {
public:
    explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    File(File&&) = delete;
    File& operator=(File&&) = delete;
    [[nodiscard]] int get() const noexcept { return descriptor_; }

private:
    const int descriptor_;
};

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
    return next_digest(before, keccak256(encoded_block));
}

Hash next_digest(const Hash& before, const Hash& block) {
    Bytes both(before.bytes.begin(), before.bytes.end());
    both.insert(both.end(), block.bytes.begin(), block.bytes.end());
    return keccak256(both);
}

struct LaneStore::Impl {
    Impl(std::string the_path, LaneLogHead the_head) : path(std::move(the_path)), head(the_head) {}
    template <typename Fault>
    [[nodiscard]] std::unexpected<SourceError> error(Fault fault, std::uint64_t offset,
                                                     std::string detail) const {
        return std::unexpected(SourceError{fault, path, offset, std::nullopt, std::move(detail)});
    }
    [[nodiscard]] std::expected<void, SourceError> open(const LaneLogStart& wanted);
    /// Reads what is before the first record, and moves `end` there.
    [[nodiscard]] std::expected<void, SourceError> read_head();
    [[nodiscard]] std::expected<void, SourceError> read_start(std::uint32_t version);
    /// Blocks that are durable are lost with the name that is not.
    [[nodiscard]] std::expected<void, SourceError> sync_name();
    [[nodiscard]] std::expected<void, SourceError> scan(std::uint64_t size);
    [[nodiscard]] std::expected<void, SourceError> check_place(BytesView block) const;
    [[nodiscard]] std::expected<Hash, SourceError> digest_at(std::uint64_t height) const;
    [[nodiscard]] std::expected<Bytes, SourceError> read(std::uint64_t height) const;
    [[nodiscard]] std::expected<void, SourceError> copy_from(std::uint64_t begin, int to,
                                                             std::uint64_t at) const;

    const std::string path;
    const LaneLogHead head;
    std::uint64_t dropped = 0;

    mutable std::mutex mutex;
    std::shared_ptr<File> file;          // guarded by mutex, as what follows
    LaneLogStart start;                  // what is before the first block
    std::vector<std::uint64_t> offsets;  // of the record of each height from there on
    std::uint64_t end = 0;
    Hash digest;
    bool is_name_durable = false;  // of the caller that appends and gives up
};

std::expected<void, SourceError> LaneStore::Impl::open(const LaneLogStart& wanted) {
    file = std::make_shared<File>(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (file->get() < 0) return error(FileFault::cannot_open, 0, std::strerror(errno));
    if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0)
        return error(FileFault::cannot_open, 0, "another process has this log");
    struct stat status{};
    if (::fstat(file->get(), &status) != 0)
        return error(FileFault::read_failed, 0, std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return error(FileFault::cannot_open, 0, "not a regular file");
    HEDDLE_CHECK(sync_name());
    if (status.st_size == 0) {
        start = wanted;
        digest = start.digest;
        const Bytes bytes = encode_head(head, start);
        end = bytes.size();
        if (!write_at(file->get(), 0, bytes) || ::fsync(file->get()) != 0)
            return error(FileFault::write_failed, 0, std::strerror(errno));
        return {};
    }
    HEDDLE_CHECK(read_head());
    digest = start.digest;
    return scan(static_cast<std::uint64_t>(status.st_size));
}

std::expected<void, SourceError> LaneStore::Impl::sync_name() {
    const int failed = sync_folder_of(path);
    is_name_durable = failed == 0;
    if (failed != 0) return error(FileFault::write_failed, 0, std::strerror(failed));
    return {};
}

std::expected<void, SourceError> LaneStore::Impl::read_head() {
    const auto bytes = read_at(file->get(), 0, kHeadBytes);
    if (!bytes.has_value()) return error(FileFault::read_failed, 0, std::strerror(errno));
    if (bytes->size() < kHeadBytes ||
        !equal(BytesView{*bytes}.first(kMagic.size()), BytesView{kMagic}))
        return error(LaneLogFault::not_a_lane_log, 0, "starts with " + to_hex(*bytes));
    const auto version =
        FieldReader{BytesView{*bytes}.subspan(kVersionAt)}.integer<std::uint32_t>();
    end = kHeadBytes;
    if (version == kShortenedLaneLogVersion || version == kEarlierShortenedLaneLogVersion)
        HEDDLE_CHECK(read_start(version));
    else if (version != kLaneLogVersion)
        return error(LaneLogFault::unknown_version, 0, fmt::format("version {}", version));
    if (equal(BytesView{*bytes}, BytesView{encode_head(head, start, version)}.first(kHeadBytes)))
        return {};
    return error(LaneLogFault::wrong_place, 0,
                 fmt::format("is not the log of lane {} of {}, led by {}", head.lane,
                             head.lane_count, head.leading));
}

std::expected<void, SourceError> LaneStore::Impl::read_start(std::uint32_t version) {
    const bool has_checksum = version == kShortenedLaneLogVersion;
    const std::size_t size = kHeadBytes + kStartBytes + (has_checksum ? kChecksumBytes : 0);
    const auto bytes = read_at(file->get(), 0, size);
    if (!bytes.has_value()) return error(FileFault::read_failed, 0, std::strerror(errno));
    FieldReader fields{BytesView{*bytes}.subspan(kHeadBytes)};
    start.height = fields.integer<std::uint64_t>();
    start.digest = fields.array<Hash>();
    const bool is_whole =
        bytes->size() == size && start.height != 0 &&
        (!has_checksum ||
         fields.integer<std::uint32_t>() == crc32c(BytesView{*bytes}.first(size - kChecksumBytes)));
    if (!is_whole)
        return error(LaneLogFault::malformed_block, 0,
                     "the beginning of the file is damaged. Nothing was cut off");
    end = size;
    return {};
}

/// A record that is whole was written whole: no crash has left another block in its place.
std::expected<void, SourceError> LaneStore::Impl::check_place(BytesView block) const {
    const auto decoded = decode_lane_block(block);
    if (!decoded.has_value())
        return error(LaneLogFault::malformed_block, end, std::string{to_string(decoded.error())});
    const std::uint64_t next = start.height + offsets.size() + 1;
    if (decoded->lane == head.lane && decoded->height == next) return {};
    return error(LaneLogFault::wrong_place, end,
                 fmt::format("height {} of lane {} where height {} of lane {} comes next; the "
                             "beginning of the file may be damaged. Nothing was cut off",
                             decoded->height, decoded->lane, next, head.lane));
}

/// Whole records from the beginning on; what comes after them is cut off.
std::expected<void, SourceError> LaneStore::Impl::scan(std::uint64_t size) {
    while (end < size) {
        const auto length = read_at(file->get(), end, kSizeBytes);
        if (!length.has_value()) return error(FileFault::read_failed, end, std::strerror(errno));
        const auto block_bytes = FieldReader{*length}.integer<std::uint32_t>();
        if (length->size() < kSizeBytes || block_bytes > kMaxLaneBlockBytes) break;
        const auto record = read_at(file->get(), end, kSizeBytes + block_bytes + kChecksumBytes);
        if (!record.has_value()) return error(FileFault::read_failed, end, std::strerror(errno));
        if (record->size() < kSizeBytes + block_bytes + kChecksumBytes) break;
        const auto block = block_in(*record);
        if (!block.has_value()) break;
        HEDDLE_CHECK(check_place(*block));
        offsets.push_back(end);
        digest = next_digest(digest, *block);
        end += record->size();
    }
    if (end >= size) return {};
    dropped = size - end;
    if (::ftruncate(file->get(), static_cast<off_t>(end)) != 0 || ::fsync(file->get()) != 0)
        return error(FileFault::write_failed, end, std::strerror(errno));
    return {};
}

std::expected<Bytes, SourceError> LaneStore::Impl::read(std::uint64_t height) const {
    std::shared_ptr<File> from;
    std::uint64_t begin = 0;
    std::uint64_t past = 0;
    {
        const std::scoped_lock lock{mutex};
        HEDDLE_ASSERT(height <= start.height + offsets.size());
        if (height <= start.height)
            return error(LaneLogFault::wrong_place, 0,
                         fmt::format("height {} was given up, as all up to {}: ask somebody who "
                                     "keeps more, or begin with a checkpoint of another node",
                                     height, start.height));
        const std::size_t index = height - start.height - 1;
        from = file;
        begin = offsets[index];
        past = index + 1 < offsets.size() ? offsets[index + 1] : end;
    }
    const auto record = read_at(from->get(), begin, past - begin);
    if (!record.has_value()) return error(FileFault::read_failed, begin, std::strerror(errno));
    const auto block = block_in(*record);
    if (!block.has_value())
        return error(LaneLogFault::malformed_block, begin,
                     fmt::format("the record of height {} was damaged", height));
    return Bytes(block->begin(), block->end());
}

std::expected<Hash, SourceError> LaneStore::Impl::digest_at(std::uint64_t height) const {
    Hash result = start.digest;
    for (std::uint64_t at = start.height + 1; at <= height; ++at) {
        HEDDLE_TRY(const Bytes block, read(at));
        result = next_digest(result, block);
    }
    return result;
}

/// Of the caller that appends: the end stays where it is.
std::expected<void, SourceError> LaneStore::Impl::copy_from(std::uint64_t begin, int to,
                                                            std::uint64_t at) const {
    for (std::uint64_t done = begin; done < end;) {
        const auto piece = read_at(file->get(), done, std::min(end - done, kCopyBytes));
        if (!piece.has_value()) return error(FileFault::read_failed, done, std::strerror(errno));
        if (piece->empty()) return error(FileFault::read_failed, done, "the file was cut");
        if (!write_at(to, at + done - begin, *piece))
            return error(FileFault::write_failed, done, std::strerror(errno));
        done += piece->size();
    }
    return {};
}

LaneStore::LaneStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LaneStore::~LaneStore() = default;

std::expected<std::unique_ptr<LaneStore>, SourceError> LaneStore::open(const std::string& path,
                                                                       LaneLogHead head,
                                                                       const LaneLogStart& start) {
    HEDDLE_ASSERT(head.lane_count <= kMaxLanes && head.lane < head.lane_count &&
                  head.leading < head.lane_count);
    auto impl = std::make_unique<Impl>(path, head);
    HEDDLE_CHECK(impl->open(start));
    return std::unique_ptr<LaneStore>{new LaneStore(std::move(impl))};
}

std::uint64_t LaneStore::height() const {
    const std::scoped_lock lock{impl_->mutex};
    return impl_->start.height + impl_->offsets.size();
}

std::uint64_t LaneStore::given_up() const {
    const std::scoped_lock lock{impl_->mutex};
    return impl_->start.height;
}

Hash LaneStore::digest() const {
    const std::scoped_lock lock{impl_->mutex};
    return impl_->digest;
}

std::uint64_t LaneStore::bytes_after(std::uint64_t height) const {
    const std::scoped_lock lock{impl_->mutex};
    const std::uint64_t index = height - std::min(height, impl_->start.height);
    return index < impl_->offsets.size() ? impl_->end - impl_->offsets[index] : 0;
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
    if (keeping == Keeping::durable && !impl.is_name_durable) HEDDLE_CHECK(impl.sync_name());
    const int file = impl.file->get();
    if (!write_at(file, end, record) || (keeping == Keeping::durable && ::fdatasync(file) != 0)) {
        const int error_number = errno;
        // What is half written would be cut off by the next start as well.
        (void)::ftruncate(file, static_cast<off_t>(end));
        return impl.error(FileFault::write_failed, end, std::strerror(error_number));
    }
    const std::scoped_lock lock{impl.mutex};
    impl.offsets.push_back(end);
    impl.end = end + record.size();
    impl.digest = next_digest(impl.digest, encoded_block);
    return {};
}

std::expected<Bytes, SourceError> LaneStore::read(std::uint64_t height) const {
    return impl_->read(height);
}

std::expected<void, SourceError> LaneStore::give_up_to(std::uint64_t height) {
    Impl& impl = *impl_;
    HEDDLE_ASSERT(height <= impl.start.height + impl.offsets.size());
    if (height <= impl.start.height) return {};
    HEDDLE_TRY(const Hash digest, impl.digest_at(height));
    const LaneLogStart start{height, digest};
    const std::size_t gone = height - impl.start.height;
    const std::uint64_t begin = gone < impl.offsets.size() ? impl.offsets[gone] : impl.end;
    const std::string next_path = impl.path + ".next";
    const auto next = std::make_shared<File>(
        ::open(next_path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    const auto failed = [&] {
        const int error_number = errno;
        (void)::unlink(next_path.c_str());
        return impl.error(FileFault::write_failed, 0, std::strerror(error_number));
    };
    const Bytes bytes = encode_head(impl.head, start);
    if (next->get() < 0 || ::flock(next->get(), LOCK_EX | LOCK_NB) != 0 ||
        !write_at(next->get(), 0, bytes))
        return failed();
    if (auto copied = impl.copy_from(begin, next->get(), bytes.size()); !copied.has_value()) {
        (void)::unlink(next_path.c_str());
        return copied;
    }
    if (::fsync(next->get()) != 0 || ::rename(next_path.c_str(), impl.path.c_str()) != 0)
        return failed();
    impl.is_name_durable = false;
    {
        const std::scoped_lock lock{impl.mutex};
        impl.file = next;
        impl.start = start;
        impl.offsets.erase(impl.offsets.begin(), impl.offsets.begin() + static_cast<long>(gone));
        for (std::uint64_t& offset : impl.offsets)
            offset = offset - begin + bytes.size();
        impl.end = impl.end - begin + bytes.size();
    }
    // Under the name there may be the old file until then, which gets none of the next blocks.
    return impl.sync_name();
}

}  // namespace heddle::consensus_adapter::lanes
