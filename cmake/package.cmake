# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# Debian packages, made by `make package` out of a build folder: heddle, libheddle1, libheddle-dev
# and heddle-dbgsym. What they depend on is what their programs are linked with. The same build
# gives the same bytes where SOURCE_DATE_EPOCH is set.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR "The heddle Authors")
set(CPACK_PACKAGE_CONTACT "The heddle Authors <maintainers@heddle.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "execution engine of Ethereum-compatible chains")
set(CPACK_PACKAGE_VERSION "${heddle_package_version}")
set(CPACK_STRIP_FILES OFF)  # heddle_install_stripped() has done it, and kept what it took
# Services name the program by its place: it is installed below DESTDIR, at the prefix of a package.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_COMPONENTS_ALL program library development program-debug)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME heddle)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_LIST_DIR}/debian/postinst" "${CMAKE_CURRENT_LIST_DIR}/debian/postrm"
    "${CMAKE_CURRENT_LIST_DIR}/debian/prerm")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"Node and tools: a node with JSON-RPC, a chain for development, networks of
validators under CometBFT, replay, verification and export of chains, official
test suites.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libheddle${heddle_interface})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"Shared library: blocks and transactions on a state of the caller's.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libheddle-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libheddle${heddle_interface} (= ${heddle_package_version}-1)")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"Development files: the header heddle.h, the static library, what pkg-config and
CMake need, the manual page.")

set(CPACK_DEBIAN_PROGRAM-DEBUG_PACKAGE_NAME heddle-dbgsym)
set(CPACK_DEBIAN_PROGRAM-DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_PROGRAM-DEBUG_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PROGRAM-DEBUG_PACKAGE_DEPENDS "heddle (= ${heddle_package_version}-1)")
set(CPACK_COMPONENT_PROGRAM-DEBUG_DESCRIPTION
"Names that were stripped off the program, for debuggers and stack traces.")

include(GNUInstallDirs)
foreach(pair IN ITEMS program:heddle library:libheddle${heddle_interface} development:libheddle-dev
                      program-debug:heddle-dbgsym)
  string(REGEX MATCH "^(.+):(.+)$" pair "${pair}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" RENAME copyright
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2}" COMPONENT ${CMAKE_MATCH_1})
endforeach()
install(FILES CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/heddle" COMPONENT program)

include(CPack)
