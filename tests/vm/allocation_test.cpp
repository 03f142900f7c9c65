// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A warm machine executes without asking for memory: only what the outcome holds is allocated. Its
// own program, because it replaces the global allocation functions.
#include <malloc.h>

#include <cstdlib>
#include <new>

#include <types/assert.hpp>

#include "transition_fixture.hpp"

namespace {
// Only one thread here.
std::size_t allocations = 0;
std::size_t live_bytes = 0;
}  // namespace

void* operator new(std::size_t size) {
    ++allocations;
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    live_bytes += malloc_usable_size(memory);
    return memory;
}
void operator delete(void* memory) noexcept {
    live_bytes -= malloc_usable_size(memory);
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

namespace heddle::vm::test {
namespace {

/// A view that allocates nothing: one contract, everybody rich.
class FixedState final : public StateView {
public:
    explicit FixedState(Bytes code) : code_(std::move(code)), hash_(keccak256(code_)) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        Account account;
        account.balance = Uint256{1} << 100;
        if (address == kTarget || address == kOther) account.code_hash = hash_;
        return account;
    }
    [[nodiscard]] Uint256 storage(const Address&, const Uint256&) const noexcept override {
        return 1;
    }
    [[nodiscard]] bool has_storage(const Address&) const noexcept override { return false; }
    [[nodiscard]] BytesView code(const Hash&) const noexcept override { return code_; }

private:
    Bytes code_;
    Hash hash_;
};

std::size_t allocations_when_warm(const Bytecode& code, Engine engine) {
    const FixedState state(code.bytes());
    EvmOptions options;
    options.engine = engine;
    options.record_accesses = true;
    Evm evm(options);
    BlockEnv env;
    env.gas_limit = 30'000'000;
    Transaction tx;
    tx.sender = kSender;
    tx.to = kTarget;
    tx.gas_limit = 1'000'000;
    const auto valid = validate(tx, state, env, BlockGas::whole(env));
    Outcome outcome;
    for (int round = 0; round < 3; ++round) {
        allocations = 0;
        transition(state, NumberedBlockHashes{}, env, *valid, evm, outcome);
    }
    EXPECT_EQ(outcome.status, Status::success);
    return allocations;
}

TEST(Allocation, computing_and_memory_need_none_when_warm) {
    const Bytecode code = push(1) + push(2) + OP_ADD + push(40'000) + OP_MSTORE + push(4'000) +
                          push(0) + OP_KECCAK256 + OP_POP;
    EXPECT_EQ(allocations_when_warm(code, Engine::fast), 0u);
    EXPECT_EQ(allocations_when_warm(code, Engine::plain), 0u);
}

TEST(Allocation, calls_reads_and_reverted_writes_need_none_when_warm) {
    // Calls itself twice deep by way of another account; what it writes, it writes back.
    const Bytecode code = sload(1) + OP_POP + sstore(2, 9) + sstore(2, 1) + push(kThird) +
                          OP_BALANCE + OP_POP + push(7) + push(1) + OP_TSTORE +
                          CallCode{.to = push(kOther), .gas = push(40'000), .output_size = 32} +
                          OP_POP + CallCode{.to = push(address_from_low64(4)), .input_size = 64};
    // The diff: sender and, because fees are zero, nobody else. Its vector keeps its capacity.
    EXPECT_EQ(allocations_when_warm(code, Engine::fast), 0u);
    EXPECT_EQ(allocations_when_warm(code, Engine::plain), 0u);
}

TEST(Allocation, only_what_the_outcome_holds_is_allocated) {
    // One storage list and one log with its topic and data, and the list of logs.
    const Bytecode code = sstore(2, 9) + push(5) + push(32) + push(0) + numbered(OP_LOG0, 1);
    EXPECT_LE(allocations_when_warm(code, Engine::fast), 4u);
}

/// Of a machine, once the transaction after it has begun: what is kept otherwise, each worker's
/// machine keeps for ever.
/// @param body  Done again and again, until the gas is used up. Leaves the stack as it was.
std::size_t bytes_left_by_large_transaction(const Bytecode& body) {
    // Only with call data.
    constexpr std::uint64_t kLoop = 5;
    const Bytecode begin = OP_CALLDATASIZE + push(kLoop) + OP_JUMPI + OP_STOP;
    const Bytecode code = begin + OP_JUMPDEST + body + push(kLoop) + OP_JUMP;
    HEDDLE_ASSERT(begin.size() == kLoop);
    const FixedState state(code.bytes());
    Evm evm;
    BlockEnv env;
    env.revision = Revision::cancun;  // which does not bound it
    env.gas_limit = 200'000'000;
    Transaction tx;
    tx.sender = kSender;
    tx.to = kTarget;
    const auto run = [&](std::uint64_t gas) {
        tx.gas_limit = gas;
        const auto valid = validate(tx, state, env, BlockGas::whole(env));
        Outcome outcome;
        transition(state, NumberedBlockHashes{}, env, *valid, evm, outcome);
        return outcome.status;
    };
    EXPECT_EQ(run(100'000), Status::success);
    const std::size_t before = live_bytes;
    tx.data = {1};
    EXPECT_EQ(run(env.gas_limit), Status::out_of_gas);
    tx.data.clear();
    EXPECT_EQ(run(100'000), Status::success);
    return live_bytes - before;
}

TEST(Allocation, a_large_transaction_leaves_little_behind) {
    constexpr std::size_t kLittle = std::size_t{4} << 20;
    const struct {
        const char* name;
        Bytecode body;
    } bodies[] = {
        {"transient storage", OP_GAS + Bytecode{OP_GAS} + OP_TSTORE},
        {"reads of slots", OP_GAS + Bytecode{OP_SLOAD} + OP_POP},
        {"writes of slots", push(1) + OP_GAS + OP_SSTORE},
        {"accounts", OP_GAS + Bytecode{OP_BALANCE} + OP_POP},
        {"logs", push(0) + push(0) + OP_LOG0},
        {"memory", push(1) + OP_MSIZE + OP_MSTORE},
        {"deep calls", CallCode{.to = push(kOther), .input_size = 1} + OP_POP},
        {"output of calls", CallCode{.to = push(4), .input_size = 2'000'000} + OP_POP},
        {"creations",
         mstore(0, Bytecode{OP_GAS}) + push(32) + push(0) + push(0) + OP_CREATE + OP_POP},
        {"codes",
         store_code(return_range(0, 20'000)) + push(32) + push(0) + push(0) + OP_CREATE + OP_POP},
    };
    for (const auto& [name, body] : bodies)
        EXPECT_LT(bytes_left_by_large_transaction(body), kLittle) << name;
}

}  // namespace
}  // namespace heddle::vm::test
