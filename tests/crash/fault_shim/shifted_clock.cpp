// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// A clock that jumps: HEDDLE_FAULT_CLOCK=SEED shifts the time of day by up to two minutes in either
// direction, by another amount every 50 ms. Which, follows from the seed and from the time since
// the process asked first. Clocks that only measure go on as they are.

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include <dlfcn.h>
#include <sys/time.h>

namespace {

constexpr std::int64_t kPeriodNs = 50'000'000;
constexpr std::int64_t kMostSeconds = 120;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

using GetTime = int (*)(clockid_t, timespec*);

struct Jumps {
    GetTime get = reinterpret_cast<GetTime>(::dlsym(RTLD_NEXT, "clock_gettime"));
    bool is_active = false;
    std::uint64_t seed = 0;
    std::int64_t begin_ns = 0;

    Jumps() {
        const char* const text = std::getenv("HEDDLE_FAULT_CLOCK");
        if (text == nullptr) return;
        const std::string_view digits{text};
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), seed);
        // As for the other variables: a fault that never comes proves nothing.
        if (error != std::errc{} || end != digits.data() + digits.size()) std::_Exit(125);
        is_active = true;
        begin_ns = steady_ns();
    }
    [[nodiscard]] std::int64_t steady_ns() const {
        timespec now{};
        (void)get(CLOCK_MONOTONIC, &now);
        return now.tv_sec * kNsPerSecond + now.tv_nsec;
    }
    /// SplitMix64 of the seed and of how many periods have passed.
    [[nodiscard]] std::int64_t shift_seconds() const {
        const auto periods = static_cast<std::uint64_t>((steady_ns() - begin_ns) / kPeriodNs);
        std::uint64_t mixed = seed + (periods + 1) * 0x9e3779b97f4a7c15U;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
        mixed ^= mixed >> 31;
        return static_cast<std::int64_t>(mixed % (2 * kMostSeconds + 1)) - kMostSeconds;
    }
};

const Jumps& jumps() {
    static const Jumps jumps;
    return jumps;
}

}  // namespace

// The C library's names and signatures.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const Jumps& known = jumps();
    const int result = known.get(clock, time);
    if (result == 0 && known.is_active &&
        (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += known.shift_seconds();
    return result;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
    timespec now{};
    const int result = clock_gettime(CLOCK_REALTIME, &now);
    *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1'000};
    return result;
}

time_t time(time_t* out) noexcept {
    timespec now{};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out != nullptr) *out = now.tv_sec;
    return now.tv_sec;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
