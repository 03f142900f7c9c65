// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "crash_note.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>

#include <unistd.h>

namespace heddle::test {
namespace {

// A signal handler may use nothing but this.
std::array<char, 600> g_text{};
volatile std::sig_atomic_t g_size = 0;

constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGTERM, SIGINT};
std::array<void (*)(int), kSignals.size()> g_earlier{};  // what a sanitizer may have installed

void write_note(int signal) {
    const auto written = ::write(STDERR_FILENO, g_text.data(), static_cast<std::size_t>(g_size));
    static_cast<void>(written);
    const auto place = std::ranges::find(kSignals, signal) - kSignals.begin();
    std::signal(signal, g_earlier[static_cast<std::size_t>(place)]);
    std::raise(signal);
}

}  // namespace

CrashNote::CrashNote(std::string_view text) {
    static constexpr std::string_view kHead = "\nwhile running ";
    char* end = std::ranges::copy(kHead, g_text.data()).out;
    end = std::ranges::copy(text.substr(0, g_text.size() - kHead.size() - 1), end).out;
    *end++ = '\n';
    g_size = static_cast<std::sig_atomic_t>(end - g_text.data());
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        const auto earlier = std::signal(kSignals[i], write_note);
        if (earlier != write_note) g_earlier[i] = earlier;
    }
}

CrashNote::~CrashNote() {
    g_size = 0;
}

}  // namespace heddle::test
