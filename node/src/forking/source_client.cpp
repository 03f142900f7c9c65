// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/source_client.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "chain/passed_by.hpp"
#include "chain/read_scope.hpp"
#include "program/error.hpp"

namespace heddle::node::forking {
namespace {

using consensus_adapter::follow::FollowFault;
using follow::Answer;
using follow::Question;
using std::chrono::milliseconds;

/// Before the second attempt; twice as long before each one after it.
constexpr milliseconds kFirstPause{50};
/// After a question that failed for good, nobody asks for so long; twice as long after each one in
/// a row, up to the second.
constexpr milliseconds kFirstRest{100};
constexpr milliseconds kLongestRest{2'000};
/// Requests that a source has answered since it refused a longer one, before one is longer again: a
/// refusal does not say whether it was of the length or of the moment.
constexpr std::size_t kTakenBeforeMore = 100;
/// A longer debt of questions is not saved up.
constexpr milliseconds kSavedRate{1'000};

/// An answer of HTTP that says no for now.
bool is_passing(const consensus_adapter::follow::FollowError& error) {
    if (error.fault != FollowFault::refused)
        return error.fault != FollowFault::stopped && error.fault != FollowFault::too_large;
    for (const std::string_view status : {"status 502", "status 503", "status 504"})
        if (error.sentence.find(status) != std::string::npos) return true;
    return false;
}

}  // namespace

SourceClient::SourceClient(SourceOptions options) : options_(std::move(options)) {}

SourceClient::~SourceClient() {
    stop();
}

SourceCounts SourceClient::counts() const noexcept {
    return {requests_.load(), questions_.load(), failures_.load()};
}

SourceClient::Lent SourceClient::borrow(Clock::time_point deadline) {
    std::unique_lock lock{mutex_};
    const bool has_one = changed_.wait_until(lock, stop_.get_token(), deadline, [this] {
        return !free_.empty() || made_ < options_.connections;
    });
    if (!has_one) return nullptr;
    if (!free_.empty()) {
        Lent caller = std::move(free_.back());
        free_.pop_back();
        return caller;
    }
    ++made_;
    return std::make_unique<follow::RpcCaller>(
        options_.endpoint, follow::ConnectionLimits{options_.timeout, options_.max_answer_bytes},
        stop_.get_token());
}

void SourceClient::give_back(Lent caller) {
    const std::scoped_lock lock{mutex_};
    free_.push_back(std::move(caller));
    changed_.notify_one();
}

bool SourceClient::sleep(Clock::duration duration, Clock::time_point deadline) {
    const Clock::time_point until = Clock::now() + duration;
    if (until >= deadline) return false;
    std::unique_lock lock{mutex_};
    (void)changed_.wait_until(lock, stop_.get_token(), until, [] { return false; });
    return !stop_.stop_requested();
}

bool SourceClient::wait_for_rate(std::size_t questions, Clock::time_point deadline) {
    if (options_.calls_per_second == 0) return true;
    const auto cost = std::chrono::duration_cast<Clock::duration>(std::chrono::seconds{questions}) /
                      static_cast<Clock::rep>(options_.calls_per_second);
    const Clock::time_point now = Clock::now();
    Clock::time_point turn;
    {
        const std::scoped_lock lock{mutex_};
        turn = std::max(next_question_, now - kSavedRate);
        if (turn > deadline) return false;
        next_question_ = turn + cost;
    }
    return turn <= now || sleep(turn - now, deadline);
}

std::optional<std::string> SourceClient::recent_failure() const {
    const std::scoped_lock lock{mutex_};
    if (failure_.empty() || Clock::now() >= not_before_) return std::nullopt;
    return failure_;
}

void SourceClient::note_outcome(const std::string& failure) {
    const std::scoped_lock lock{mutex_};
    failure_ = failure;
    if (failure.empty()) {
        failures_in_a_row_ = 0;
        return;
    }
    constexpr unsigned kMostDoublings = 5;
    const auto rest = kFirstRest * (1 << std::min(failures_in_a_row_++, kMostDoublings));
    not_before_ = Clock::now() + std::min<milliseconds>(rest, kLongestRest);
}

void SourceClient::note_taken() {
    const std::size_t batch = batch_;
    if (batch >= options_.batch || ++taken_ < kTakenBeforeMore) return;
    batch_ = std::min(2 * batch, options_.batch);
    taken_ = 0;
}

std::expected<void, SourceClient::Failure> SourceClient::attempt(
    follow::RpcCaller& caller, std::span<const Question> questions, std::size_t first,
    const Take& take) {
    requests_.fetch_add(1, std::memory_order_relaxed);
    auto answers = caller.call_all(questions);
    if (!answers.has_value())
        return std::unexpected(Failure{answers.error().sentence, is_passing(answers.error()),
                                       answers.error().fault == FollowFault::too_large ||
                                           answers.error().fault == FollowFault::too_fast,
                                       answers.error().rest});
    for (const Answer& answer : *answers)
        if (!answer.has_value() && follow::is_too_fast(answer.error()))
            return std::unexpected(
                Failure{follow::in_a_line(answer.error().message), true, false, {}});
    try {
        for (std::size_t i = 0; i < answers->size(); ++i)
            take(first + i, (*answers)[i]);
    } catch (const InputError& problem) {
        return std::unexpected(Failure{problem.what(), false, false, {}});
    }
    return {};
}

std::expected<void, SourceClient::Failure> SourceClient::ask_batch(
    std::span<const Question> questions, std::size_t first, const Take& take,
    Clock::time_point deadline) {
    Failure failure{
        fmt::format("no answer within {} ms", options_.timeout.count()), true, false, {}};
    auto pause = kFirstPause;
    for (unsigned i = 0; i < options_.attempts; ++i, pause *= 2) {
        if (i != 0 && !sleep(std::max(pause, failure.rest), deadline)) break;
        if (!wait_for_rate(questions.size(), deadline)) {
            failure.why = fmt::format("more than {} questions a second would be needed",
                                      options_.calls_per_second);
            break;
        }
        Lent caller = borrow(deadline);
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
        if (!caller || left.count() <= 0) {
            if (caller) give_back(std::move(caller));
            break;
        }
        caller->set_timeout(left);
        caller->set_passed_by(PassedBy::names());
        auto done = attempt(*caller, questions, first, take);
        give_back(std::move(caller));
        if (done.has_value()) {
            note_outcome({});
            return {};
        }
        failure = std::move(done).error();
        // What is refused for now and may have been too much is asked for again, a part of it,
        // after a pause.
        if (failure.is_of_size && failure.is_transient && questions.size() > 1) {
            if (!sleep(std::max(pause, failure.rest), deadline)) break;
            return std::unexpected(std::move(failure));
        }
        if (!failure.is_transient) return std::unexpected(std::move(failure));
    }
    note_outcome(failure.why);
    return std::unexpected(std::move(failure));
}

std::expected<void, std::string> SourceClient::ask(std::string_view what,
                                                   std::span<const Question> questions,
                                                   const Take& take) {
    if (options_.is_offline)
        return std::unexpected(
            fmt::format("{}: it is not in the cache, and --fork-offline asks nobody", what));
    const auto failed = [&](const std::string& why) {
        failures_.fetch_add(questions.size(), std::memory_order_relaxed);
        return std::unexpected(
            fmt::format("{}: it cannot be had from {}: {}", what, options_.role, why));
    };
    if (const auto recent = recent_failure()) return failed(*recent);
    questions_.fetch_add(questions.size(), std::memory_order_relaxed);
    const Clock::time_point deadline =
        std::min(ReadScope::deadline(), Clock::now() + options_.timeout);
    for (std::size_t begin = 0; begin < questions.size();) {
        const std::size_t count = std::min(batch_.load(), questions.size() - begin);
        auto done = ask_batch(questions.subspan(begin, count), begin, take, deadline);
        if (done.has_value()) {
            begin += count;
            note_taken();
        } else if (done.error().is_of_size && count > 1) {
            batch_ = count / 2;
            taken_ = 0;
        } else {
            return failed(done.error().why);
        }
    }
    return {};
}

std::expected<void, std::string> SourceClient::ask_one(
    std::string_view what, const Question& question,
    const std::function<void(const JsonView&)>& take) {
    return ask(what, {&question, 1}, [&](std::size_t, const Answer& answer) {
        if (!answer.has_value())
            fail_input("{} is refused: {} ({})", question.method,
                       follow::in_a_line(answer.error().message), answer.error().code);
        take(*answer);
    });
}

}  // namespace heddle::node::forking
