// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts and codes of errors are those of go-ethereum 1.17 unless a test says otherwise.
#include "rpc/envelope/json_rpc.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/json.hpp"
#include "transport/wire_methods.hpp"

namespace heddle::node::rpc {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::chrono::steady_clock::time_point in_an_hour() {
    return std::chrono::steady_clock::now() + std::chrono::hours(1);
}

struct JsonRpc : testing::Test {
    std::string ask(std::string_view text, const Caller& caller = {}) const {
        return Responder(methods.table, limits).answer(text, caller, in_an_hour());
    }
    /// The response to a call of `method` with `params`, without its head.
    std::string call(const std::string& method, const std::string& params) const {
        const std::string head = R"({"jsonrpc":"2.0","id":1,)";
        const std::string answer =
            ask(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}");
        EXPECT_THAT(answer, StartsWith(head));
        return "{" + answer.substr(head.size());
    }

    WireMethods methods;
    ResponderLimits limits;
};

TEST_F(JsonRpc, answers_a_call) {
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"method":"test_echo","params":["a"]})"),
              R"({"jsonrpc":"2.0","id":1,"result":"a"})");
    EXPECT_EQ(ask(" \r\n{ \"params\" : [ \"a\" ] ,\"more\":{\"id\":2},\t\"method\":\"test_echo\","
                  "\"id\":1,\"jsonrpc\":\"2.0\"} \n"),
              R"({"jsonrpc":"2.0","id":1,"result":"a"})");
}

TEST_F(JsonRpc, gives_ids_of_every_type_back_as_they_were_sent) {
    for (const std::string id :
         {"1", "0", "-1", "1.0", "1e3", "12345678901234567890123", "0.10", "null", "true", "false",
          R"("abc")", R"("\u0061\n\"")", R"("")", "\"\xc3\xa9\xf0\x9f\x98\x80\""}) {
        EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"test_nothing"})"),
                  R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":null})");
    }
}

TEST_F(JsonRpc, refuses_ids_that_are_objects_or_arrays) {
    constexpr std::string_view kRefusal =
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}})";

    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":{},"method":"test_nothing"})"), kRefusal);
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":[1],"method":"test_nothing"})"), kRefusal);
}

TEST_F(JsonRpc, refuses_what_is_json_but_no_request) {
    constexpr std::string_view kRefusal =
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}})";

    for (const std::string text :
         {"1", "null", "\"text\"", "{}", R"({"jsonrpc":"2.0"})", R"({"method":"test_nothing"})",
          R"({"jsonrpc":"1.0","method":"test_nothing"})", R"({"jsonrpc":"2.0","method":""})",
          R"({"jsonrpc":"2.0","method":5})", R"({"jsonrpc":2.0,"method":"test_nothing"})"})
        EXPECT_EQ(ask(text), kRefusal) << text;
    EXPECT_EQ(ask(R"({"id":7,"method":"test_nothing"})"),
              R"({"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"invalid request"}})");
}

TEST_F(JsonRpc, refuses_what_is_not_json) {
    constexpr std::string_view kRefusal =
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}})";

    for (const std::string text : {"",
                                   " ",
                                   "{",
                                   "}",
                                   "[",
                                   "[1",
                                   "[1,",
                                   "[1,]",
                                   "[,1]",
                                   R"({"a")",
                                   R"({"a":})",
                                   R"({"a":1,})",
                                   R"({a:1})",
                                   R"({"a" 1})",
                                   "tru",
                                   "nul",
                                   "01",
                                   "1.",
                                   "-",
                                   "+1",
                                   ".5",
                                   "1e",
                                   "1e+",
                                   "0x1",
                                   R"("abc)",
                                   R"("\x")",
                                   R"("\u12")",
                                   R"("\u12g4")",
                                   "\"\n\"",
                                   "\"\xff\"",
                                   "\"\xc0\x80\"",
                                   "\"\xe0\x80\x80\"",
                                   "\"\xed\xa0\x80\"",
                                   "\"\xf4\x90\x80\x80\"",
                                   "\"\xc3",
                                   "{} {}",
                                   "[] x",
                                   "'a'",
                                   "NaN",
                                   R"({"jsonrpc":"2.0","id":1,"method":"test_nothing"}])"})
        EXPECT_EQ(ask(text), kRefusal) << text;
    EXPECT_EQ(ask(std::string("{}\0", 3)), kRefusal);
}

