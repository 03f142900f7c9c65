// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "precompile_inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <types/signing.hpp>
#include <types/uint256.hpp>
#include <vm/precompile.hpp>

namespace heddle::test {
namespace {

using workload::Random;

constexpr std::string_view kBn254Modulus =
    "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
constexpr std::string_view kBn254Order =
    "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
constexpr std::string_view kSecp256k1Order =
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
constexpr std::string_view kP256Order =
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
constexpr std::string_view kP256Modulus =
    "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
constexpr std::string_view kBls12Order =
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
constexpr std::string_view kBls12Modulus =
    "000000000000000000000000000000001a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6"
    "24"
    "1eabfffeb153ffffb9feffffffffaaab";
/// Generators, as the contracts take them.
constexpr std::string_view kBn254G2 =
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
    "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"
    "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa";
constexpr std::string_view kBls12G1 =
    "0000000000000000000000000000000017f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac"
    "58"
    "6c55e83ff97a1aeffb3af00adb22c6bb0000000000000000000000000000000008b3f481e3aaa0f1a09e30ed741d8a"
    "e4"
    "fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1";
constexpr std::string_view kBls12G2 =
    "00000000000000000000000000000000024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1"
    "77"
    "0bac0326a805bbefd48056c8c121bdb80000000000000000000000000000000013e02b6052719f607dacd3a088274f"
    "65"
    "596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e000000000000000000000000000000"
    "00"
    "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b828"
    "01"
    "000000000000000000000000000000000606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99"
    "ab"
    "3f370d275cec1da1aaa9075ff05f79be";
/// The first one, compressed, and the versioned hashes of commitments to one and zero (EIP-4844).
constexpr std::string_view kBls12Generator =
    "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac58"
    "6c55e83ff97a1aeffb3af00adb22c6bb";
constexpr std::string_view kVersionedOne =
    "01cf478a431837728dcec3461f4f53b8749cdc4e03496dcaed459dea82b82eb8";
constexpr std::string_view kVersionedZero =
    "010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014";
/// Of EIP-7951's tests: hash, r, s, x, y.
constexpr std::string_view kP256Signature =
    "4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4d"
    "a73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac"
    "36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d60"
    "4aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff3"
    "7618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e";
/// Of geth's tests: hash, v, r, s.
constexpr std::string_view kRecoverable =
    "18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c"
    "000000000000000000000000000000000000000000000000000000000000001c"
    "73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f"
    "eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549";

Bytes hex(std::string_view digits) {
    return from_hex(digits).value();
}

void append(Bytes& data, const Bytes& more) {
    data.insert(data.end(), more.begin(), more.end());
}

Bytes word(const Uint256& value) {
    Bytes bytes(32);
    store_be(value, bytes.data());
    return bytes;
}

Bytes draw_bytes(Random& random, std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random.next());
    return bytes;
}

template <typename T, std::size_t N>
const T& pick(Random& random, const T (&choices)[N]) {
    return choices[random.below(static_cast<std::uint32_t>(N))];
}

/// One of several values, more than one of which may be next to a bound.
Bytes draw_scalar(Random& random) {
    const std::uint32_t kind = random.below(6);
    if (kind < 2) return word(Uint256{random.below(3)});
    if (kind == 2) return word(Uint256::max());
    if (kind == 3) return draw_bytes(random, 32);
    const Bytes order = hex(kind == 4 ? kBn254Order : kBls12Order);
    return word(load_be(order.data()) + Uint256{random.below(3)} - Uint256{1});
}

/// What a contract of ours makes of it, as a point that no constant has. Were it wrong, whoever
/// judges the input would still have to come to the same.
Bytes made_by(std::uint32_t contract, const Bytes& data) {
    Bytes output;
    (void)vm::run_precompile(contract, kLatestRevision, data,
                             std::numeric_limits<std::int64_t>::max() / 2, output);
    return output;
}

/// The generator, `scalar` times.
Bytes bn254_multiple(const Bytes& scalar) {
    Bytes data = word(Uint256{1});
    append(data, word(Uint256{2}));
    append(data, scalar);
    return made_by(7, data);
}

Bytes bls12_multiple(bool is_second, const Bytes& scalar) {
    Bytes data = hex(is_second ? kBls12G2 : kBls12G1);
    append(data, scalar);
    return made_by(is_second ? 14 : 12, data);
}

/// Below the order, and what it lacks of it.
std::pair<Bytes, Bytes> draw_opposites(Random& random, std::string_view order) {
    Uint256 one = load_be(draw_bytes(random, 32).data()) >> 4;
    if (random.below(3) == 0) one = Uint256{1 + random.below(3)};
    return {word(one), word(load_be(hex(order).data()) - one)};
}

Bytes draw_bn254_g1(Random& random) {
    if (random.below(3) == 0) return bn254_multiple(draw_bytes(random, 32));
    const Uint256 modulus = load_be(hex(kBn254Modulus).data());
    static constexpr std::uint64_t kX[] = {0, 1, 1, 1, 1};
    const std::uint32_t kind = random.below(5);
    Bytes point = word(kind == 4 ? modulus + Uint256{1} : Uint256{kX[kind]});
    const Uint256 y[] = {Uint256{}, Uint256{2}, modulus - Uint256{2}, Uint256{3}, Uint256{2}};
    append(point, word(y[kind]));
    return point;
}

Bytes draw_bn254_pairs(Random& random) {
    Bytes data;
    if (random.below(4) == 0) {  // two that make one
        const auto [scalar, opposite] = draw_opposites(random, kBn254Order);
        for (const Bytes& times : {scalar, opposite}) {
            append(data, bn254_multiple(times));
            append(data, hex(kBn254G2));
        }
    }
    for (std::uint32_t count = random.below(4); count > 0; --count) {
        append(data, draw_bn254_g1(random));
        const std::uint32_t kind = random.below(4);
        Bytes point = kind == 0 ? Bytes(128) : hex(kBn254G2);
        if (kind == 1) point[127] ^= 1;
        append(data, point);
    }
    return data;
}

/// The generator, its negative, nothing, any other, and what is no point.
Bytes draw_bls12_point(Random& random, bool is_second) {
    if (random.below(3) == 0) return bls12_multiple(is_second, draw_bytes(random, 32));
    Bytes point = hex(is_second ? kBls12G2 : kBls12G1);
    switch (random.below(6)) {
        case 0:
            return Bytes(point.size());
        case 1:
            point.back() ^= 1;
            return point;
        case 2:
            point[is_second ? 64 : 0] = 1;
            return point;
        case 4: {  // of small order: on the curve, and in the group for sums only
            if (is_second) return point;
            Bytes small(point.size());
            small.back() = 2;
            return small;
        }
        case 3: {  // as large as the modulus
            const Bytes modulus = hex(kBls12Modulus);
            std::copy(modulus.begin(), modulus.end(), point.begin());
            return point;
        }
        default:
            return point;
    }
}

/// Few, or as many as the table of discounts has and one more (EIP-2537).
Bytes draw_bls12_terms(Random& random, bool is_second) {
    Bytes data;
    std::uint32_t count = random.below(4);
    if (random.below(8) == 0) count = 4 + random.below(13);
    if (random.below(64) == 0) count = 126 + random.below(4);
    if (count > 17) {
        const Bytes point = bls12_multiple(is_second, draw_bytes(random, 32));
        for (; count > 0; --count) {
            append(data, point);
            append(data, draw_bytes(random, 32));
        }
    }
    for (; count > 0; --count) {
        append(data, draw_bls12_point(random, is_second));
        append(data, draw_scalar(random));
    }
    return data;
}

Bytes draw_bls12_pairs(Random& random) {
    Bytes data;
    if (random.below(4) == 0) {  // two that make one
        const auto [scalar, opposite] = draw_opposites(random, kBls12Order);
        append(data, bls12_multiple(false, scalar));
        append(data, hex(kBls12G2));
        append(data, hex(kBls12G1));
        append(data, bls12_multiple(true, opposite));
    }
    for (std::uint32_t count = random.below(3); count > 0; --count) {
        append(data, draw_bls12_point(random, false));
        append(data, draw_bls12_point(random, true));
    }
    return data;
}

Bytes draw_bls12_field(Random& random) {
    Bytes field = random.below(4) == 0 ? hex(kBls12Modulus) : draw_bytes(random, 64);
    if (random.below(8) != 0) std::fill_n(field.begin(), 16, std::uint8_t{0});
    if (random.below(4) != 0) field[16] = 0;
    return field;
}

/// Lengths at EIP-198's and EIP-7823's edges, a few so large that nothing pays for them.
Uint256 draw_length(Random& random) {
    static constexpr std::uint32_t kEdges[] = {0,  1,  2,  7,  8,   9,   31,    32,
                                               33, 63, 64, 65, 100, 200, 1'024, 1'025};
    if (random.below(16) != 0) return Uint256{pick(random, kEdges)};
    const Uint256 high = Uint256{1} << (std::uint64_t{32} << random.below(3));
    return random.below(2) == 0 ? high : high - Uint256{1};
}

Bytes draw_number(Random& random, const Uint256& length) {
    const std::size_t size = length.fits_uint64() && length.low64() <= 300 ? length.low64() : 300;
    switch (random.below(6)) {
        case 0:
            return Bytes(size);
        case 1:
            return Bytes(size, 0xff);
        case 4: {  // the first bytes count for less
            Bytes late = draw_bytes(random, size);
            std::fill_n(late.begin(), std::min<std::size_t>(size, random.below(40)), 0);
            return late;
        }
        case 5: {  // a power of two, or as even as that
            Bytes even(size);
            if (size != 0) even[random.below(static_cast<std::uint32_t>(size))] = 0x50;
            return even;
        }
        case 2: {
            Bytes small(size);
            if (size != 0) small.back() = static_cast<std::uint8_t>(1 + random.below(3));
            return small;
        }
        default:
            return draw_bytes(random, size);
    }
}

Bytes draw_modexp(Random& random) {
    const Uint256 base = draw_length(random);
    const Uint256 exponent = draw_length(random);
    const Uint256 modulus = draw_length(random);
    Bytes data = word(base);
    append(data, word(exponent));
    append(data, word(modulus));
    append(data, draw_number(random, base));
    append(data, draw_number(random, exponent));
    append(data, draw_number(random, modulus));
    return data;
}

Bytes draw_blake2f(Random& random) {
    static constexpr std::uint8_t kRounds[] = {0, 1, 2, 9, 10, 11, 12, 255};
    Bytes data = draw_bytes(random, 213);
    data[0] = data[1] = 0;
    if (random.below(4) != 0) data[2] = 0;
    data[3] = pick(random, kRounds);
    data[212] = static_cast<std::uint8_t>(random.below(3));
    return data;
}

/// Of polynomials that are zero or one everywhere: the commitment is that many times the generator,
/// the proof the point at infinity.
Bytes draw_blob_proof(Random& random) {
    const bool is_one = random.below(2) == 0;
    Bytes commitment = hex(kBls12Generator);
    if (!is_one) {
        commitment.assign(48, 0);
        commitment[0] = 0xc0;
    }
    Bytes data = hex(is_one ? kVersionedOne : kVersionedZero);
    append(data, draw_scalar(random));
    append(data, random.below(3) == 0 ? draw_scalar(random) : word(Uint256{is_one ? 1u : 0u}));
    append(data, commitment);
    Bytes proof(48);
    proof[0] = 0xc0;
    append(data, random.below(8) == 0 ? commitment : proof);
    return data;
}

/// Replaces a word by one next to a bound.
void put_edge(Random& random, Bytes& data, std::size_t word_index, std::string_view bound) {
    const Bytes edges[] = {word(load_be(hex(bound).data()) + Uint256{random.below(3)} - Uint256{1}),
                           word(Uint256{random.below(3)}), word(Uint256::max())};
    const Bytes& edge = pick(random, edges);
    std::copy(edge.begin(), edge.end(),
              data.begin() + static_cast<std::ptrdiff_t>(32 * word_index));
}

Bytes draw_recovery(Random& random) {
    Bytes data = hex(kRecoverable);
    if (random.below(2) == 0) {
        const Bytes hash = draw_bytes(random, 32);
        const auto made =
            sign(to_hash(load_be(hash.data())), to_hash(Uint256{1 + random.below(9)}));
        data = hash;
        append(data, Bytes(32));
        append(data, word(made.value().r));
        append(data, word(made.value().s));
    }
    static constexpr std::uint8_t kV[] = {27, 28, 28, 28, 0, 29};
    data[63] = pick(random, kV);
    if (random.below(3) == 0) put_edge(random, data, 2 + random.below(2), kSecp256k1Order);
    return data;
}

Bytes draw_p256(Random& random) {
    Bytes data = hex(kP256Signature);
    if (random.below(2) != 0) return data;
    const std::uint32_t word_index = random.below(5);
    put_edge(random, data, word_index, word_index < 3 ? kP256Order : kP256Modulus);
    return data;
}

Bytes draw_data(Random& random, std::uint64_t contract) {
    switch (contract) {
        case 1:
            return draw_recovery(random);
        case 5:
            return draw_modexp(random);
        case 6: {
            Bytes data = draw_bn254_g1(random);
            append(data, draw_bn254_g1(random));
            return data;
        }
        case 7: {
            Bytes data = draw_bn254_g1(random);
            append(data, draw_scalar(random));
            return data;
        }
        case 8:
            return draw_bn254_pairs(random);
        case 9:
            return draw_blake2f(random);
        case 10:
            return draw_blob_proof(random);
        case 11:
        case 13: {
            Bytes data = draw_bls12_point(random, contract == 13);
            append(data, draw_bls12_point(random, contract == 13));
            return data;
        }
        case 12:
        case 14:
            return draw_bls12_terms(random, contract == 14);
        case 15:
            return draw_bls12_pairs(random);
        case 16:
            return draw_bls12_field(random);
        case 17: {
            Bytes data = draw_bls12_field(random);
            append(data, draw_bls12_field(random));
            return data;
        }
        case 0x100:
            return draw_p256(random);
        default: {  // hashes and the identity
            static constexpr std::uint32_t kSizes[] = {0, 1, 31, 32, 33, 55, 56, 64, 100, 300};
            return draw_bytes(random, pick(random, kSizes));
        }
    }
}

void spoil(Random& random, Bytes& data) {
    switch (random.below(16)) {
        case 0:
            if (!data.empty()) data.pop_back();
            return;
        case 4:
            data.resize(random.below(static_cast<std::uint32_t>(data.size()) + 1));
            return;
        case 1:
            data.push_back(0);
            return;
        case 2:
        case 3:
            if (!data.empty())
                data[random.below(static_cast<std::uint32_t>(data.size()))] ^=
                    static_cast<std::uint8_t>(1 << random.below(8));
            return;
        default:
            return;
    }
}

}  // namespace

PrecompileInput draw_precompile_input(workload::Random& random) {
    const std::uint32_t drawn = 1 + random.below(18);
    const std::uint64_t contract = drawn == 18 ? 0x100 : drawn;
    PrecompileInput input{address_from_low64(contract), draw_data(random, contract)};
    spoil(random, input.data);
    return input;
}

}  // namespace heddle::test
