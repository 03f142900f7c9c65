// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "replication/member_files.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <consensus_adapter/replication/epoch.hpp>
#include <types/hash.hpp>
#include <types/text_bytes.hpp>

#include "logging/log.hpp"
#include "program/durable_file.hpp"
#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node::replication {
namespace {

namespace fs = std::filesystem;
using consensus_adapter::replication::MemberState;
using consensus_adapter::replication::Role;

constexpr std::size_t kMaxStateBytes = 4 << 10;
constexpr std::size_t kCheckBytes = 8;
using ShownRecord = std::array<std::uint8_t, 8 + kCheckBytes>;  // little-endian, then its check

std::string state_path(const std::string& folder) {
    return (fs::path{folder} / "replication.state").string();
}

/// Everything but the line of the check.
std::string format(std::string_view member, const MemberState& state) {
    return fmt::format("heddle replication 1\nmember {}\nepoch {}\nleader {}\nrole {}\n", member,
                       state.epoch, state.leader, to_string(state.role));
}

std::string check_line(std::string_view text) {
    return fmt::format("check {}\n",
                       to_hex(BytesView{keccak256(bytes_of(text)).bytes}.first(kCheckBytes)));
}

struct StoredState {
    std::string member;
    MemberState state;
};

std::optional<StoredState> parse(std::string_view text) {
    const std::size_t check = text.rfind("check ");
    if (check == std::string_view::npos || check_line(text.substr(0, check)) != text.substr(check))
        return std::nullopt;
    // What was written by format(): the check says so.
    const auto value = [&](std::string_view name) {
        const std::string key = fmt::format("\n{} ", name);
        const std::size_t at = text.find(key);
        if (at == std::string_view::npos) return std::string{};
        const std::size_t begin = at + key.size();
        return std::string{text.substr(begin, text.find('\n', begin) - begin)};
    };
    StoredState stored;
    stored.member = value("member");
    MemberState& state = stored.state;
    for (const char digit : value("epoch")) {
        if (digit < '0' || digit > '9') return std::nullopt;
        state.epoch = state.epoch * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    state.leader = value("leader");
    state.role = value("role") == "primary" ? Role::primary : Role::backup;
    if (state.epoch == 0 || state.leader.empty() || !text.starts_with(format(stored.member, state)))
        return std::nullopt;
    return stored;
}

ShownRecord record_of(std::uint64_t number) {
    ShownRecord record{};
    for (std::size_t i = 0; i < 8; ++i)
        record[i] = static_cast<std::uint8_t>(number >> (8 * i));
    const Hash check = keccak256(BytesView{record}.first(8));
    std::copy_n(check.bytes.begin(), kCheckBytes, record.begin() + 8);
    return record;
}

std::optional<std::uint64_t> read_record(int file) {
    ShownRecord record{};
    if (::pread(file, record.data(), record.size(), 0) != static_cast<ssize_t>(record.size()))
        return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t i = 8; i-- > 0;)
        number = number << 8 | record[i];
    if (record_of(number) != record) return std::nullopt;
    return number;
}

std::string shown_path(const std::string& folder) {
    return (fs::path{folder} / "replication.shown").string();
}

}  // namespace

MemberFiles::MemberFiles(std::string folder, std::string member)
    : folder_(std::move(folder)), member_(std::move(member)) {
    const std::string path = shown_path(folder_);
    require_regular_file(path);
    shown_file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    if (shown_file_ < 0)
        throw StorageError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
}

MemberFiles::~MemberFiles() {
    ::close(shown_file_);
}

std::optional<MemberState> MemberFiles::load() const {
    const std::string path = state_path(folder_);
    std::error_code error;
    if (!fs::exists(path, error) && !error) return std::nullopt;
    require_regular_file(path);
    std::string text;
    read_file(path, kMaxStateBytes, text);
    const auto stored = parse(text);
    if (!stored.has_value())
        throw StorageError(fmt::format(
            "{}: is damaged: what this member has promised is not known; give it a new data "
            "directory from a snapshot of another member, and let it join as a backup",
            path));
    if (stored->member != member_)
        throw StorageError(
            fmt::format("{}: is that of member {}, and this is {}: a copy of another member's "
                        "directory is used without its replication.state and replication.shown",
                        path, stored->member, member_));
    return stored->state;
}

bool MemberFiles::save(const MemberState& state) {
    const std::string path = state_path(folder_);
    std::string text = format(member_, state);
    text += check_line(text);
    const std::string unfinished = path + ".unfinished";
    const bool is_saved = write_durably(unfinished, Bytes(text.begin(), text.end())) &&
                          ::rename(unfinished.c_str(), path.c_str()) == 0 && sync_folder(folder_);
    if (!is_saved)
        logger(Component::consensus).error("{}: cannot be written: {}", path, std::strerror(errno));
    return is_saved;
}

std::optional<std::uint64_t> MemberFiles::shown() const {
    return read_record(shown_file_);
}

ShownNote read_shown(const std::string& folder) {
    std::error_code error;
    ShownNote note{.is_member = fs::exists(state_path(folder), error), .shown = std::nullopt};
    const int file = ::open(shown_path(folder).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return note;
    note.shown = read_record(file);
    ::close(file);
    return note;
}

void MemberFiles::note_shown(std::uint64_t number) {
    const ShownRecord record = record_of(number);
    if (::pwrite(shown_file_, record.data(), record.size(), 0) ==
        static_cast<ssize_t>(record.size()))
        return;
    logger(Component::consensus)
        .error("{}/replication.shown: cannot be written: {}", folder_, std::strerror(errno));
}

void MemberFiles::force_shown() {
    if (::fdatasync(shown_file_) == 0 && sync_folder(folder_)) return;
    logger(Component::consensus)
        .error("{}/replication.shown: cannot be forced to the disk: {}", folder_,
               std::strerror(errno));
}

std::uint64_t shown_without_note(const Chain& chain, std::uint64_t most_held) {
    std::uint64_t number = chain.kept_head().header.number;
    for (std::uint64_t held = 0; held < most_held && number != 0; ++held) {
        const auto header = chain.kept_header(number);
        // One that is not there lies below the state with which this directory began.
        if (!header.has_value() || !header->has_value()) break;
        if (consensus_adapter::replication::epoch_of((*header)->header.extra_data) == 0) break;
        --number;
    }
    return number;
}

}  // namespace heddle::node::replication
