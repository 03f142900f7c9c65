// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/precompile_texts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <types/uint256.hpp>
#include <vm/precompile.hpp>
#include <vm/status.hpp>

namespace heddle::node {
namespace {

constexpr std::uint32_t kModexp = 0x05;
constexpr std::uint32_t kBn254Add = 0x06;
constexpr std::uint32_t kG1Add = 0x0b;
constexpr std::uint32_t kG1Msm = 0x0c;
constexpr std::uint32_t kG2Add = 0x0d;
constexpr std::uint32_t kG2Msm = 0x0e;

constexpr std::string_view kBadLength = "invalid input length";
constexpr std::string_view kBadElement = "invalid fp.Element encoding";

constexpr std::array<std::uint8_t, 32> kBn254Modulus{
    0x30, 0x64, 0x4e, 0x72, 0xe1, 0x31, 0xa0, 0x29, 0xb8, 0x50, 0x45, 0xb6, 0x81, 0x81, 0x58, 0x5d,
    0x97, 0x81, 0x6a, 0x91, 0x68, 0x71, 0xca, 0x8d, 0x3c, 0x20, 0x8c, 0x16, 0xd8, 0x7c, 0xfd, 0x47};
constexpr std::array<std::uint8_t, 48> kBls12Modulus{
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab};
/// (p + 1) / 4: the exponent of square roots in BLS12-381's base field.
constexpr std::array<std::uint8_t, 48> kBls12RootExponent{
    0x06, 0x80, 0x44, 0x7a, 0x8e, 0x5f, 0xf9, 0xa6, 0x92, 0xc6, 0xe9, 0xed, 0x90, 0xd2, 0xeb, 0x35,
    0xd9, 0x1d, 0xd2, 0xe1, 0x3c, 0xe1, 0x44, 0xaf, 0xd9, 0xcc, 0x34, 0xa8, 0x3d, 0xac, 0x3d, 0x89,
    0x07, 0xaa, 0xff, 0xff, 0xac, 0x54, 0xff, 0xff, 0xee, 0x7f, 0xbf, 0xff, 0xff, 0xff, 0xea, 0xab};
/// Order of BLS12-381's groups.
constexpr std::array<std::uint8_t, 32> kBls12Order{
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05,
    0x53, 0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01};

/// Both of the same size, big-endian.
bool is_below(BytesView number, BytesView modulus) {
    return std::ranges::lexicographical_compare(number, modulus);
}

bool is_zero(BytesView bytes) {
    return std::ranges::all_of(bytes, [](auto byte) { return byte == 0; });
}

/// Runs a contract whose gas is no question. nullopt: it refuses.
std::optional<Bytes> run(std::uint32_t index, BytesView input) {
    constexpr std::int64_t kAmpleGas = std::numeric_limits<std::int64_t>::max() / 2;
    Bytes output;
    // Prague's, under which the numbers may be as long as they are here and all of these exist.
    const auto result = vm::run_precompile(index, Revision::prague, input, kAmpleGas, output);
    return result.ok ? std::optional{std::move(output)} : std::nullopt;
}

/// Whether the contract takes the point with nothing but zeroes behind it, `size` bytes in all.
bool takes(std::uint32_t index, BytesView point, std::size_t size) {
    Bytes input(point.begin(), point.end());
    input.resize(size);
    return run(index, input).has_value();
}

/// An element of bn254's quadratic extension.
struct Pair {
    Uint256 real;
    Uint256 imaginary;

    friend bool operator==(const Pair&, const Pair&) = default;
};

/// Arithmetic modulo bn254's prime.
class Bn254Field {
public:
    [[nodiscard]] Pair times(const Pair& a, const Pair& b) const {
        return {minus(mulmod(a.real, b.real, prime_), mulmod(a.imaginary, b.imaginary, prime_)),
                addmod(mulmod(a.real, b.imaginary, prime_), mulmod(a.imaginary, b.real, prime_),
                       prime_)};
    }
    [[nodiscard]] Pair minus(const Pair& a, const Pair& b) const {
        return {minus(a.real, b.real), minus(a.imaginary, b.imaginary)};
    }

private:
    [[nodiscard]] Uint256 minus(const Uint256& a, const Uint256& b) const {
        return addmod(a, prime_ - b, prime_);
    }

