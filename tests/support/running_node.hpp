// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that goes on running while a test talks to it, and the simplest client for its
// JSON-RPC. HEDDLE_PROGRAM names the program; the build defines that.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_process.hpp"
#include "program.hpp"

namespace heddle::test {

/// Names and values.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Killed with its owner and with the thread that made it, where it has not ended before.
class RunningProgram {
public:
    /// `environment` comes on top of that of the test.
    explicit RunningProgram(const std::vector<std::string>& arguments,
                            const Variables& environment = {}) {
        const auto out = (folder_.path() / "out").native();
        const auto error = (folder_.path() / "error").native();
        child_ = fork_child();
        if (child_ != 0) return;
        std::string program = HEDDLE_PROGRAM;
        std::vector<std::string> copies = arguments;
        std::vector<char*> argv{program.data()};
        for (auto& argument : copies)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        ::signal(SIGHUP, SIG_DFL);  // whatever nohup has said to the tests
        if (std::freopen("/dev/null", "r", stdin) == nullptr ||
            std::freopen(out.c_str(), "w", stdout) == nullptr ||
            std::freopen(error.c_str(), "w", stderr) == nullptr)
            ::_exit(126);
        // The temporary folders of a program that is killed go with its owner's.
        ::setenv("TMPDIR", folder_.path().c_str(), 1);
        for (const auto& [name, value] : environment)
            ::setenv(name.c_str(), value.c_str(), 1);
        ::execv(program.c_str(), argv.data());
        ::_exit(127);
    }
    ~RunningProgram() { (void)end(SIGKILL); }
    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;

    [[nodiscard]] std::string out() const { return read_text(folder_.path() / "out"); }
    [[nodiscard]] std::string error() const { return read_text(folder_.path() / "error"); }

    /// Sends the signal and waits. @return the exit code; -1: it was ended by a signal.
    int end(int signal = SIGTERM) {
        if (child_ > 0) ::kill(child_, signal);
        return wait();
    }
    /// Waits until it ends by itself.
    int wait() {
        if (child_ <= 0) return exit_code_;
        int status = 0;
        ::waitpid(child_, &status, 0);
        child_ = -1;
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return exit_code_;
    }
    /// Not positive: it has ended.
    [[nodiscard]] pid_t process() const noexcept { return child_; }
    [[nodiscard]] bool is_running() {
        if (child_ <= 0) return false;
        int status = 0;
        if (::waitpid(child_, &status, WNOHANG) == 0) return true;
        child_ = -1;
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return false;
    }

private:
    const TemporaryFolder folder_;
    pid_t child_ = -1;
    int exit_code_ = -1;
};

/// One HTTP exchange over a connection of its own. Empty: nobody answered.
inline std::string http(std::uint16_t port, const std::string& request) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string response;
    if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address),  // NOLINT
                  sizeof address) == 0 &&
        ::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size())) {
        std::array<char, 65'536> buffer{};
        for (ssize_t size = 0; (size = ::recv(descriptor, buffer.data(), buffer.size(), 0)) > 0;)
            response.append(buffer.data(), static_cast<std::size_t>(size));
    }
    ::close(descriptor);
    return response;
}

inline std::string http_get(std::uint16_t port, const std::string& path) {
    return http(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
}

/// A node on a port of its own.
class RunningNode {
public:
    /// Waits until it answers, or has ended.
    explicit RunningNode(std::vector<std::string> arguments, const Variables& environment = {})
        : program_(
              [&] {
                  arguments.insert(arguments.begin(), {"node", "--rpc-port", "0"});
                  return arguments;
              }(),
              environment) {
        while (program_.is_running() && !find_port())
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }

    [[nodiscard]] RunningProgram& program() noexcept { return program_; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    /// The body of the response to one call; empty: nobody answered.
    [[nodiscard]] std::string call(std::string_view method, std::string_view params = "[]") const {
        const std::string body = R"({"jsonrpc":"2.0","id":1,"method":")" + std::string{method} +
                                 R"(","params":)" + std::string{params} + "}";
        const std::string response =
            http(port_,
                 "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                 "Content-Type: application/json\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n\r\n" + body);
        const auto end = response.find("\r\n\r\n");
        return end == std::string::npos ? "" : response.substr(end + 4);
    }
    /// The text of a result that is a string; throws where it is none.
    [[nodiscard]] std::string text(std::string_view method, std::string_view params = "[]") const {
        const std::string response = call(method, params);
        constexpr std::string_view kBefore = R"("result":")";
        const auto begin = response.find(kBefore);
        if (begin == std::string::npos) throw std::runtime_error("no text: " + response);
        const auto from = begin + kBefore.size();
        return response.substr(from, response.find('"', from) - from);
    }
    [[nodiscard]] std::uint64_t number(std::string_view method,
                                       std::string_view params = "[]") const {
        return std::stoull(text(method, params), nullptr, 16);
    }

private:
    bool find_port() {
        constexpr std::string_view kBefore = "listening on 127.0.0.1:";
        const std::string log = program_.error();
        const auto found = log.find(kBefore);
        if (found == std::string::npos || log.find('\n', found) == std::string::npos) return false;
        port_ = static_cast<std::uint16_t>(std::stoul(log.substr(found + kBefore.size())));
        return true;
    }

    RunningProgram program_;
    std::uint16_t port_ = 0;
};

}  // namespace heddle::test
