// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <string_view>

#include "formats/json.hpp"
#include "program/error.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "targets.hpp"

namespace heddle::fuzz {

namespace {

using node::JsonWriter;
using namespace node::rpc;

/// Methods that look at their parameters in every way there is.
MethodTable make_methods() {
    MethodTable table;
    table.add({.name = "a", .handler = [](const Call& call, JsonWriter& out) {
                   out.begin_array();
                   for (std::size_t i = 0; i < call.params.size(); ++i)
                       if (const auto param = call.params.find(i); param && param->is_string())
                           out.string(param->string());
                   out.end_array();
               }});
    table.add({.name = "b", .handler = [](const Call& call, JsonWriter& out) {
                   const node::JsonView param = call.params.at(0);
                   if (param.is_object()) return out.address(param.at("to").address());
                   out.quantity(param.uint256());
               }});
    table.add({.name = "c",
               .handler =
                   [](const Call&, JsonWriter& out) {
                       out.begin_object();
                       throw RpcError(Code::reverted, "\"\x01", R"("0x")");
                   },
               .weight = Weight::heavy});
    table.add(
        {.name = "d",
         .handler = [](const Call& call, JsonWriter& out) { out.hex(call.params.at(1).bytes()); },
         .access = Access::authenticated});
    return table;
}

/// What the scanner takes for JSON and the parser does not: numbers beyond all range, halves of
/// surrogate pairs, of which it says too little, and requests two levels deeper than parameters may
/// be.
bool is_beyond_parser(std::string_view error, std::string_view text) {
    const bool has_surrogates =
        text.find("\\ud") != std::string_view::npos || text.find("\\uD") != std::string_view::npos;
    return has_surrogates || error.find("exponent") != std::string_view::npos ||
           error.find("too deep") != std::string_view::npos;
}

/// Every response has a version, an id and either a result or an error with code and message.
void check_response(const node::JsonView& response) {
    require(response.is_object(), "a response that is no object");
    require(response.at("jsonrpc").string() == "2.0", "a response of another version");
    const auto error = response.find("error");
    if (!error) {
        bool has_result = false;  // which may be null
        for (std::size_t i = 0; i < response.size(); ++i)
            has_result |= response.member(i).first == "result";
        require(has_result, "a response without a result");
        return;
    }
    require(error->at("code").is_number(), "an error without a code");
    require(error->at("message").is_string(), "an error without a message");
}

void check_answer(const Request& request, const std::string& answer) {
    static node::JsonParser parser;
    if (answer.empty()) {
        require(request.parse_error().empty(), "malformed text without an error");
        return;
    }
    try {
        const node::JsonView json = parser.parse(answer, "answer");
        if (!json.is_array()) return check_response(json);
        require(request.is_batch() && json.size() != 0, "an array that answers no batch");
        require(json.size() <= request.items().size(), "more responses than calls");
        for (std::size_t i = 0; i < json.size(); ++i)
            check_response(json.element(i));
    } catch (const node::InputError& error) {
        // An id is given back as it came.
        require(is_beyond_parser(error.what(), answer), error.what());
    }
}

}  // namespace

void json_rpc(BytesView input) {
    static const MethodTable methods = make_methods();
    static const Responder responder(
        methods, {.request = {.batch_items = 20, .values = 2'000}, .response_bytes = 4'000});
    // Text is bytes; there is no other way from one to the other.
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
    Request request;
    std::string answer;
    std::string refusal;

    responder.read(text, request);
    responder.answer(request, {}, deadline, answer);
    responder.refuse(request, RpcError(Code::limit_exceeded, "server is busy"), refusal);

    check_answer(request, answer);
    if (!refusal.empty()) check_answer(request, refusal);
    if (!request.parse_error().empty()) return;
    static node::JsonParser parser;
    try {
        (void)parser.parse(text, "request");
    } catch (const node::InputError& error) {
        require(is_beyond_parser(error.what(), text), error.what());
    }
}

}  // namespace heddle::fuzz
