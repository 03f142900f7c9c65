// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! The C ABI declared in `curves.h`. This file only turns pointers into slices; the curve work is
//! in the modules.

mod blobs;
mod bls12_381;
mod bn254;
mod bn254_inverse;
mod bn254_pairing;
mod kzg;

/// Why a call gave no result; the numbers are part of the C ABI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    NotOne = 1,
    Invalid = 2,
}

/// An encoding, curve or subgroup check failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Invalid;

fn finish<const N: usize>(result: Result<[u8; N], Invalid>, out: *mut u8) -> i32 {
    match result {
        Ok(bytes) => {
            // SAFETY: the ABI asks the caller for N writable bytes.
            unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), out, N) };
            Status::Ok as i32
        }
        Err(Invalid) => Status::Invalid as i32,
    }
}

fn verdict(result: Result<bool, Invalid>) -> i32 {
    match result {
        Ok(true) => Status::Ok as i32,
        Ok(false) => Status::NotOne as i32,
        Err(Invalid) => Status::Invalid as i32,
    }
}

/// # Safety
/// `input` points to `N` readable bytes that outlive the returned reference.
unsafe fn array<'a, const N: usize>(input: *const u8) -> &'a [u8; N] {
    &*(input as *const [u8; N])
}

/// # Safety
/// `input` points to `count * N` readable bytes, and is non-null even when `count` is zero.
unsafe fn records<'a, const N: usize>(input: *const u8, count: usize) -> &'a [[u8; N]] {
    if count == 0 {
        return &[];
    }
    core::slice::from_raw_parts(input as *const [u8; N], count)
}

macro_rules! export_fixed {
    ($name:ident, $function:path) => {
        /// # Safety
        /// The lengths are those given in `curves.h`.
        #[no_mangle]
        pub unsafe extern "C" fn $name(input: *const u8, out: *mut u8) -> i32 {
            finish($function(array(input)), out)
        }
    };
}

macro_rules! export_msm {
    ($name:ident, $function:path) => {
        /// # Safety
        /// The lengths are those given in `curves.h`.
        #[no_mangle]
        pub unsafe extern "C" fn $name(input: *const u8, pairs: usize, out: *mut u8) -> i32 {
            finish($function(records(input, pairs)), out)
        }
    };
}

macro_rules! export_pairing {
    ($name:ident, $function:path) => {
        /// # Safety
        /// The lengths are those given in `curves.h`.
        #[no_mangle]
        pub unsafe extern "C" fn $name(input: *const u8, pairs: usize) -> i32 {
            verdict($function(records(input, pairs)))
        }
    };
}

export_fixed!(heddle_bn254_add, bn254::add);
export_fixed!(heddle_bn254_mul, bn254::mul);
export_pairing!(heddle_bn254_pairing, bn254::pairing);
export_fixed!(heddle_bls12_g1_add, bls12_381::g1_add);
export_msm!(heddle_bls12_g1_msm, bls12_381::g1_msm);
export_fixed!(heddle_bls12_g2_add, bls12_381::g2_add);
export_msm!(heddle_bls12_g2_msm, bls12_381::g2_msm);
export_pairing!(heddle_bls12_pairing, bls12_381::pairing);
export_fixed!(heddle_bls12_map_fp_to_g1, bls12_381::map_fp_to_g1);
export_fixed!(heddle_bls12_map_fp2_to_g2, bls12_381::map_fp2_to_g2);

/// # Safety
/// The lengths are those given in `curves.h`.
#[no_mangle]
pub unsafe extern "C" fn heddle_kzg_verify_proof(
    commitment: *const u8,
    z: *const u8,
    y: *const u8,
    proof: *const u8,
) -> i32 {
    verdict(kzg::verify_proof(array(commitment), array(z), array(y), array(proof)))
}

/// # Safety
/// The lengths are those given in `curves.h`.
#[no_mangle]
pub unsafe extern "C" fn heddle_kzg_verify_blob(
    blob: *const u8,
    commitment: *const u8,
    proof: *const u8,
) -> i32 {
    verdict(blobs::verify_blob(array(blob), array(commitment), array(proof)))
}

/// # Safety
/// The lengths are those given in `curves.h`.
#[no_mangle]
pub unsafe extern "C" fn heddle_kzg_verify_cells(
    blob: *const u8,
    commitment: *const u8,
    proofs: *const u8,
) -> i32 {
    let proofs = records(proofs, c_kzg::CELLS_PER_EXT_BLOB);
    verdict(blobs::verify_cells(array(blob), array(commitment), proofs))
}

/// # Safety
/// The lengths are those given in `curves.h`.
#[no_mangle]
pub unsafe extern "C" fn heddle_kzg_prove_blob(
    blob: *const u8,
    commitment: *const u8,
    out: *mut u8,
) -> i32 {
    finish(blobs::prove_blob(array(blob), array(commitment)), out)
}

export_fixed!(heddle_kzg_commit, blobs::commit);
export_fixed!(heddle_kzg_prove_cells, blobs::prove_cells);
