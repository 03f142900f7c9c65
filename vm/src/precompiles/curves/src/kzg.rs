// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! KZG proof verification for the point evaluation precompile of EIP-4844. The only value of the
//! trusted setup that verifying needs is `[τ]G2`, a constant here.

use std::sync::OnceLock;

use blst::*;

use crate::Invalid;

/// `[τ]G2` of the mainnet ceremony: `g2_monomial[1]` of the consensus specifications' trusted
/// setup, compressed.
const TAU_G2: [u8; 96] = [
    0xb5, 0xbf, 0xd7, 0xdd, 0x8c, 0xde, 0xb1, 0x28, 0x84, 0x3b, 0xc2, 0x87, 0x23, 0x0a, 0xf3, 0x89,
    0x26, 0x18, 0x70, 0x75, 0xcb, 0xfb, 0xef, 0xa8, 0x10, 0x09, 0xa2, 0xce, 0x61, 0x5a, 0xc5, 0x3d,
    0x29, 0x14, 0xe5, 0x87, 0x0c, 0xb4, 0x52, 0xd2, 0xaf, 0xaa, 0xab, 0x24, 0xf3, 0x49, 0x9f, 0x72,
    0x18, 0x5c, 0xbf, 0xee, 0x53, 0x49, 0x27, 0x14, 0x73, 0x44, 0x29, 0xb7, 0xb3, 0x86, 0x08, 0xe2,
    0x39, 0x26, 0xc9, 0x11, 0xcc, 0xec, 0xea, 0xc9, 0xa3, 0x68, 0x51, 0x47, 0x7b, 0xa4, 0xc6, 0x0b,
    0x08, 0x70, 0x41, 0xde, 0x62, 0x10, 0x00, 0xed, 0xc9, 0x8e, 0xda, 0xda, 0x20, 0xc1, 0xde, 0xf2,
];

/// The lines that a Miller loop over a fixed G2 point evaluates.
type Lines = [blst_fp6; 68];

/// Lines of the two fixed points, G2 and `[τ]G2`: the half of both loops that never changes.
fn fixed_lines() -> &'static [Lines; 2] {
    static LINES: OnceLock<Box<[Lines; 2]>> = OnceLock::new();
    LINES.get_or_init(|| {
        let mut lines = Box::new([[blst_fp6::default(); 68]; 2]);
        let mut tau = blst_p2_affine::default();
        unsafe {
            let status = blst_p2_uncompress(&mut tau, TAU_G2.as_ptr());
            assert!(status == BLST_ERROR::BLST_SUCCESS && blst_p2_affine_in_g2(&tau));
            blst_precompute_lines(lines[0].as_mut_ptr(), blst_p2_affine_generator());
            blst_precompute_lines(lines[1].as_mut_ptr(), &tau);
        }
        lines
    })
}

fn decode_g1(input: &[u8; 48]) -> Result<blst_p1_affine, Invalid> {
    let mut point = blst_p1_affine::default();
    // SAFETY: `input` has 48 bytes.
    let status = unsafe { blst_p1_uncompress(&mut point, input.as_ptr()) };
    let valid = status == BLST_ERROR::BLST_SUCCESS
        && unsafe { blst_p1_affine_is_inf(&point) || blst_p1_affine_in_g1(&point) };
    valid.then_some(point).ok_or(Invalid)
}

/// A big-endian scalar, which must be below the group order.
fn decode_scalar(input: &[u8; 32]) -> Result<blst_scalar, Invalid> {
    let mut scalar = blst_scalar::default();
    // SAFETY: `input` has 32 bytes.
    unsafe {
        blst_scalar_from_bendian(&mut scalar, input.as_ptr());
        blst_scalar_fr_check(&scalar).then_some(scalar).ok_or(Invalid)
    }
}

/// Checks `e(C - yG1, G2) = e(π, [τ]G2 - zG2)`, rearranged so that both G2 points are fixed and all
/// multiplications are in G1: `e(C - yG1 + zπ, G2) = e(π, [τ]G2)`.
pub fn verify_proof(
    commitment: &[u8; 48],
    z: &[u8; 32],
    y: &[u8; 32],
    proof: &[u8; 48],
) -> Result<bool, Invalid> {
    let z = decode_scalar(z)?;
    let y = decode_scalar(y)?;
    let commitment = decode_g1(commitment)?;
    let proof = decode_g1(proof)?;

    let left = unsafe {
        let mut y_g1 = blst_p1::default();
        blst_p1_mult(&mut y_g1, blst_p1_generator(), y.b.as_ptr(), 255);
        blst_p1_cneg(&mut y_g1, true);
        let mut z_proof = blst_p1::default();
        let mut proof_point = blst_p1::default();
        blst_p1_from_affine(&mut proof_point, &proof);
        blst_p1_mult(&mut z_proof, &proof_point, z.b.as_ptr(), 255);
        let mut sum = blst_p1::default();
        blst_p1_add_or_double(&mut sum, &y_g1, &z_proof);
        let mut total = blst_p1::default();
        blst_p1_add_or_double_affine(&mut total, &sum, &commitment);
        total
    };
    let left_infinite = unsafe { blst_p1_is_inf(&left) };
    let right_infinite = unsafe { blst_p1_affine_is_inf(&proof) };
    if left_infinite || right_infinite {
        // Pairing with infinity is one, and nothing else is: the other side decides.
        return Ok(left_infinite && right_infinite);
    }
    let [g2_lines, tau_lines] = fixed_lines();
    unsafe {
        let mut left_affine = blst_p1_affine::default();
        blst_p1_to_affine(&mut left_affine, &left);
        let mut left_loop = blst_fp12::default();
        let mut right_loop = blst_fp12::default();
        blst_miller_loop_lines(&mut left_loop, g2_lines.as_ptr(), &left_affine);
        blst_miller_loop_lines(&mut right_loop, tau_lines.as_ptr(), &proof);
        Ok(blst_fp12_finalverify(&left_loop, &right_loop))
    }
}
