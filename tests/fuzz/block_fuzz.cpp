// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/block.hpp>

#include "targets.hpp"

namespace heddle::fuzz {

void block(BytesView input) {
    if (const auto header = decode_header(input)) {
        Bytes out;
        encode_header(*header, out);
        require(equal(out, input), "a header changed");
        require(header_hash(*header) == keccak256(input), "a header's hash");
    }
    if (const auto decoded = decode_block(input)) {
        Bytes out;
        encode_block(*decoded, out);
        require(equal(out, input), "a block changed");
    } else {
        require(!to_string(decoded.error()).empty(), "an error without words");
        require(decoded.error().offset <= input.size(), "an error outside the input");
    }
}

}  // namespace heddle::fuzz
