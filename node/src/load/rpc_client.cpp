// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/rpc_client.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "program/error.hpp"

namespace heddle::node::load {

namespace {

constexpr std::size_t kBatch = 100;

JsonView result_of(const JsonView& answer, std::string_view method) {
    if (const auto error = answer.find("error"); error.has_value())
        fail_input("{}: the node answered: {}", method, error->at("message").string());
    return answer.at("result");
}

}  // namespace

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

void RpcClient::call_all(std::string_view method, std::span<const std::string> params,
                         const std::function<void(std::size_t, const JsonView&)>& take) {
    for (std::size_t first = 0; first < params.size(); first += kBatch) {
        const std::size_t last = std::min(first + kBatch, params.size());
        std::string body = "[";
        for (std::size_t i = first; i < last; ++i) {
            if (i != first) body += ',';
            body += make_call(i, method, params[i]);
        }
        body += ']';
        const JsonView answers = exchange(body, method);
        if (!answers.is_array()) (void)result_of(answers, method);
        if (answers.size() != last - first)
            fail_input("{}: {} answers to {} calls", method, answers.size(), last - first);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const JsonView answer = answers.element(i);
            const std::uint64_t id = answer.at("id").uint64();
            if (id < first || id >= last) fail_input("{}: an answer to no call", method);
            take(id, result_of(answer, method));
        }
    }
}

}  // namespace heddle::node::load
