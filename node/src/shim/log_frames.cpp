// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/log_frames.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <types/assert.hpp>

namespace heddle::node {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'H', 'D', 'L', 'R', 'E', 'C', '1'};
constexpr std::size_t kHeadBytes = sizeof(FrameWriter::Around::before);
constexpr std::size_t kCheckBytes = 4;
constexpr std::size_t kDigestBytes = sizeof(Digest::bytes);
/// Memory that a payload gets before any of it was read.
constexpr std::size_t kLeastRoom = std::size_t{1} << 20;

Digest first_digest(Digester& digester) {
    return digester.add(BytesView{kMagic}).finish();
}

std::array<std::uint8_t, kHeadBytes> frame_head(const Digest& before, std::uint32_t length,
                                                Digester& digester) {
    std::array<std::uint8_t, kHeadBytes> head{};
    for (std::size_t i = 0; i < sizeof length; ++i)
        head[i] = static_cast<std::uint8_t>(length >> (8 * i));
    const Digest check = digester.add(BytesView{before.bytes}).add(length).finish();
    std::copy_n(check.bytes.begin(), kCheckBytes, head.begin() + sizeof length);
    return head;
}

Digest frame_digest(const Digest& before, BytesView payload, Digester& digester) {
    return digester.add(BytesView{before.bytes}).add(payload.size()).add(payload).finish();
}

}  // namespace

FrameWriter::FrameWriter() : digest_(first_digest(digester_)) {}

Bytes FrameWriter::file_head() {
    return {kMagic.begin(), kMagic.end()};
}

FrameWriter::Around FrameWriter::append(BytesView payload) {
    HEDDLE_ASSERT(payload.size() <= kMaxFrameBytes);
    Around around;
    around.before = frame_head(digest_, static_cast<std::uint32_t>(payload.size()), digester_);
    digest_ = frame_digest(digest_, payload, digester_);
    around.after = digest_;
    return around;
}

FrameReader::FrameReader(const std::string& path)
    : file_(std::fopen(path.c_str(), "rbe")), digest_(first_digest(digester_)) {}

std::unexpected<FrameEnd> FrameReader::end(FrameEnd::Kind kind, std::string detail) const {
    return std::unexpected(FrameEnd{kind, offset_, std::move(detail)});
}

std::optional<FrameEnd::Kind> FrameReader::read(std::span<std::uint8_t> out, bool may_end_before) {
    errno = 0;
    const std::size_t got = std::fread(out.data(), 1, out.size(), file_.get());
    if (got == out.size()) return std::nullopt;
    if (std::ferror(file_.get()) != 0) return FrameEnd::Kind::unreadable;
    return got == 0 && may_end_before ? FrameEnd::Kind::complete : FrameEnd::Kind::cut;
}

std::expected<Bytes, FrameEnd> FrameReader::next() {
    using Kind = FrameEnd::Kind;
    const auto stop = [this](Kind kind) {
        return end(kind, kind == Kind::unreadable ? std::strerror(errno) : "");
    };
    if (!file_) return stop(Kind::unreadable);
    if (offset_ == 0) {
        std::array<std::uint8_t, kMagic.size()> magic{};
        if (const auto ended = read(magic, false)) return stop(*ended);
        if (magic != kMagic) return end(Kind::damaged, "this is no recording of Heddle");
        offset_ = magic.size();
    }
    std::array<std::uint8_t, kHeadBytes> head{};
    if (const auto ended = read(head, true)) return stop(*ended);
    std::uint32_t length = 0;
    for (std::size_t i = sizeof length; i-- > 0;)
        length = length << 8 | head[i];
    if (head != frame_head(digest_, length, digester_) || length > kMaxFrameBytes)
        return end(Kind::damaged, "the length of a record does not fit its check");
    Bytes payload;
    while (payload.size() != length) {
        // Memory follows what is there, not what a length claims.
        const std::size_t before = payload.size();
        payload.resize(std::min<std::size_t>(length, before + std::max(before, kLeastRoom)));
        if (const auto ended = read(std::span{payload}.subspan(before), false)) return stop(*ended);
    }
    Digest digest;
    if (const auto ended = read(digest.bytes, false)) return stop(*ended);
    const Digest computed = frame_digest(digest_, payload, digester_);
    if (digest != computed) return end(Kind::damaged, "a record has another digest than it says");
    digest_ = computed;
    frame_offset_ = offset_;
    offset_ += kHeadBytes + payload.size() + kDigestBytes;
    return payload;
}

}  // namespace heddle::node
