// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program. Each registers its own options and what it does; cli.cpp lists them.
#pragma once

#include <functional>

#include "program/error.hpp"

namespace heddle::node {

class Command;

/// Where a command leaves what to do once the command line has been understood.
using Action = std::function<ExitCode()>;

void register_node(Command app, Action& action);
void register_dev(Command app, Action& action);
void register_init(Command app, Action& action);
void register_replay(Command app, Action& action);
void register_rerun(Command app, Action& action);
void register_lane(Command app, Action& action);
void register_lanes(Command app, Action& action);
void register_promote(Command app, Action& action);
void register_export(Command app, Action& action);
void register_verify(Command app, Action& action);
void register_db(Command app, Action& action);
void register_snapshot(Command app, Action& action);
void register_statetest(Command app, Action& action);
void register_blocktest(Command app, Action& action);
void register_t8n(Command app, Action& action);
void register_inspect(Command app, Action& action);
void register_generate(Command app, Action& action);
void register_load(Command app, Action& action);
void register_bench(Command app, Action& action);
void register_testnet(Command app, Action& action);
void register_supervise(Command app, Action& action);

}  // namespace heddle::node
