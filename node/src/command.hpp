// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program. Each registers its own options and what it does; cli.cpp lists them.
#pragma once

#include <functional>

#include "error.hpp"

namespace CLI {
class App;
}

namespace heddle::node {

/// Where a command leaves what to do once the command line has been understood.
using Action = std::function<ExitCode()>;

void register_node(CLI::App& app, Action& action);
void register_init(CLI::App& app, Action& action);
void register_replay(CLI::App& app, Action& action);
void register_export(CLI::App& app, Action& action);
void register_verify(CLI::App& app, Action& action);
void register_db(CLI::App& app, Action& action);
void register_snapshot(CLI::App& app, Action& action);
void register_statetest(CLI::App& app, Action& action);
void register_blocktest(CLI::App& app, Action& action);
void register_t8n(CLI::App& app, Action& action);
void register_inspect(CLI::App& app, Action& action);
void register_generate(CLI::App& app, Action& action);
void register_load(CLI::App& app, Action& action);
void register_testnet(CLI::App& app, Action& action);
void register_supervise(CLI::App& app, Action& action);

}  // namespace heddle::node
