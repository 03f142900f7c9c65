# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# heddle_cargo_library(<target> <crate directory>)
#
# Builds a Rust staticlib crate with cargo and imports it as <target>. Cargo sees the same C
# compiler as the rest, because crates may carry C and assembly.
function(heddle_cargo_library target crate)
  find_program(HEDDLE_CARGO cargo REQUIRED)
  set(library "${HEDDLE_CARGO_TARGET_DIR}/release/lib${target}.a")
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS "${crate}/src/*.rs")
  add_custom_command(
    OUTPUT "${library}"
    COMMAND "${CMAKE_COMMAND}" -E env "CC=${CMAKE_C_COMPILER}"
            "${HEDDLE_CARGO}" build --release --quiet
            --manifest-path "${crate}/Cargo.toml" --target-dir "${HEDDLE_CARGO_TARGET_DIR}"
    # Cargo leaves an unchanged library alone; the time stamp tells the build tool that it is new
    # enough.
    COMMAND "${CMAKE_COMMAND}" -E touch "${library}"
    DEPENDS "${crate}/Cargo.toml" ${inputs}
    COMMENT "Building ${target} with cargo"
    VERBATIM)
  add_custom_target(${target}_build DEPENDS "${library}")
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${library}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
  add_dependencies(${target} ${target}_build)
endfunction()