TEST_F(JsonRpc, accepts_strings_of_every_notation) {
    EXPECT_EQ(call("test_echo", R"(["\u00e9\ud83d\ude00\uD83D\uDE00"])"),
              "{\"result\":\"\xc3\xa9\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"}");
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"method":"\u0074est_\u006eothing"})"),
              R"({"jsonrpc":"2.0","id":1,"result":null})");
}

/// As geth: it is JSON, and whoever else is in the batch has nothing to do with it.
TEST_F(JsonRpc, half_a_surrogate_pair_is_the_matter_of_its_call) {
    const std::string other = R"({"jsonrpc":"2.0","id":2,"method":"test_nothing"})";
    for (const std::string half :
         {R"(\ud800)", R"(\uDC00)", R"(\ud800\u0041)", R"(\udc00\ud800)"}) {
        EXPECT_EQ(ask(R"([{"jsonrpc":"2.0","id":")" + half + R"(","method":"test_nothing"},)" +
                      other + "]"),
                  R"([{"jsonrpc":"2.0","id":")" + half +
                      R"(","result":null},{"jsonrpc":"2.0","id":2,"result":null}])");
        const std::string answer =
            ask(R"([{"jsonrpc":"2.0","id":1,"method":"test_echo","params":[")" + half + R"("]},)" +
                other + "]");
        EXPECT_THAT(answer, StartsWith(R"([{"jsonrpc":"2.0","id":1,"error":{"code":-32602,)"));
        EXPECT_THAT(answer, EndsWith(R"(},{"jsonrpc":"2.0","id":2,"result":null}])"));
        EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"test_)" + half + R"("})"),
                    HasSubstr("the method test_\xef\xbf\xbd"));
    }
    EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"\ud800\ud83d\ude00"})"),
                HasSubstr("the method \xef\xbf\xbd\xf0\x9f\x98\x80 "));
}

TEST_F(JsonRpc, refuses_text_that_is_nested_too_deeply) {
    const auto nested = [this](std::size_t depth) {
        return call("test_required", std::string(depth, '[') + std::string(depth, ']'));
    };
    constexpr std::string_view kTooDeep = R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"
                                          R"("message":"parse error: nested too deeply"}})";

    EXPECT_THAT(nested(kMaxJsonDepth), HasSubstr("missing value for required argument 1"));
    EXPECT_EQ(ask(std::string(100'000, '[')), kTooDeep);
    EXPECT_EQ(ask(R"({"params":)" + std::string(kMaxJsonDepth + 1, '[')), kTooDeep);
    std::string objects;
    for (int i = 0; i < 1'000'000; ++i)
        objects += R"({"a":)";
    EXPECT_EQ(ask(objects), kTooDeep);
}

TEST_F(JsonRpc, refuses_text_of_too_many_values) {
    limits.request.values = 6;

    EXPECT_EQ(call("test_echo", R"(["a"])"), R"({"result":"a"})");
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"method":"test_echo","params":["a",2,3]})"),
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"
              R"("message":"parse error: too many values"}})");
}

TEST_F(JsonRpc, quotes_a_name_with_control_characters_to_its_end) {
    EXPECT_EQ(call("eth_\\u0000a\\n\\u007f", "[]"),
              R"({"error":{"code":-32601,)"
              R"("message":"the method eth_?a?? does not exist/is not available"}})");
}

TEST_F(JsonRpc, names_a_method_that_it_does_not_know) {
    EXPECT_EQ(call("eth_\\u0041\\\"", "[]"),
              R"({"error":{"code":-32601,)"
              R"("message":"the method eth_A\" does not exist/is not available"}})");
    EXPECT_EQ(call(std::string(3'000, 'x'), "[]"),
              R"({"error":{"code":-32600,"message":"method name too long: 3000 > 2048"}})");
}

TEST_F(JsonRpc, refuses_parameters_that_are_no_array) {
    EXPECT_EQ(call("test_echo", R"({"a":1})"),
              R"({"error":{"code":-32602,"message":"non-array args"}})");
    EXPECT_EQ(call("test_nothing", "null"), R"({"result":null})");
    EXPECT_EQ(call("test_nothing", " [ ] "), R"({"result":null})");
}

TEST_F(JsonRpc, says_which_parameter_is_wrong) {
    EXPECT_EQ(call("test_required", "[1]"),
              R"({"error":{"code":-32602,"message":"missing value for required argument 1"}})");
    EXPECT_EQ(call("test_address", R"(["0x12"])"),
              R"({"error":{"code":-32602,"message":"invalid argument 0: )"
              R"(expected an address of 40 hexadecimal digits"}})");
    EXPECT_EQ(call("test_address", R"([{"to":1}])"),
              R"({"error":{"code":-32602,"message":"invalid argument 0: to: expected a string"}})");
}

