// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The same requests over and over, for methods that read: how many answers a second, how late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "load/http_client.hpp"
#include "load/statistics.hpp"

namespace heddle::node::load {

struct RepeatOptions {
    std::string file;  // one request a line
    double seconds = 5;
    std::size_t connections = 1;
    double rate = 0;  // requests per second; 0: as fast as answers come
};

struct RepeatReport {
    std::uint64_t requests = 0;
    std::uint64_t errors = 0;  // answers that are, or hold, an error
    std::string first_error;
    std::uint64_t bytes = 0;  // of the answers
    double seconds = 0;
    double cpu_seconds = 0;  // of the load generator
    Percentiles latency;     // milliseconds
};

/// Sends the lines of the file in turn, the next one on a connection as soon as the last is
/// answered or, with a rate, when it is due; its latency then counts from that time. None is sent
/// once the time is over or StopSignal is raised.
/// Errors: InputError: the file is empty or unreadable; as HttpClient.
[[nodiscard]] RepeatReport repeat_requests(const Endpoint& endpoint, const RepeatOptions& options);

/// For people, or for programs.
[[nodiscard]] std::string describe(const RepeatReport& report, bool as_json);

}  // namespace heddle::node::load
