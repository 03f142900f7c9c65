// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code_cache.hpp"

#include <gtest/gtest.h>

#include "code.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

std::shared_ptr<const Code> make_code(std::size_t size) {
    return std::make_shared<const Code>(Bytes(size, OP_JUMPDEST), gas_schedule(kLatestRevision),
                                        true);
}
Hash key(std::uint64_t n) {
    return keccak256(to_hash(n).view());
}

TEST(CodeCache, code_is_found_by_hash_revision_and_form) {
    CodeCache cache(1 << 20, nullptr);
    const auto code = make_code(10);
    cache.insert(key(1), Revision::osaka, true, code);

    EXPECT_EQ(cache.find(key(1), Revision::osaka, true), code);
    EXPECT_EQ(cache.find(key(1), Revision::osaka, false), nullptr);
    EXPECT_EQ(cache.find(key(1), Revision::prague, true), nullptr);
    EXPECT_EQ(cache.find(key(2), Revision::osaka, true), nullptr);
}

TEST(CodeCache, the_least_recently_used_goes_first) {
    const std::size_t each = make_code(1'000)->size_in_memory();
    CodeCache cache(3 * each, nullptr);
    for (std::uint64_t i = 0; i < 3; ++i)
        cache.insert(key(i), Revision::osaka, true, make_code(1'000));
    EXPECT_NE(cache.find(key(0), Revision::osaka, true), nullptr);

    cache.insert(key(3), Revision::osaka, true, make_code(1'000));

    EXPECT_EQ(cache.find(key(1), Revision::osaka, true), nullptr);
    for (const std::uint64_t kept : {0u, 2u, 3u})
        EXPECT_NE(cache.find(key(kept), Revision::osaka, true), nullptr);
}

TEST(CodeCache, code_larger_than_the_cache_is_the_only_one_in_it) {
    CodeCache cache(1, nullptr);
    cache.insert(key(1), Revision::osaka, true, make_code(1'000));
    EXPECT_NE(cache.find(key(1), Revision::osaka, true), nullptr);
    cache.insert(key(2), Revision::osaka, true, make_code(1'000));
    EXPECT_EQ(cache.find(key(1), Revision::osaka, true), nullptr);
}

TEST(CodeCache, evicted_code_lives_while_somebody_has_it) {
    CodeCache cache(1, nullptr);
    auto code = make_code(100);
    const std::weak_ptr<const Code> watched = code;
    cache.insert(key(1), Revision::osaka, true, code);
    cache.insert(key(2), Revision::osaka, true, make_code(100));
    EXPECT_FALSE(watched.expired());
    code.reset();
    EXPECT_TRUE(watched.expired());
}

TEST(CodeCache, the_first_of_two_inserts_stays) {
    CodeCache cache(1 << 20, nullptr);
    const auto first = make_code(10);
    cache.insert(key(1), Revision::osaka, true, first);
    cache.insert(key(1), Revision::osaka, true, make_code(10));

    EXPECT_EQ(cache.find(key(1), Revision::osaka, true), first);
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
    cache.insert(key(1), Revision::osaka, true, make_code(10));
    (void)cache.find(key(1), Revision::osaka, true);
    (void)cache.find(key(2), Revision::osaka, true);

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

}  // namespace
}  // namespace heddle::vm::test
