// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! Proofs of whole blobs (EIP-4844) and of their cells (EIP-7594) on c-kzg, with the trusted setup
//! that it carries. The setup is loaded when the first blob comes: most nodes never see one.

use c_kzg::{
    ethereum_kzg_settings, Blob, Bytes48, KzgSettings, BYTES_PER_BLOB, CELLS_PER_EXT_BLOB,
};

use crate::Invalid;

/// Tables for proving would cost memory; only tests prove.
const PRECOMPUTE: u64 = 0;

fn settings() -> &'static KzgSettings {
    ethereum_kzg_settings(PRECOMPUTE)
}

fn as_blob(bytes: &[u8; BYTES_PER_BLOB]) -> &Blob {
    // SAFETY: Blob is repr(C) around such an array and lives as long as it.
    unsafe { &*(bytes as *const [u8; BYTES_PER_BLOB] as *const Blob) }
}

pub fn verify_blob(
    blob: &[u8; BYTES_PER_BLOB],
    commitment: &[u8; 48],
    proof: &[u8; 48],
) -> Result<bool, Invalid> {
    let (commitment, proof) = (Bytes48::from(*commitment), Bytes48::from(*proof));
    settings().verify_blob_kzg_proof(as_blob(blob), &commitment, &proof).map_err(|_| Invalid)
}

/// `proofs`: one for each cell of the extended blob.
pub fn verify_cells(
    blob: &[u8; BYTES_PER_BLOB],
    commitment: &[u8; 48],
    proofs: &[[u8; 48]],
) -> Result<bool, Invalid> {
    let cells = settings().compute_cells(as_blob(blob)).map_err(|_| Invalid)?;
    let commitments = [Bytes48::from(*commitment); CELLS_PER_EXT_BLOB];
    let indices: Vec<u64> = (0..CELLS_PER_EXT_BLOB as u64).collect();
    let proofs: Vec<Bytes48> = proofs.iter().map(|&proof| Bytes48::from(proof)).collect();
    settings()
        .verify_cell_kzg_proof_batch(&commitments, &indices, &cells[..], &proofs)
        .map_err(|_| Invalid)
}

pub fn commit(blob: &[u8; BYTES_PER_BLOB]) -> Result<[u8; 48], Invalid> {
    let commitment = settings().blob_to_kzg_commitment(as_blob(blob)).map_err(|_| Invalid)?;
    Ok(commitment.to_bytes().into_inner())
}

pub fn prove_blob(blob: &[u8; BYTES_PER_BLOB], commitment: &[u8; 48]) -> Result<[u8; 48], Invalid> {
    let commitment = Bytes48::from(*commitment);
    let proof =
        settings().compute_blob_kzg_proof(as_blob(blob), &commitment).map_err(|_| Invalid)?;
    Ok(proof.to_bytes().into_inner())
}

/// One proof for each cell.
pub fn prove_cells(blob: &[u8; BYTES_PER_BLOB]) -> Result<[u8; 48 * CELLS_PER_EXT_BLOB], Invalid> {
    let (_, proofs) =
        settings().compute_cells_and_kzg_proofs(as_blob(blob)).map_err(|_| Invalid)?;
    let mut out = [0; 48 * CELLS_PER_EXT_BLOB];
    for (bytes, proof) in out.chunks_exact_mut(48).zip(proofs.iter()) {
        bytes.copy_from_slice(&proof.to_bytes().into_inner());
    }
    Ok(out)
}
