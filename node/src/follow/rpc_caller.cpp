// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/rpc_caller.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <types/expected.hpp>

#include "formats/json_writer.hpp"
#include "program/error.hpp"

namespace heddle::node::follow {
namespace {

using consensus_adapter::follow::FollowError;
using consensus_adapter::follow::FollowFault;

/// Notifications that may come before an answer.
constexpr std::size_t kMaxNotifications = 10'000;

std::string write(std::span<const Question> questions) {
    std::string text;
    if (questions.size() > 1) text += '[';
    for (std::size_t i = 0; i < questions.size(); ++i)
        text += fmt::format(R"({}{{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})",
                            i == 0 ? "" : ",", i + 1, questions[i].method, questions[i].params);
    if (questions.size() > 1) text += ']';
    return text;
}

/// As JSON again, for what is passed on as it is.
void write(const JsonView& value, JsonWriter& out) {
    if (value.is_string()) return out.string(value.string());
    if (value.is_boolean()) return out.boolean(value.boolean());
    if (value.is_number()) return out.raw(fmt::format("{}", value.real()));
    if (value.is_array()) {
        out.begin_array();
        for (std::size_t i = 0; i < value.size(); ++i)
            write(value.element(i), out);
        return out.end_array();
    }
    if (!value.is_object()) return out.null();
    out.begin_object();
    for (std::size_t i = 0; i < value.size(); ++i) {
        const auto [name, member] = value.member(i);
        out.key(name);
        write(member, out);
    }
    out.end_object();
}

Refusal parse_refusal(const JsonView& error) {
    Refusal refusal;
    if (const auto code = error.find("code")) refusal.code = error_code(*code);
    const auto message = error.find("message");
    refusal.message = message ? std::string{message->string()} : "an error without words";
    if (const auto data = error.find("data")) {
        JsonWriter out{refusal.data, JsonWriter::Style::compact};
        write(*data, out);
    }
    return refusal;
}

Answer parse_answer(const JsonView& json) {
    if (const auto error = json.find("error")) return std::unexpected(parse_refusal(*error));
    if (const auto result = json.find("result")) return *result;
    // A result that is null is one, too.
    for (std::size_t i = 0; i < json.size(); ++i)
        if (const auto [name, member] = json.member(i); name == "result") return member;
    json.fail("neither a result nor an error");
}

/// Why a node refuses questions that came together, which says nothing of any of them: one error,
/// or a list of fewer than were asked with nothing but errors, as go-ethereum has it.
std::optional<Refusal> refusal_of_all(const JsonView& json, std::size_t questions) {
    if (json.is_object()) {
        const Answer answer = parse_answer(json);
        return answer.has_value() ? std::nullopt : std::optional{answer.error()};
    }
    if (!json.is_array() || json.size() >= questions) return std::nullopt;
    std::optional<Refusal> first;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const Answer answer = parse_answer(json.element(i));
        if (answer.has_value()) return std::nullopt;
        if (!first.has_value()) first = answer.error();
    }
    return first;
}

}  // namespace

bool is_too_fast(const Refusal& refusal) noexcept {
    constexpr std::int64_t kLimitExceeded = -32'005;
    constexpr std::int64_t kTooManyRequests = 429;
    return refusal.code == kLimitExceeded || refusal.code == kTooManyRequests;
}

std::string in_a_line(std::string_view message) {
    constexpr std::size_t kMostBytes = 500;
    std::string line{message.substr(0, kMostBytes)};
    std::ranges::replace_if(line, [](char c) { return c < ' ' || c > '~'; }, '?');
    if (message.size() > kMostBytes) line += "...";
    return line;
}

std::int64_t error_code(const JsonView& code) {
    constexpr double kMost = 1e15;  // exact, and more than any error has
    const double number = code.real();
    return number >= -kMost && number <= kMost ? static_cast<std::int64_t>(number) : 0;
}

JsonView parse_message(JsonParser& parser, std::string_view text, std::string name) {
    constexpr std::size_t kSmall = std::size_t{64} << 10;
    constexpr std::size_t kBytesOfValue = 12;
    const auto begins_value = [](char c) { return c == ',' || c == '[' || c == '{'; };
    if (text.size() > kSmall &&
        std::cmp_greater(std::ranges::count_if(text, begins_value), text.size() / kBytesOfValue))
        fail_input("{}: it has more values than its {} bytes would have in an answer", name,
                   text.size());
    return parser.parse(text, std::move(name));
}

RpcCaller::RpcCaller(Endpoint endpoint, ConnectionLimits limits, std::stop_token stop)
    : connection_(std::move(endpoint), limits, std::move(stop)) {}