TEST_F(JsonRpc, passes_the_error_of_a_method_on_with_its_data) {
    EXPECT_EQ(call("test_fail", "[]"), R"({"error":{"code":3,)"
                                       R"("message":"execution reverted: \"no\"",)"
                                       R"("data":"0x08c379a0"}})");
}

TEST_F(JsonRpc, does_not_tell_what_an_unexpected_exception_says) {
    EXPECT_EQ(call("test_crash", "[]"), R"({"error":{"code":-32603,"message":"internal error"}})");
}

TEST_F(JsonRpc, answers_a_notification_with_nothing) {
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"test_echo","params":["a"]})"), "");
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"test_fail"})"), "");
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"no_such_method"})"), "");
    EXPECT_EQ(ask(R"([{"jsonrpc":"2.0","method":"test_nothing"}])"), "");
}

TEST_F(JsonRpc, ignores_responses) {
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"result":5})"), "");
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a"}})"), "");
}

TEST_F(JsonRpc, answers_a_batch_in_its_order) {
    EXPECT_EQ(ask(R"([{"jsonrpc":"2.0","method":"test_nothing"},)"
                  R"({"jsonrpc":"2.0","id":"a","method":"test_echo","params":["1"]}, 5,)"
                  R"({"jsonrpc":"2.0","method":"test_nothing"},)"
                  R"({"jsonrpc":"2.0","id":2,"method":"test_fail"}])"),
              R"([{"jsonrpc":"2.0","id":"a","result":"1"},)"
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},)"
              R"({"jsonrpc":"2.0","id":2,"error":{"code":3,)"
              R"("message":"execution reverted: \"no\"","data":"0x08c379a0"}}])");
}

/// One call or notification of a batch, or something that is neither.
std::string random_item(std::mt19937_64& random) {
    const auto draw = [&](std::uint64_t below) { return random() % below; };
    const std::string id = draw(4) == 0 ? "" : R"("id":)" + std::to_string(draw(9)) + ",";
    const std::string params = draw(8) == 0 ? "[]" : R"([")" + std::to_string(draw(12)) + R"("])";
    constexpr std::array kMethods{"test_once",     "test_once", "test_once",
                                  "test_onceMore", "test_echo", "test_absent"};
    if (draw(12) == 0) return "5";
    return R"({"jsonrpc":"2.0",)" + id + R"("method":")" + kMethods[draw(kMethods.size())] +
           R"(","params":)" + params + "}";
}

TEST_F(JsonRpc, calls_done_together_are_answered_as_one_after_another) {
    std::size_t gathered = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        std::mt19937_64 random(seed);
        WireMethods together;
        WireMethods alone(false);
        const Responder responder(together.table);
        const Responder oracle(alone.table);
        for (std::uint64_t batch = random() % 4 + 1; batch != 0; --batch) {
            std::string text;
            for (std::uint64_t items = random() % 30 + 1; items != 0; --items)
                text += (text.empty() ? "[" : ",") + random_item(random);
            text += "]";

            EXPECT_EQ(responder.answer(text, {}, in_an_hour()),
                      oracle.answer(text, {}, in_an_hour()))
                << "seed " << seed << ": " << text;
        }
        for (const std::size_t calls : together.once.groups())
            gathered += calls > 1 ? calls : 0;
    }
    EXPECT_GT(gathered, 1'000u);
}

TEST_F(JsonRpc, requests_that_share_their_work_are_answered_as_one_after_another) {
    std::vector<std::string> texts;
    for (int i = 0; i < 150; ++i)
        texts.push_back(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                        R"(,"method":"test_once","params":[")" + std::to_string(i % 100) +
                        R"("]})");
    texts.insert(texts.begin() + 70, R"({"jsonrpc":"2.0","id":1,"method":"test_onceMore"})");
    const Responder responder(methods.table, limits);
    std::vector<Request> requests(texts.size());
    std::vector<std::string> answers(texts.size());
    std::vector<SharingRequest> sharing;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        responder.read(texts[i], requests[i]);
        ASSERT_TRUE(Responder::can_share(requests[i]));
        sharing.push_back({&requests[i], {}, in_an_hour(), &answers[i]});
    }

    responder.answer_together(sharing);

    WireMethods alone(false);
    const Responder oracle(alone.table);
    for (std::size_t i = 0; i < texts.size(); ++i)
        EXPECT_EQ(answers[i], oracle.answer(texts[i], {}, in_an_hour()));
    // At most kMostGathered, and only neighbours of one method.
    EXPECT_THAT(methods.once.groups(), ElementsAre(64, 6, 64, 16));
}

