// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "network/supervisor.hpp"

#include <fcntl.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr int kPipeBytes = 1 << 20;  // what a program may say while nobody listens
/// From step to step no more than this counts as time in which it ran.
constexpr std::chrono::seconds kLongestStep{1};

struct Pipe {
    int read = -1;
    int write = -1;
};

/// Not open where the system refused, see errno.
Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    return {ends[0], ends[1]};
}

/// Descriptors that the child is given.
struct Streams {
    int input;
    int output;  // and errors
    int report;  // where it says why exec() failed
};

/// What the child does between fork() and exec(): nothing that allocates or locks.
[[noreturn]] void become(char* const* argv, pid_t group, pid_t parent, const Streams& streams) {
    ::setpgid(0, group);
    if (group != 0 && ::getpgrp() != group) ::setpgid(0, 0);  // it is gone
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // the parent ended before it was asked for
    ::dup2(streams.input, STDIN_FILENO);
    ::dup2(streams.output, STDOUT_FILENO);
    ::dup2(streams.output, STDERR_FILENO);
    ::execv(argv[0], argv);
    const int error = errno;
    const ssize_t ignored = ::write(streams.report, &error, sizeof error);
    (void)ignored;
    ::_exit(127);
}

std::string how_it_ended(int exit_code, int signal) {
    if (signal != 0) return fmt::format("ended by signal {} ({})", signal, ::strsignal(signal));
    return fmt::format("ended with exit code {}", exit_code);
}

