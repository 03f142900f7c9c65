// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// C ABI of the Rust library `heddle_curves`: elliptic-curve work of the precompiled contracts on
// bn254 and BLS12-381. Encodings are those of EIP-196, 197, 2537 and 4844; lengths are the caller's
// to check, values are checked here. Gas is none of its business.
#pragma once

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
extern "C" {
#else
#include <stddef.h>
#include <stdint.h>
#endif

// Every function is pure and thread-safe, writes `out` only on success, and returns one of these.
enum {
    HEDDLE_CURVES_OK = 0,       // success; a pairing product of one
    HEDDLE_CURVES_NOT_ONE = 1,  // a pairing product other than one; a proof that does not hold
    HEDDLE_CURVES_INVALID = 2,  // an encoding, curve or subgroup check failed
};

// `in` 128 bytes (two points), `out` 64 bytes.
int32_t heddle_bn254_add(const uint8_t* in, uint8_t* out);
// `in` 96 bytes (point, scalar), `out` 64 bytes.
int32_t heddle_bn254_mul(const uint8_t* in, uint8_t* out);
// `in` is `pairs` times 192 bytes.
int32_t heddle_bn254_pairing(const uint8_t* in, size_t pairs);

// `in` 256 bytes, `out` 128 bytes. No subgroup check.
int32_t heddle_bls12_g1_add(const uint8_t* in, uint8_t* out);
// `in` is `pairs` times 160 bytes, `out` 128 bytes.
int32_t heddle_bls12_g1_msm(const uint8_t* in, size_t pairs, uint8_t* out);
// `in` 512 bytes, `out` 256 bytes. No subgroup check.
int32_t heddle_bls12_g2_add(const uint8_t* in, uint8_t* out);
// `in` is `pairs` times 288 bytes, `out` 256 bytes.
int32_t heddle_bls12_g2_msm(const uint8_t* in, size_t pairs, uint8_t* out);
// `in` is `pairs` times 384 bytes.
int32_t heddle_bls12_pairing(const uint8_t* in, size_t pairs);
// `in` 64 bytes, `out` 128 bytes.
int32_t heddle_bls12_map_fp_to_g1(const uint8_t* in, uint8_t* out);
// `in` 128 bytes, `out` 256 bytes.
int32_t heddle_bls12_map_fp2_to_g2(const uint8_t* in, uint8_t* out);

// Verifies p(z) = y for the polynomial behind `commitment` (EIP-4844). `z` and `y` are 32 bytes,
// big-endian; `commitment` and `proof` are 48 bytes, compressed.
int32_t heddle_kzg_verify_proof(const uint8_t* commitment, const uint8_t* z, const uint8_t* y,
                                const uint8_t* proof);

// Proofs of a blob of 131072 bytes against its commitment: one for all of it (EIP-4844), or one for
// each of its 128 cells (EIP-7594). A commitment and a proof have 48 bytes.
int32_t heddle_kzg_verify_blob(const uint8_t* blob, const uint8_t* commitment,
                               const uint8_t* proof);
int32_t heddle_kzg_verify_cells(const uint8_t* blob, const uint8_t* commitment,
                                const uint8_t* proofs);
// Making them: `out` 48 bytes, 48 bytes, and 128 times 48 bytes.
int32_t heddle_kzg_commit(const uint8_t* blob, uint8_t* out);
int32_t heddle_kzg_prove_blob(const uint8_t* blob, const uint8_t* commitment, uint8_t* out);
int32_t heddle_kzg_prove_cells(const uint8_t* blob, uint8_t* out);

#ifdef __cplusplus
}
#endif
