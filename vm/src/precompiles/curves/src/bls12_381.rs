// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! The operations of EIP-2537 on blst.

use blst::*;

use crate::Invalid;

/// Base-field modulus, big-endian.
const MODULUS: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// Bits of a scalar once it is reduced by the group order.
const SCALAR_BITS: usize = 255;

/// A field element: 16 zero bytes, then 48 big-endian ones below the modulus.
fn decode_fp(input: &[u8]) -> Result<blst_fp, Invalid> {
    let (padding, value) = input[..64].split_at(16);
    if padding.iter().any(|&byte| byte != 0) || value >= &MODULUS[..] {
        return Err(Invalid);
    }
    let mut fp = blst_fp::default();
    // SAFETY: `value` has 48 bytes.
    unsafe { blst_fp_from_bendian(&mut fp, value.as_ptr()) };
    Ok(fp)
}

fn decode_fp2(input: &[u8]) -> Result<blst_fp2, Invalid> {
    Ok(blst_fp2 { fp: [decode_fp(&input[..64])?, decode_fp(&input[64..128])?] })
}

fn encode_fp(fp: &blst_fp, out: &mut [u8]) {
    let out = &mut out[16..64];
    // SAFETY: `out` has 48 bytes.
    unsafe { blst_bendian_from_fp(out.as_mut_ptr(), fp) };
}

/// A scalar reduced by the group order; None when that is zero. Reduction is exact because it only
/// ever multiplies points of the subgroup.
fn decode_scalar(input: &[u8]) -> Option<blst_scalar> {
    let mut scalar = blst_scalar::default();
    // SAFETY: the slice has 32 bytes.
    let non_zero = unsafe { blst_scalar_from_be_bytes(&mut scalar, input[..32].as_ptr(), 32) };
    non_zero.then_some(scalar)
}

/// What G1 and G2 have in common, so that each operation is written once.
trait Group {
    type Point: Default + Copy;
    type Affine: Default + Copy;
    const ENCODED: usize;

    /// Decodes a point of the curve, not necessarily of the subgroup. All zeroes: infinity.
    fn decode(input: &[u8]) -> Result<Self::Affine, Invalid>;
    fn encode(point: &Self::Point, out: &mut [u8]);
    fn is_infinity(affine: &Self::Affine) -> bool;
    fn in_subgroup(affine: &Self::Affine) -> bool;
    fn add(a: &Self::Affine, b: &Self::Affine) -> Self::Point;
    fn multiply(affine: &Self::Affine, scalar: &blst_scalar) -> Self::Point;
    fn multi_multiply(points: &[Self::Affine], scalars: &[blst_scalar]) -> Self::Point;
}

macro_rules! group_operations {
    ($from_affine:ident, $add:ident, $mult:ident, $pippenger:ident, $scratch:ident, $inf:ident,
     $in_group:ident) => {
        fn is_infinity(affine: &Self::Affine) -> bool {
            unsafe { $inf(affine) }
        }

        fn in_subgroup(affine: &Self::Affine) -> bool {
            Self::is_infinity(affine) || unsafe { $in_group(affine) }
        }

        fn add(a: &Self::Affine, b: &Self::Affine) -> Self::Point {
            let mut sum = Self::Point::default();
            let mut first = Self::Point::default();
            unsafe {
                $from_affine(&mut first, a);
                $add(&mut sum, &first, b);
            }
            sum
        }

        fn multiply(affine: &Self::Affine, scalar: &blst_scalar) -> Self::Point {
            let mut product = Self::Point::default();
            let mut point = Self::Point::default();
            unsafe {
                $from_affine(&mut point, affine);
                $mult(&mut product, &point, scalar.b.as_ptr(), SCALAR_BITS);
            }
            product
        }

        fn multi_multiply(points: &[Self::Affine], scalars: &[blst_scalar]) -> Self::Point {
            assert!(!points.is_empty() && points.len() == scalars.len());
            // blst takes lists of pointers; a null after the first says that the rest follow it.
            let point_list = [points.as_ptr(), core::ptr::null()];
            let scalar_list = [scalars.as_ptr() as *const u8, core::ptr::null()];
            let mut sum = Self::Point::default();
            unsafe {
                let bytes = $scratch(points.len());
                let mut scratch = vec![0u64; bytes.div_ceil(8)];
                $pippenger(
                    &mut sum,
                    point_list.as_ptr(),
                    points.len(),
                    scalar_list.as_ptr(),
                    SCALAR_BITS,
                    scratch.as_mut_ptr(),
                );
            }
            sum
        }
    };
}

struct G1;
struct G2;

impl Group for G1 {
    type Point = blst_p1;
    type Affine = blst_p1_affine;
    const ENCODED: usize = 128;

    fn decode(input: &[u8]) -> Result<blst_p1_affine, Invalid> {
        let affine = blst_p1_affine { x: decode_fp(&input[..64])?, y: decode_fp(&input[64..128])? };
        // The check lets (0, 0), infinity, pass.
        unsafe { blst_p1_affine_on_curve(&affine) }.then_some(affine).ok_or(Invalid)
    }

    fn encode(point: &blst_p1, out: &mut [u8]) {
        out[..128].fill(0);
        if unsafe { blst_p1_is_inf(point) } {
            return;
        }
        let mut affine = blst_p1_affine::default();
        unsafe { blst_p1_to_affine(&mut affine, point) };
        encode_fp(&affine.x, &mut out[..64]);
        encode_fp(&affine.y, &mut out[64..128]);
    }

