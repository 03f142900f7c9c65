// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "recovery/generator_table.hpp"

#ifdef __x86_64__

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include <secp256k1.h>

#include <types/assert.hpp>

#include "recovery/scalar.hpp"

namespace heddle::recovery {
namespace {

/// SEC 2, 2.4.1, compressed.
constexpr std::array<std::uint8_t, 33> kGenerator = {
    0x02, 0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0,
    0x62, 0x95, 0xce, 0x87, 0x0b, 0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d,
    0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98};

secp256k1_pubkey sum(const secp256k1_pubkey& a, const secp256k1_pubkey& b) {
    const std::array<const secp256k1_pubkey*, 2> parts = {&a, &b};
    secp256k1_pubkey result;
    const int ok = secp256k1_ec_pubkey_combine(secp256k1_context_static, &result, parts.data(), 2);
    HEDDLE_ASSERT(ok == 1);
    return result;
}

void fill(TableRow& row, const Uint256& x, const Uint256& y) {
    std::ranges::copy(x.words, row.x);
    std::ranges::copy(y.words, row.y);
}

std::unique_ptr<const GeneratorTable> make_table() {
    auto table = std::make_unique<GeneratorTable>();
    secp256k1_pubkey odd;
    const int ok = secp256k1_ec_pubkey_parse(secp256k1_context_static, &odd, kGenerator.data(),
                                             kGenerator.size());
    HEDDLE_ASSERT(ok == 1);
    const secp256k1_pubkey two = sum(odd, odd);
    for (std::size_t i = 0; i < GeneratorTable::kRows; ++i) {
        std::array<std::uint8_t, 65> bytes{};
        std::size_t size = bytes.size();
        secp256k1_ec_pubkey_serialize(secp256k1_context_static, bytes.data(), &size, &odd,
                                      SECP256K1_EC_UNCOMPRESSED);
        const Uint256 x = load_be(bytes.data() + 1);
        const Uint256 y = load_be(bytes.data() + 33);
        fill(table->rows[i], x, y);
        fill(table->lambda_rows[i], mulmod(x, kBeta, kFieldPrime), y);
        odd = sum(odd, two);
    }
    return table;
}

}  // namespace

const GeneratorTable& generator_table() {
    static const std::unique_ptr<const GeneratorTable> kTable = make_table();
    return *kTable;
}

}  // namespace heddle::recovery

#endif  // __x86_64__
