// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls with as much gas as 63 bits hold: what ends them is their deadline, wherever they are.
#include "simulation/deadline.hpp"

#include <string>
#include <utility>
#include <vector>

#include "simulation_fixture.hpp"

namespace heddle::node::simulation::test {
namespace {

using namespace vm;
using namespace vm::test;

constexpr int kTimedOut = static_cast<int>(rpc::Code::timed_out);
constexpr std::uint64_t kManyYears = std::uint64_t{1} << 60;  // gas, of any of these programs

class CallDeadline : public testing::Test {
protected:
    struct Answer {
        int code = 0;  // 0: there is a result
        std::string text;
        std::uint64_t gas = 0;  // executed
    };
    /// With a short deadline; with a longer one where it passed before this thread had a processor.
    [[nodiscard]] Answer ask(std::string_view method, const std::string& params) {
        using namespace std::chrono_literals;
        for (std::chrono::milliseconds time = 20ms;; time *= 4) {
            const Answer answer = ask_within(time, method, params);
            if (answer.code != kTimedOut || answer.gas != 0 || time > 1s) return answer;
        }
    }
    [[nodiscard]] Answer ask_within(std::chrono::milliseconds time, std::string_view method,
                                    const std::string& params) {
        JsonParser parser;
        std::string text;
        JsonWriter out(text, JsonWriter::Style::compact);
        rpc::CallCost cost;
        const rpc::Call call{.params = rpc::Params{parser.parse(params, "params")},
                             .deadline = std::chrono::steady_clock::now() + time,
                             .max_result_bytes = std::size_t{1} << 30,
                             .session = nullptr,
                             .cost = &cost};
        try {
            node_.methods().find(method)->handler(call, out);
        } catch (const rpc::RpcError& error) {
            return {error.code(), error.what(), cost.gas};
        }
        return {0, text, cost.gas};
    }
    [[nodiscard]] static std::string call_to_code(std::string_view members = {}) {
        return fmt::format(R"({{"to":"{}","gas":"{:#x}"{}}})", kCode, std::uint64_t{1} << 62,
                           members);
    }
    [[nodiscard]] static std::string overrides(const Bytecode& code) {
        return fmt::format(R"({{"{}":{{"code":"{}"}}}})", kCode, to_hex(code.bytes()));
    }
    [[nodiscard]] static std::string on_code(const Bytecode& code) {
        return fmt::format(R"([{},"latest",{}])", call_to_code(), overrides(code));
    }
    [[nodiscard]] static std::string traced(const Bytecode& code, std::string_view tracer) {
        return fmt::format(R"([{},"latest",{{"tracer":"{}","stateOverrides":{}}}])", call_to_code(),
                           tracer, overrides(code));
    }
    [[nodiscard]] static std::string simulated(const Bytecode& code) {
        return fmt::format(R"([{{"blockStateCalls":[{{"blockOverrides":{{"gasLimit":"{:#x}"}},)"
                           R"("stateOverrides":{},"calls":[{}]}}]}},"latest"])",
                           std::uint64_t{1} << 62, overrides(code), call_to_code());
    }

    /// Each a way of never coming to an end.
    [[nodiscard]] static std::vector<std::pair<std::string, Bytecode>> endless() {
        const Bytecode again = push(0) + OP_JUMP;
        return {
            {"jumps", OP_JUMPDEST + again},
            {"hashes", OP_JUMPDEST + push(65'536) + push(0) + OP_KECCAK256 + OP_POP + again},
            {"copies", OP_JUMPDEST + push(65'536) + push(0) + push(0) + OP_CALLDATACOPY + again},
            {"calls itself", OP_JUMPDEST + push(0) + push(0) + push(0) + push(0) + push(0) +
                                 OP_ADDRESS + OP_GAS + OP_CALL + OP_POP + again},
            {"calls a precompile", OP_JUMPDEST + push(0) + push(0) + push(60'000) + push(0) +
                                       push(0) + push(2) + OP_GAS + OP_CALL + OP_POP + again},
            {"reads", OP_JUMPDEST + OP_GAS + OP_SLOAD + OP_POP + again},
        };
    }

    heddle::test::RpcNode node_{dev_genesis(), {.limits = {.call_gas = 0}}};
};

TEST_F(CallDeadline, ends_code_that_nobody_traces) {
    for (const auto& [name, code] : endless()) {
        const Answer answer = ask("eth_call", on_code(code));
        EXPECT_EQ(answer.code, kTimedOut) << name << ": " << answer.text;
        EXPECT_GT(answer.gas, 0u) << name << ": what was executed is counted";
        EXPECT_LT(answer.gas, kManyYears) << name;
    }
    EXPECT_EQ(ask("eth_call", on_code(push(5) + return_top())).code, 0)
        << "the next one is unharmed";
}

TEST_F(CallDeadline, ends_simulated_blocks) {
    for (const auto& [name, code] : endless()) {
        const Answer answer = ask("eth_simulateV1", simulated(code));
        EXPECT_EQ(answer.code, kTimedOut) << name << ": " << answer.text;
        EXPECT_GT(answer.gas, 0u) << name;
    }
}

TEST_F(CallDeadline, ends_lists_of_what_is_accessed) {
    for (const auto& [name, code] : endless()) {
        const Answer answer = ask("eth_createAccessList", on_code(code));
        EXPECT_EQ(answer.code, kTimedOut) << name << ": " << answer.text;
    }
}

TEST_F(CallDeadline, ends_traces_that_look_at_nothing) {
    for (const auto& [name, code] : endless())
        for (const std::string_view tracer : {"noopTracer", "4byteTracer", "prestateTracer"}) {
            const Answer answer = ask("debug_traceCall", traced(code, tracer));
            EXPECT_EQ(answer.code, kTimedOut) << name << ", " << tracer << ": " << answer.text;
            EXPECT_GT(answer.gas, 0u) << name << ", " << tracer;
        }
}

// An estimate has no more gas than a transaction may have: it ends by itself, but not in time.
TEST_F(CallDeadline, ends_estimates_between_and_within_attempts) {
    const Bytecode slow = endless()[1].second;
    const Answer answer = ask("eth_estimateGas", on_code(slow));
    EXPECT_NE(answer.code, 0);
    EXPECT_GT(answer.gas, 0u);
    EXPECT_LT(answer.gas, 3 * 16'777'216u);
}

TEST_F(CallDeadline, counts_the_gas_of_every_execution) {
    const Bytecode writes = sstore(1, 1);
    const Answer one = ask("eth_call", on_code(writes));
    EXPECT_GE(one.gas, 22'100u);
    EXPECT_LT(one.gas, 23'000u);
    const Answer several = ask("eth_estimateGas", on_code(writes));
    EXPECT_GE(several.gas, 2 * 22'100u) << "it is executed more than once";
    const Answer traced_one = ask("debug_traceCall", traced(writes, "callTracer"));
    EXPECT_EQ(traced_one.gas, one.gas);
    const Answer simulated_one = ask("eth_simulateV1", simulated(writes));
    EXPECT_EQ(simulated_one.gas, one.gas);
}

}  // namespace
}  // namespace heddle::node::simulation::test
