// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What several threads may need and each of them could make: the first one made is everybody's.
// For what is cheap to make twice, so that nobody waits for anybody. Not a lock, and not for values
// that change.
//
// A place has two states, and leaves the first one once:
//
//   state      meaning                                    next, by whom
//   absent     nobody has published; anyone may make one  published, by the thread whose
//                                                         compare-exchange comes first
//   published  this value, for ever                       none
//
// The successful compare-exchange (release) pairs with every load (acquire) and with the failed
// compare-exchange (acquire) of those who come second: whoever sees the value sees what it points
// to. Who comes second discards what it has made, which nobody has seen, and goes on with the value
// that is there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle {

/// What is published in `place`, made and published now if nothing is.
/// @param place    std::atomic, std::atomic_ref or what behaves like one.
/// @param absent   What `place` holds before.
/// @param make     Called at most once; gives a value other than `absent`.
/// @param discard  Called with the value made where another one was faster.
/// Thread safety: any number of threads at a time; nobody waits.
template <typename Place, typename Value, typename Make, typename Discard>
[[nodiscard]] Value find_or_publish(Place&& place, Value absent, Make&& make, Discard&& discard) {
    Value found = place.load(std::memory_order_acquire);
    if (found != absent) return found;
    const Value made = make();
    found = absent;
    while (!place.compare_exchange_weak(found, made, std::memory_order_release,
                                        std::memory_order_acquire))
        if (found != absent) {
            discard(made);
            return found;
        }
    return made;
}

/// A place for a pointer. Trivial, so that it may stand in a union and be copied while only one
/// thread knows it. Ownership: none.
template <typename T>
struct Publication {
    T* value;  // absent: what the maker of the place has put here, often null

    [[nodiscard]] T* get() const noexcept {
        return std::atomic_ref(const_cast<T*&>(value)).load(std::memory_order_acquire);
    }
    /// See find_or_publish().
    template <typename Make, typename Discard>
    [[nodiscard]] T* get_or_make(T* absent, Make&& make, Discard&& discard) noexcept {
        return find_or_publish(std::atomic_ref(value), absent, make, discard);
    }
};

/// A word found out when it is first asked for. It follows from what all threads see: whoever sets
/// it sets the same. Trivial, as a Publication. set() (release) pairs with get() (acquire).
/// Thread safety: any number of threads at a time.
struct SharedWord {
    std::uint64_t value;

    [[nodiscard]] std::uint64_t get() const noexcept {
        return std::atomic_ref(const_cast<std::uint64_t&>(value)).load(std::memory_order_acquire);
    }
    void set(std::uint64_t found) noexcept {
        std::atomic_ref(value).store(found, std::memory_order_release);
    }
};

/// Counts up to a limit; of counts that several threads add at the same time some may be lost. For
/// what is decided by size, not for what must be exact: adding takes no locked operation.
struct RoughCount {
    static constexpr unsigned kMost = 255;
    std::uint8_t value = 0;

    /// Thread safety: any number of threads at a time.
    [[nodiscard]] unsigned get() const noexcept {
        // Relaxed here and below: nothing else is read because of it.
        return std::atomic_ref(const_cast<std::uint8_t&>(value)).load(std::memory_order_relaxed);
    }
    /// Thread safety: any number of threads at a time.
    void add_one() noexcept {
        const unsigned count = get();
        if (count < kMost)
            std::atomic_ref(value).store(static_cast<std::uint8_t>(count + 1),
                                         std::memory_order_relaxed);
    }
};

/// A sum that any thread may add to, and that nothing depends on but limits.
/// Thread safety: any number of threads at a time.
class SharedTotal {
public:
    void add(std::size_t value) noexcept {
        std::atomic_ref(total_).fetch_add(value, std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t get() const noexcept {
        return std::atomic_ref(const_cast<std::size_t&>(total_)).load(std::memory_order_relaxed);
    }

private:
    std::size_t total_ = 0;
};

}  // namespace heddle
