// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/chain_wishes.hpp"

#include <string>

namespace heddle::node::rpc {

namespace {

RpcError refused(Code code, const std::string& text) {
    return {code, "forking: " + text};
}

}  // namespace

std::optional<ChainWish> wish_of(const Chain& chain, const JsonView& forking) {
    const ForkBase* const base = chain.fork_base();
    if (forking.find("httpHeaders").has_value())
        throw refused(Code::invalid_params,
                      "httpHeaders are not sent; put what the source needs into its URL");
    ChainWish wish;
    if (const auto url = forking.find("jsonRpcUrl")) wish.source = url->string();
    if (const auto number = forking.find("blockNumber")) wish.block = number->uint64();
    if (base == nullptr) {
        if (!wish.source.empty()) return wish;
        throw refused(Code::invalid_params,
                      "jsonRpcUrl is missing, and this chain is a fork of none");
    }
    const bool says_nothing = wish.source.empty() && !wish.block.has_value();
    if (wish.source.empty()) wish.source = base->source();
    const bool is_same = wish.source == base->source() && wish.block == base->number();
    if (says_nothing || is_same) return std::nullopt;
    return wish;
}

void exchange_chain(const Services& services, const Call& call, const ChainWish& wish) {
    const ForkBase* const base = services.chain.fork_base();
    if (services.exchange == nullptr)
        throw refused(Code::server_error, "no chain can take the place of this one");
    const bool is_known = wish.source.empty() || (base && wish.source == base->source());
    if (!is_known && !call.is_loopback)
        throw refused(Code::server_error,
                      "another jsonRpcUrl can be named from the node's machine only");
    const auto done = services.exchange->exchange(wish);
    if (!done.has_value()) throw refused(Code::server_error, done.error());
}

}  // namespace heddle::node::rpc
