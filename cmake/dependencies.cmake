# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0

# Every third-party library, found once here so that its target is visible to all components.
# `scripts/install-deps.sh` installs them; nothing is downloaded while configuring.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(TBB REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(RocksDB REQUIRED)
find_package(Snappy REQUIRED)
find_package(mimalloc REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
# The package's own configuration also asks for the libraries of its web server and its pusher,
# which are not used here.
find_path(PROMETHEUS_CPP_INCLUDE prometheus/registry.h REQUIRED)
find_library(PROMETHEUS_CPP_CORE prometheus-cpp-core REQUIRED)
add_library(prometheus-cpp::core UNKNOWN IMPORTED)
set_target_properties(prometheus-cpp::core PROPERTIES
  IMPORTED_LOCATION "${PROMETHEUS_CPP_CORE}"
  INTERFACE_INCLUDE_DIRECTORIES "${PROMETHEUS_CPP_INCLUDE}")
pkg_check_modules(SECP256K1 REQUIRED IMPORTED_TARGET GLOBAL libsecp256k1)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET GLOBAL gmp)

if(HEDDLE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
if(HEDDLE_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
