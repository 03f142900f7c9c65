// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/scarcity.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include "program/error.hpp"

namespace heddle::node {

namespace {

constexpr std::string_view kText =
    "heddle: out of memory, or of threads: give the process more (ulimit -v and -u, the limits of "
    "its service or container), or it less to do (--memory, --workers)\n";

std::atomic_flag is_ending = ATOMIC_FLAG_INIT;

/// Straight to the descriptor: nothing here may ask for memory, or wait for who holds a lock.
void write_error(std::string_view text) noexcept {
    (void)!::write(STDERR_FILENO, text.data(), text.size());
}

/// For std::terminate().
[[noreturn]] void end_unhandled() noexcept {
    const std::exception_ptr error = std::current_exception();
    // Threads that run, destroyed on the way of an exception: more of them were wanted. Libraries
    // do that.
    if (error == nullptr && std::uncaught_exceptions() > 0) end_for_scarcity();
    try {
        if (error != nullptr) std::rethrow_exception(error);
        write_error("heddle: unexpected end\n");
    } catch (const std::exception& unhandled) {
        if (is_scarcity(unhandled)) end_for_scarcity();
        write_error("heddle: unexpected error: ");
        write_error(unhandled.what());
        write_error("\n");
    } catch (...) {
        write_error("heddle: unexpected error\n");
    }
    std::abort();
}

/// For SIGABRT. Libraries abort, and not they alone, where they get no memory: what is left is
/// tried.
void on_abort(int /*signal*/) {
    constexpr std::size_t kRoom = std::size_t{64} << 20;  // what the allocator asks for at once
    const int error = errno;
    if (::mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
               -1, 0) == MAP_FAILED)
        end_for_scarcity();
    errno = error;
}

}  // namespace

void end_for_scarcity() noexcept {
    // Whoever comes second waits for the first, whose line would be lost otherwise.
    while (is_ending.test_and_set())
        ::pause();
    write_error(kText);
    std::_Exit(static_cast<int>(ExitCode::no_memory));
}

bool is_scarcity(const std::exception& error) noexcept {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
    const auto* refused = dynamic_cast<const std::system_error*>(&error);
    return refused != nullptr && (refused->code() == std::errc::resource_unavailable_try_again ||
                                  refused->code() == std::errc::not_enough_memory);
}

void end_where_resources_are_scarce() noexcept {
    std::set_new_handler([] { end_for_scarcity(); });
    std::set_terminate(end_unhandled);
    (void)std::signal(SIGABRT, on_abort);
}

}  // namespace heddle::node
