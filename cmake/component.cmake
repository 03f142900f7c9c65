# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# heddle_component(<name>
#   [PUBLIC <header>...]               public headers, under include/
#   [SOURCES <file>...]                sources and private headers, under src/
#   [DEPENDS <target>...]              what the public headers need
#   [PRIVATE_DEPENDS <target>...]      what only the sources need
#   [NO_EXCEPTIONS])                   outcomes are values: a stray throw must not compile
#
# Makes the static library heddle_<name> (alias heddle::<name>) with include/ as its public and src/
# as its private include root, and the target heddle_<name>_internal, through which the tests of
# the component reach its private headers. Lists are explicit and sorted.
function(heddle_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_EXCEPTIONS" ""
                        "PUBLIC;SOURCES;DEPENDS;PRIVATE_DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_component(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target heddle_${name})

  add_library(${target} STATIC)
  add_library(heddle::${name} ALIAS ${target})
  target_sources(${target}
    PRIVATE ${arg_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include" FILES ${arg_PUBLIC})
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>"
    PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_link_libraries(${target}
    PUBLIC ${arg_DEPENDS}
    PRIVATE ${arg_PRIVATE_DEPENDS} $<BUILD_INTERFACE:heddle_warnings>)
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  if(arg_NO_EXCEPTIONS)
    target_compile_options(${target} PRIVATE -fno-exceptions)
    heddle_precompile(${target})
  elseif(name STREQUAL "types")
    heddle_precompile(${target})
  else()
    heddle_reuse_precompiled(${target} heddle_types)
  endif()

  add_library(${target}_internal INTERFACE)
  target_include_directories(${target}_internal INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_link_libraries(${target}_internal INTERFACE ${target} ${arg_PRIVATE_DEPENDS})
endfunction()
