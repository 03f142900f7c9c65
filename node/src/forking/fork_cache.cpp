// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/fork_cache.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/text_bytes.hpp>

#include "logging/log.hpp"
#include "program/error.hpp"

namespace heddle::node::forking {
namespace {

constexpr std::size_t kChecksumDigits = 16;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;
/// No line is longer: one that is was not written here.
constexpr std::size_t kLongestLine = std::size_t{256} << 20;

std::string checksum_of(std::string_view text) {
    const Hash hash = keccak256(bytes_of(text));
    return to_hex(hash.view().first(kChecksumDigits / 2)).substr(2);
}

/// The name and the value of a line that is as it was written.
std::optional<std::string_view> checked(std::string_view line) {
    if (line.size() <= kChecksumDigits + 1 || line[kChecksumDigits] != ' ') return std::nullopt;
    const std::string_view rest = line.substr(kChecksumDigits + 1);
    if (rest.find(' ') == std::string_view::npos) return std::nullopt;
    if (checksum_of(rest) != line.substr(0, kChecksumDigits)) return std::nullopt;
    return rest;
}

/// @return whether all of it was written; else errno says why, and a part of it may be there.
bool append(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(file, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace

ForkCache::ForkCache(std::string path, std::uint64_t max_bytes)
    : path_(std::move(path)), max_bytes_(max_bytes) {
    if (path_.empty()) return;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::path{path_}.parent_path();
    std::filesystem::create_directories(folder, error);
    // What somebody has read is nobody else's business.
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file_ < 0)
        fail_input(
            "{}: the cache of the fork cannot be opened: {}; name another folder with "
            "--fork-cache",
            path_, std::generic_category().message(error ? error.value() : errno));
    index();
}

ForkCache::~ForkCache() {
    if (file_ >= 0) (void)::close(file_);
}

void ForkCache::index() {
    std::string text;
    std::uint64_t begin = 0;  // of the text, in the file
    std::vector<char> buffer(kReadBytes);
    for (;;) {
        const ssize_t count =
            ::pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(begin + text.size()));
        if (count <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(count));
        std::size_t line = 0;
        for (std::size_t end = 0; (end = text.find('\n', line)) != std::string::npos;
             line = end + 1)
            index_line(std::string_view{text}.substr(line, end - line), begin + line);
        if (line == 0 && text.size() > kLongestLine) line = text.size();
        text.erase(0, line);
        begin += line;
    }
    bytes_ = begin + text.size();
    if (text.empty()) return;
    // A process ended within a line: the next one begins after it.
    ++damaged_;
    if (::write(file_, "\n", 1) == 1) ++bytes_;
}

void ForkCache::index_line(std::string_view line, std::uint64_t offset) {
    if (line.empty()) return;
    const auto rest = checked(line);
    if (!rest.has_value()) {
        ++damaged_;
        return;
    }
    places_.insert_or_assign(std::string{rest->substr(0, rest->find(' '))},
                             Place{offset, line.size()});
}

std::optional<std::string> ForkCache::find(const std::string& name) const {
    Place place;
    {
        const std::scoped_lock lock{mutex_};
        const auto found = places_.find(name);
        if (found == places_.end()) return std::nullopt;
        place = found->second;
    }
    std::string line(place.size, '\0');
    const ssize_t count =
        ::pread(file_, line.data(), line.size(), static_cast<off_t>(place.offset));
    const auto rest = std::cmp_equal(count, line.size()) ? checked(line) : std::nullopt;
    if (!rest.has_value() || !rest->starts_with(name + ' ')) {
        const std::scoped_lock lock{mutex_};
        ++damaged_;
        return std::nullopt;
    }
    return std::string{rest->substr(name.size() + 1)};
}

void ForkCache::put(const std::string& name, std::string_view value) {
    if (file_ < 0) return;
    std::string rest = name + ' ';
    rest += value;
    const std::string line = checksum_of(rest) + ' ' + rest + '\n';
    const std::scoped_lock lock{mutex_};
    if (bytes_ + line.size() > max_bytes_) return;
    struct ::stat status{};
    // A line of which a part was written, as on a full disk, must not take the next one with it.
    const bool is_written = append(file_, is_within_line_ ? '\n' + line : line);
    is_within_line_ = !is_written;
    if (is_written && ::fstat(file_, &status) == 0) {
        // Where the line is if nobody else has written since; if so, it reads as damaged, and is
        // fetched again.
        bytes_ = static_cast<std::uint64_t>(status.st_size);
        places_.insert_or_assign(name, Place{bytes_ - line.size(), line.size() - 1});
        return;
    }
    if (has_warned_) return;
    has_warned_ = true;
    logger(Component::chain)
        .warn("{}: what is read from the source of the fork cannot be kept: {}", path_,
              std::generic_category().message(errno));
}

std::size_t ForkCache::size() const {
    const std::scoped_lock lock{mutex_};
    return places_.size();
}

std::uint64_t ForkCache::damaged() const {
    const std::scoped_lock lock{mutex_};
    return damaged_;
}

std::string default_cache_folder() {
    if (const char* const folder = std::getenv("XDG_CACHE_HOME");
        folder != nullptr && *folder == '/')
        return std::string{folder} + "/heddle/fork";
    if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/')
        return std::string{home} + "/.cache/heddle/fork";
    return {};
}

}  // namespace heddle::node::forking
