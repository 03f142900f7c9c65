// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <vm/precompile.hpp>

#include <array>
#include <cstddef>

#include <types/assert.hpp>

#include <vm/simulate.hpp>

#include "precompiles/contracts.hpp"

namespace heddle::vm {
namespace {

using precompiles::kUnaffordable;

using CostFunction = std::int64_t (*)(BytesView, Revision) noexcept;
using RunFunction = bool (*)(BytesView, Revision, Bytes&) noexcept;

struct Contract {
    CostFunction cost;
    RunFunction run;
};

template <std::int64_t Gas>
std::int64_t fixed_cost(BytesView, Revision) noexcept {
    return Gas;
}

/// A base price and a price per started 32-byte word.
template <std::int64_t Base, std::int64_t PerWord>
std::int64_t linear_cost(BytesView input, Revision) noexcept {
    return Base + PerWord * static_cast<std::int64_t>((input.size() + 31) / 32);
}

/// In the order of kPrecompiles, behind an entry for no contract. The last one is P256VERIFY, the
/// others are at their index.
constexpr std::size_t kP256VerifySlot = kPrecompiles.size();
constexpr std::array<Contract, kPrecompiles.size() + 1> kContracts{{
    {nullptr, nullptr},
    {fixed_cost<3000>, precompiles::ecrecover},
    {linear_cost<60, 12>, precompiles::sha256},
    {linear_cost<600, 120>, precompiles::ripemd160},
    {linear_cost<15, 3>, precompiles::identity},
    {precompiles::modexp_cost, precompiles::modexp},
    {precompiles::bn254_add_cost, precompiles::bn254_add},
    {precompiles::bn254_mul_cost, precompiles::bn254_mul},
    {precompiles::bn254_pairing_cost, precompiles::bn254_pairing},
    {precompiles::blake2f_cost, precompiles::blake2f},
    {fixed_cost<50000>, precompiles::point_evaluation},
    {fixed_cost<375>, precompiles::bls12_g1_add},
    {precompiles::bls12_g1_msm_cost, precompiles::bls12_g1_msm},
    {fixed_cost<600>, precompiles::bls12_g2_add},
    {precompiles::bls12_g2_msm_cost, precompiles::bls12_g2_msm},
    {precompiles::bls12_pairing_cost, precompiles::bls12_pairing},
    {fixed_cost<5500>, precompiles::bls12_map_fp_to_g1},
    {fixed_cost<23800>, precompiles::bls12_map_fp2_to_g2},
    {fixed_cost<6900>, precompiles::p256_verify},
}};

static_assert(kContracts.back().run != nullptr, "a row of kPrecompiles has no contract here");

constexpr std::array<Address, kPrecompiles.size()> make_addresses() noexcept {
    std::array<Address, kPrecompiles.size()> addresses{};
    for (std::size_t i = 0; i < addresses.size(); ++i)
        addresses[i] = address_from_low64(kPrecompiles[i].index);
    return addresses;
}

constexpr std::array<Address, kPrecompiles.size()> kAddresses = make_addresses();

const Contract& contract_of(std::uint32_t index) noexcept {
    const std::size_t slot = index == kP256VerifyIndex ? kP256VerifySlot : index;
    HEDDLE_ASSERT(slot != 0 && slot < kContracts.size());
    return kContracts[slot];
}

}  // namespace

std::int64_t precompile_cost(std::uint32_t index, Revision revision, BytesView input) noexcept {
    return contract_of(index).cost(input, revision);
}

PrecompileResult run_precompile(std::uint32_t index, Revision revision, BytesView input,
                                std::int64_t gas, Bytes& output) noexcept {
    output.clear();
    const Contract& contract = contract_of(index);
    const std::int64_t cost = contract.cost(input, revision);
    if (cost > gas || cost == kUnaffordable) return {.is_out_of_gas = true};
    if (!contract.run(input, revision, output)) {
        output.clear();
        return {};
    }
    return {.ok = true, .gas_left = gas - cost};
}

std::span<const Address> active_precompiles(Revision revision) noexcept {
    if (revision >= detail::kP256Verify.since) return kAddresses;
    return std::span(kAddresses).first(detail::last_dense_precompile(revision));
}

PrecompileTable make_precompile_table(Revision revision) {
    PrecompileTable table;
    for (const Address& address : active_precompiles(revision))
        table.emplace(address, precompile_index(address, revision));
    return table;
}

}  // namespace heddle::vm
