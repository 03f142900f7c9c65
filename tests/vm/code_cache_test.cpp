// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code_cache.hpp"

#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "code.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

std::shared_ptr<const Code> make_code(std::size_t size) {
    return std::make_shared<const Code>(Bytes(size, OP_JUMPDEST), gas_schedule(kLatestRevision));
}
Hash key(std::uint64_t n) {
    return keccak256(to_hash(n).view());
}

TEST(CodeCache, code_is_found_by_hash_and_revision) {
    CodeCache cache(1 << 20, nullptr);
    const auto code = make_code(10);
    cache.insert(key(1), Revision::osaka, code);

    EXPECT_EQ(cache.find(key(1), Revision::osaka), code);
    EXPECT_EQ(cache.find(key(1), Revision::prague), nullptr);
    EXPECT_EQ(cache.find(key(2), Revision::osaka), nullptr);
}

TEST(CodeCache, the_least_recently_used_goes_first) {
    const std::size_t each = make_code(1'000)->size_in_memory();
    CodeCache cache(3 * each, nullptr);
    for (std::uint64_t i = 0; i < 3; ++i)
        cache.insert(key(i), Revision::osaka, make_code(1'000));
    EXPECT_NE(cache.find(key(0), Revision::osaka), nullptr);

    cache.insert(key(3), Revision::osaka, make_code(1'000));

    EXPECT_EQ(cache.find(key(1), Revision::osaka), nullptr);
    for (const std::uint64_t kept : {0u, 2u, 3u})
        EXPECT_NE(cache.find(key(kept), Revision::osaka), nullptr);
}

TEST(CodeCache, code_larger_than_the_cache_is_the_only_one_in_it) {
    CodeCache cache(1, nullptr);
    cache.insert(key(1), Revision::osaka, make_code(1'000));
    EXPECT_NE(cache.find(key(1), Revision::osaka), nullptr);
    cache.insert(key(2), Revision::osaka, make_code(1'000));
    EXPECT_EQ(cache.find(key(1), Revision::osaka), nullptr);
}

TEST(CodeCache, code_that_grows_makes_others_go) {
    CodeCache cache(3 * make_code(1'000)->size_in_memory(), nullptr);
    for (std::uint64_t i = 0; i < 3; ++i)
        cache.insert(key(i), Revision::osaka, make_code(1'000));
    const auto growing = cache.find(key(0), Revision::osaka);

    for (std::uint64_t pc = 0; pc < 1'000; ++pc)
        ASSERT_NE(growing->block_at(pc), nullptr);
    cache.measure(key(0), Revision::osaka);
    cache.measure(key(7), Revision::osaka);  // not there: nothing happens
    EXPECT_EQ(cache.bytes(), growing->size_in_memory());
    cache.measure(key(0), Revision::osaka);
    EXPECT_EQ(cache.bytes(), growing->size_in_memory()) << "however often it is measured";

    EXPECT_EQ(cache.find(key(1), Revision::osaka), nullptr);
    EXPECT_EQ(cache.find(key(2), Revision::osaka), nullptr);
    EXPECT_EQ(cache.find(key(0), Revision::osaka), growing);
}

TEST(CodeCache, evicted_code_lives_while_somebody_has_it) {
    CodeCache cache(1, nullptr);
    auto code = make_code(100);
    const std::weak_ptr<const Code> watched = code;
    cache.insert(key(1), Revision::osaka, code);
    cache.insert(key(2), Revision::osaka, make_code(100));
    EXPECT_FALSE(watched.expired());
    code.reset();
    EXPECT_TRUE(watched.expired());
}

TEST(CodeCache, the_first_of_two_inserts_stays) {
    CodeCache cache(1 << 20, nullptr);
    const auto first = make_code(10);
    cache.insert(key(1), Revision::osaka, first);
    cache.insert(key(1), Revision::osaka, make_code(10));

    EXPECT_EQ(cache.find(key(1), Revision::osaka), first);
}

class CountingLock final : public CodeCacheLock {
public:
    explicit CountingLock(int& held, int& taken) : held_(held), taken_(taken) {}
    void lock() noexcept override {
        ++held_;
        ++taken_;
    }
    void unlock() noexcept override { --held_; }

private:
    int& held_;
    int& taken_;
};

TEST(CodeCache, the_lock_is_held_for_every_access_and_let_go) {
    int held = 0;
    int taken = 0;
    CodeCache cache(1 << 20, std::make_unique<CountingLock>(held, taken));
    cache.insert(key(1), Revision::osaka, make_code(10));
    (void)cache.find(key(1), Revision::osaka);
    (void)cache.find(key(2), Revision::osaka);

    EXPECT_EQ(taken, 3);
    EXPECT_EQ(held, 0);
}

class SharedCache : public TransitionTest {};

TEST_F(SharedCache, machines_share_code_and_survive_its_eviction) {
    // Two contracts that call each other through a cache with room for one.
    const auto cache = make_code_cache(1);
    Evm first({.engine = Engine::fast, .tracer = nullptr, .code_cache = cache});
    Evm second({.engine = Engine::fast, .tracer = nullptr, .code_cache = cache});
    pre.deploy(kOther, (sstore(1, 1) + call(kThird)).bytes());
    pre.deploy(kThird, sstore(2, 2).bytes());
    pre.deploy(kTarget, (call(kOther) + call(kThird) + call(kOther)).bytes());
    const auto valid = validate(tx, pre, env, BlockGas::whole(env));
    ASSERT_TRUE(valid.has_value());

    EngineRun a;
    EngineRun b;
    run_on(first, pre, env, *valid, a);
    run_on(second, pre, env, *valid, b);
    EXPECT_EQ(difference(a, b), "");
    run_on(first, pre, env, *valid, a);
    EXPECT_EQ(difference(a, b), "");
}

class Mutex final : public CodeCacheLock {
public:
    void lock() noexcept override { mutex_.lock(); }
    void unlock() noexcept override { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

/// A loop through many passages, with a computed jump in each round and calls into other code.
Bytecode wandering_code() {
    Bytecode code = push(0);
    const std::size_t start = code.size();
    code = code + OP_JUMPDEST;
    for (unsigned i = 0; i < 40; ++i) {
        // Over a byte that is not executed, to where the decoder knows or, behind a JUMPDEST, not.
        const bool is_known = i % 2 == 0;
        const std::size_t target = code.size() + (is_known ? 5 : 6);
        code = code + push_sized(2, target) + (is_known ? Bytecode{} : Bytecode{OP_JUMPDEST}) +
               OP_JUMP + OP_INVALID + OP_JUMPDEST + push(i) + OP_ADD;
    }
    return code + call(kOther) + OP_POP + OP_DUP1 + push(7) + OP_SSTORE + push_sized(2, 5'000) +
           OP_DUP2 + OP_LT + push(start) + OP_JUMPI;
}

TEST_F(SharedCache, machines_of_many_threads_decode_the_same_code_at_the_same_time) {
    constexpr unsigned kThreads = 4;
    pre.deploy(kTarget, wandering_code().bytes());
    pre.deploy(kOther, (sload(1) + push(1) + OP_ADD + OP_POP).bytes());
    tx.gas_limit = 5'000'000;
    const auto valid = validate(tx, pre, env, BlockGas::whole(env));
    ASSERT_TRUE(valid.has_value());
    Evm plain({.engine = Engine::plain, .tracer = nullptr, .code_cache = nullptr});
    EngineRun expected;
    run_on(plain, pre, env, *valid, expected);
    ASSERT_EQ(expected.outcome.status, Status::success);

    for (const std::uint32_t entries : {0u, 1u, 4u})
        for (unsigned round = 0; round < 20; ++round) {
            const auto cache = make_code_cache(1 << 20, std::make_unique<Mutex>());
            std::array<EngineRun, kThreads> runs;
            std::vector<std::thread> threads;
            for (EngineRun& run : runs)
                threads.emplace_back([&, state = pre] {
                    Evm evm({.engine = Engine::fast,
                             .tracer = nullptr,
                             .code_cache = cache,
                             .decode_after_entries = entries});
                    run_on(evm, state, env, *valid, run);
                });
            for (std::thread& thread : threads)
                thread.join();

            for (const EngineRun& run : runs)
                ASSERT_EQ(difference(run, expected), "") << entries;
        }
}

/// What is decoded follows what is paid: contracts that are large, entered everywhere or left at
/// once.
TEST_F(SharedCache, decoded_memory_is_bounded_by_the_gas_used) {
    constexpr std::size_t kMostPerGas = 40;
    constexpr std::size_t kMostUnpaid = 32 * kPassageOpcodes;
    const Bytecode straight = 12'000 * (OP_ADDRESS + OP_POP);
    const Bytecode destinations = 24'000 * Bytecode{OP_JUMPDEST};
    const Bytecode pairs = 6'000 * (OP_JUMPDEST + OP_ADDRESS + OP_JUMPDEST + OP_POP);
    const Bytecode gas = 12'000 * (OP_GAS + OP_POP);
    for (const Bytecode* code : {&straight, &destinations, &pairs, &gas})
        for (const std::uint64_t gas_limit : {21'001u, 22'000u, 100'000u}) {
            pre.deploy(kTarget, code->bytes());
            tx.gas_limit = gas_limit;
            const auto cache = make_code_cache();
            Evm evm({.engine = Engine::fast, .tracer = nullptr, .code_cache = cache});
            const auto valid = validate(tx, pre, env, BlockGas::whole(env));
            ASSERT_TRUE(valid.has_value());
            EngineRun run;
            run_on(evm, pre, env, *valid, run);
            const auto used = cache->find(keccak256(code->bytes()), env.revision);
            ASSERT_NE(used, nullptr);
            const Code fresh(code->bytes(), gas_schedule(env.revision));

            const std::size_t decoded = used->size_in_memory() - fresh.size_in_memory();
            EXPECT_LE(decoded, kMostPerGas * (run.outcome.receipt.gas_used - 21'000) + kMostUnpaid);
        }
}

/// Trigger: code runs plainly, and the fast interpreter leaves for what is not decoded.
TEST_F(SharedCache, both_interpreters_take_turns_in_one_frame) {
    pre.deploy(kTarget, wandering_code().bytes());
    pre.deploy(kOther, sstore(3, 4).bytes());
    tx.gas_limit = 5'000'000;
    const auto valid = validate(tx, pre, env, BlockGas::whole(env));
    ASSERT_TRUE(valid.has_value());
    Evm plain({.engine = Engine::plain, .tracer = nullptr, .code_cache = nullptr});
    EngineRun expected;
    run_on(plain, pre, env, *valid, expected);

    for (std::uint32_t entries = 0; entries < 20; ++entries) {
        Evm evm({.engine = Engine::fast,
                 .tracer = nullptr,
                 .code_cache = nullptr,
                 .decode_after_entries = entries});
        for (unsigned times = 0; times < 3; ++times) {
            EngineRun run;
            run_on(evm, pre, env, *valid, run);
            ASSERT_EQ(difference(run, expected), "") << entries;
        }
    }
}

}  // namespace
}  // namespace heddle::vm::test
