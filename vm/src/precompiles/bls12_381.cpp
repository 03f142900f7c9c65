// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "precompiles/contracts.hpp"
#include "precompiles/curves/curves.h"

namespace heddle::vm::precompiles {
namespace {

constexpr std::size_t kG1MsmPairSize = 160;
constexpr std::size_t kG2MsmPairSize = 288;
constexpr std::size_t kPairingPairSize = 384;

/// Thousandths of the full price per pair, for 1 to 128 pairs (EIP-2537); 128 holds beyond.
using Discounts = std::array<std::uint16_t, 128>;

// clang-format off
constexpr Discounts kG1Discounts{
    1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677,
    673, 669, 665, 661, 658, 654, 651, 648, 645, 642, 640, 637, 635, 632, 630, 627,
    625, 623, 621, 619, 617, 615, 613, 611, 609, 608, 606, 604, 603, 601, 599, 598,
    596, 595, 593, 592, 591, 589, 588, 586, 585, 584, 582, 581, 580, 579, 577, 576,
    575, 574, 573, 572, 570, 569, 568, 567, 566, 565, 564, 563, 562, 561, 560, 559,
    558, 557, 556, 555, 554, 553, 552, 551, 550, 549, 548, 547, 547, 546, 545, 544,
    543, 542, 541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532, 532, 531,
    530, 529, 528, 528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520, 520, 519,
};
constexpr Discounts kG2Discounts{
    1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717,
    711, 704, 699, 693, 688, 683, 679, 674, 670, 666, 663, 659, 655, 652, 649, 646,
    643, 640, 637, 634, 632, 629, 627, 624, 622, 620, 618, 615, 613, 611, 609, 607,
    606, 604, 602, 600, 598, 597, 595, 593, 592, 590, 589, 587, 586, 584, 583, 582,
    580, 579, 578, 576, 575, 574, 573, 571, 570, 569, 568, 567, 566, 565, 563, 562,
    561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 552, 551, 550, 549, 548, 547,
    546, 545, 545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536, 535, 535,
    534, 533, 532, 532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525, 524, 524,
};
// clang-format on

std::int64_t msm_cost(std::size_t pairs, std::int64_t single, const Discounts& discounts) noexcept {
    if (pairs == 0) return 0;
    const std::int64_t discount = discounts[std::min(pairs, discounts.size()) - 1];
    return static_cast<std::int64_t>(pairs) * single * discount / 1000;
}

bool is_whole_number_of(std::size_t record_size, BytesView input) noexcept {
    return !input.empty() && input.size() % record_size == 0;
}

template <std::size_t InputSize, std::size_t OutputSize>
bool run_fixed(int32_t (*function)(const std::uint8_t*, std::uint8_t*), BytesView input,
               Bytes& output) noexcept {
    if (input.size() != InputSize) return false;
    output.resize(OutputSize);
    return function(input.data(), output.data()) == HEDDLE_CURVES_OK;
}

template <std::size_t RecordSize, std::size_t OutputSize>
bool run_msm(int32_t (*function)(const std::uint8_t*, std::size_t, std::uint8_t*), BytesView input,
             Bytes& output) noexcept {
    if (!is_whole_number_of(RecordSize, input)) return false;
    output.resize(OutputSize);
    return function(input.data(), input.size() / RecordSize, output.data()) == HEDDLE_CURVES_OK;
}

}  // namespace

std::int64_t bls12_g1_msm_cost(BytesView input, Revision) noexcept {
    return msm_cost(input.size() / kG1MsmPairSize, 12000, kG1Discounts);
}

std::int64_t bls12_g2_msm_cost(BytesView input, Revision) noexcept {
    return msm_cost(input.size() / kG2MsmPairSize, 22500, kG2Discounts);
}

std::int64_t bls12_pairing_cost(BytesView input, Revision) noexcept {
    return 37700 + 32600 * static_cast<std::int64_t>(input.size() / kPairingPairSize);
}

bool bls12_g1_add(BytesView input, Revision, Bytes& output) noexcept {
    return run_fixed<256, 128>(heddle_bls12_g1_add, input, output);
}

bool bls12_g1_msm(BytesView input, Revision, Bytes& output) noexcept {
    return run_msm<kG1MsmPairSize, 128>(heddle_bls12_g1_msm, input, output);
}

bool bls12_g2_add(BytesView input, Revision, Bytes& output) noexcept {
    return run_fixed<512, 256>(heddle_bls12_g2_add, input, output);
}

bool bls12_g2_msm(BytesView input, Revision, Bytes& output) noexcept {
    return run_msm<kG2MsmPairSize, 256>(heddle_bls12_g2_msm, input, output);
}

bool bls12_pairing(BytesView input, Revision, Bytes& output) noexcept {
    if (!is_whole_number_of(kPairingPairSize, input)) return false;
    const auto status = heddle_bls12_pairing(input.data(), input.size() / kPairingPairSize);
    if (status == HEDDLE_CURVES_INVALID) return false;
    output.resize(32);
    output[31] = status == HEDDLE_CURVES_OK ? 1 : 0;
    return true;
}

bool bls12_map_fp_to_g1(BytesView input, Revision, Bytes& output) noexcept {
    return run_fixed<64, 128>(heddle_bls12_map_fp_to_g1, input, output);
}

bool bls12_map_fp2_to_g2(BytesView input, Revision, Bytes& output) noexcept {
    return run_fixed<128, 256>(heddle_bls12_map_fp2_to_g2, input, output);
}

}  // namespace heddle::vm::precompiles
