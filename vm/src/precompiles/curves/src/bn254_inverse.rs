// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! Inversion in the base field of bn254. Point addition is one inversion and little else, and
//! arkworks' bit-by-bit algorithm takes several times as long as this one: the binary GCD of
//! Pornin (eprint 2020/972), which runs 31 steps on 64-bit approximations before it touches the
//! full numbers. Not constant-time: all inputs are public.

use ark_bn254::Fq;
use ark_ff::{BigInt, PrimeField, Zero};

/// Steps per round: the approximations keep this many exact low bits.
const STEPS: u32 = 31;
const LOW_MASK: u64 = (1 << STEPS) - 1;

const MODULUS: [u64; 4] = Fq::MODULUS.0;

/// -1 / modulus modulo 2^31.
const NEGATED_INVERSE: u64 = negated_modulus_inverse() & LOW_MASK;

const fn negated_modulus_inverse() -> u64 {
    // Newton: each round doubles the number of correct bits, and any odd number starts with three.
    let mut inverse = MODULUS[0];
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(MODULUS[0].wrapping_mul(inverse)));
        round += 1;
    }
    inverse.wrapping_neg()
}

/// The square of arkworks' Montgomery factor modulo the modulus: `Fq::R2` as limbs.
const R_SQUARED: [u64; 4] = Fq::R2.0;

/// Factors that one round applies to both numbers.
struct Round {
    f0: i64,
    g0: i64,
    f1: i64,
    g1: i64,
}

fn bit_length(value: &[u64; 4]) -> u32 {
    for i in (0..4).rev() {
        if value[i] != 0 {
            return 64 * (i as u32 + 1) - value[i].leading_zeros();
        }
    }
    0
}

/// 31 low bits and the 33 bits below bit `length`.
fn approximate(value: &[u64; 4], length: u32) -> u64 {
    let shift = length - 33;
    let (limb, bit) = ((shift / 64) as usize, shift % 64);
    let mut high = value[limb] >> bit;
    if bit != 0 && limb + 1 < 4 {
        high |= value[limb + 1] << (64 - bit);
    }
    ((high & ((1 << 33) - 1)) << STEPS) | (value[0] & LOW_MASK)
}

fn run_steps(mut a: u64, mut b: u64) -> Round {
    let (mut f0, mut g0, mut f1, mut g1) = (1i64, 0i64, 0i64, 1i64);
    for _ in 0..STEPS {
        let odd = a & 1 != 0;
        let swap = odd && a < b;
        let (big, small) = if swap { (b, a) } else { (a, b) };
        let (fa, fb) = if swap { (f1, f0) } else { (f0, f1) };
        let (ga, gb) = if swap { (g1, g0) } else { (g0, g1) };
        a = (if odd { big - small } else { big }) >> 1;
        b = small;
        f0 = if odd { fa - fb } else { fa };
        g0 = if odd { ga - gb } else { ga };
        f1 = fb << 1;
        g1 = gb << 1;
    }
    Round { f0, g0, f1, g1 }
}

/// `x * f + y * g` as five limbs in two's complement.
fn combine(x: &[u64; 4], f: i64, y: &[u64; 4], g: i64) -> [u64; 5] {
    let mut out = [0; 5];
    let mut carry: i128 = 0;
    for i in 0..4 {
        // Each product is below 2^95 and the carry below 2^34.
        carry += i128::from(x[i]) * i128::from(f) + i128::from(y[i]) * i128::from(g);
        out[i] = carry as u64;
        carry >>= 64;
    }
    out[4] = carry as u64;
    out
}

fn negate(value: &mut [u64; 5]) {
    let mut carry = true;
    for limb in value.iter_mut() {
        let (sum, overflow) = (!*limb).overflowing_add(u64::from(carry));
        *limb = sum;
        carry = overflow;
    }
}

fn shift_down(value: &[u64; 5]) -> [u64; 4] {
    core::array::from_fn(|i| (value[i] >> STEPS) | (value[i + 1] << (64 - STEPS)))
}

