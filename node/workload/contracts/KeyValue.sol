// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

/// The table of YCSB: rows by key, one slot each, and transactions that read some, compute, and
/// write others.
contract KeyValue {
    mapping(uint256 => uint256) private rows;

    /// Reads the keys whose bit in `writes` is 0 (the lowest bit is the first key's), hashes
    /// `rounds` times, and writes the others. What is written depends on the caller and on all that
    /// was read.
    function run(uint256 writes, uint256 rounds, uint256[] calldata keys) external {
        uint256 digest = uint256(uint160(msg.sender));
        unchecked {
            for (uint256 i = 0; i < keys.length; ++i) {
                if ((writes >> i) & 1 == 0) digest += rows[keys[i]];
            }
            assembly {
                mstore(0, digest)
                for { let left := rounds } left { left := sub(left, 1) } {
                    mstore(0, keccak256(0, 32))
                }
                digest := mload(0)
            }
            for (uint256 i = 0; i < keys.length; ++i) {
                if ((writes >> i) & 1 == 1) rows[keys[i]] = (digest + i) | 1;
            }
        }
    }
}
