// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the supervisor is made of besides its stages: delays, logs, addresses, paths.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "network/supervisor.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kUnix = "unix://";
constexpr int kConnectMs = 200;

/// Closes the descriptor at the end of the scope.
class Socket {
public:
    explicit Socket(int family)
        : fd_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
    ~Socket() {
        if (fd_ >= 0) ::close(fd_);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    template <typename Address>
    [[nodiscard]] bool can_connect(const Address& address) const {
        // The interface of sockets wants the general type.
        const auto* const general = reinterpret_cast<const sockaddr*>(&address);  // NOLINT
        if (::connect(fd_, general, sizeof address) == 0) return true;
        if (errno != EINPROGRESS) return false;
        pollfd waiting{fd_, POLLOUT, 0};
        if (::poll(&waiting, 1, kConnectMs) != 1) return false;
        int error = 0;
        socklen_t size = sizeof error;
        return ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
    }

private:
    int fd_;
};

bool accepts_tcp(const std::string& address) {
    const std::string_view rest = std::string_view{address}.substr(kTcp.size());
    const std::size_t colon = rest.rfind(':');
    const std::string host{rest.substr(0, colon)};
    std::uint16_t port = 0;
    sockaddr_in target{};
    target.sin_family = AF_INET;
    const char* const end = rest.data() + rest.size();
    if (colon == std::string_view::npos ||
        std::from_chars(rest.data() + colon + 1, end, port).ptr != end || port == 0 ||
        ::inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host.c_str(), &target.sin_addr) !=
            1)
        fail_input("{}: expected tcp://IPV4:PORT", address);
    target.sin_port = htons(port);
    return Socket{AF_INET}.can_connect(target);
}

bool accepts_unix(const std::string& address) {
    const std::string path = address.substr(kUnix.size());
    sockaddr_un target{};
    target.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof target.sun_path)
        fail_input("{}: expected unix://PATH, the path below {} bytes", address,
                   sizeof target.sun_path);
    std::memcpy(static_cast<char*>(target.sun_path), path.c_str(), path.size() + 1);
    return Socket{AF_UNIX}.can_connect(target);
}

bool is_executable(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// What CometBFT says itself in a line of its log, as far as that has come; empty where it is no
/// error. The time stands before it; in JSON its name does. Only a line's beginning counts: what
/// peers say of themselves is further behind.
std::string_view message_of(std::string_view line) {
    constexpr std::string_view kName = R"({"_msg":")";
    if (line.starts_with(kName)) return line.substr(kName.size());
    const std::size_t end_of_time = line.find("] ");
    if (!line.starts_with("E[") || end_of_time == std::string_view::npos) return {};
    return line.substr(end_of_time + 2);
}

}  // namespace

RestartDelay::Milliseconds RestartDelay::after_failure(Milliseconds ran) noexcept {
    if (ran >= steady_) {
        failures_ = 1;
        next_ = first_;
        return Milliseconds{0};
    }
    ++failures_;
    const Milliseconds delay = next_;
    next_ = delay.count() == 0 ? first_ : std::min(2 * delay, longest_);
    return delay;
}

bool ComplaintFinder::finds_in(std::string_view text) {
    // What it says last where consensus, or a start from a snapshot, has ended: the snapshot was
    // not found, or what is behind it could not be kept or begun.
    constexpr std::array<std::string_view, 5> kGivesUp{
        "CONSENSUS FAILURE!!!", "State sync failed", "Failed to bootstrap node with new state",
        "Failed to store last seen commit", "Failed to switch to block sync"};
    constexpr std::size_t kMostBefore = 64;
    constexpr std::size_t kLongest =
        std::ranges::max_element(kGivesUp, {}, &std::string_view::size)->size();
    bool is_found = false;
    for (const char c : text) {
        if (c == '\n') {
            line_.clear();
        } else if (line_.size() < kMostBefore + kLongest) {
            line_ += c;
            is_found = is_found || std::ranges::find(kGivesUp, message_of(line_)) != kGivesUp.end();
        }
    }
    return is_found;
}

RotatingLog::RotatingLog(fs::path path, std::uint64_t max_bytes, std::size_t files)
    : path_(std::move(path)), max_bytes_(max_bytes), files_(files) {
    std::error_code error;
    fs::create_directories(path_.parent_path(), error);
    if (error || !open())
        fail_input("{}: cannot be written: {}", path_.string(),
                   error ? error.message() : std::strerror(errno));
}

RotatingLog::~RotatingLog() {
    if (file_ >= 0) ::close(file_);
}

bool RotatingLog::open() {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    struct stat status{};
    if (file_ < 0 || ::fstat(file_, &status) != 0) return false;
    size_ = static_cast<std::uint64_t>(status.st_size);
    return true;
}

void RotatingLog::rotate() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
    std::error_code ignored;
    const auto name = [&](std::size_t number) {
        return number == 0 ? path_ : fs::path{fmt::format("{}.{}", path_.string(), number)};
    };
    if (files_ <= 1) fs::remove(path_, ignored);
    for (std::size_t i = files_; i-- > 1;)
        fs::rename(name(i - 1), name(i), ignored);
}

bool RotatingLog::write(std::string_view text) {
    if (size_ >= max_bytes_) rotate();
    if (file_ < 0 && !open()) return false;
    size_ += text.size();
    while (!text.empty()) {
        const ssize_t done = ::write(file_, text.data(), text.size());
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
}

bool is_accepting(const std::string& address) {
    if (address.starts_with(kTcp)) return accepts_tcp(address);
    if (address.starts_with(kUnix)) return accepts_unix(address);
    fail_input("{}: expected tcp://IPV4:PORT or unix://PATH", address);
}

std::optional<std::string> find_executable(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return is_executable(name) ? std::optional{name} : std::nullopt;
    const char* const path = std::getenv("PATH");
    std::string_view folders = path == nullptr ? "" : path;
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        const fs::path candidate = fs::path{folders.substr(0, end)} / name;
        if (is_executable(candidate)) return candidate.string();
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return std::nullopt;
}

}  // namespace heddle::node
