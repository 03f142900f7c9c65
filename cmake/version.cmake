# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# Sets heddle_version, which the program says, to that of the newest tag `vX.Y.Z` before what is
# built, and heddle_package_version to the same with what came behind the tag. What `git archive`
# has packed says it here, and without tags it is the version below. `cmake -P` prints both.

set(heddle_fallback 0.1.0)
set(heddle_archived "$Format:%(describe:tags=true,match=v[0-9]*)$")  # see .gitattributes

function(heddle_find_version)
  set(described "")
  if(NOT heddle_archived MATCHES "Format")
    set(described "${heddle_archived}")
  elseif(EXISTS "${CMAKE_CURRENT_LIST_DIR}/../.git")
    find_program(HEDDLE_GIT git)
    mark_as_advanced(HEDDLE_GIT)
    if(HEDDLE_GIT)
      execute_process(
        COMMAND "${HEDDLE_GIT}" -C "${CMAKE_CURRENT_LIST_DIR}" describe --tags --match "v[0-9]*"
        OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endif()
  if(described MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+)(-([0-9]+)-(g[0-9a-f]+))?$")
    set(version "${CMAKE_MATCH_1}")
    set(package "${version}")
    if(CMAKE_MATCH_2)
      string(APPEND package "+${CMAKE_MATCH_3}.${CMAKE_MATCH_4}")
    endif()
  else()
    set(version "${heddle_fallback}")
    set(package "${version}")
  endif()
  set(heddle_version "${version}" PARENT_SCOPE)
  set(heddle_package_version "${package}" PARENT_SCOPE)
endfunction()
heddle_find_version()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  message("${heddle_version} ${heddle_package_version}")
endif()