TEST_F(JsonRpc, what_cannot_be_gathered_does_not_share) {
    const Responder responder(methods.table, limits);
    const auto can_share = [&](const std::string& text) {
        Request request;
        responder.read(text, request);
        return Responder::can_share(request);
    };

    EXPECT_TRUE(can_share(R"({"jsonrpc":"2.0","method":"test_once","params":["a"]})"));
    EXPECT_FALSE(can_share(R"([{"jsonrpc":"2.0","id":1,"method":"test_once","params":["a"]}])"));
    EXPECT_FALSE(can_share(R"({"jsonrpc":"2.0","id":1,"method":"test_echo","params":["a"]})"));
    EXPECT_FALSE(can_share(R"({"jsonrpc":"2.0","id":1,"method":"test_absent"})"));
    EXPECT_FALSE(can_share("5"));
    EXPECT_FALSE(can_share("{"));
}

TEST_F(JsonRpc, a_failure_of_work_that_is_shared_is_that_of_all_calls) {
    const std::string good = R"({"jsonrpc":"2.0","id":1,"method":"test_once","params":["a"]})";
    const std::string bad = R"({"jsonrpc":"2.0","id":2,"method":"test_once","params":["crash"]})";

    EXPECT_EQ(ask("[" + good + "," + bad + "]"),
              R"([{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}},)"
              R"({"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"internal error"}}])");
}

TEST_F(JsonRpc, gathers_no_call_beyond_the_deadline) {
    const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"test_once","params":["a"]})";
    const std::string error =
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"request timed out"}})";

    EXPECT_EQ(Responder(methods.table).answer("[" + call + "," + call + "]", {}, {}),
              "[" + error + "," + error + "]");
    EXPECT_TRUE(methods.once.groups().empty());
}

TEST_F(JsonRpc, reports_calls_done_together_one_by_one) {
    std::vector<std::string> reports;
    const Responder responder(methods.table, {}, [&](const CallReport& report) {
        reports.push_back(std::string(report.method) + " " + std::to_string(report.code));
    });
    const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"test_once","params":["a"]})";

    (void)responder.answer("[" + call + "," + call + "]", {}, in_an_hour());

    EXPECT_THAT(reports, ElementsAre("test_once 0", "test_once -32000"));
    EXPECT_THAT(methods.once.groups(), ElementsAre(2));
}

TEST_F(JsonRpc, refuses_an_empty_batch) {
    EXPECT_EQ(ask(" [ ] "),
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}})");
}

TEST_F(JsonRpc, refuses_a_batch_of_too_many_calls) {
    limits.request.batch_items = 3;
    const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"test_nothing"})";
    const std::string answer = R"({"jsonrpc":"2.0","id":5,"result":null})";

    EXPECT_EQ(ask("[" + call + "," + call + "," + call + "]"),
              "[" + answer + "," + answer + "," + answer + "]");
    EXPECT_EQ(ask("[7," + call + "," + call + "," + call + "]"),
              R"([{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"batch too large"}}])");
    EXPECT_THAT(ask("[7," + call + "," + call + "," + call + ",]"), HasSubstr("parse error"));
}

TEST_F(JsonRpc, refuses_a_result_that_is_too_large) {
    limits.response_bytes = 102;

    EXPECT_EQ(call("test_bytes", "[100]").size(), std::string(R"({"result":""})").size() + 100);
    EXPECT_EQ(call("test_bytes", "[101]"),
              R"({"error":{"code":-32003,"message":"response too large"}})");
}

TEST_F(JsonRpc, does_not_write_on_what_is_too_large_already) {
    limits.response_bytes = 1'000;
    std::size_t written = 0;
    methods.table.add({"test_endless", [&](const Call&, JsonWriter& out) {
                           out.begin_array();
                           for (written = 0; written < 1'000; ++written)
                               out.string(std::string(100, 'x'));
                           out.end_array();
                       }});

    EXPECT_EQ(call("test_endless", "[]"),
              R"({"error":{"code":-32003,"message":"response too large"}})");
    EXPECT_LE(written, 11u);
}

TEST_F(JsonRpc, ends_a_batch_whose_response_is_too_large) {
    limits.response_bytes = 200;
    const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"test_bytes","params":[100]})";
    const std::string answer =
        R"({"jsonrpc":"2.0","id":1,"result":")" + std::string(100, 'x') + R"("})";
    const std::string error =
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"response too large"}})";

    EXPECT_EQ(ask("[" + call + "," + call + "," + call + "," + call + "]"),
              "[" + answer + "," + answer + "," + error + "," + error + "]");
}

