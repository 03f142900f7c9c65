// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON of any size, read once from front to back, for documents that no JsonParser should hold.
// What the values mean is its reader's business.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::node {

/// Longest string of a streamed document, in bytes: half as long as code that it may be.
inline constexpr std::size_t kMaxJsonStringSize = std::size_t{16} << 20;
/// Longest name of a member.
inline constexpr std::size_t kMaxJsonKeySize = std::size_t{64} << 10;

/// Takes what a document says, in the order in which it says it. Calls nest properly; text is good
/// during the call. May throw.
class JsonEvents {
public:
    virtual ~JsonEvents() = default;
    virtual void begin_object() = 0;
    virtual void end_object() = 0;
    virtual void begin_array() = 0;
    virtual void end_array() = 0;
    /// Name of the member whose value comes next.
    virtual void key(std::string_view name) = 0;
    virtual void string(std::string_view text) = 0;
    /// As it is written.
    virtual void number(std::string_view text) = 0;
    virtual void boolean(bool value) = 0;
    virtual void null() = 0;
};

/// The next piece of a text, good until the next call; empty at its end.
using NextPiece = std::function<std::string_view()>;

/// Errors: InputError with line and column for text that is malformed, nested deeper than
/// kMaxJsonDepth, or with a string that is too long; those of `events`.
/// @param name  Stands in errors.
void stream_json(const NextPiece& next, const std::string& name, JsonEvents& events);
/// How much of a file has been read, and how large it is, in bytes. May be empty.
using FileProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;
/// Those of a file. Errors: InputError where it cannot be read, also out of what is returned.
/// @param on_read  Called for each piece.
[[nodiscard]] NextPiece pieces_of_file(const std::string& path, FileProgress on_read);

}  // namespace heddle::node
