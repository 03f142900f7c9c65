// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <executor/executor.hpp>

namespace heddle::executor {

std::unique_ptr<Executor> make_executor(std::string_view scheduler, Options options) {
    if (scheduler == "serial") return make_serial_executor(std::move(options));
    if (scheduler == "dag") return make_dag_executor(std::move(options));
    return nullptr;
}

}  // namespace heddle::executor
