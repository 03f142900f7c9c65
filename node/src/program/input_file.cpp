// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/input_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/error.hpp"

namespace heddle::node {

namespace {

using IsGivenUp = bool (*)() noexcept;
std::atomic<IsGivenUp> is_waiting_given_up = nullptr;

}  // namespace

InputFile::InputFile(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (file_ < 0) fail_input("{}: cannot open: {}", path_, std::strerror(errno));
    struct stat status{};
    const bool is_known = ::fstat(file_, &status) == 0;
    if (is_known && !S_ISDIR(status.st_mode)) {
        may_wait_ = !S_ISREG(status.st_mode);
        size_ = may_wait_ ? 0 : static_cast<std::uint64_t>(status.st_size);
        return;
    }
    const int error = errno;
    ::close(file_);
    if (is_known) fail_input("{}: is a folder, but a file is required", path_);
    fail_input("{}: cannot read: {}", path_, std::strerror(error));
}

InputFile::~InputFile() {
    ::close(file_);
}

void InputFile::wait_for_bytes() const {
    constexpr int kMostMs = 200;
    for (;;) {
        pollfd waiting{.fd = file_, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&waiting, 1, kMostMs);
        if (ready > 0) return;
        if (ready < 0 && errno != EINTR)
            fail_input("{}: cannot read: {}", path_, std::strerror(errno));
        const IsGivenUp is_given_up = is_waiting_given_up.load(std::memory_order_relaxed);
        if (is_given_up != nullptr && is_given_up())
            fail_input("{}: stopped as asked, before its end had come", path_);
    }
}

std::size_t InputFile::read(std::span<char> into) {
    for (;;) {
        if (may_wait_) wait_for_bytes();
        const ssize_t got = ::read(file_, into.data(), into.size());
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN)
            fail_input("{}: cannot read: {}", path_, std::strerror(errno));
    }
}

void give_up_waiting_when(IsGivenUp is_given_up) noexcept {
    is_waiting_given_up.store(is_given_up, std::memory_order_relaxed);
}

}  // namespace heddle::node
