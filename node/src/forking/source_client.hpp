// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The node that a chain is forked from, as somebody who may be slow, gone for a while, or hostile:
// questions in batches, tried again, at a bounded rate, each in bounded time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "follow/endpoint.hpp"
#include "follow/rpc_caller.hpp"

namespace heddle::node::forking {

struct SourceOptions {
    follow::Endpoint endpoint;
    std::string role = "the source of the fork";  // in sentences
    /// For one question with all its attempts.
    std::chrono::milliseconds timeout = std::chrono::seconds{10};
    std::size_t max_answer_bytes = std::size_t{32} << 20;
    unsigned connections = 4;
    unsigned attempts = 4;
    std::size_t batch = 100;             // questions of one request, where the source takes as many
    std::uint64_t calls_per_second = 0;  // 0: any number
    /// Nothing is asked: what is not in the cache is not there.
    bool is_offline = false;
    /// Once it is requested, nothing is asked any more.
    std::stop_token stop{};
};

/// What was asked since the start.
struct SourceCounts {
    std::uint64_t requests = 0;  // batches, attempts included
    std::uint64_t questions = 0;
    std::uint64_t failures = 0;  // of questions, after all attempts
};

/// Thread safety: any. Callers wait for a connection, and hold no lock while they wait for the
/// source.
class SourceClient {
public:
    using Clock = std::chrono::steady_clock;

    explicit SourceClient(SourceOptions options);
    /// Ends what is being asked.
    ~SourceClient();
    SourceClient(const SourceClient&) = delete;
    SourceClient& operator=(const SourceClient&) = delete;

    /// One question's answer: take it, for it is gone afterwards. May throw InputError: then it was
    /// not what it should be, which fails the question.
    using Take = std::function<void(std::size_t index, const follow::Answer& answer)>;
    /// Asks all of them. The deadline is the earlier of that of the ReadScope around it and the
    /// timeout.
    /// @param what  What is asked for, in a sentence.
    /// Errors: one sentence that names what, the source, and why.
    [[nodiscard]] std::expected<void, std::string> ask(std::string_view what,
                                                       std::span<const follow::Question> questions,
                                                       const Take& take);
    /// A single question whose refusal is an error.
    [[nodiscard]] std::expected<void, std::string> ask_one(
        std::string_view what, const follow::Question& question,
        const std::function<void(const JsonView&)>& take);

    [[nodiscard]] const SourceOptions& options() const noexcept { return options_; }
    [[nodiscard]] SourceCounts counts() const noexcept;
    /// Ends what is being asked, and what will be.
    void stop() noexcept { stop_.request_stop(); }

private:
    using Lent = std::unique_ptr<follow::RpcCaller>;
    /// Whether the same attempt makes sense once more, or one with fewer questions.
    struct Failure {
        std::string why;
        bool is_transient = false;
        bool is_of_size = false;
        std::chrono::milliseconds rest{};  // that the source wants
    };
    [[nodiscard]] std::expected<void, Failure> ask_batch(
        std::span<const follow::Question> questions, std::size_t first, const Take& take,
        Clock::time_point deadline);
    /// One attempt.
    [[nodiscard]] std::expected<void, Failure> attempt(follow::RpcCaller& caller,
                                                       std::span<const follow::Question> questions,
                                                       std::size_t first, const Take& take);
    /// A request was answered: longer ones may be, too, after a while.
    void note_taken();
    [[nodiscard]] Lent borrow(Clock::time_point deadline);
    void give_back(Lent caller);
    /// Waits until so many questions may be asked. @return false: not before the deadline.
    [[nodiscard]] bool wait_for_rate(std::size_t questions, Clock::time_point deadline);
    [[nodiscard]] bool sleep(Clock::duration duration, Clock::time_point deadline);
    /// Why nothing is asked now: the source has just failed.
    [[nodiscard]] std::optional<std::string> recent_failure() const;
    void note_outcome(const std::string& failure);

    struct Stopping {
        std::stop_source& source;
        void operator()() const noexcept { source.request_stop(); }
    };

    const SourceOptions options_;
    std::stop_source stop_;
    const std::stop_callback<Stopping> stops_with_{options_.stop, Stopping{stop_}};
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    // Guarded by mutex_:
    std::vector<Lent> free_;
    unsigned made_ = 0;
    Clock::time_point next_question_;  // when the rate allows another one
    std::string failure_;              // of the last question; empty: it was answered
    unsigned failures_in_a_row_ = 0;
    Clock::time_point not_before_;

    /// SourceOptions::batch, or fewer for a while once the source has refused so many. A hint, like
    /// the requests taken since then: no order with anything else is asked of them.
    std::atomic<std::size_t> batch_{options_.batch};
    std::atomic<std::size_t> taken_ = 0;
    std::atomic<std::uint64_t> requests_ = 0;
    std::atomic<std::uint64_t> questions_ = 0;
    std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace heddle::node::forking
