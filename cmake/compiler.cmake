# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# Picks the newest clang (19 or later) when nobody chose a compiler: on Debian 12 the default `c++`
# is g++ 12, which compiles Heddle but lacks the attributes that the fast interpreter is built on.
# Must run before project(). CC/CXX, a toolchain file or -DCMAKE_CXX_COMPILER always win.

if(NOT DEFINED CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX} AND NOT DEFINED ENV{CC}
   AND NOT DEFINED CMAKE_TOOLCHAIN_FILE)
  foreach(version RANGE 40 19 -1)
    find_program(HEDDLE_CLANGXX_${version} clang++-${version})
    find_program(HEDDLE_CLANG_${version} clang-${version})
    mark_as_advanced(HEDDLE_CLANGXX_${version} HEDDLE_CLANG_${version})
    if(HEDDLE_CLANGXX_${version} AND HEDDLE_CLANG_${version})
      set(CMAKE_C_COMPILER "${HEDDLE_CLANG_${version}}" CACHE FILEPATH "C compiler")
      set(CMAKE_CXX_COMPILER "${HEDDLE_CLANGXX_${version}}" CACHE FILEPATH "C++ compiler")
      break()
    endif()
  endforeach()
  if(NOT DEFINED CMAKE_CXX_COMPILER)
    find_program(HEDDLE_CLANGXX clang++)
    find_program(HEDDLE_CLANG clang)
    mark_as_advanced(HEDDLE_CLANGXX HEDDLE_CLANG)
    if(HEDDLE_CLANGXX AND HEDDLE_CLANG)
      execute_process(COMMAND "${HEDDLE_CLANGXX}" -dumpversion OUTPUT_VARIABLE heddle_clang_version
                      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(heddle_clang_version VERSION_GREATER_EQUAL 19)
        set(CMAKE_C_COMPILER "${HEDDLE_CLANG}" CACHE FILEPATH "C compiler")
        set(CMAKE_CXX_COMPILER "${HEDDLE_CLANGXX}" CACHE FILEPATH "C++ compiler")
      endif()
    endif()
  endif()
endif()

find_program(HEDDLE_CCACHE ccache)
mark_as_advanced(HEDDLE_CCACHE)
if(HEDDLE_CCACHE AND NOT DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER}
   AND (NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER
        OR CMAKE_CXX_COMPILER_LAUNCHER STREQUAL HEDDLE_CCACHE))
  # ccache refuses what reads precompiled headers unless it may ignore __TIME__ and macros that are
  # defined beside them; nothing here uses either.
  set(heddle_launcher env CCACHE_SLOPPINESS=pch_defines,time_macros "${HEDDLE_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${heddle_launcher}" CACHE STRING "C compiler launcher" FORCE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${heddle_launcher}" CACHE STRING "C++ compiler launcher" FORCE)
endif()
if(NOT DEFINED CMAKE_BUILD_TYPE AND NOT DEFINED ENV{CMAKE_BUILD_TYPE})
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel")
endif()
