// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps a node of Heddle's and its node of CometBFT's running together: starts them in order, takes
// their logs, starts again what died. For development and small installations; where there is a
// service manager, it does this.
//
// | stage          | event                     | next           | what is done                   |
// |----------------|---------------------------|----------------|--------------------------------|
// | node_down      | its delay is over         | node_starting  | starts the node                |
// | node_starting  | it accepts connections    | comet_down     |                                |
// | node_starting  | the node ended            | node_down      | a failure of the node          |
// | comet_down     | its delay is over         | running        | starts CometBFT                |
// | comet_down     | the node ended            | node_down      | a failure of the node          |
// | running        | CometBFT gave up          | running        | SIGTERM to CometBFT, which     |
// |                |                           |                | would do nothing any more      |
// | running        | CometBFT ended            | comet_down     | a failure of CometBFT          |
// | running        | the node ended            | halting        | SIGTERM to CometBFT, which can |
// |                |                           |                | do nothing without it          |
// | halting        | CometBFT ended            | node_down      | a failure of the node          |
// | each of these  | request_stop(), a failure | stopping_comet | SIGTERM to CometBFT            |
// |                | that will not go away     |                |                                |
// | stopping_comet | CometBFT is not there     | stopping_node  | SIGTERM to the node            |
// | stopping_node  | the node is not there     | stopped        |                                |
//
// What does not end within its grace period after SIGTERM gets SIGKILL. A period is time in which
// the supervisor itself runs: where the machine sleeps, or all of them are frozen together, none
// passes, for nothing could end meanwhile.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::node {

/// How long to wait before a program is started again: not at all after one that ran for a while,
/// then twice as long after each quick failure in a row.
class RestartDelay {
public:
    using Milliseconds = std::chrono::milliseconds;

    RestartDelay(Milliseconds first, Milliseconds longest, Milliseconds steady) noexcept
        : first_(first), longest_(longest), steady_(steady) {}

    /// @param ran  How long the program was there.
    [[nodiscard]] Milliseconds after_failure(Milliseconds ran) noexcept;
    [[nodiscard]] std::uint64_t failures_in_a_row() const noexcept { return failures_; }

private:
    Milliseconds first_;
    Milliseconds longest_;
    Milliseconds steady_;
    Milliseconds next_{0};
    std::uint64_t failures_ = 0;
};

/// A file that is renamed to `NAME.1`, `NAME.1` to `NAME.2` and so on when it is full.
class RotatingLog {
public:
    /// Appends to what is there. Errors: InputError.
    RotatingLog(std::filesystem::path path, std::uint64_t max_bytes, std::size_t files);
    ~RotatingLog();
    RotatingLog(const RotatingLog&) = delete;
    RotatingLog& operator=(const RotatingLog&) = delete;

    /// @return false: it could not be written.
    bool write(std::string_view text);

private:
    [[nodiscard]] bool open();
    void rotate();

    std::filesystem::path path_;
    std::uint64_t max_bytes_;
    std::size_t files_;
    std::uint64_t size_ = 0;
    int file_ = -1;
};

/// Looks in what CometBFT says for the line with which it gives up: after an error of its own, such
/// as a disk that was full, or a start from a snapshot during which a validator did not answer, its
/// process stays, answers and takes part in nothing.
class ComplaintFinder {
public:
    /// @return whether such a line began, or went on, in this part of its output.
    [[nodiscard]] bool finds_in(std::string_view text);

private:
    std::string line_;  // the beginning of the one that is being said
};

struct SupervisorOptions {
    std::vector<std::string> node_command;  // program with its path, arguments
    std::vector<std::string> comet_command;
    std::string abci_address;    // where the node accepts: tcp://IPV4:PORT or unix://PATH
    std::filesystem::path logs;  // folder; heddle.log and cometbft.log
    std::uint64_t log_bytes = std::uint64_t{16} << 20;
    std::size_t log_files = 4;
    std::chrono::milliseconds first_delay{500};
    std::chrono::milliseconds longest_delay{30'000};
    /// What ran this long had started well.
    std::chrono::milliseconds steady{10'000};
    std::chrono::milliseconds comet_grace{15'000};
    std::chrono::milliseconds node_grace{60'000};
    /// Never goes back.
    std::function<std::chrono::steady_clock::time_point()> clock = std::chrono::steady_clock::now;
    /// One sentence about what happened.
    std::function<void(const std::string&)> on_event = nullptr;
};

/// Children get SIGKILL when the thread that made them ends. Thread safety: one thread.
class Supervisor {
public:
    enum class Stage : std::uint8_t {
        node_down,
        node_starting,
        comet_down,
        running,
        halting,
        stopping_comet,
        stopping_node,
        stopped,
    };
    /// Exit code of a node whose configuration is wrong: starting it again changes nothing.
    static constexpr int kBadConfiguration = 2;

    /// Errors: InputError: an address that is none, or logs that cannot be written.
    explicit Supervisor(SupervisorOptions options);
    /// Kills what still runs.
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    /// Waits up to `wait` for output and does what is due.
    /// @return false: all is stopped.
    bool step(std::chrono::milliseconds wait);
    void request_stop();

    [[nodiscard]] Stage stage() const noexcept { return stage_; }
    /// Why it stopped without being asked to.
    [[nodiscard]] const std::optional<std::string>& failure() const noexcept { return failure_; }
    /// Of the running processes; 0: there is none.
    [[nodiscard]] pid_t node_pid() const noexcept { return node_.pid; }
    [[nodiscard]] pid_t comet_pid() const noexcept { return comet_.pid; }
    /// How often each was started.
    [[nodiscard]] std::uint64_t node_starts() const noexcept { return node_.starts; }
    [[nodiscard]] std::uint64_t comet_starts() const noexcept { return comet_.starts; }

private:
    using Clock = std::chrono::steady_clock;
    struct Child {
        std::string name;
        std::vector<std::string> command;
        std::chrono::milliseconds grace;
        RestartDelay delay;
        RotatingLog log;
        pid_t pid = 0;
        int output = -1;
        std::uint64_t starts = 0;
        Clock::time_point started{};
        Clock::time_point due{};                    // not to be started earlier
        std::optional<Clock::duration> deadline{};  // of SIGTERM, of awake_
        int exit_code = 0;                          // of the last run; -1: a signal
    };

    void advance();
    void advance_start();
    void advance_stop();
    void start(Child& child, pid_t group);
    void end(Child& child);
    /// Whether it ended since it was asked last.
    [[nodiscard]] bool reap(Child& child);
    void fail(Child& child, bool counts);
    void read_output(Child& child);
    void hear(Child& child, std::string_view text);
    void kill_late(Child& child);
    void look_at_clock();
    [[nodiscard]] std::chrono::milliseconds since(Clock::time_point start) const;
    void say(const std::string& event) const;
    void begin_stop();

    SupervisorOptions options_;
    Child node_;
    Child comet_;
    ComplaintFinder complaints_;  // of CometBFT
    Stage stage_ = Stage::node_down;
    std::optional<std::string> failure_;
    Clock::time_point now_;     // of the last step
    Clock::duration awake_{0};  // time in which it ran
};

/// Whether somebody accepts connections there. Errors: InputError: that is no address.
[[nodiscard]] bool is_accepting(const std::string& address);

/// The path of an executable: `name` itself where it has a slash, else looked for on PATH.
[[nodiscard]] std::optional<std::string> find_executable(const std::string& name);

}  // namespace heddle::node
