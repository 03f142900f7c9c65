// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "program/error.hpp"
#include "targets.hpp"

namespace heddle::fuzz {

void genesis(BytesView input) {
    static node::JsonParser parser;
    // Text is bytes; there is no other way from one to the other.
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    try {
        (void)node::parse_genesis(parser.parse(text, "genesis.json"));
    } catch (const node::InputError& error) {
        require(std::string_view(error.what()).starts_with("genesis.json"),
                "an error that does not name its document");
    }
}

}  // namespace heddle::fuzz
