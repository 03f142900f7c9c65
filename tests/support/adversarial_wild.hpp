// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Kinds of adversarial transactions that nobody thought out: programs of wild_programs.hpp,
// created, called and created again, and authorizations that are wrong in every way there is.
#pragma once

#include "adversarial_transactions.hpp"

namespace heddle::test {

void adversarial_wild_creation(AdversarialStage& stage);
void adversarial_wild_call(AdversarialStage& stage);
void adversarial_wild_authorization(AdversarialStage& stage);

}  // namespace heddle::test
