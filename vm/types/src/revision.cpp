// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/revision.hpp>

namespace heddle {

std::string_view to_string(Revision revision) noexcept {
    switch (revision) {
        case Revision::frontier:
            return "Frontier";
        case Revision::homestead:
            return "Homestead";
        case Revision::tangerine_whistle:
            return "Tangerine Whistle";
        case Revision::spurious_dragon:
            return "Spurious Dragon";
        case Revision::byzantium:
            return "Byzantium";
        case Revision::constantinople:
            return "Constantinople";
        case Revision::petersburg:
            return "Petersburg";
        case Revision::istanbul:
            return "Istanbul";
        case Revision::berlin:
            return "Berlin";
        case Revision::london:
            return "London";
        case Revision::paris:
            return "Paris";
        case Revision::shanghai:
            return "Shanghai";
        case Revision::cancun:
            return "Cancun";
        case Revision::prague:
            return "Prague";
        case Revision::osaka:
            return "Osaka";
    }
    return "unknown";
}

}  // namespace heddle
