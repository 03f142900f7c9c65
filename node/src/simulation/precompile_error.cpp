// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/precompile_error.hpp"

#include <algorithm>
#include <array>

#include <types/uint256.hpp>

namespace heddle::node::simulation {
namespace {

constexpr std::string_view kOutOfGas = "out of gas";
constexpr std::string_view kLength = "invalid input length";
constexpr std::string_view kFieldElement = "invalid fp.Element encoding";
constexpr std::string_view kTopBytes = "invalid field element top bytes";
constexpr std::string_view kNotOnCurve = "point is not on curve";
constexpr std::size_t kWord = 32;
constexpr std::size_t kBlsElement = 64;  // of which the upper 16 bytes are zero
constexpr std::size_t kBlsPadding = 16;

// Numbers of the contracts (YP App. E; EIP-152, 2537, 4844).
constexpr std::uint32_t kModexp = 5;
constexpr std::uint32_t kBnAdd = 6;
constexpr std::uint32_t kBnMul = 7;
constexpr std::uint32_t kBnPairing = 8;
constexpr std::uint32_t kBlake2f = 9;
constexpr std::uint32_t kPointEvaluation = 10;
constexpr std::uint32_t kFirstBls = 11;
constexpr std::uint32_t kLastBls = 17;

/// The base field of alt_bn128.
const Uint256& bn_modulus() {
    static const Uint256 modulus =
        *uint256_from_string("0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    return modulus;
}

/// The word at `offset`, filled with zeros beyond the end.
Uint256 word_at(BytesView input, std::size_t offset) {
    std::array<std::uint8_t, kWord> word{};
    if (offset < input.size())
        std::ranges::copy(input.subspan(offset, std::min(kWord, input.size() - offset)),
                          word.begin());
    return load_be(word.data());
}

std::string_view modexp_error(BytesView input) {
    constexpr std::uint64_t kMaxLength = 1'024;  // EIP-7823
    for (std::size_t i = 0; i < 3; ++i) {
        const Uint256 length = word_at(input, i * kWord);
        // Beyond that, gas is what it lacks first.
        if (length > Uint256{kMaxLength} && length < Uint256{1u << 20})
            return "one or more of base/exponent/modulus length exceeded 1024 bytes";
    }
    return kOutOfGas;
}

/// @param words  Coordinates at the start of the input.
std::string_view bn_error(BytesView input, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i)
        if (word_at(input, i * kWord) >= bn_modulus()) return kFieldElement;
    return kNotOnCurve;
}

std::string_view blake2f_error(BytesView input) {
    constexpr std::size_t kLengthOfInput = 213;
    if (input.size() != kLengthOfInput) return kLength;
    return input.back() > 1 ? "invalid final flag" : kOutOfGas;
}

/// Size of one item of the input, and whether there may be many.
struct BlsInput {
    std::size_t size;
    bool is_list;
    std::size_t elements;  // field elements of an item
};
constexpr BlsInput kBlsInputs[] = {
    {256, false, 4},  // G1ADD
    {160, true, 2},   // G1MSM
    {512, false, 8},  // G2ADD
    {288, true, 4},   // G2MSM
    {384, true, 6},   // PAIRING
    {64, false, 1},   // MAP_FP_TO_G1
    {128, false, 2},  // MAP_FP2_TO_G2
};

std::string_view bls_error(const BlsInput& form, BytesView input) {
    const bool has_length =
        form.is_list ? !input.empty() && input.size() % form.size == 0 : input.size() == form.size;
    if (!has_length) return kLength;
    for (std::size_t item = 0; item < input.size(); item += form.size)
        for (std::size_t i = 0; i < form.elements; ++i) {
            const BytesView padding = input.subspan(item + i * kBlsElement, kBlsPadding);
            if (std::ranges::any_of(padding, [](std::uint8_t byte) { return byte != 0; }))
                return kTopBytes;
        }
    return "invalid point: not on curve";
}

}  // namespace

std::string_view precompile_error_text(std::uint32_t index, BytesView input) {
    constexpr std::size_t kPairSize = 192;
    if (index >= kFirstBls && index <= kLastBls)
        return bls_error(kBlsInputs[index - kFirstBls], input);
    switch (index) {
        case kModexp:
            return modexp_error(input);
        case kBnAdd:
            return bn_error(input, 4);
        case kBnMul:
            return bn_error(input, 2);
        case kBnPairing:
            return input.size() % kPairSize != 0 ? "bad elliptic curve pairing size"
                                                 : bn_error(input, input.size() / kWord);
        case kBlake2f:
            return blake2f_error(input);
        case kPointEvaluation:
            return input.size() != kPairSize ? kLength : "mismatched versioned hash";
        default:
            return kOutOfGas;
    }
}

}  // namespace heddle::node::simulation
