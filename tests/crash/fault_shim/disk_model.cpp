// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "disk_model.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "system_calls.hpp"

namespace heddle::fault {
namespace {

constexpr off_t kSector = 512;
constexpr off_t kPage = 4096;

std::optional<std::pair<dev_t, ino_t>> identity(int fd) noexcept {
    struct stat status{};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return std::pair{status.st_dev, status.st_ino};
}

std::string read_range(int fd, off_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = kernel::read_at(fd, bytes.data() + done, size - done,
                                            offset + static_cast<off_t>(done));
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    return bytes;
}

void write_range(int fd, off_t offset, const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t put = kernel::write_at(fd, bytes.data() + done, bytes.size() - done,
                                             offset + static_cast<off_t>(done));
        if (put <= 0) break;
        done += static_cast<std::size_t>(put);
    }
}

int open_again(int fd) noexcept {
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    return kernel::open(self.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace

/// splitmix64: the same losses for the same seed, everywhere.
class DiskModel::Dice {
public:
    explicit Dice(std::uint64_t seed) noexcept : state_(seed) {}

    [[nodiscard]] std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    /// One of 0..limit; both ends often, since most mistakes show there.
    [[nodiscard]] std::uint64_t up_to(std::uint64_t limit) noexcept {
        switch (next() % 4) {
            case 0:
                return 0;
            case 1:
                return limit;
            default:
                return next() % (limit + 1);
        }
    }

private:
    std::uint64_t state_;
};

DiskModel::File* DiskModel::find(int fd) {
    const auto id = identity(fd);
    if (!id) return nullptr;
    const auto found = files_.find(*id);
    return found == files_.end() ? nullptr : &found->second;
}

bool DiskModel::is_durable(const File& file) {
    return file.changes.empty() && kernel::size(file.fd) == file.durable_size;
}

void DiskModel::opened(int fd, const std::string& path, bool is_new) {
    const auto id = identity(fd);
    if (!id) return;
    File& file = files_[*id];
    if (file.fd < 0) {
        file.fd = open_again(fd);
        file.durable_size = is_new ? 0 : kernel::size(file.fd);
    }
    file.path = path;
    ++file.openers;
}

void DiskModel::closed(int fd) {
    const auto id = identity(fd);
    if (!id) return;
    const auto found = files_.find(*id);
    if (found == files_.end()) return;
    File& file = found->second;
    if (--file.openers > 0 || !is_durable(file)) return;
    kernel::close(file.fd);
    files_.erase(found);
}

void DiskModel::will_write(int fd, off_t offset, std::size_t size) {
    File* file = find(fd);
    if (file == nullptr || offset >= file->durable_size) return;
    const auto below = static_cast<std::size_t>(file->durable_size - offset);
    std::string before = read_range(file->fd, offset, std::min(size, below));
    if (!before.empty())
        file->changes.push_back(
            {.is_truncation = false, .offset = offset, .before = std::move(before)});
}

void DiskModel::will_truncate(int fd, off_t new_size) {
    File* file = find(fd);
    if (file == nullptr || new_size >= file->durable_size) return;
    const auto below = static_cast<std::size_t>(file->durable_size - new_size);
    file->changes.push_back({.is_truncation = true,
                             .offset = new_size,
                             .before = read_range(file->fd, new_size, below)});
}

void DiskModel::synced(int fd) {
    File* file = find(fd);
    if (file == nullptr) return;
    file->durable_size = kernel::size(file->fd);
    file->changes.clear();
}

void DiskModel::made(const std::string& path, bool is_folder) {
    journal_.push_back({.kind = is_folder ? NameKind::folder_made : NameKind::made,
                        .path = path,
                        .to = {},
                        .kept = {}});
}

std::string DiskModel::keep(const std::string& path) {
    if (!kernel::exists(path.c_str())) return {};
    kernel::make_folder(undo_folder_.c_str(), 0755);
    std::string kept = undo_folder_ + "/" + std::to_string(kept_count_++);
    return kernel::link(path.c_str(), kept.c_str()) == 0 ? kept : std::string{};
}

void DiskModel::discard(const std::string& kept) {
    if (!kept.empty()) kernel::unlink(kept.c_str());
}

void DiskModel::renamed(const std::string& from, const std::string& to, const std::string& kept) {
    journal_.push_back({.kind = NameKind::renamed, .path = from, .to = to, .kept = kept});
}

void DiskModel::removed(const std::string& path, const std::string& kept) {
    journal_.push_back({.kind = NameKind::removed, .path = path, .to = {}, .kept = kept});
}

void DiskModel::folder_removed(const std::string& path) {
    journal_.push_back({.kind = NameKind::folder_removed, .path = path, .to = {}, .kept = {}});
}

void DiskModel::names_synced() {
    for (const NameChange& change : journal_)
        discard(change.kept);
    journal_.clear();
    forget_durable_files();
    kernel::remove_folder(undo_folder_.c_str());
}

void DiskModel::forget_durable_files() {
    std::erase_if(files_, [](const auto& entry) {
        const File& file = entry.second;
        struct stat status{};
        const bool has_name = ::fstat(file.fd, &status) == 0 && status.st_nlink > 0;
        if (file.openers > 0 || (has_name && !is_durable(file))) return false;
        kernel::close(file.fd);
        return true;
    });
}

void DiskModel::undo(const NameChange& change) {
    switch (change.kind) {
        case NameKind::made:
            kernel::unlink(change.path.c_str());
            break;
        case NameKind::folder_made:
            kernel::remove_folder(change.path.c_str());
            break;
        case NameKind::renamed:
            kernel::rename(change.to.c_str(), change.path.c_str());
            if (!change.kept.empty()) kernel::rename(change.kept.c_str(), change.to.c_str());
            break;
        case NameKind::removed:
            if (!change.kept.empty()) kernel::rename(change.kept.c_str(), change.path.c_str());
            break;
        case NameKind::folder_removed:
            kernel::make_folder(change.path.c_str(), 0755);
            break;
    }
}

void DiskModel::tear(File& file, Dice& dice, std::string& report) {
    const off_t size_before = kernel::size(file.fd);
    const auto survivors = static_cast<std::size_t>(dice.up_to(file.changes.size()));
    off_t floor = file.durable_size;
    for (std::size_t i = file.changes.size(); i-- > survivors;)
        write_range(file.fd, file.changes[i].offset, file.changes[i].before);
    for (std::size_t i = 0; i < survivors; ++i)
        if (file.changes[i].is_truncation) floor = std::min(floor, file.changes[i].offset);

    const off_t size = kernel::size(file.fd);
    if (size > floor) {
        const off_t cut =
            floor + static_cast<off_t>(dice.up_to(static_cast<std::uint64_t>(size - floor)));
        kernel::truncate(file.fd, cut);
        if (cut > floor) {
            const std::uint64_t damage = dice.next() % 5;
            const bool is_page = damage == 2;
            const off_t unit = is_page ? kPage : kSector;
            const auto left = static_cast<std::uint64_t>(cut - floor);
            const off_t place = is_page ? floor + static_cast<off_t>(dice.next() % left) : cut - 1;
            const off_t begin = std::max(floor, place / unit * unit);
            const off_t end = std::min(cut, (place / unit + 1) * unit);
            std::string filling(static_cast<std::size_t>(end - begin), '\0');
            if (damage == 1)
                for (char& byte : filling)
                    byte = static_cast<char>(dice.next());
            if (damage <= 2) write_range(file.fd, begin, filling);
        }
    }
    report.append("lost ").append(file.path).append(": durable ");
    report.append(std::to_string(file.durable_size)).append(" of ");
    report.append(std::to_string(size_before)).append(" bytes, left ");
    report.append(std::to_string(kernel::size(file.fd))).append(", changes kept ");
    report.append(std::to_string(survivors)).append(" of ");
    report.append(std::to_string(file.changes.size())).append("\n");
}

std::string DiskModel::lose_power(std::uint64_t seed) {
    Dice dice(seed);
    std::string report;
    const auto survivors = static_cast<std::size_t>(dice.up_to(journal_.size()));
    for (std::size_t i = journal_.size(); i-- > survivors;)
        undo(journal_[i]);
    for (const NameChange& change : journal_)
        discard(change.kept);
    kernel::remove_folder(undo_folder_.c_str());
    report.append("names kept ").append(std::to_string(survivors)).append(" of ");
    report.append(std::to_string(journal_.size())).append("\n");
    for (auto& [id, file] : files_)
        if (!is_durable(file)) tear(file, dice, report);
    return report;
}

std::string DiskModel::unsynced() const {
    std::string text;
    for (const auto& [id, file] : files_) {
        if (is_durable(file)) continue;
        // The name may have changed since the file was opened.
        std::string path(kPage, '\0');
        const std::string self = "/proc/self/fd/" + std::to_string(file.fd);
        const ssize_t size = ::readlink(self.c_str(), path.data(), path.size());
        path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        text.append(std::to_string(file.durable_size)).append(" ").append(path).append("\n");
    }
    return text;
}

void DiskModel::take_over(const std::string& text) {
    std::istringstream lines(text);
    off_t durable_size = 0;
    std::string path;
    while (lines >> durable_size && std::getline(lines >> std::ws, path)) {
        const int fd = kernel::open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (fd < 0) continue;
        if (const auto id = identity(fd)) {
            File& file = files_[*id];
            file = {
                .path = path, .fd = fd, .openers = 0, .durable_size = durable_size, .changes = {}};
        }
    }
}

}  // namespace heddle::fault