FollowError RpcCaller::error(FollowFault fault, std::string_view what) const {
    return {fault, fmt::format("{}: {}", connection_.endpoint().name(), quote(what))};
}

FollowError RpcCaller::refusal(std::string_view method, const Refusal& refusal) const {
    return error(is_too_fast(refusal) ? FollowFault::too_fast : FollowFault::refused,
                 fmt::format("{}: {} ({})", method, in_a_line(refusal.message), refusal.code));
}

JsonView RpcCaller::parse(std::string_view text) {
    return parse_message(parser_, text, "answer");
}

std::expected<JsonView, FollowError> RpcCaller::exchange(const std::string& question,
                                                         std::size_t& size) {
    auto text = connection_.ask(question);
    for (std::size_t i = 0; i < kMaxNotifications; ++i) {
        if (!text.has_value()) return std::unexpected(std::move(text).error());
        size = text->size();
        const JsonView json = parse(*text);
        if (!json.is_object() || !json.find("method").has_value()) return json;
        has_news_ = true;
        text = connection_.receive();
    }
    return std::unexpected(error(FollowFault::misunderstood, "notifications and no answer"));
}

std::expected<std::vector<Answer>, FollowError> RpcCaller::call_all(
    std::span<const Question> questions, std::size_t* size) try {
    std::size_t bytes = 0;
    HEDDLE_TRY(const JsonView json, exchange(write(questions), bytes));
    if (size != nullptr) *size = bytes;
    if (questions.size() == 1) return std::vector<Answer>{parse_answer(json)};
    // Most of all because they are too many.
    if (const auto reason = refusal_of_all(json, questions.size())) {
        FollowError refused = refusal(questions.front().method, *reason);
        if (refused.fault != FollowFault::too_fast) refused.fault = FollowFault::too_large;
        return std::unexpected(std::move(refused));
    }
    if (!json.is_array() || json.size() != questions.size()) {
        connection_.close();
        return std::unexpected(
            error(FollowFault::misunderstood,
                  fmt::format("no {} answers to as many questions", questions.size())));
    }
    std::vector<std::optional<Answer>> found(questions.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonView element = json.element(i);
        const std::uint64_t id = element.at("id").uint64();
        if (id == 0 || id > found.size() || found[id - 1].has_value())
            element.fail("an answer to no question");
        found[id - 1].emplace(parse_answer(element));
    }
    std::vector<Answer> answers;
    answers.reserve(found.size());
    for (std::optional<Answer>& answer : found)
        answers.push_back(*std::move(answer));
    return answers;
} catch (const InputError& problem) {
    connection_.close();
    return std::unexpected(error(FollowFault::misunderstood, problem.what()));
}

std::expected<void, FollowError> RpcCaller::call_some(std::span<const Question> questions,
                                                      std::size_t& most, const Take& take) {
    for (std::size_t begin = 0; begin < questions.size();) {
        const std::size_t count = std::min(most, questions.size() - begin);
        const auto answers = call_all(questions.subspan(begin, count));
        if (!answers.has_value()) {
            // What is said to be too fast may be too much at once, too.
            const FollowFault fault = answers.error().fault;
            if (count == 1 || (fault != FollowFault::too_large && fault != FollowFault::too_fast))
                return std::unexpected(answers.error());
            most = count / 2;
            continue;
        }
        for (std::size_t i = 0; i < count; ++i)
            take(begin + i, (*answers)[i]);
        begin += count;
    }
    return {};
}

std::expected<JsonView, FollowError> RpcCaller::call(const Question& question) {
    HEDDLE_TRY(const std::vector<Answer> answers, call_all({&question, 1}));
    if (!answers.front().has_value())
        return std::unexpected(refusal(question.method, answers.front().error()));
    return *answers.front();
}

bool RpcCaller::take_news() noexcept {
    return std::exchange(has_news_, false);
}

std::expected<void, FollowError> RpcCaller::wait_for_news(std::chrono::milliseconds longest) try {
    // All that are there already are one piece of news.
    for (std::size_t i = 0; i < kMaxNotifications; ++i) {
        const auto wait = has_news_ ? std::chrono::milliseconds{0} : longest;
        HEDDLE_TRY(std::optional<std::string> text, connection_.wait(wait));
        if (!text.has_value()) return {};
        if (!parse(*text).find("method").has_value()) {
            connection_.close();
            return std::unexpected(
                error(FollowFault::misunderstood, "an answer that nobody asked for"));
        }
        has_news_ = true;
    }
    return {};
} catch (const InputError& problem) {
    connection_.close();
    return std::unexpected(error(FollowFault::misunderstood, problem.what()));
}

}  // namespace heddle::node::follow
