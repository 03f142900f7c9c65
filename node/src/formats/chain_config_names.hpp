// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The names that genesis files use. geth takes them in any case, and passes over those that it does
// not know; so a name must not be missed for its case, and one that can only be a fork's must not
// be passed over: a node that does not know the fork would go on by other rules than the chain.
#pragma once

#include <string_view>

namespace heddle::node {

class JsonView;

/// As `name` is spelt in this program, whatever its case; one that is not known, as it is.
/// Of the members of a genesis file, of those of its `config`, and of those of an account.
[[nodiscard]] std::string_view canonical_genesis_name(std::string_view name) noexcept;
[[nodiscard]] std::string_view canonical_config_name(std::string_view name) noexcept;
[[nodiscard]] std::string_view canonical_account_name(std::string_view name) noexcept;

/// Errors: InputError where the object `config` sets a fork that is not known, or another kind of
/// state.
void check_known_forks(const JsonView& config);

}  // namespace heddle::node
