// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/marked_folder.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node {

namespace fs = std::filesystem;

namespace {

enum class Place : std::uint8_t {
    taken,      // by somebody else, who knows for what
    free,       // nothing there, or an empty folder, which stays one
    left_over,  // by an attempt that was killed, with its mark
};

Place look_at(const fs::path& folder, std::string_view mark, std::string_view part) {
    std::error_code error;
    const fs::file_status there = fs::symlink_status(folder, error);
    if (there.type() == fs::file_type::not_found) return Place::free;
    if (!fs::is_directory(there)) return Place::taken;
    Place place = Place::free;
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
         entry.increment(error)) {
        const fs::path name = entry->path().filename();
        const fs::file_type type = entry->symlink_status(error).type();
        const bool may_be_part =
            name != mark && (part.empty() || (name == part && type == fs::file_type::directory));
        if (name == mark && type == fs::file_type::regular && entry->file_size(error) == 0)
            place = Place::left_over;
        else if (!may_be_part)
            return Place::taken;
        else if (place == Place::free)
            place = Place::taken;  // unless the mark is still to come
    }
    return error ? Place::taken : place;
}

/// Errors: InputError where it is somebody else's.
bool is_left_over(const fs::path& folder, std::string_view mark, std::string_view part) {
    const Place place = look_at(folder, mark, part);
    if (place == Place::taken)
        fail_input("{}: exists already; remove it, or choose another --out", folder.string());
    return place == Place::left_over;
}

/// Errors: InputError; StorageError where it is the disk.
[[noreturn]] void fail_to_make(const fs::path& path, int error) {
    if (is_of_disk(error)) throw StorageError(path.string() + ": " + std::strerror(error));
    fail_input("{}: cannot be written: {}", path.string(), std::strerror(error));
}

}  // namespace

MarkedFolder::MarkedFolder(fs::path path, std::string mark, std::string part)
    : path_(std::move(path)),
      mark_(std::move(mark)),
      is_left_over_(is_left_over(path_, mark_, part)),
      made_(path_) {
    if (made_.error()) fail_to_make(path_, made_.error().value());
    lock_.file = open_unfinished((path_ / mark_).string());
    if (lock_.file < 0 && errno == EWOULDBLOCK)
        fail_input("{}: another process is making it; choose another --out", path_.string());
    if (lock_.file < 0) fail_to_make(path_, errno);
    if (is_left_over_) made_.take_over();
    // Where nothing was seen, too: another attempt may have been killed between look and lock.
    clear();
}

MarkedFolder::Lock::~Lock() {
    if (file >= 0) ::close(file);
}

MarkedFolder::~MarkedFolder() {
    // While something of it is left, the mark has to say what it is.
    if (is_finished_ || !remove_parts()) return;
    std::error_code ignored;
    fs::remove(path_ / mark_, ignored);
}

std::expected<void, std::string> MarkedFolder::remove_parts() const {
    std::error_code error;
    std::vector<fs::path> parts;
    for (fs::directory_iterator entry{path_, error}, end; !error && entry != end;
         entry.increment(error))
        if (entry->path().filename() != mark_) parts.push_back(entry->path());
    if (error)
        return std::unexpected(
            fmt::format("{}: cannot be read: {}", path_.string(), error.message()));
    for (const fs::path& part : parts)
        if (fs::remove_all(part, error); error)
            return std::unexpected(
                fmt::format("{}: cannot be removed: {}", part.string(), error.message()));
    return {};
}

void MarkedFolder::clear() const {
    if (const auto done = remove_parts(); !done) fail_input("{}", done.error());
}

void MarkedFolder::finish(const fs::path& name) {
    std::error_code error;
    fs::rename(path_, name, error);  // over an empty folder, too
    if (error) fail_input("{}: cannot be created: {}", name.string(), error.message());
    is_finished_ = true;
    made_.keep();
    // Behind the rename: without the mark somebody else could take the folder for a free one.
    fs::remove(name / mark_, error);
}

}  // namespace heddle::node
