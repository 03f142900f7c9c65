// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/keyed_hash.hpp>

#include <unistd.h>

#include <types/assert.hpp>

namespace heddle {

HashKey make_hash_key() noexcept {
    HashKey key;
    HEDDLE_ASSERT(getentropy(key.words.data(), sizeof key.words) == 0);
    return key;
}

// The first priority that is not the compiler's own: a table of another file may be filled while
// that file's objects are made.
[[gnu::init_priority(101)]] const HashKey kHashKey = make_hash_key();

}  // namespace heddle
