// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What threads that answer keep of the requests that they were sent. Its own program, because it
// replaces the global allocation functions.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <latch>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "rpc/envelope/json_rpc.hpp"
#include "transport/wire_methods.hpp"

namespace {
std::atomic<std::ptrdiff_t> held{0};  // bytes
}  // namespace

void* operator new(std::size_t size) {
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    held += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    return memory;
}
void operator delete(void* memory) noexcept {
    if (memory != nullptr) held -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

namespace heddle::node::rpc {
namespace {

/// What so many threads hold together when each has answered the request and lives on.
std::ptrdiff_t held_after(const std::string& request) {
    constexpr std::size_t kThreads = 8;
    const WireMethods methods;
    ResponderLimits limits;
    const Responder responder(methods.table, limits);
    const std::ptrdiff_t before = held;
    std::latch answered(kThreads);
    std::latch looked(1);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            (void)responder.answer(request, {},
                                   std::chrono::steady_clock::now() + std::chrono::hours(1));
            answered.count_down();
            looked.wait();
        });
    answered.wait();
    const std::ptrdiff_t after = held - before;
    looked.count_down();
    for (std::thread& thread : threads)
        thread.join();
    return after / static_cast<std::ptrdiff_t>(kThreads);
}

std::string request_with(const std::string& params) {
    return R"({"jsonrpc":"2.0","id":1,"method":"test_echo","params":)" + params + "}";
}

TEST(ParamsMemory, of_small_requests_is_small) {
    EXPECT_LT(held_after(request_with(R"(["a"])")), 100 << 10);
}

/// Integers of more than 64 bits are copied, and their places noted.
TEST(ParamsMemory, of_large_requests_goes_with_them) {
    std::string integers = "[1";
    std::string strings = R"([")" + std::string(2'000'000, 'a') + '"';
    for (int i = 0; i < 60'000; ++i) {
        integers += ",123456789012345678901234567890";
        strings += R"(,"")";
    }
    for (const std::string& params : {integers + "]", strings + "]"})
        EXPECT_LT(held_after(request_with(params)), 100 << 10);
}

}  // namespace
}  // namespace heddle::node::rpc
