# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# Precompiled headers: the standard library and fmt, which nearly every file reads and which take
# half of its time, are read once. Only what hardly ever changes is in them, so that no edit here
# compiles everything again. Every file still includes what it uses: HEDDLE_PCH=OFF compiles the
# same, and the lint preset builds that way.

set(heddle_precompiled_headers
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <compare> <concepts> <condition_variable>
  <cstddef> <cstdint> <cstring> <deque> <exception> <expected> <filesystem> <fstream> <functional>
  <initializer_list> <iterator> <limits> <list> <map> <memory> <mutex> <optional> <set>
  <shared_mutex> <span> <sstream> <stdexcept> <string> <string_view> <system_error> <thread> <tuple>
  <type_traits> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/format.h>)

# With the time stamps of headers in it, every clean build would miss the cache.
if(HEDDLE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# heddle_precompile(<target> [<header>...])
#
# Gives <target> precompiled headers of its own: the ones above and <header>...
function(heddle_precompile target)
  if(HEDDLE_PCH)
    target_precompile_headers(${target} PRIVATE ${heddle_precompiled_headers} ${ARGN})
  endif()
endfunction()

# heddle_reuse_precompiled(<target> <owner>)
#
# Lets <target> read those of <owner>. Both must be compiled with the same options: exceptions,
# position independence (libraries are, programs are in another way), instruction set.
function(heddle_reuse_precompiled target owner)
  if(HEDDLE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
