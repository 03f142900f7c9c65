// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of blocks and of object sets. They are read to their end or to an error that says where it
// is; what comes out encodes to what the same readers take again.
#include <algorithm>
#include <span>
#include <string>
#include <system_error>

#include <snappy.h>
#include <sys/mman.h>
#include <unistd.h>

#include <consensus_adapter/archive.hpp>
#include <consensus_adapter/sidecar.hpp>
#include <types/block.hpp>
#include <types/object_codec.hpp>

#include "archive/crc32c.hpp"
#include "archive/snappy_frames.hpp"
#include "sidecar/layout.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

using namespace consensus_adapter;

/// A file in memory, for readers that take names only.
class MemoryFile {
public:
    explicit MemoryFile(BytesView content) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        if (file_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
        const auto size = static_cast<ssize_t>(content.size());
        require(::write(file_, content.data(), content.size()) == size, "no memory for a file");
    }
    ~MemoryFile() { ::close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
    const int file_;
};

void check_error(const SourceError& error, std::size_t size) {
    require(!to_string(error).empty(), "an error without words");
    require(error.offset <= size, "an error outside the file");
}

void check_block(OrderedBlock&& ordered) {
    // Of what cannot be the next block the header comes alone.
    if (ordered.start.transaction_count != ordered.transactions.size()) return;
    Block block;
    block.header = std::move(ordered.start.header);
    block.transactions = std::move(ordered.transactions);
    block.ommers = std::move(ordered.start.ommers);
    block.withdrawals = std::move(ordered.start.withdrawals);
    Bytes encoded;
    encode_block(block, encoded);
    require(encoded.size() == ordered.start.encoded_size_bytes, "the size of a block");
    const auto again = decode_block(encoded);
    require(again.has_value() && again->header == block.header, "a block that came out");
}

void read_records(BytesView file) {
    const MemoryFile on_disk(file);
    auto reader = SidecarReader::open(on_disk.path());
    if (!reader.has_value()) return check_error(reader.error(), file.size());
    for (;;) {
        const auto record = reader->next();
        if (!record.has_value()) return check_error(record.error(), file.size());
        if (!record->has_value()) return;
        const auto sets = reader->decode(**record);
        if (!sets.has_value()) {
            check_error(sets.error(), file.size());
            continue;
        }
        Bytes encoded;
        encode_object_sets(*sets, encoded);
        require(equal(encoded, (*record)->sets), "sets changed");
    }
}

/// A sidecar with these sets of one block, and the right checksum.
Bytes sidecar_of(BytesView sets) {
    Bytes file(kSidecarMagic.begin(), kSidecarMagic.end());
    append_le(kSidecarVersion, file);
    Bytes record(kRecordHeadBytes - 4);
    append_le(static_cast<std::uint32_t>(sets.size()), record);
    record.insert(record.end(), sets.begin(), sets.end());
    append_le(crc32c(record), record);
    file.insert(file.end(), record.begin(), record.end());
    return file;
}

// --- Right checksums, which no change of a few bytes meets ---------------------------------------

/// A number of `count` bytes, the lowest first.
std::size_t load_le(BytesView bytes, std::size_t count) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= std::size_t{bytes[i]} << 8 * i;
    return value;
}

/// Of what a chunk of snappy's frames holds, behind type and length.
void put_checksum(std::span<std::uint8_t> chunk, bool is_compressed) {
    constexpr std::size_t kMost = 65'536;
    if (chunk.size() < 4) return;
    const std::span<std::uint8_t> data = chunk.subspan(4);
    std::string unpacked;
    // Snappy takes bytes for text; there is no other way from one to the other.
    const auto* const text = reinterpret_cast<const char*>(data.data());
    std::size_t size = 0;
    if (is_compressed && (!snappy::GetUncompressedLength(text, data.size(), &size) ||
                          size > kMost || !snappy::Uncompress(text, data.size(), &unpacked)))
        return;
    const Bytes content =
        is_compressed ? Bytes(unpacked.begin(), unpacked.end()) : Bytes(data.begin(), data.end());
    Bytes checksum;
    append_le(mask_crc(crc32c(content)), checksum);
    std::ranges::copy(checksum, chunk.begin());
}

/// Of each chunk in frames of snappy, as far as they can be told apart.
void put_checksums(std::span<std::uint8_t> frames) {
    while (frames.size() >= 4) {
        const std::size_t size = std::min(load_le(frames.subspan(1), 3), frames.size() - 4);
        if (frames[0] <= 1) put_checksum(frames.subspan(4, size), frames[0] == 0);
        frames = frames.subspan(4 + size);
    }
}

/// An era1 or ere file whose frames have the right checksums.
Bytes with_checksums(BytesView era) {
    constexpr std::size_t kHeadBytes = 8;
    Bytes file(era.begin(), era.end());
    std::span<std::uint8_t> left(file);
    while (left.size() >= kHeadBytes) {
        const std::size_t size = std::min(load_le(left.subspan(2), 4), left.size() - kHeadBytes);
        const std::size_t type = load_le(left, 2);
        if ((type >= 3 && type <= 5) || type == 0x0a) put_checksums(left.subspan(kHeadBytes, size));
        left = left.subspan(kHeadBytes + size);
    }
    return file;
}

void read_blocks(BytesView input) {
    const MemoryFile file(input);
    ArchiveOptions options;
    options.first_number = 0;
    auto source = make_archive_source({file.path()}, options);
    if (!source.has_value()) return check_error(source.error(), input.size());
    while (auto block = (*source)->next())
        check_block(*std::move(block));
    if (const auto& error = (*source)->error(); error.has_value())
        check_error(*error, input.size());
    else
        require((*source)->progress().bytes_done == input.size(), "something was left unread");
}

}  // namespace

void history(BytesView input) {
    constexpr std::size_t kMost = 100'000;
    Bytes frames(input.begin(), input.end());
    for (int round = 0; round < 2; ++round) {
        Bytes unpacked;
        if (decompress_frames(frames, kMost, unpacked).has_value())
            require(unpacked.size() <= kMost, "more was unpacked than is allowed");
        put_checksums(frames);
    }
    read_blocks(input);
    if (const Bytes file = with_checksums(input); !equal(file, input)) read_blocks(file);
}

void sidecar(BytesView input) {
    read_records(input);
    read_records(sidecar_of(input));
}

}  // namespace heddle::fuzz
