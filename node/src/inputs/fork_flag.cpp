// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/fork_flag.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <types/fork.hpp>
#include <workload/options.hpp>

#include "program/error.hpp"

namespace heddle::node {

namespace {

std::vector<std::string_view> fork_names() {
    std::vector<std::string_view> names;
    for (const Fork& fork : kForks)
        if (fork.revision && *fork.revision >= workload::kFirstRevision)
            names.push_back(fork.key());
    return names;
}

}  // namespace

std::string_view fork_name(Revision revision) {
    return fork_of(revision).key();
}

Revision revision_of(std::string_view flag, std::string_view name) {
    for (const Fork& fork : kForks)
        if (fork.revision && *fork.revision >= workload::kFirstRevision && fork.key() == name)
            return *fork.revision;
    fail_input("{} {}: not one of {}", flag, name, fmt::join(fork_names(), ", "));
}

std::vector<std::string> fork_choices() {
    const std::vector<std::string_view> names = fork_names();
    return {names.begin(), names.end()};
}

std::string known_forks() {
    const std::vector<std::string_view> names = fork_names();
    return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

}  // namespace heddle::node
