// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a recording lies in its files. A file is a magic number and frames:
//
// | field   | bytes | what                                                                      |
// |---------|-------|---------------------------------------------------------------------------|
// | length  | 4     | of the payload, little-endian                                             |
// | check   | 4     | of the length: a wrong one is damage, not an end                          |
// | payload |       | whole events (event_codec.hpp)                                            |
// | digest  | 16    | of the digest before, the length and the payload                          |
//
// The digest before the first frame is that of the magic number. So a file that ends early ends in
// the middle of a frame whose length is known to be right, and anything else is damage at a known
// place.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <types/bytes.hpp>

#include "shim/digest.hpp"

namespace heddle::node {

/// More than a frame ever has: a whole mempool is in one.
inline constexpr std::uint32_t kMaxFrameBytes = std::uint32_t{1} << 30;

/// Makes the bytes of one file. Thread safety: none.
class FrameWriter {
public:
    FrameWriter();

    /// The magic number.
    [[nodiscard]] static Bytes file_head();
    /// What stands around the payload of a frame.
    struct Around {
        std::array<std::uint8_t, 8> before{};
        Digest after;
    };
    /// The next frame's. @param payload  At most kMaxFrameBytes.
    [[nodiscard]] Around append(BytesView payload);
    /// Of the frame appended last.
    [[nodiscard]] const Digest& digest() const noexcept { return digest_; }

private:
    Digester digester_;
    Digest digest_;
};

/// Why there is no further frame.
struct FrameEnd {
    enum class Kind : std::uint8_t {
        complete,  // the file ends behind a frame
        cut,       // it ends inside one, which nobody has finished writing
        damaged,   // its bytes are not those that were written
        unreadable,
    };
    Kind kind = Kind::complete;
    std::uint64_t offset = 0;  // in bytes, of the frame, or of the end
    std::string detail;        // of damage and of what is unreadable
};

/// Reads one file from its beginning. Thread safety: none.
class FrameReader {
public:
    /// A file that cannot be opened is an end that next() tells of.
    explicit FrameReader(const std::string& path);

    [[nodiscard]] std::expected<Bytes, FrameEnd> next();
    /// Of the frame given last.
    [[nodiscard]] const Digest& digest() const noexcept { return digest_; }
    [[nodiscard]] std::uint64_t frame_offset() const noexcept { return frame_offset_; }

private:
    struct Closer {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };
    [[nodiscard]] std::unexpected<FrameEnd> end(FrameEnd::Kind kind, std::string detail = {}) const;
    /// nullopt: all of `out` was read.
    [[nodiscard]] std::optional<FrameEnd::Kind> read(std::span<std::uint8_t> out,
                                                     bool may_end_before);

    std::unique_ptr<std::FILE, Closer> file_;
    Digester digester_;
    Digest digest_;
    std::uint64_t frame_offset_ = 0;
    std::uint64_t offset_ = 0;  // behind the frame given last
};

}  // namespace heddle::node