    const Uint256 prime_ = load_be(kBn254Modulus.data());
};

/// Whether the point, its imaginary parts first, is one of the twist y² = x³ + 3 / (9 + i).
bool is_on_twist(BytesView point) {
    const Bn254Field field;
    const auto word = [&](std::size_t at) { return load_be(point.data() + at); };
    const Pair x{word(32), word(0)};
    const Pair y{word(96), word(64)};
    const Pair difference = field.minus(field.times(y, y), field.times(field.times(x, x), x));
    return field.times(difference, {Uint256{9}, Uint256{1}}) == Pair{Uint256{3}, Uint256{}};
}

/// Texts are empty where there is nothing wrong.
std::string_view bn254_coordinates_text(BytesView point) {
    for (std::size_t at = 0; at < point.size(); at += 32)
        if (!is_below(point.subspan(at, 32), kBn254Modulus)) return kBadElement;
    return {};
}

std::string_view bn254_g1_text(BytesView point) {
    if (const auto text = bn254_coordinates_text(point); !text.empty()) return text;
    return takes(kBn254Add, point, 128) ? "" : "point is not on curve";
}

std::string_view bn254_g2_text(BytesView point) {
    if (is_zero(point)) return {};
    if (const auto text = bn254_coordinates_text(point); !text.empty()) return text;
    return is_on_twist(point) ? "" : "point is not on curve";
}

/// Of points one behind the other.
std::string_view bn254_text(BytesView input, std::size_t points) {
    Bytes padded(input.begin(), input.end());
    padded.resize(std::max(padded.size(), points * 64));
    for (std::size_t point = 0; point < points; ++point)
        if (const auto text = bn254_g1_text(BytesView{padded}.subspan(point * 64, 64));
            !text.empty())
            return text;
    return {};
}

std::string_view bn254_pairing_text(BytesView input) {
    if (input.size() % 192 != 0) return "bad elliptic curve pairing size";
    for (std::size_t at = 0; at < input.size(); at += 192) {
        const BytesView g2 = input.subspan(at + 64, 128);
        if (const auto text = bn254_g1_text(input.subspan(at, 64)); !text.empty()) return text;
        if (const auto text = bn254_g2_text(g2); !text.empty()) return text;
        // Alone it is refused only where it is wrong.
        Bytes pair(64);
        pair.insert(pair.end(), g2.begin(), g2.end());
        if (!run(0x08, pair)) return "point is not in correct subgroup";
    }
    return {};
}

std::string_view bls12_elements_text(BytesView elements) {
    for (std::size_t at = 0; at < elements.size(); at += 64) {
        if (!is_zero(elements.subspan(at, 16))) return "invalid field element top bytes";
        if (!is_below(elements.subspan(at + 16, 48), kBls12Modulus)) return kBadElement;
    }
    return {};
}

/// Of a point of G1, 128 bytes, or of G2, 256 bytes.
std::string_view bls12_point_text(BytesView point) {
    if (const auto text = bls12_elements_text(point); !text.empty()) return text;
    const std::uint32_t add = point.size() == 128 ? kG1Add : kG2Add;
    return takes(add, point, 2 * point.size()) ? "" : "invalid point: not on curve";
}

std::string_view bls12_group_text(BytesView point) {
    const bool is_g1 = point.size() == 128;
    if (takes(is_g1 ? kG1Msm : kG2Msm, point, point.size() + 32)) return {};
    return is_g1 ? "g1 point is not on correct subgroup" : "g2 point is not on correct subgroup";
}

std::string_view bls12_add_text(BytesView input, std::size_t point_bytes) {
    if (input.size() != 2 * point_bytes) return kBadLength;
    const auto first = bls12_point_text(input.first(point_bytes));
    return first.empty() ? bls12_point_text(input.subspan(point_bytes)) : first;
}

std::string_view bls12_msm_text(BytesView input, std::size_t point_bytes) {
    const std::size_t item_bytes = point_bytes + 32;
    if (input.empty() || input.size() % item_bytes != 0) return kBadLength;
    for (std::size_t at = 0; at < input.size(); at += item_bytes) {
        const BytesView point = input.subspan(at, point_bytes);
        if (const auto text = bls12_point_text(point); !text.empty()) return text;
        if (const auto text = bls12_group_text(point); !text.empty()) return text;
    }
    return {};
}

std::string_view bls12_pairing_text(BytesView input) {
    if (input.empty() || input.size() % 384 != 0) return kBadLength;
    for (std::size_t at = 0; at < input.size(); at += 384) {
        const BytesView g1 = input.subspan(at, 128);
        const BytesView g2 = input.subspan(at + 128, 256);
        if (const auto text = bls12_point_text(g1); !text.empty()) return text;
        if (const auto text = bls12_point_text(g2); !text.empty()) return text;
        if (const auto text = bls12_group_text(g1); !text.empty()) return text;
        if (const auto text = bls12_group_text(g2); !text.empty()) return text;
    }
    return {};
}

std::string_view bls12_map_text(BytesView input, std::size_t bytes) {
    return input.size() == bytes ? bls12_elements_text(input) : kBadLength;
}

/// number to the power of exponent modulo BLS12-381's prime.
Bytes bls12_power(BytesView number, BytesView exponent) {
    Bytes input(96);
    input[31] = static_cast<std::uint8_t>(number.size());
    input[63] = static_cast<std::uint8_t>(exponent.size());
    input[95] = static_cast<std::uint8_t>(kBls12Modulus.size());
    input.insert(input.end(), number.begin(), number.end());
    input.insert(input.end(), exponent.begin(), exponent.end());
    input.insert(input.end(), kBls12Modulus.begin(), kBls12Modulus.end());
    return run(kModexp, input).value_or(Bytes(kBls12Modulus.size()));
}

/// The point of G1 with this x, as G1ADD takes it, if there is one: y is a root of x³ + 4.
Bytes bls12_point_at(BytesView x) {
    constexpr std::array<std::uint8_t, 1> kCube{3};
    Bytes square = bls12_power(x, kCube);
    // Below the modulus, whose first byte is small: the sum has no more bytes.
    unsigned carry = 4;
    for (std::size_t at = square.size(); at-- > 0 && carry != 0; carry >>= 8) {
        carry += square[at];
        square[at] = static_cast<std::uint8_t>(carry);
    }
    const Bytes y = bls12_power(square, kBls12RootExponent);
    Bytes point(128);
    std::ranges::copy(x, point.begin() + 16);
    std::ranges::copy(y, point.begin() + 80);
    return point;
}

/// Of a compressed point of G1: the first three bits say what follows.
std::string_view compressed_text(BytesView point) {
    const unsigned form = point[0] >> 5;
    Bytes x(point.begin(), point.end());
    x[0] &= 0x1f;
    switch (form) {
        case 0b000:
        case 0b010:
            return "short buffer";  // not compressed
        case 0b110:
            return is_zero(x) ? "" : "invalid infinity point encoding";
        case 0b100:
        case 0b101:
            break;
        default:
            return "invalid point encoding";
    }
    if (!is_below(x, kBls12Modulus)) return kBadElement;
    const Bytes whole = bls12_point_at(x);
    if (!takes(kG1Add, whole, 256))
        return "invalid compressed coordinate: square root doesn't exist";
    return takes(kG1Msm, whole, 160) ? "" : "invalid point: subgroup check failed";
}

/// Why a proof does not hold whose commitment has the right hash.
std::string_view proof_text(BytesView input) {
    for (const std::size_t scalar : {std::size_t{64}, std::size_t{32}})
        if (!is_below(input.subspan(scalar, 32), kBls12Order))
            return "scalar is not canonical when interpreted as a big integer in big-endian";
    for (const std::size_t point : {std::size_t{96}, std::size_t{144}})
        if (const auto text = compressed_text(input.subspan(point, 48)); !text.empty()) return text;
    return "can't verify opening proof";
}

std::string kzg_text(BytesView input) {
    if (input.size() != 192) return std::string{kBadLength};
    const auto hash = run(0x02, input.subspan(96, 48));
    const bool is_its_hash = hash && input[0] == 1 &&
                             std::ranges::equal(BytesView{*hash}.subspan(1), input.subspan(1, 31));
    return is_its_hash ? fmt::format("error verifying kzg proof: {}", proof_text(input))
                       : "mismatched versioned hash";
}

std::string_view text_of(std::uint32_t index, BytesView input) {
    switch (index) {
        case kModexp:
            return "one or more of base/exponent/modulus length exceeded 1024 bytes";
        case kBn254Add:
            return bn254_text(input, 2);
        case 0x07:
            return bn254_text(input, 1);
        case 0x08:
            return bn254_pairing_text(input);
        case 0x09:
            return input.size() == 213 ? "invalid final flag" : kBadLength;
        case kG1Add:
            return bls12_add_text(input, 128);
        case kG1Msm:
            return bls12_msm_text(input, 128);
        case kG2Add:
            return bls12_add_text(input, 256);
        case kG2Msm:
            return bls12_msm_text(input, 256);
        case 0x0f:
            return bls12_pairing_text(input);
        case 0x10:
            return bls12_map_text(input, 64);
        case 0x11:
            return bls12_map_text(input, 128);
        default:
            return {};
    }
}

}  // namespace

std::string precompile_text(std::uint32_t index, BytesView input) {
    if (index == 0x0a) return kzg_text(input);
    const std::string_view text = text_of(index, input);
    return std::string{text.empty() ? vm::to_string(vm::Status::precompile_failure) : text};
}

}  // namespace heddle::node
