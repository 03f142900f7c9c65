// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/repeat.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/json_writer.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node::load {

namespace {

using Clock = std::chrono::steady_clock;

/// How often somebody who waits for a time asks whether to go on.
constexpr std::chrono::milliseconds kLook{100};

std::vector<std::string> read_lines(const std::string& path) {
    std::ifstream stream{path};
    if (!stream.is_open()) fail_input("{}: cannot open: {}", path, std::strerror(errno));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) lines.push_back(std::move(line));
    if (lines.empty()) fail_input("{}: expected a file with a JSON-RPC request a line", path);
    return lines;
}

class Repeater {
public:
    Repeater(const Endpoint& endpoint, const RepeatOptions& options)
        : lines_(read_lines(options.file)),
          connections_(options.connections),
          rate_(options.rate),
          limit_(std::chrono::duration_cast<Clock::duration>(
              std::chrono::duration<double>{options.seconds})),
          http_(endpoint, options.connections) {}

    RepeatReport run() {
        begin_ = Clock::now();
        for (std::size_t i = 0; i < connections_; ++i)
            send(i);
        http_.run();
        report_.seconds = std::chrono::duration<double>(last_ - begin_).count();
        report_.latency = percentiles(std::move(latencies_));
        return std::move(report_);
    }

private:
    void send(std::size_t connection) {
        const auto time = Clock::now();
        if (time - begin_ >= limit_ || StopSignal::is_raised()) return;
        const std::size_t index = next_++;
        if (rate_ == 0) return send(connection, index, time);
        const std::chrono::duration<double> due{static_cast<double>(index) / rate_};
        // Before it is converted, for it may be later than a clock can tell.
        if (due < limit_)
            wait(connection, index, begin_ + std::chrono::duration_cast<Clock::duration>(due));
    }

    void wait(std::size_t connection, std::size_t index, Clock::time_point due) {
        if (StopSignal::is_raised()) return;
        const Clock::duration left = due - Clock::now();
        if (left <= Clock::duration::zero()) return send(connection, index, due);
        http_.after(std::min<Clock::duration>(left, kLook),
                    [this, connection, index, due] { wait(connection, index, due); });
    }

    void send(std::size_t connection, std::size_t index, Clock::time_point due) {
        http_.send(
            connection, lines_[index % lines_.size()],
            [this, connection, due](std::string_view body) {
                last_ = Clock::now();
                latencies_.push_back(
                    std::chrono::duration<double, std::milli>(last_ - due).count());
                ++report_.requests;
                report_.bytes += body.size();
                if (body.find("\"error\"") != std::string_view::npos && report_.errors++ == 0)
                    report_.first_error = body.substr(0, 300);
                send(connection);
            });
    }

    std::vector<std::string> lines_;
    std::size_t connections_;
    double rate_;
    Clock::duration limit_;
    HttpClient http_;
    Clock::time_point begin_;
    Clock::time_point last_;
    std::size_t next_ = 0;
    std::vector<double> latencies_;
    RepeatReport report_;
};

double processor_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace

RepeatReport repeat_requests(const Endpoint& endpoint, const RepeatOptions& options) {
    Repeater repeater{endpoint, options};
    const double before = processor_seconds();
    RepeatReport report = repeater.run();
    report.cpu_seconds = processor_seconds() - before;
    return report;
}

std::string describe(const RepeatReport& report, bool as_json) {
    const double per_second =
        report.seconds > 0 ? static_cast<double>(report.requests) / report.seconds : 0;
    const Percentiles& latency = report.latency;
    if (as_json) {
        std::string text;
        JsonWriter out{text};
        const auto real = [&out](std::string_view name, double value) {
            out.key(name);
            out.raw(fmt::format("{:.3f}", value));
        };
        out.begin_object();
        out.key("requests");
        out.number(report.requests);
        out.key("errors");
        out.number(report.errors);
        out.key("bytes");
        out.number(report.bytes);
        real("seconds", report.seconds);
        real("requestsPerSecond", per_second);
        out.key("latencyMilliseconds");
        out.begin_object();
        real("p50", latency.p50);
        real("p90", latency.p90);
        real("p99", latency.p99);
        real("max", latency.max);
        out.end_object();
        real("loadGeneratorCpuSeconds", report.cpu_seconds);
        out.end_object();
        return text + "\n";
    }
    std::string text =
        fmt::format("requests      {:.0f} per second: {} in {:.2f} s, {:.1f} kB each\n", per_second,
                    report.requests, report.seconds,
                    1e-3 * static_cast<double>(report.bytes) /
                        static_cast<double>(std::max<std::uint64_t>(report.requests, 1)));
    text +=
        fmt::format("latency       {:.2f} ms (p50), {:.2f} (p90), {:.2f} (p99), {:.2f} at most\n",
                    latency.p50, latency.p90, latency.p99, latency.max);
    text += fmt::format("load itself   {:.2f} s of processor time\n", report.cpu_seconds);
    if (report.errors != 0)
        text += fmt::format("errors        {}, the first: {}\n", report.errors, report.first_error);
    return text;
}

}  // namespace heddle::node::load
