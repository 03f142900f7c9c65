# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# Optimisation by profile (docs/adr/0030): release builds by clang know from a training run how
# often what is executed. The profile is a file of the repository, so that every build makes the
# same code; `make profile` makes it anew. Code that it does not know, or that has changed since, is
# compiled as without it.

set(HEDDLE_PROFILE "use" CACHE STRING
    "use: optimise by cmake/heddle.profdata; generate: write profiles when running; off")
set_property(CACHE HEDDLE_PROFILE PROPERTY STRINGS use generate off)
if(NOT HEDDLE_PROFILE MATCHES "^(use|generate|off)$")
  message(FATAL_ERROR "HEDDLE_PROFILE is \"${HEDDLE_PROFILE}\": choose use, generate or off")
endif()

set(heddle_profile_options)
set(heddle_profile_link_options)
if(HEDDLE_PROFILE STREQUAL "generate")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HEDDLE_PROFILE=generate needs clang")
  endif()
  set(heddle_profile_options "-fprofile-generate=${CMAKE_BINARY_DIR}/profiles")
  set(heddle_profile_link_options -fprofile-generate)
elseif(HEDDLE_PROFILE STREQUAL "use" AND CMAKE_BUILD_TYPE STREQUAL "Release"
       AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT HEDDLE_SANITIZE AND NOT HEDDLE_COVERAGE)
  set(heddle_profile_options "-fprofile-use=${PROJECT_SOURCE_DIR}/cmake/heddle.profdata"
      -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled -Wno-backend-plugin)
  # An older clang does not read what a newer one has written.
  include(CheckCXXSourceCompiles)
  string(JOIN " " CMAKE_REQUIRED_FLAGS ${heddle_profile_options})
  check_cxx_source_compiles("int main() {}" HEDDLE_READS_PROFILE)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT HEDDLE_READS_PROFILE)
    message(STATUS "cmake/heddle.profdata was written by a newer clang: compiling without it")
    set(heddle_profile_options)
  endif()
endif()
if(heddle_profile_options)
  # Functions of one file are named by it: by its name, not by where it lies.
  list(APPEND heddle_profile_options "SHELL:-mllvm -static-func-full-module-prefix=false")
endif()

# heddle_profile(<target>
#   [NO_GUESSED_CALLS])   calls through pointers are not compared with the function that they mostly
#                         led to in training
# <target> is optimised by the profile, or writes it. Called beside it, after its sources are known,
# which are compiled again when the profile changes.
function(heddle_profile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_GUESSED_CALLS" "" "")
  if(HEDDLE_PROFILE STREQUAL "use" AND heddle_profile_options)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    set_source_files_properties(${sources} PROPERTIES
      OBJECT_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/heddle.profdata")
  endif()
  target_compile_options(${target} PRIVATE ${heddle_profile_options})
  if(arg_NO_GUESSED_CALLS AND heddle_profile_options)
    target_compile_options(${target} PRIVATE "SHELL:-mllvm -disable-icp")
  endif()
  target_link_options(${target} PUBLIC ${heddle_profile_link_options})
endfunction()
