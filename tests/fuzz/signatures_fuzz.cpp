// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <types/sender_recovery.hpp>
#include <types/signing.hpp>

#include "byte_source.hpp"
#include "odd_signatures.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

constexpr std::size_t kMost = 70;  // more than are done at once

SignedMessage take_message(ByteSource& source) {
    switch (source.below(3)) {
        case 0:
            return test::odd_signature(source.word(2).low64());
        case 1: {
            const Hash hash = to_hash(source.word(32));
            const auto signature = sign(hash, to_hash(source.word(4)));
            if (!signature.has_value()) return {};
            return {hash, signature->y_parity, signature->r, signature->s};
        }
        default: {
            SignedMessage message = test::odd_signature(source.word(2).low64());
            message.r += source.word(2);
            message.s -= source.word(2);
            return message;
        }
    }
}

}  // namespace

void signatures(BytesView input) {
    ByteSource source(input);
    std::vector<SignedMessage> messages;
    while (!source.is_used_up() && messages.size() < kMost)
        messages.push_back(take_message(source));
    std::vector<std::optional<Address>> signers(messages.size());
    recover_signers(messages, signers);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto& [hash, y_parity, r, s] = messages[i];
        require(signers[i] == recover_signer(hash, y_parity, r, s), "a signer among many");
    }
}

}  // namespace heddle::fuzz
