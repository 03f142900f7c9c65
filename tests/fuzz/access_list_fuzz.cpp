// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block access lists (EIP-7928): a decoded one encodes to the same bytes, errors say where they
// are, and checks and comparisons end.
#include <types/block_access_list.hpp>

#include "targets.hpp"

namespace heddle::fuzz {

void access_list(BytesView input) {
    const auto list = decode_block_access_list(input);
    if (!list.has_value()) {
        require(!to_string(list.error()).empty(), "an error without words");
        require(list.error().rlp.has_value() && list.error().rlp->offset <= input.size(),
                "an error outside the input");
        return;
    }
    Bytes out;
    encode_block_access_list(*list, out);
    require(equal(out, input), "a list changed");
    require(!first_difference(*list, *list).has_value(), "a list differs from itself");
    if (const auto form = check_form(*list, 2, 30'000'000); !form.has_value())
        require(!to_string(form.error()).empty(), "a rule without words");
    if (!list->accounts.empty()) {
        const auto difference = first_difference(*list, BlockAccessList{});
        require(difference.has_value() && !to_string(*difference).empty(), "no difference");
    }
}

}  // namespace heddle::fuzz
