// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_process.hpp"

namespace heddle::test {
namespace {

[[noreturn]] void become(std::vector<std::string> command, const std::string& log,
                         const std::string& network) {
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(in, 0);
    ::dup2(out, 1);
    ::dup2(out, 2);
    // What it leaves there when it is killed goes with the folder.
    ::setenv("TMPDIR", std::filesystem::path{log}.parent_path().c_str(), 1);
    if (!network.empty()) {
        const std::string file = "/run/netns/" + network;
        const int space = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (space < 0 || ::setns(space, CLONE_NEWNET) != 0) ::_exit(126);
    }
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (auto& argument : command)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execvp(argv.front(), argv.data());
    ::_exit(127);
}

}  // namespace

Process::Process(std::vector<std::string> command, const std::filesystem::path& log,
                 const std::string& network) {
    child_ = fork_child();
    if (child_ == 0) become(std::move(command), log.native(), network);
}

Process::~Process() {
    (void)end(SIGKILL);
}

void Process::note_end(int status) {
    child_ = -1;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool Process::is_running() {
    if (child_ <= 0) return false;
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) == 0) return true;
    note_end(status);
    return false;
}

void Process::signal(int number) {
    if (child_ > 0) ::kill(child_, number);
}

int Process::end(int number) {
    signal(number);
    return wait();
}

int Process::wait() {
    if (child_ > 0) {
        int status = 0;
        ::waitpid(child_, &status, 0);
        note_end(status);
    }
    return exit_code_;
}

int run_command(const std::vector<std::string>& command, const std::filesystem::path& log) {
    return Process{command, log}.wait();
}

std::string http_exchange(const std::string& address, std::uint16_t port, const std::string& path,
                          const std::string& body) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{5, 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    ::inet_pton(AF_INET, address.c_str(), &to.sin_addr);
    std::string request = (body.empty() ? "GET " : "POST ") + path +
                          " HTTP/1.1\r\nHost: " + address + "\r\nConnection: close\r\n";
    if (!body.empty())
        request +=
            "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
            "\r\n";
    request += "\r\n" + body;
    std::string response;
    if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&  // NOLINT
        ::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size())) {
        std::array<char, 65'536> buffer{};
        for (ssize_t size = 0; (size = ::recv(descriptor, buffer.data(), buffer.size(), 0)) > 0;)
            response.append(buffer.data(), static_cast<std::size_t>(size));
    }
    ::close(descriptor);
    const auto end = response.find("\r\n\r\n");
    if (end == std::string::npos) return {};
    // Large answers of CometBFT come in chunks.
    if (response.find("chunked") >= end) return response.substr(end + 4);
    std::string whole;
    for (std::size_t at = end + 4; at < response.size();) {
        const std::size_t size = std::stoul(response.substr(at), nullptr, 16);
        at = response.find("\r\n", at) + 2;
        whole += response.substr(at, size);
        at += size + 2;
        if (size == 0) break;
    }
    return whole;
}

}  // namespace heddle::test
