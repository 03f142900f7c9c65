# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# Names of functions are always there for stack traces. Lines take a tenth more time to build.
option(HEDDLE_LINES "Compile release builds with line numbers for stack traces" OFF)
if(HEDDLE_LINES)
  add_compile_options("$<$<CONFIG:Release>:-g1>")
endif()

# heddle_install_stripped(<target>)
#
# With GNUInstallDirs. Installs a program without symbols, and beside it, in lib/debug/, the file
# that debuggers find by the name and the checksum that the program keeps of it. Without objcopy the
# program is installed as it was built.
function(heddle_install_stripped target)
  install(TARGETS ${target})
  if(NOT CMAKE_OBJCOPY)
    return()
  endif()
  set(program "${CMAKE_INSTALL_FULL_BINDIR}/${target}")
  set(debug "${CMAKE_INSTALL_PREFIX}/lib/debug${CMAKE_INSTALL_FULL_BINDIR}")
  install(CODE "
    set(program \"\$ENV{DESTDIR}${program}\")
    set(debug \"\$ENV{DESTDIR}${debug}\")
    file(MAKE_DIRECTORY \"\${debug}\")
    foreach(arguments IN ITEMS
            \"--only-keep-debug;\${program};\${debug}/${target}.debug\"
            \"--strip-all;--add-gnu-debuglink=\${debug}/${target}.debug;\${program}\")
      execute_process(COMMAND \"${CMAKE_OBJCOPY}\" \${arguments} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
endfunction()
