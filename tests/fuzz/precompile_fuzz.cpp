// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Precompiled contracts: any input ends, is refused or gives an answer of the right size; and what
// they compute holds to what groups and numbers promise, each in another way than the contract does
// it.
#include <algorithm>
#include <optional>

#include <vm/precompile.hpp>

#include "byte_source.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

constexpr std::int64_t kEnough = 20'000'000;
constexpr std::size_t kWord = 32;
// Indexes of contracts.
constexpr std::uint32_t kModexp = 5;
constexpr std::uint32_t kAdd = 6;
constexpr std::uint32_t kMul = 7;
constexpr std::uint32_t kG1Add = 11;
constexpr std::uint32_t kG1Msm = 12;
constexpr std::uint32_t kMapToG1 = 16;

Bytes take_bytes(ByteSource& source, std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes)
        byte = source.byte();
    return bytes;
}

std::optional<Bytes> run(std::uint32_t contract, BytesView input, Revision revision) {
    Bytes output;
    const std::int64_t cost = vm::precompile_cost(contract, revision, input);
    require(cost >= 0, "a price below nothing");
    const auto result = vm::run_precompile(contract, revision, input, kEnough, output);
    require(!result.ok || result.gas_left == kEnough - cost, "another price than it says");
    require(result.ok || (result.gas_left == 0 && output.empty()), "a refusal that leaves some");
    if (!result.ok) return std::nullopt;
    return output;
}

Bytes joined(std::initializer_list<BytesView> parts) {
    Bytes all;
    for (const BytesView part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

Bytes word(const Uint256& value) {
    Bytes bytes(kWord);
    store_be(value, bytes.data());
    return bytes;
}

Uint256 power(Uint256 base, const Uint256& exponent, const Uint256& modulus) {
    if (modulus <= Uint256{1}) return {};
    Uint256 result{1};
    base = base % modulus;
    for (unsigned bit = bit_width(exponent); bit-- > 0;) {
        result = mulmod(result, result, modulus);
        if (((exponent >> bit) & Uint256{1}) == Uint256{1}) result = mulmod(result, base, modulus);
    }
    return result;
}

void check_modexp(ByteSource& source, Revision revision) {
    const Bytes base = take_bytes(source, source.below(33));
    const Bytes exponent = take_bytes(source, source.below(33));
    const Bytes modulus = take_bytes(source, source.below(33));
    const auto number = [](const Bytes& bytes) {
        Bytes padded(kWord);
        std::ranges::copy_backward(bytes, padded.end());
        return load_be(padded.data());
    };
    const auto made = run(kModexp,
                          joined({word(Uint256{base.size()}), word(Uint256{exponent.size()}),
                                  word(Uint256{modulus.size()}), base, exponent, modulus}),
                          revision);
    require(made.has_value() && made->size() == modulus.size(), "a power of another size");
    require(number(*made) == power(number(base), number(exponent), number(modulus)),
            "another power");
}

/// Sums do not hang on the order, and a product is a sum of products.
void check_bn254(ByteSource& source, Revision revision) {
    const Bytes point = joined({word(Uint256{1}), word(Uint256{2})});
    const auto times = [&](const Uint256& scalar) {
        const auto made = run(kMul, joined({point, word(scalar)}), revision);
        require(made.has_value(), "a product that is refused");
        return *made;
    };
    const Uint256 first = source.word(source.below(33));
    const Uint256 second = source.word(source.below(32)) & (Uint256::max() - first);
    const auto sum = run(kAdd, joined({times(first), times(second)}), revision);
    require(sum == run(kAdd, joined({times(second), times(first)}), revision), "another order");
    if (first + second >= first) require(sum == times(first + second), "another sum");
}

void check_bls12(ByteSource& source) {
    const auto made =
        run(kMapToG1, joined({Bytes(16), Bytes(1), take_bytes(source, 47)}), kLatestRevision);
    require(made.has_value() && made->size() == 128, "no point for an element");
    const Bytes& point = *made;
    const Uint256 first = source.word(source.below(33));
    const Uint256 second = source.word(source.below(33));
    const auto one = run(kG1Msm, joined({point, word(first)}), kLatestRevision);
    const auto other = run(kG1Msm, joined({point, word(second)}), kLatestRevision);
    require(one.has_value() && other.has_value(), "a product that is refused");
    const auto both =
        run(kG1Msm, joined({point, word(first), point, word(second)}), kLatestRevision);
    require(both.has_value() && both == run(kG1Add, joined({*one, *other}), kLatestRevision),
            "another sum");
}

}  // namespace

void precompile(BytesView input) {
    ByteSource source(input);
    const auto revision = static_cast<Revision>(source.below(kRevisionCount));
    const unsigned kind = source.below(24);
    if (kind == 20 && revision >= Revision::byzantium) return check_modexp(source, revision);
    if (kind == 21 && revision >= Revision::byzantium) return check_bn254(source, revision);
    if (kind == 22) return check_bls12(source);
    const vm::Precompile& contract = vm::kPrecompiles[kind % vm::kPrecompiles.size()];
    const BytesView data = input.subspan(std::min<std::size_t>(2, input.size()));
    if (revision < contract.since) return;
    const auto once = run(contract.index, data, revision);
    require(once == run(contract.index, data, revision), "another answer the second time");
}

}  // namespace heddle::fuzz
