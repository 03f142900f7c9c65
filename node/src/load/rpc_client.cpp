// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/rpc_client.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>

#include <fmt/format.h>

#include <types/counted.hpp>

#include "program/error.hpp"

namespace heddle::node::load {

namespace {

constexpr std::size_t kBatch = 100;
/// geth's and this node's, of a call and of what does not fit into a batch any more.
constexpr double kResponseTooLarge = -32003;

JsonView result_of(const JsonView& answer, std::string_view method) {
    if (const auto error = answer.find("error"); error.has_value())
        fail_input("{}: the node answered: {}", method, error->at("message").string());
    return answer.at("result");
}

}  // namespace

bool is_too_large(const JsonView& answer) {
    const auto error = answer.find("error");
    if (!error.has_value()) return false;
    const auto code = error->find("code");
    return code.has_value() && code->is_number() && code->real() == kResponseTooLarge;
}

std::string make_call(std::uint64_t id, std::string_view method, std::string_view params) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method,
                       params);
}

JsonView RpcClient::exchange(std::string_view body, std::string_view method) {
    std::string answer;
    http_.send(0, body, [&answer](std::string_view text) { answer = text; });
    http_.run();
    return parser_.parse(answer, std::string{method});
}

JsonView RpcClient::call(std::string_view method, std::string_view params) {
    return result_of(exchange(make_call(1, method, params), method), method);
}

std::vector<bool> RpcClient::take_answers(const JsonView& answers, std::string_view method,
                                          std::span<const std::size_t> asked, const Take& take) {
    std::vector<bool> is_answered(asked.size());
    if (!answers.is_array()) {
        if (!is_too_large(answers)) (void)result_of(answers, method);
        return is_answered;
    }
    if (answers.size() != asked.size())
        fail_input("{}: {} to {}", method, counted(answers.size(), "answer"),
                   counted(asked.size(), "call"));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const JsonView answer = answers.element(i);
        if (is_too_large(answer)) continue;
        const auto id = std::ranges::find(asked, answer.at("id").uint64());
        if (id == asked.end()) fail_input("{}: an answer to no call", method);
        take(*id, result_of(answer, method));
        is_answered[static_cast<std::size_t>(id - asked.begin())] = true;
    }
    return is_answered;
}

std::vector<std::size_t> RpcClient::call_each(std::string_view method,
                                              std::span<const std::string> params,
                                              const Take& take) {
    std::vector<std::size_t> refused;
    std::deque<std::size_t> waiting(params.size());
    std::iota(waiting.begin(), waiting.end(), std::size_t{0});
    std::size_t batch = kBatch;
    while (!waiting.empty()) {
        const auto end =
            waiting.begin() + static_cast<std::ptrdiff_t>(std::min(batch, waiting.size()));
        const std::vector<std::size_t> asked(waiting.begin(), end);
        waiting.erase(waiting.begin(), end);
        std::string body;
        for (const std::size_t i : asked)
            body += (body.empty() ? '[' : ',') + make_call(i, method, params[i]);
        body += ']';
        const std::vector<bool> is_answered =
            take_answers(exchange(body, method), method, asked, take);
        const auto first_refused = std::ranges::find(is_answered, false);
        if (first_refused == is_answered.end()) {
            batch = std::min(2 * batch, kBatch);
        } else if (asked.size() == 1) {
            refused.push_back(asked.front());
            batch = kBatch;
        } else {
            // So many had room; where it was the first that had none, it is asked for alone.
            batch = std::max<std::size_t>(
                static_cast<std::size_t>(first_refused - is_answered.begin()), 1);
            for (std::size_t i = asked.size(); i-- != 0;)
                if (!is_answered[i]) waiting.push_front(asked[i]);
        }
    }
    return refused;
}

void RpcClient::call_all(std::string_view method, std::span<const std::string> params,
                         const Take& take) {
    for (const std::size_t i : call_each(method, params, take))
        take(i, call(method, params[i]));  // or fails in the node's words
}

}  // namespace heddle::node::load