    group_operations!(
        blst_p1_from_affine,
        blst_p1_add_or_double_affine,
        blst_p1_mult,
        blst_p1s_mult_pippenger,
        blst_p1s_mult_pippenger_scratch_sizeof,
        blst_p1_affine_is_inf,
        blst_p1_affine_in_g1
    );
}

impl Group for G2 {
    type Point = blst_p2;
    type Affine = blst_p2_affine;
    const ENCODED: usize = 256;

    fn decode(input: &[u8]) -> Result<blst_p2_affine, Invalid> {
        let affine =
            blst_p2_affine { x: decode_fp2(&input[..128])?, y: decode_fp2(&input[128..256])? };
        unsafe { blst_p2_affine_on_curve(&affine) }.then_some(affine).ok_or(Invalid)
    }

    fn encode(point: &blst_p2, out: &mut [u8]) {
        out[..256].fill(0);
        if unsafe { blst_p2_is_inf(point) } {
            return;
        }
        let mut affine = blst_p2_affine::default();
        unsafe { blst_p2_to_affine(&mut affine, point) };
        encode_fp(&affine.x.fp[0], &mut out[..64]);
        encode_fp(&affine.x.fp[1], &mut out[64..128]);
        encode_fp(&affine.y.fp[0], &mut out[128..192]);
        encode_fp(&affine.y.fp[1], &mut out[192..256]);
    }

    group_operations!(
        blst_p2_from_affine,
        blst_p2_add_or_double_affine,
        blst_p2_mult,
        blst_p2s_mult_pippenger,
        blst_p2s_mult_pippenger_scratch_sizeof,
        blst_p2_affine_is_inf,
        blst_p2_affine_in_g2
    );
}

fn add<G: Group, const OUT: usize>(input: &[u8]) -> Result<[u8; OUT], Invalid> {
    let (first, second) = input.split_at(G::ENCODED);
    let sum = G::add(&G::decode(first)?, &G::decode(second)?);
    let mut out = [0; OUT];
    G::encode(&sum, &mut out);
    Ok(out)
}

/// Below this many points, scalar by scalar with the curve's endomorphism is faster than a table.
const MULTI_MULTIPLY_MINIMUM: usize = 2;

fn msm<G: Group, const RECORD: usize, const OUT: usize>(
    input: &[[u8; RECORD]],
) -> Result<[u8; OUT], Invalid> {
    let mut points = Vec::with_capacity(input.len());
    let mut scalars = Vec::with_capacity(input.len());
    for record in input {
        let point = G::decode(record)?;
        if !G::in_subgroup(&point) {
            return Err(Invalid);
        }
        // Terms that are infinity are left out: blst's tables are not made for them.
        let scalar = decode_scalar(&record[G::ENCODED..]);
        if let (false, Some(scalar)) = (G::is_infinity(&point), scalar) {
            points.push(point);
            scalars.push(scalar);
        }
    }
    let mut out = [0; OUT];
    if points.len() >= MULTI_MULTIPLY_MINIMUM {
        G::encode(&G::multi_multiply(&points, &scalars), &mut out);
    } else if let (Some(point), Some(scalar)) = (points.first(), scalars.first()) {
        G::encode(&G::multiply(point, scalar), &mut out);
    }
    Ok(out)
}

pub fn g1_add(input: &[u8; 256]) -> Result<[u8; 128], Invalid> {
    add::<G1, 128>(input)
}

pub fn g2_add(input: &[u8; 512]) -> Result<[u8; 256], Invalid> {
    add::<G2, 256>(input)
}

pub fn g1_msm(input: &[[u8; 160]]) -> Result<[u8; 128], Invalid> {
    msm::<G1, 160, 128>(input)
}

pub fn g2_msm(input: &[[u8; 288]]) -> Result<[u8; 256], Invalid> {
    msm::<G2, 288, 256>(input)
}

/// True when the product of the pairings is one.
pub fn pairing(input: &[[u8; 384]]) -> Result<bool, Invalid> {
    let mut g1s = Vec::with_capacity(input.len());
    let mut g2s = Vec::with_capacity(input.len());
    for record in input {
        let (first, second) = record.split_at(G1::ENCODED);
        let g1 = G1::decode(first)?;
        let g2 = G2::decode(second)?;
        if !G1::in_subgroup(&g1) || !G2::in_subgroup(&g2) {
            return Err(Invalid);
        }
        // A pairing with infinity is one.
        if !G1::is_infinity(&g1) && !G2::is_infinity(&g2) {
            g1s.push(g1);
            g2s.push(g2);
        }
    }
    if g1s.is_empty() {
        return Ok(true);
    }
    let g1_list = [g1s.as_ptr(), core::ptr::null()];
    let g2_list = [g2s.as_ptr(), core::ptr::null()];
    let mut product = blst_fp12::default();
    unsafe {
        blst_miller_loop_n(&mut product, g2_list.as_ptr(), g1_list.as_ptr(), g1s.len());
        Ok(blst_fp12_finalverify(&product, blst_fp12_one()))
    }
}

pub fn map_fp_to_g1(input: &[u8; 64]) -> Result<[u8; 128], Invalid> {
    let element = decode_fp(input)?;
    let mut point = blst_p1::default();
    unsafe { blst_map_to_g1(&mut point, &element, core::ptr::null()) };
    let mut out = [0; 128];
    G1::encode(&point, &mut out);
    Ok(out)
}

pub fn map_fp2_to_g2(input: &[u8; 128]) -> Result<[u8; 256], Invalid> {
    let element = decode_fp2(input)?;
    let mut point = blst_p2::default();
    unsafe { blst_map_to_g2(&mut point, &element, core::ptr::null()) };
    let mut out = [0; 256];
    G2::encode(&point, &mut out);
    Ok(out)
}
