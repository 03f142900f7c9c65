// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain.hpp"

#include <string>
#include <string_view>

#include <types/expected.hpp>

#include "boundary.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/networks.hpp"
#include "program/error.hpp"

namespace heddle::library {

namespace {

constexpr std::size_t kMaxJsonBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxNameBytes = 256;

ChainConfig config_of(std::string_view text) {
    node::JsonParser parser;
    const node::JsonView document = parser.parse(text, "the chain's rules");
    const auto config = document.find("config");
    const node::JsonView& rules = config.has_value() ? *config : document;
    (void)rules.at("chainId");  // any object would do, and be the rules of Frontier
    return node::parse_chain_config(rules);
}

Result<ChainConfig> parse(std::string_view text) {
    try {
        return config_of(text);
    } catch (const node::InputError& error) {
        return fail(HEDDLE_MALFORMED, error.what());
    }
}

Result<ChainConfig> find(std::string_view name) {
    if (name == "mainnet") return mainnet_config();
    if (name == "sepolia") return sepolia_config();
    if (name.size() <= kMaxNameBytes)
        if (const auto network = node::find_network(name)) return network->config;
    return fail(HEDDLE_INVALID_ARGUMENT,
                "no chain of that name: there are mainnet, sepolia, " + node::known_networks());
}

}  // namespace

}  // namespace heddle::library

using namespace heddle::library;

extern "C" {

heddle_status heddle_chain_from_json(const char* text, std::size_t text_size, heddle_chain** out,
                                     heddle_error* error) {
    return make_call(out, error, [&]() -> Result<void> {
        if (text == nullptr) return fail(HEDDLE_INVALID_ARGUMENT, "text is null");
        if (text_size > kMaxJsonBytes)
            return fail(HEDDLE_LIMIT, "text has " + std::to_string(text_size) + " bytes, at most " +
                                          std::to_string(kMaxJsonBytes) + " are taken");
        HEDDLE_TRY(heddle::ChainConfig config, parse({text, text_size}));
        *out = new heddle_chain{std::move(config)};
        return {};
    });
}

heddle_status heddle_chain_by_name(const char* name, heddle_chain** out, heddle_error* error) {
    return make_call(out, error, [&]() -> Result<void> {
        if (name == nullptr) return fail(HEDDLE_INVALID_ARGUMENT, "name is null");
        HEDDLE_TRY(heddle::ChainConfig config, find({name, strnlen(name, kMaxNameBytes + 1)}));
        *out = new heddle_chain{std::move(config)};
        return {};
    });
}

void heddle_chain_free(heddle_chain* chain) {
    delete chain;
}

}  // extern "C"
