// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! The operations of EIP-196 and EIP-197 on arkworks' bn254.

use ark_bn254::{Fq, Fq2, Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{short_weierstrass::SWCurveConfig, AffineRepr};
use ark_ff::{AdditiveGroup, BigInt, Field, PrimeField, Zero};

use crate::bn254_inverse::invert;
use crate::bn254_pairing::product_is_one;
use crate::Invalid;

/// 32 big-endian bytes as limbs, least significant first.
fn limbs_from_bytes(bytes: &[u8]) -> BigInt<4> {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().rev().zip(bytes[..32].chunks_exact(8)) {
        *limb = u64::from_be_bytes(chunk.try_into().unwrap());
    }
    BigInt::new(limbs)
}

/// A big-endian field element, which must be below the modulus.
fn decode_fq(bytes: &[u8]) -> Result<Fq, Invalid> {
    Fq::from_bigint(limbs_from_bytes(bytes)).ok_or(Invalid)
}

fn encode_fq(element: &Fq, out: &mut [u8]) {
    for (limb, chunk) in element.into_bigint().0.iter().rev().zip(out[..32].chunks_exact_mut(8)) {
        chunk.copy_from_slice(&limb.to_be_bytes());
    }
}

/// Any 256-bit scalar, reduced by the group order (at most five subtractions).
fn decode_scalar(bytes: &[u8]) -> Fr {
    let mut value = limbs_from_bytes(bytes);
    while value >= Fr::MODULUS {
        ark_ff::BigInteger::sub_with_borrow(&mut value, &Fr::MODULUS);
    }
    Fr::from_bigint(value).unwrap_or(Fr::ZERO)
}

/// A point of G1; (0, 0) is infinity. The cofactor is one, so the curve check is all there is.
fn decode_g1(bytes: &[u8]) -> Result<G1Affine, Invalid> {
    let x = decode_fq(&bytes[..32])?;
    let y = decode_fq(&bytes[32..64])?;
    if x.is_zero() && y.is_zero() {
        return Ok(G1Affine::identity());
    }
    let point = G1Affine::new_unchecked(x, y);
    point.is_on_curve().then_some(point).ok_or(Invalid)
}

/// A point of the twist, not necessarily of G2; coordinates are imaginary part first.
fn decode_g2(bytes: &[u8]) -> Result<G2Affine, Invalid> {
    let x = Fq2::new(decode_fq(&bytes[32..64])?, decode_fq(&bytes[..32])?);
    let y = Fq2::new(decode_fq(&bytes[96..128])?, decode_fq(&bytes[64..96])?);
    if x.is_zero() && y.is_zero() {
        return Ok(G2Affine::identity());
    }
    let point = G2Affine::new_unchecked(x, y);
    point.is_on_curve().then_some(point).ok_or(Invalid)
}

fn encode_coordinates(x: &Fq, y: &Fq) -> [u8; 64] {
    let mut out = [0; 64];
    encode_fq(x, &mut out[..32]);
    encode_fq(y, &mut out[32..]);
    out
}

fn encode_affine(point: &G1Affine) -> [u8; 64] {
    if point.is_zero() {
        return [0; 64];
    }
    encode_coordinates(&point.x, &point.y)
}

fn encode_projective(point: &G1Projective) -> [u8; 64] {
    let Some(z_inverse) = invert(&point.z) else {
        return [0; 64];
    };
    let z_inverse_squared = z_inverse.square();
    encode_coordinates(&(point.x * z_inverse_squared), &(point.y * z_inverse_squared * z_inverse))
}

/// Adds in affine coordinates: one inversion, the same that leaving projective ones would cost.
pub fn add(input: &[u8; 128]) -> Result<[u8; 64], Invalid> {
    let a = decode_g1(&input[..64])?;
    let b = decode_g1(&input[64..])?;
    if a.is_zero() {
        return Ok(encode_affine(&b));
    }
    if b.is_zero() {
        return Ok(encode_affine(&a));
    }
    let (numerator, denominator) = if a.x != b.x {
        (b.y - a.y, b.x - a.x)
    } else if a.y == b.y {
        let x_squared = a.x.square();
        (x_squared.double() + x_squared, a.y.double())
    } else {
        return Ok([0; 64]);
    };
    // Not zero: no point of odd order has y = 0, and the x differ otherwise.
    let slope = numerator * invert(&denominator).ok_or(Invalid)?;
    let x = slope.square() - a.x - b.x;
    let y = slope * (a.x - x) - a.y;
    Ok(encode_coordinates(&x, &y))
}

pub fn mul(input: &[u8; 96]) -> Result<[u8; 64], Invalid> {
    let point = decode_g1(&input[..64])?;
    let scalar = decode_scalar(&input[64..]);
    if point.is_zero() || scalar.is_zero() {
        return Ok([0; 64]);
    }
    // The projective form is the one that arkworks splits by the curve's endomorphism.
    let product =
        ark_bn254::g1::Config::mul_projective(&point.into_group(), &scalar.into_bigint().0);
    Ok(encode_projective(&product))
}

/// True when the product of the pairings is one.
pub fn pairing(input: &[[u8; 192]]) -> Result<bool, Invalid> {
    let mut pairs = Vec::with_capacity(input.len());
    for record in input {
        let g1 = decode_g1(&record[..64])?;
        let g2 = decode_g2(&record[64..])?;
        if g2.is_zero() {
            continue; // A pairing with infinity is one.
        }
        if g1.is_zero() {
            if !g2.is_in_correct_subgroup_assuming_on_curve() {
                return Err(Invalid);
            }
            continue;
        }
        pairs.push((g1, g2));
    }
    if pairs.is_empty() {
        return Ok(true);
    }
    product_is_one(pairs)
}
