// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Time, processor time made on purpose, huge pages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace heddle::bench {

/// Nanoseconds since some fixed moment.
[[nodiscard]] inline std::uint64_t now_ns() noexcept {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

/// Fetches a cache line that will be written, and takes it from other processors.
inline void prefetch_for_write(const void* address) noexcept {
#if defined(__x86_64__)
    // The compiler's own builtin stops at a shared line unless it may assume newer processors.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
    __builtin_prefetch(address, 1);
#endif
}

/// Work that takes a wanted time when nothing interrupts it. Counted in rounds, not read from the
/// clock, so that a thread that was interrupted has not worked meanwhile.
class Spin {
public:
    /// Finds out how many rounds take how long: the fastest of several attempts.
    Spin() noexcept {
        constexpr std::uint64_t kRounds = 20'000;
        std::uint64_t best = ~std::uint64_t{0};
        for (int attempt = 0; attempt < 200; ++attempt) {
            const std::uint64_t start = now_ns();
            turn(kRounds);
            const std::uint64_t took = now_ns() - start;
            if (took != 0 && took < best) best = took;
        }
        rounds_per_us_ = kRounds * 1'000 / best;
    }

    void run_for(std::uint64_t ns) const noexcept { turn(ns * rounds_per_us_ / 1'000); }

private:
    static void turn(std::uint64_t rounds) noexcept {
        std::uint64_t value = rounds;
        for (std::uint64_t i = 0; i < rounds; ++i) {
            value = value * 0x9e3779b97f4a7c15 + i;
            asm volatile("" : "+r"(value));
        }
    }

    std::uint64_t rounds_per_us_ = 1;
};

/// Objects made by their default constructor in memory for which huge pages were asked.
template <typename T>
class HugeArray {
public:
    explicit HugeArray(std::size_t count) : count_(count), bytes_(round_up(count * sizeof(T))) {
        memory_ = ::operator new(bytes_, kAlignment);
        ::madvise(memory_, bytes_, MADV_HUGEPAGE);
        std::uninitialized_value_construct_n(data(), count_);
    }
    HugeArray(const HugeArray&) = delete;
    HugeArray& operator=(const HugeArray&) = delete;
    ~HugeArray() {
        std::destroy_n(data(), count_);
        ::operator delete(memory_, kAlignment);
    }

    [[nodiscard]] T& operator[](std::size_t i) noexcept { return data()[i]; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

private:
    static constexpr std::align_val_t kAlignment{std::size_t{1} << 21};
    [[nodiscard]] static std::size_t round_up(std::size_t bytes) noexcept {
        constexpr std::size_t kPage = std::size_t{1} << 21;
        return (bytes + kPage - 1) / kPage * kPage;
    }
    [[nodiscard]] T* data() noexcept { return static_cast<T*>(memory_); }

    std::size_t count_;
    std::size_t bytes_;
    void* memory_ = nullptr;
};

}  // namespace heddle::bench
