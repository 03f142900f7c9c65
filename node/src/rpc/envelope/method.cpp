// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/envelope/method.hpp"

#include <algorithm>

#include <types/assert.hpp>

namespace heddle::node::rpc {

JsonView Params::at(std::size_t index) const {
    const auto found = find(index);
    if (!found.has_value())
        throw RpcError(Code::invalid_params,
                       "missing value for required argument " + std::to_string(index));
    return *found;
}

std::optional<JsonView> Params::find(std::size_t index) const {
    if (index >= size()) return std::nullopt;
    const JsonView value = array_->element(index);
    return value.is_null() ? std::nullopt : std::optional{value};
}

void Call::check_deadline() const {
    if (std::chrono::steady_clock::now() > deadline)
        throw RpcError(Code::timed_out, "request timed out");
}

void MethodTable::add(Method method) {
    std::string name = method.name;
    const bool is_new = methods_.emplace(std::move(name), std::move(method)).second;
    HEDDLE_ASSERT(is_new);
}

void MethodTable::let_reads_wait() {
    for (auto& [name, method] : methods_) {
        if (method.weight != Weight::executing) method.weight = Weight::waiting;
        method.weigh = nullptr;
        method.gather = {};
    }
}

const Method* MethodTable::find(std::string_view name) const {
    const auto found = methods_.find(name);
    return found == methods_.end() ? nullptr : &found->second;
}

std::vector<std::string> MethodTable::names() const {
    std::vector<std::string> names;
    names.reserve(methods_.size());
    for (const auto& [name, method] : methods_)
        names.push_back(name);
    std::ranges::sort(names);
    return names;
}

}  // namespace heddle::node::rpc
