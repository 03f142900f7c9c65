# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# Names of functions are always there for stack traces. Lines take a tenth more time to build.
option(HEDDLE_LINES "Compile release builds with line numbers for stack traces" OFF)
if(HEDDLE_LINES)
  add_compile_options("$<$<CONFIG:Release>:-g1>")
endif()

# heddle_install_stripped(<target> <component> [<install argument>...])
#
# With GNUInstallDirs. Installs a program or a shared library without the symbols that nobody links
# against and, as component <component>-debug, in lib/debug/, the file that debuggers find by the
# name and the checksum that is kept of it. Without objcopy it is installed as it was built.
function(heddle_install_stripped target component)
  install(TARGETS ${target} COMPONENT ${component} ${ARGN})
  if(NOT CMAKE_OBJCOPY)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set(folder "${CMAKE_INSTALL_BINDIR}")
  else()
    set(folder "${CMAKE_INSTALL_LIBDIR}")
  endif()
  # Where it goes is known when it is installed: packages have a prefix of their own.
  set(debug "${CMAKE_CURRENT_BINARY_DIR}/$<TARGET_FILE_NAME:${target}>.debug")
  set(keep "
    if(EXISTS \"$<TARGET_FILE:${target}>\")
      execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --only-keep-debug
        \"$<TARGET_FILE:${target}>\" \"${debug}\" COMMAND_ERROR_IS_FATAL ANY)
    endif()")
  install(CODE "${keep}
    if(EXISTS \"${debug}\")
      execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --strip-all \"--add-gnu-debuglink=${debug}\"
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\"
        COMMAND_ERROR_IS_FATAL ANY)
    endif()" COMPONENT ${component})
  install(CODE "${keep}
    if(EXISTS \"${debug}\")
      set(place \"lib/debug\${CMAKE_INSTALL_PREFIX}/${folder}\")
      file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${place}\" TYPE FILE FILES \"${debug}\")
    endif()" COMPONENT ${component}-debug)
endfunction()