/// `(x * f + y * g) / 2^31`, exact, and whether it was negative.
fn update_number(x: &[u64; 4], f: i64, y: &[u64; 4], g: i64) -> ([u64; 4], bool) {
    let mut sum = combine(x, f, y, g);
    let negative = (sum[4] as i64) < 0;
    if negative {
        negate(&mut sum);
    }
    (shift_down(&sum), negative)
}

fn subtract(a: &[u64; 4], b: &[u64; 4]) -> ([u64; 4], bool) {
    let mut out = [0; 4];
    let mut borrow = false;
    for i in 0..4 {
        let (difference, first) = a[i].overflowing_sub(b[i]);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        out[i] = difference;
        borrow = first || second;
    }
    (out, borrow)
}

/// `(x * f + y * g) / 2^31` modulo the modulus, in [0, modulus).
fn update_factor(x: &[u64; 4], f: i64, y: &[u64; 4], g: i64) -> [u64; 4] {
    let mut sum = combine(x, f, y, g);
    let negative = (sum[4] as i64) < 0;
    if negative {
        negate(&mut sum);
    }
    // Makes the low 31 bits zero by adding a multiple of the modulus: a Montgomery step.
    let multiple = u128::from((sum[0] & LOW_MASK).wrapping_mul(NEGATED_INVERSE) & LOW_MASK);
    let mut carry: u128 = 0;
    for i in 0..4 {
        carry += u128::from(sum[i]) + multiple * u128::from(MODULUS[i]);
        sum[i] = carry as u64;
        carry >>= 64;
    }
    sum[4] = sum[4].wrapping_add(carry as u64);
    // |f| + |g| is at most 2^31, so this is at most twice the modulus.
    let mut value = shift_down(&sum);
    for _ in 0..2 {
        let (reduced, borrow) = subtract(&value, &MODULUS);
        if !borrow {
            value = reduced;
        }
    }
    if negative && value != [0; 4] {
        value = subtract(&MODULUS, &value).0;
    }
    value
}

/// The inverse, or None for zero.
pub fn invert(element: &Fq) -> Option<Fq> {
    if element.is_zero() {
        return None;
    }
    // Invariants: a = element * u and b = element * v modulo the modulus, up to the factor R^2 that
    // turns the inverse of a Montgomery form into the Montgomery form of the inverse. b is odd.
    let mut a = element.0 .0;
    let mut b = MODULUS;
    let mut u = R_SQUARED;
    let mut v = [0u64; 4];
    while a != [0; 4] {
        let length = bit_length(&a).max(bit_length(&b)).max(64);
        let mut round = run_steps(approximate(&a, length), approximate(&b, length));
        let (next_a, a_negative) = update_number(&a, round.f0, &b, round.g0);
        let (next_b, b_negative) = update_number(&a, round.f1, &b, round.g1);
        if a_negative {
            (round.f0, round.g0) = (-round.f0, -round.g0);
        }
        if b_negative {
            (round.f1, round.g1) = (-round.f1, -round.g1);
        }
        (a, b) = (next_a, next_b);
        (u, v) =
            (update_factor(&u, round.f0, &v, round.g0), update_factor(&u, round.f1, &v, round.g1));
    }
    // b is now the greatest common divisor, one.
    Some(Fq::new_unchecked(BigInt::new(v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{Field, One};

    #[test]
    fn agrees_with_arkworks() {
        assert_eq!(invert(&Fq::zero()), None);
        let mut element = Fq::one();
        let step = Fq::from(0x9e37_79b9_7f4a_7c15u64).pow([5u64]);
        for i in 0..200_000u64 {
            assert_eq!(invert(&element), element.inverse());
            let small = Fq::from(i + 1);
            assert_eq!(invert(&small), small.inverse());
            assert_eq!(invert(&-small), (-small).inverse());
            element = element * step + Fq::from(i);
        }
    }
}
