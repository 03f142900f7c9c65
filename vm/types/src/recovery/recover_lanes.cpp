// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The key of a signature (r, s) of a hash z is Q = u1 * G + u2 * R, where R is the point with x = r
// and the parity told, u1 = -z / r and u2 = s / r. Both scalars are split in two of 130 bits each
// (split_scalar()), so that 130 doublings serve four sums: windows of 5 bits over a table of odd
// multiples of R that is made for each lane, windows of 10 over one of G.
//
// Points are computed on a curve isomorphic to secp256k1 on which the table of R is affine: there
// (x, y) stands for (x / common^2, y / common^3). Points of G are brought there as they are added.
#include "recovery/recover_lanes.hpp"

#include <algorithm>
#include <array>

#include <types/assert.hpp>

#ifdef __x86_64__
#include "recovery/generator_table.hpp"
#include "recovery/point_lanes.hpp"
#include "recovery/scalar.hpp"
#endif

namespace heddle::recovery {

#ifndef __x86_64__

bool has_lanes() noexcept {
    return false;
}

void recover_in_lanes(std::span<const SignedMessage> /*messages*/,
                      std::span<LaneResult> /*results*/) {
    HEDDLE_ASSERT(false);
}

#else

namespace {

constexpr unsigned kWindow = 5;
constexpr std::size_t kMultiples = std::size_t{1} << (kWindow - 1);
constexpr unsigned kWindows = kSplitBits / kWindow;
constexpr unsigned kGeneratorWindows = kSplitBits / kGeneratorWindow;
static_assert(kWindows * kWindow == kSplitBits);
static_assert(kGeneratorWindows * kGeneratorWindow == kSplitBits);
static_assert(kGeneratorWindow == 2 * kWindow);
constexpr std::size_t kGroups = kMostInLanes / kLanes;

/// The scalars of eight signatures, split.
struct ScalarLanes {
    std::array<Uint256, 2> of_generator[kLanes];
    std::array<Uint256, 2> of_point[kLanes];
};

/// What is left of eight signatures before the last division.
struct Group {
    ScalarLanes scalars;
    PointLanes sum;
    FieldLanes z;       // of the sum on secp256k1 itself; 1 where it is zero
    __mmask8 on_curve;  // lanes whose r is the x of a point
    __mmask8 is_zero;   // lanes whose z is zero
};

/// Odd multiples 1, 3, ... 31 of a point in each lane.
struct PointTable {
    TableRow rows[kMultiples][kLanes];
    TableRow lambda_rows[kMultiples][kLanes];
    FieldLanes common;  // z of all of them
};

[[HEDDLE_LANES_TARGET]] void fill(PointTable& table, const AffineLanes& point) noexcept {
    // On the curve where 2 * point is affine.
    const FieldLanes one = broadcast_field(Uint256{1});
    const PointLanes two = twice({point.x, point.y, one});
    const FieldLanes zz = square(two.z);
    const AffineLanes step{two.x, two.y};
    PointLanes multiples[kMultiples];
    FieldLanes ratios[kMultiples];  // of the z of each to that of the one before
    multiples[0] = {multiply(point.x, zz), multiply(point.y, multiply(zz, two.z)), one};
    for (std::size_t i = 1; i < kMultiples; ++i) {
        const Differences by = differences(multiples[i - 1], step, multiples[i - 1].z);
        ratios[i] = by.h;
        multiples[i] = add_by(multiples[i - 1], by);
    }
    table.common = multiply(multiples[kMultiples - 1].z, two.z);
    // All with the z of the last one.
    const FieldLanes beta = broadcast_field(kBeta);
    FieldLanes ratio = one;
    for (std::size_t i = kMultiples; i-- > 0;) {
        const FieldLanes squared = square(ratio);
        const AffineLanes scaled{multiply(multiples[i].x, squared),
                                 multiply(multiples[i].y, multiply(squared, ratio))};
        store_rows(scaled, table.rows[i]);
        store_rows({multiply(scaled.x, beta), scaled.y}, table.lambda_rows[i]);
        if (i != 0) ratio = multiply(ratio, ratios[i]);
    }
}

/// `count` bits from `bit` on; at most 10.
unsigned bits_at(const Uint256& value, unsigned bit, unsigned count) noexcept {
    const unsigned word = bit / 64;
    const unsigned shift = bit % 64;
    std::uint64_t bits = value.words[word] >> shift;
    if (shift + count > 64) bits |= value.words[word + 1] << (64 - shift);
    return static_cast<unsigned>(bits & ((std::uint64_t{1} << count) - 1));
}

/// Where the multiple for a window lies in its table, and whether it is subtracted: the digit is
/// odd, 2 * window - (2^bits - 1).
struct Digit {
    std::size_t row;
    bool is_negative;
};
Digit digit_of(unsigned window, unsigned bits) noexcept {
    const unsigned half = 1U << (bits - 1);
    if (window >= half) return {window - half, false};
    return {half - 1 - window, true};
}

/// A table of multiples: those of lane i begin at table[i * distance] and are `stride` apart.
struct Rows {
    const TableRow* table;
    std::size_t stride;
    std::size_t distance;
};
/// The multiples that the lanes add for the window of `bits` bits from `bit` on.
/// @param half  Of split_scalar()'s two integers.
[[HEDDLE_LANES_TARGET]] AffineLanes take(const Rows& rows,
                                         const std::array<Uint256, 2> (&scalars)[kLanes],
                                         std::size_t half, unsigned bit, unsigned bits) noexcept {
    const TableRow* chosen[kLanes];
    unsigned negative = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Digit digit = digit_of(bits_at(scalars[lane][half], bit, bits), bits);
        chosen[lane] = rows.table + lane * rows.distance + digit.row * rows.stride;
        negative |= unsigned{digit.is_negative} << lane;
    }
    return negate(load_rows(chosen), static_cast<__mmask8>(negative));
}

/// u1 * G + u2 * R, on the curve of the table.
[[HEDDLE_LANES_TARGET]] PointLanes add_up(const PointTable& table,
                                          const ScalarLanes& scalars) noexcept {
    const GeneratorTable& generator = generator_table();
    const Rows rows[] = {{&table.rows[0][0], kLanes, 1}, {&table.lambda_rows[0][0], kLanes, 1}};
    const Rows generator_rows[] = {{generator.rows, 1, 0}, {generator.lambda_rows, 1, 0}};
    const unsigned top = kSplitBits - kWindow;
    const AffineLanes first = take(rows[0], scalars.of_point, 0, top, kWindow);
    PointLanes sum{first.x, first.y, broadcast_field(Uint256{1})};
    sum = add(sum, take(rows[1], scalars.of_point, 1, top, kWindow));
    for (unsigned bit = top; bit > 0;) {
        bit -= kWindow;
        for (unsigned i = 0; i < kWindow; ++i)
            sum = twice(sum);
        for (std::size_t half = 0; half < 2; ++half)
            sum = add(sum, take(rows[half], scalars.of_point, half, bit, kWindow));
        if (bit % kGeneratorWindow != 0) continue;
        for (std::size_t half = 0; half < 2; ++half)
            sum = add(sum,
                      take(generator_rows[half], scalars.of_generator, half, bit, kGeneratorWindow),
                      table.common);
    }
    return sum;
}

/// The point with x = r, where there is one, with the parity told.
[[HEDDLE_LANES_TARGET]] AffineLanes lift(std::span<const SignedMessage> messages,
                                         __mmask8& on_curve) noexcept {
    Uint256 xs[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        xs[lane] = messages[std::min(lane, messages.size() - 1)].r;
    const FieldLanes x = load(xs);
    const FieldLanes cube = multiply(square(x), x);
    const FieldLanes right = reduce(raw_add(cube, broadcast_field(Uint256{7})));
    const FieldLanes y = square_root(right);
    on_curve = zero_lanes(subtract(square(y), right));
    Uint256 ys[kLanes];
    store(y, ys);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const SignedMessage& message = messages[std::min(lane, messages.size() - 1)];
        if ((ys[lane].words[0] & 1) != message.y_parity) ys[lane] = kFieldPrime - ys[lane];
    }
    return {x, load(ys)};
}

/// What is left of a hash or coordinate when it counts as a scalar.
Uint256 to_scalar(const Uint256& value) noexcept {
    return value < kGroupOrder ? value : value - kGroupOrder;
}

bool is_in_range(const Uint256& value) noexcept {
    return !value.is_zero() && value < kGroupOrder;
}

bool is_well_formed(const SignedMessage& message) noexcept {
    return message.y_parity <= 1 && is_in_range(message.r) && is_in_range(message.s);
}

/// u1 and u2 of all, split, by groups. A lane without a message does what the last one does.
void split_all(std::span<const SignedMessage> messages, std::span<Group> groups) noexcept {
    std::array<Uint256, kMostInLanes> inverses;
    for (std::size_t i = 0; i < messages.size(); ++i)
        inverses[i] = is_well_formed(messages[i]) ? messages[i].r : Uint256{1};
    invert_scalars(std::span{inverses}.first(messages.size()));
    for (std::size_t i = 0; i < groups.size() * kLanes; ++i) {
        const std::size_t from = std::min(i, messages.size() - 1);
        const SignedMessage& message = messages[from];
        const Uint256 z = to_scalar(load_be(message.hash.bytes.data()));
        ScalarLanes& scalars = groups[i / kLanes].scalars;
        scalars.of_generator[i % kLanes] =
            split_scalar(negate_scalar(multiply_scalars(z, inverses[from])));
        scalars.of_point[i % kLanes] =
            split_scalar(multiply_scalars(to_scalar(message.s), inverses[from]));
    }
}

[[HEDDLE_LANES_TARGET]] void compute(std::span<const SignedMessage> messages, Group& group) {
    const AffineLanes point = lift(messages, group.on_curve);
    PointTable table;
    fill(table, point);
    group.sum = add_up(table, group.scalars);
    group.z = multiply(group.sum.z, table.common);
    group.is_zero = zero_lanes(group.z);
    group.z = select(group.is_zero, group.z, broadcast_field(Uint256{1}));
}

/// Divides by z, in all groups at the cost of one inversion (Montgomery's trick).
[[HEDDLE_LANES_TARGET]] void conclude(std::span<Group> groups,
                                      std::span<const SignedMessage> messages,
                                      std::span<LaneResult> results) noexcept {
    FieldLanes before[kGroups];
    FieldLanes product = broadcast_field(Uint256{1});
    for (std::size_t i = 0; i < groups.size(); ++i) {
        before[i] = product;
        product = multiply(product, groups[i].z);
    }
    FieldLanes inverted = inverse(product);
    for (std::size_t i = groups.size(); i-- > 0;) {
        const Group& group = groups[i];
        const FieldLanes z = multiply(inverted, before[i]);
        inverted = multiply(inverted, group.z);
        const FieldLanes zz = square(z);
        Uint256 xs[kLanes];
        Uint256 ys[kLanes];
        store(multiply(group.sum.x, zz), xs);
        store(multiply(group.sum.y, multiply(zz, z)), ys);
        const std::size_t end = std::min(messages.size(), (i + 1) * kLanes);
        for (std::size_t at = i * kLanes; at < end; ++at) {
            const std::size_t lane = at % kLanes;
            LaneResult& result = results[at];
            if (!is_well_formed(messages[at]) || ((group.on_curve >> lane) & 1) == 0)
                result.kind = Recovered::nothing;
            else if (((group.is_zero >> lane) & 1) != 0)
                result.kind = Recovered::exceptional;
            else
                result = {Recovered::key, {xs[lane], ys[lane]}};
        }
    }
}

}  // namespace

bool has_lanes() noexcept {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512ifma");
}

void recover_in_lanes(std::span<const SignedMessage> messages, std::span<LaneResult> results) {
    HEDDLE_ASSERT(messages.size() <= kMostInLanes && results.size() == messages.size());
    if (messages.empty()) return;
    Group all[kGroups];
    const std::span<Group> groups = std::span{all}.first((messages.size() + kLanes - 1) / kLanes);
    split_all(messages, groups);
    for (std::size_t i = 0; i < groups.size(); ++i)
        compute(messages.subspan(i * kLanes), groups[i]);
    conclude(groups, messages, results);
}

#endif  // __x86_64__

}  // namespace heddle::recovery
