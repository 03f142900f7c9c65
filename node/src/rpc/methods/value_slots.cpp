// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/value_slots.hpp"

#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"
#include "simulation/access_list.hpp"
#include "simulation/call_request.hpp"
#include "simulation/call_site.hpp"

namespace heddle::node::rpc {
namespace {

class ValueCall {
public:
    ValueCall(const Services& services, const Call& call, const Address& contract,
              const Bytes& input)
        : services_(services), call_(call) {
        request_.to = contract;
        request_.data = input;
    }

    [[nodiscard]] AccessList read_slots() const {
        const simulation::CallSite site = here();
        auto created = simulation::create_access_list(site, request_, gas_cap(), Uint256{},
                                                      deadline_of(call_));
        if (!created.error.empty())
            throw server_error("the token does not say how much it is: " + created.error);
        return std::move(created.list);
    }

    [[nodiscard]] bool returns_from(const ValueSlot& place, const Uint256& value) const {
        simulation::CallSite site = here();
        simulation::AccountOverride change;
        change.state_diff = {{place.slot, value}};
        site.override_state({{place.contract, std::move(change)}});
        simulation::CallRequest request = request_;
        simulation::fill_defaults(request, gas_cap(), site.has_base_fee(), site.env().chain_id);
        vm::Evm evm({.code_cache = services_.chain.code_cache()});
        vm::Outcome outcome;
        const auto executed =
            site.execute(simulation::to_transaction(request), evm, outcome, deadline_of(call_));
        return executed.has_value() && outcome.status == vm::Status::success &&
               equal(outcome.output, to_hash(value).view());
    }

private:
    [[nodiscard]] simulation::CallSite here() const {
        return {services_.chain, select_call_state(services_, {}, CallPurpose::view)};
    }
    [[nodiscard]] std::uint64_t gas_cap() const noexcept {
        const std::uint64_t cap = services_.limits.call_gas;
        return cap == 0 ? std::numeric_limits<std::int64_t>::max() : cap;
    }

    const Services& services_;
    const Call& call_;
    simulation::CallRequest request_;
};

}  // namespace

ValueSlot find_value_slot(const Services& services, const Call& call, const Address& token,
                          const Bytes& input, const Uint256& value) {
    const ValueCall asking(services, call, token, input);
    std::size_t tried = 0;
    for (const AccessListEntry& entry : asking.read_slots())
        for (const Hash& key : entry.storage_keys) {
            const ValueSlot place{entry.address, to_word(key)};
            if (++tried <= kMostTried && asking.returns_from(place, value)) return place;
        }
    throw server_error(
        fmt::format("token {}: what it returns is in none of the slots that it reads; set them "
                    "with anvil_setStorageAt",
                    to_string(token)));
}

}  // namespace heddle::node::rpc
