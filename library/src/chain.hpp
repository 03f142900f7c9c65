// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of a chain behind heddle_chain.
#pragma once

#include <heddle.h>

#include <types/chain_config.hpp>

struct heddle_chain {
    const heddle::ChainConfig config;
};