std::string in_words(Milliseconds time) {
    return fmt::format("{:.1f} s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

Supervisor::Supervisor(SupervisorOptions options)
    : options_(std::move(options)),
      node_{"heddle",
            options_.node_command,
            options_.node_grace,
            {options_.first_delay, options_.longest_delay, options_.steady},
            {options_.logs / "heddle.log", options_.log_bytes, options_.log_files}},
      comet_{"cometbft",
             options_.comet_command,
             options_.comet_grace,
             {options_.first_delay, options_.longest_delay, options_.steady},
             {options_.logs / "cometbft.log", options_.log_bytes, options_.log_files}},
      now_(options_.clock()) {
    (void)is_accepting(options_.abci_address);
}

Supervisor::~Supervisor() {
    for (Child* child : {&comet_, &node_}) {
        if (child->pid != 0) {
            ::kill(child->pid, SIGKILL);
            ::waitpid(child->pid, nullptr, 0);
        }
        if (child->output >= 0) ::close(child->output);
    }
}

bool Supervisor::step(Milliseconds wait) {
    std::array<pollfd, 2> outputs{pollfd{node_.output, POLLIN, 0},
                                  pollfd{comet_.output, POLLIN, 0}};  // -1 is passed over
    ::poll(outputs.data(), outputs.size(), static_cast<int>(wait.count()));
    read_output(node_);
    read_output(comet_);
    advance();
    return stage_ != Stage::stopped;
}

void Supervisor::request_stop() {
    if (stage_ < Stage::stopping_comet) begin_stop();
}

void Supervisor::begin_stop() {
    stage_ = Stage::stopping_comet;
    end(comet_);
}

void Supervisor::look_at_clock() {
    const Clock::time_point before = std::exchange(now_, options_.clock());
    awake_ += std::min<Clock::duration>(now_ - before, kLongestStep);
}

Milliseconds Supervisor::since(Clock::time_point start) const {
    return std::chrono::duration_cast<Milliseconds>(now_ - start);
}

void Supervisor::advance() {
    look_at_clock();
    // CometBFT is asked first: where it ended because the node did, the node is seen to have ended.
    const bool comet_ended = reap(comet_);
    const bool node_ended = reap(node_);
    kill_late(comet_);
    kill_late(node_);
    if (stage_ >= Stage::stopping_comet) return advance_stop();

    if (node_ended) {
        const bool was_ready = stage_ == Stage::running || stage_ == Stage::comet_down;
        if (!was_ready && node_.exit_code == kBadConfiguration) {
            failure_ = "the node cannot be started as it is configured";
            return begin_stop();
        }
        fail(node_, true);
        comet_.due = now_;
        stage_ = comet_.pid == 0 ? Stage::node_down : Stage::halting;
        end(comet_);
        return;
    }
    if (comet_ended && stage_ == Stage::halting) {
        stage_ = Stage::node_down;
    } else if (comet_ended) {
        fail(comet_, true);
        stage_ = Stage::comet_down;
    }
    advance_start();
}

void Supervisor::advance_start() {
    if (stage_ == Stage::node_down && now_ >= node_.due) {
        if (is_accepting(options_.abci_address)) {
            say(fmt::format("another program listens at {}", options_.abci_address));
            return fail(node_, false);
        }
        start(node_, 0);
        if (node_.pid != 0) stage_ = Stage::node_starting;
    } else if (stage_ == Stage::node_starting && is_accepting(options_.abci_address)) {
        say(fmt::format("heddle accepts CometBFT after {}", in_words(since(node_.started))));
        stage_ = Stage::comet_down;
    } else if (stage_ == Stage::comet_down && now_ >= comet_.due) {
        complaints_ = {};
        start(comet_, node_.pid);
        if (comet_.pid != 0) stage_ = Stage::running;
    }
}

void Supervisor::advance_stop() {
    if (stage_ == Stage::stopping_comet && comet_.pid == 0) {
        stage_ = Stage::stopping_node;
        end(node_);
    }
    if (stage_ == Stage::stopping_node && node_.pid == 0) stage_ = Stage::stopped;
}

void Supervisor::start(Child& child, pid_t group) {
    std::vector<char*> argv;
    argv.reserve(child.command.size() + 1);
    for (std::string& argument : child.command)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const Pipe output = make_pipe();
    const Pipe report = make_pipe();
    // What the system has too few of now, descriptors or processes, it may have again.
    const bool has_streams = input >= 0 && output.read >= 0 && report.read >= 0;
    const pid_t parent = ::getpid();
    const pid_t pid = has_streams ? ::fork() : -1;
    if (pid == 0) become(argv.data(), group, parent, {input, output.write, report.write});
    int error = pid < 0 ? errno : 0;
    for (const int ours : {input, output.write, report.write})
        if (ours >= 0) ::close(ours);
    // Ends without a byte when exec() succeeds.
    while (pid > 0 && ::read(report.read, &error, sizeof error) < 0 && errno == EINTR) {
    }
    if (report.read >= 0) ::close(report.read);
    child.started = now_;
    if (error != 0) {
        if (output.read >= 0) ::close(output.read);
        if (pid > 0) ::waitpid(pid, nullptr, 0);
        say(fmt::format("{}: {} cannot be started: {}", child.name, child.command.front(),
                        std::strerror(error)));
        return fail(child, false);
    }
    ::fcntl(output.read, F_SETFL, O_NONBLOCK);
    ::fcntl(output.read, F_SETPIPE_SZ, kPipeBytes);
    if (child.output >= 0) ::close(child.output);
    child.output = output.read;
    child.pid = pid;
    ++child.starts;
    say(fmt::format("{} started, process {}", child.name, pid));
}

void Supervisor::end(Child& child) {
    if (child.pid == 0 || child.deadline.has_value()) return;
    ::kill(child.pid, SIGTERM);
    ::kill(child.pid, SIGCONT);  // a stopped process would not see it
    child.deadline = awake_ + child.grace;
}

void Supervisor::kill_late(Child& child) {
    if (child.pid == 0 || !child.deadline.has_value() || awake_ < *child.deadline) return;
    say(fmt::format("{} does not end: it is killed", child.name));
    ::kill(child.pid, SIGKILL);
    child.deadline = awake_ + child.grace;
}

bool Supervisor::reap(Child& child) {
    int status = 0;
    if (child.pid == 0 || ::waitpid(child.pid, &status, WNOHANG) != child.pid) return false;
    read_output(child);
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child.exit_code = signal != 0 ? -1 : WEXITSTATUS(status);
    say(fmt::format("{} {} after {}", child.name, how_it_ended(child.exit_code, signal),
                    in_words(since(child.started))));
    child.pid = 0;
    child.deadline.reset();
    return true;
}

/// @param counts  Whether it ran at all.
void Supervisor::fail(Child& child, bool counts) {
    const Milliseconds delay =
        child.delay.after_failure(counts ? since(child.started) : Milliseconds{0});
    child.due = now_ + delay;
    if (delay.count() != 0)
        say(fmt::format("{} failed {} times in a row: started again in {}", child.name,
                        child.delay.failures_in_a_row(), in_words(delay)));
}

void Supervisor::read_output(Child& child) {
    std::array<char, kReadBytes> buffer{};
    while (child.output >= 0) {
        const ssize_t size = ::read(child.output, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && errno == EAGAIN) return;
        if (size <= 0) {
            ::close(child.output);
            child.output = -1;
            return;
        }
        hear(child, {buffer.data(), static_cast<std::size_t>(size)});
    }
}

void Supervisor::hear(Child& child, std::string_view text) {
    // A full disk must not keep a validator from voting: what cannot be written is lost.
    (void)child.log.write(text);
    if (&child != &comet_ || !complaints_.finds_in(text) || stage_ != Stage::running) return;
    if (child.pid == 0 || child.deadline.has_value()) return;
    say("cometbft has given up, as its log says: it is started again");
    end(child);
}

void Supervisor::say(const std::string& event) const {
    if (options_.on_event) options_.on_event(event);
}

}  // namespace heddle::node