TEST_F(JsonRpc, begins_no_call_beyond_the_deadline) {
    const Responder responder(methods.table);
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    const std::string late = R"({"jsonrpc":"2.0","id":1,"method":"test_late"})";
    const std::string error =
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"request timed out"}})";

    EXPECT_EQ(responder.answer("[" + late + "," + late + "]", {}, soon),
              "[" + error + "," + error + "]");
    EXPECT_EQ(responder.answer(R"({"jsonrpc":"2.0","id":1,"method":"test_nothing"})", {}, soon),
              error);
}

TEST_F(JsonRpc, hides_authenticated_methods_from_strangers) {
    constexpr std::string_view kCall = R"({"jsonrpc":"2.0","id":1,"method":"test_admin"})";
    constexpr std::string_view kResult = R"({"jsonrpc":"2.0","id":1,"result":"admin"})";

    EXPECT_THAT(ask(kCall), HasSubstr("the method test_admin does not exist/is not available"));
    EXPECT_EQ(ask(kCall, {.session = nullptr, .is_authenticated = true}), kResult);
    limits.exposes_authenticated = true;
    EXPECT_EQ(ask(kCall), kResult);
}

TEST_F(JsonRpc, reports_every_call_by_a_name_of_the_table) {
    std::vector<std::pair<std::string, int>> reports;
    const Responder responder(methods.table, {}, [&](const CallReport& report) {
        EXPECT_GE(report.elapsed.count(), 0);
        reports.emplace_back(report.method, report.code);
    });

    (void)responder.answer(R"([{"jsonrpc":"2.0","id":1,"method":"test_nothing"},)"
                           R"({"jsonrpc":"2.0","method":"test_fail"},)"
                           R"({"jsonrpc":"2.0","id":1,"method":"hostile_name"},5])",
                           {}, in_an_hour());

    EXPECT_THAT(reports, ElementsAre(std::pair{"test_nothing", 0}, std::pair{"test_fail", 3},
                                     std::pair{"unknown", -32601}));
}

TEST_F(JsonRpc, refuses_all_calls_of_a_request_alike) {
    const Responder responder(methods.table);
    const RpcError busy(Code::limit_exceeded, "server is busy");
    Request request;
    std::string one;
    std::string batch;
    std::string none;

    responder.read(R"({"jsonrpc":"2.0","id":1,"method":"test_wait"})", request);
    responder.refuse(request, busy, one);
    responder.read(R"([{"jsonrpc":"2.0","id":1,"method":"test_wait"},5,)"
                   R"({"jsonrpc":"2.0","id":2,"method":"test_wait"}])",
                   request);
    responder.refuse(request, busy, batch);
    responder.read(R"([{"jsonrpc":"2.0","method":"test_wait"}])", request);
    responder.refuse(request, busy, none);

    const auto refusal = [](const std::string& id) {
        return R"({"jsonrpc":"2.0","id":)" + id +
               R"(,"error":{"code":-32005,"message":"server is busy"}})";
    };
    EXPECT_EQ(one, refusal("1"));
    EXPECT_EQ(batch, "[" + refusal("1") + "," + refusal("2") + "]");
    EXPECT_EQ(none, "");
}

TEST_F(JsonRpc, tells_requests_that_take_their_time) {
    const auto is_heavy = [this](const std::string& text) {
        Request request;
        Responder(methods.table, limits).read(text, request);
        return request.is_heavy();
    };
    const std::string light = R"({"jsonrpc":"2.0","id":1,"method":"test_nothing"})";
    const std::string heavy = R"({"jsonrpc":"2.0","id":1,"method":"test_wait"})";
    limits.request.light_batch_items = 2;

    EXPECT_FALSE(is_heavy(light));
    EXPECT_TRUE(is_heavy(heavy));
    EXPECT_FALSE(is_heavy("[" + light + "," + light + "]"));
    EXPECT_TRUE(is_heavy("[" + light + "," + heavy + "]"));
    EXPECT_TRUE(is_heavy("[" + light + "," + light + "," + light + "]"));
    EXPECT_TRUE(is_heavy(light + std::string(limits.request.light_bytes, ' ')));
}

}  // namespace
}  // namespace heddle::node::rpc
