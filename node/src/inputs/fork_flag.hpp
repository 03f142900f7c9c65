// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The fork whose rules a chain has from its first block on, as flags name it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <types/revision.hpp>

namespace heddle::node {

/// How flags name `revision`; not for those before workload::kFirstRevision.
[[nodiscard]] std::string_view fork_name(Revision revision);

/// @param flag  In the text of errors.
/// Errors: InputError for a name that is none, or of a fork before workload::kFirstRevision.
[[nodiscard]] Revision revision_of(std::string_view flag, std::string_view name);

/// All names.
[[nodiscard]] std::vector<std::string> fork_choices();
/// The same in words: "cancun, prague or osaka".
[[nodiscard]] std::string known_forks();

}  // namespace heddle::node
