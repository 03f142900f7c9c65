# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# What makes a mistake in memory harder to use against the process: canaries on the stack, checked
# calls of the C library, marked targets of indirect jumps (but handlers of the interpreter:
# vm/CMakeLists.txt) and a shadow stack where the processor has them, tables of the linker that are
# read-only before main(), and a program that lies elsewhere each time.
# tests/integration/hardening.py looks whether the program has them. Sanitizers bring their own
# checks, some of the same functions.

option(HEDDLE_HARDENING "Compile and link with the protections of cmake/hardening.cmake" ON)

# Programs are position-independent where the linker can do that.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

if(HEDDLE_HARDENING AND NOT HEDDLE_SANITIZE AND NOT HEDDLE_COVERAGE AND NOT HEDDLE_BUILD_FUZZ)
  add_compile_options(-fstack-protector-strong)
  # The C library checks nothing without optimisation, and says so each time. Some compilers define
  # it themselves.
  add_compile_options("$<$<NOT:$<CONFIG:Debug>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>")
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection=full)
    # Returns go where calls came from in all of the program; the Rust library has no mark for it.
    add_link_options(LINKER:-z,shstk)
  endif()
endif()
