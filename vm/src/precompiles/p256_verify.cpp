// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/obj_mac.h>

#include <types/assert.hpp>

#include "precompiles/contracts.hpp"
#include "precompiles/gmp_integer.hpp"

namespace heddle::vm::precompiles {
namespace {

using Word = std::array<std::uint8_t, 32>;

/// Order of the group, big-endian.
constexpr Word kOrder{
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
};
/// Modulus of the base field, big-endian.
constexpr Word kFieldModulus{
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

bool is_below(BytesView word, const Word& bound) noexcept {
    return std::ranges::lexicographical_compare(word, bound);
}

bool is_zero(BytesView word) noexcept {
    return std::ranges::all_of(word, [](std::uint8_t byte) { return byte == 0; });
}

/// The curve, made once: OpenSSL only reads it afterwards, so all threads may share it.
const EC_GROUP* shared_group() noexcept {
    static const EC_GROUP* const group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    HEDDLE_ASSERT(group != nullptr);
    return group;
}

struct Deleter {
    void operator()(BN_CTX* context) const noexcept { BN_CTX_free(context); }
    void operator()(EC_POINT* point) const noexcept { EC_POINT_free(point); }
};
using Context = std::unique_ptr<BN_CTX, Deleter>;
using Point = std::unique_ptr<EC_POINT, Deleter>;

/// The two scalars of an ECDSA verification, hash / s and r / s modulo the order.
struct Scalars {
    Word of_generator{};
    Word of_key{};
};

/// GMP inverts several times faster than OpenSSL's general-purpose function.
Scalars make_scalars(BytesView hash, BytesView r, BytesView s) noexcept {
    const GmpInteger order{kOrder};
    GmpInteger s_inverse{s};
    mpz_invert(s_inverse.get(), s_inverse.get(), order.get());
    Scalars scalars;
    GmpInteger product{hash};
    mpz_mul(product.get(), product.get(), s_inverse.get());
    mpz_mod(product.get(), product.get(), order.get());
    product.store(scalars.of_generator);
    product.load(r, r.size());
    mpz_mul(product.get(), product.get(), s_inverse.get());
    mpz_mod(product.get(), product.get(), order.get());
    product.store(scalars.of_key);
    return scalars;
}

BIGNUM* load(BytesView word, BIGNUM* out) noexcept {
    return BN_bin2bn(word.data(), static_cast<int>(word.size()), out);
}

/// The ECDSA verification of EIP-7951 on values in range.
bool is_valid_signature(BytesView hash, BytesView r_bytes, BytesView s_bytes, BytesView x_bytes,
                        BytesView y_bytes) noexcept {
    const EC_GROUP* const group = shared_group();
    const Context context{BN_CTX_new()};
    const Point key{EC_POINT_new(group)};
    const Point sum{EC_POINT_new(group)};
    HEDDLE_ASSERT(context && key && sum);

    BN_CTX* const numbers = context.get();
    BN_CTX_start(numbers);
    BIGNUM* const r = BN_CTX_get(numbers);
    BIGNUM* const u1 = BN_CTX_get(numbers);
    BIGNUM* const u2 = BN_CTX_get(numbers);
    BIGNUM* const x = BN_CTX_get(numbers);
    BIGNUM* const y = BN_CTX_get(numbers);
    HEDDLE_ASSERT(y != nullptr);

    const Scalars scalars = make_scalars(hash, r_bytes, s_bytes);
    // Setting the coordinates checks that the key is on the curve; (0, 0) is not.
    const bool valid =
        load(x_bytes, x) != nullptr && load(y_bytes, y) != nullptr &&
        EC_POINT_set_affine_coordinates(group, key.get(), x, y, numbers) == 1 &&
        load(scalars.of_generator, u1) != nullptr && load(scalars.of_key, u2) != nullptr &&
        EC_POINT_mul(group, sum.get(), u1, key.get(), u2, numbers) == 1 &&
        EC_POINT_is_at_infinity(group, sum.get()) == 0 &&
        EC_POINT_get_affine_coordinates(group, sum.get(), x, nullptr, numbers) == 1 &&
        load(r_bytes, r) != nullptr && BN_nnmod(x, x, EC_GROUP_get0_order(group), numbers) == 1 &&
        BN_cmp(x, r) == 0;
    BN_CTX_end(numbers);
    // A key off the curve leaves an entry in the thread's error queue.
    if (!valid) ERR_clear_error();
    return valid;
}

}  // namespace

/// Input: hash, r, s, x, y, a word each. Whatever is wrong gives empty output, never a failure.
bool p256_verify(BytesView input, Revision, Bytes& output) noexcept {
    if (input.size() != 160) return true;
    const BytesView r = input.subspan(32, 32);
    const BytesView s = input.subspan(64, 32);
    const BytesView x = input.subspan(96, 32);
    const BytesView y = input.subspan(128, 32);
    const bool in_range = !is_zero(r) && is_below(r, kOrder) && !is_zero(s) &&
                          is_below(s, kOrder) && is_below(x, kFieldModulus) &&
                          is_below(y, kFieldModulus);
    if (in_range && is_valid_signature(input.first(32), r, s, x, y)) {
        output.resize(32);
        output[31] = 1;
    }
    return true;
}

}  // namespace heddle::vm::precompiles
