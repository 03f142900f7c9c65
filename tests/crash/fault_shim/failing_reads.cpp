// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Reads of tables (*.sst) that go wrong: HEDDLE_FAULT_READ says how (`EIO`; `end`: as if the file
// ended there; `flip`: one bit of what was read, by HEDDLE_FAULT_SEED; `zeros`), and
// HEDDLE_FAULT_READ_AT and HEDDLE_FAULT_READ_COUNT which: the first of them, from 1 on, and how
// many. Without the first variable nothing is touched.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sys/types.h>
#include <unistd.h>

#include "system_calls.hpp"

namespace {

using heddle::fault::kernel::read_at;

enum class Failure : std::uint8_t { none, eio, end, flip, zeros };
constexpr std::array<std::string_view, 5> kFailureNames = {"", "EIO", "end", "flip", "zeros"};

class ReadFaults {
public:
    ReadFaults() {
        const std::string_view kind = text_of("HEDDLE_FAULT_READ");
        const auto found = std::ranges::find(kFailureNames, kind);
        // As for the other variables: a fault that never comes proves nothing.
        if (found == kFailureNames.end()) std::_Exit(125);
        failure_ = static_cast<Failure>(found - kFailureNames.begin());
        first_ = number("HEDDLE_FAULT_READ_AT");
        count_ = number("HEDDLE_FAULT_READ_COUNT");
        seed_ = number("HEDDLE_FAULT_SEED");
    }

    [[nodiscard]] ssize_t read(int fd, void* data, std::size_t size, off_t offset) {
        const ssize_t got = read_at(fd, data, size, offset);
        if (failure_ == Failure::none || got <= 0 || !is_table(fd)) return got;
        const std::uint64_t place = ++reads_;
        if (place < first_ || place - first_ >= count_) return got;
        return fail(static_cast<std::uint8_t*>(data), got, place);
    }

private:
    static std::string_view text_of(const char* name) {
        const char* const text = std::getenv(name);
        return text == nullptr ? std::string_view{} : std::string_view{text};
    }
    static std::uint64_t number(const char* name) {
        const std::string_view text = text_of(name);
        std::uint64_t value = 0;
        if (text.empty()) return value;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) std::_Exit(125);
        return value;
    }
    static bool is_table(int fd) {
        std::array<char, 64> link{};
        std::array<char, 4096> path{};
        (void)std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
        const ssize_t length = ::readlink(link.data(), path.data(), path.size());
        return length > 0 &&
               std::string_view{path.data(), static_cast<std::size_t>(length)}.ends_with(".sst");
    }
    ssize_t fail(std::uint8_t* data, ssize_t got, std::uint64_t place) const {
        const auto size = static_cast<std::size_t>(got);
        switch (failure_) {
            case Failure::eio:
                errno = EIO;
                return -1;
            case Failure::end:
                return 0;
            case Failure::flip: {
                std::uint64_t mixed = seed_ + place * 0x9e3779b97f4a7c15U;
                mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
                const std::uint64_t bit = (mixed ^ mixed >> 31) % (size * 8);
                data[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
                return got;
            }
            case Failure::zeros:
                std::memset(data, 0, size);
                return got;
            case Failure::none:
                return got;
        }
        return got;
    }

    Failure failure_ = Failure::none;
    std::uint64_t first_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t seed_ = 0;
    std::atomic<std::uint64_t> reads_ = 0;
};

ReadFaults& read_faults() {
    static ReadFaults faults;
    return faults;
}

}  // namespace

// The C library's names and signatures.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" {

// Of checked calls the headers say nothing.
ssize_t __pread_chk(int fd, void* data, std::size_t size, off_t offset, std::size_t room);
ssize_t __pread64_chk(int fd, void* data, std::size_t size, off64_t offset, std::size_t room);

ssize_t pread(int fd, void* data, std::size_t size, off_t offset) {
    return read_faults().read(fd, data, size, offset);
}
ssize_t pread64(int fd, void* data, std::size_t size, off64_t offset) {
    return read_faults().read(fd, data, size, offset);
}
ssize_t __pread_chk(int fd, void* data, std::size_t size, off_t offset, std::size_t /*room*/) {
    return read_faults().read(fd, data, size, offset);
}
ssize_t __pread64_chk(int fd, void* data, std::size_t size, off64_t offset, std::size_t /*room*/) {
    return read_faults().read(fd, data, size, offset);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
