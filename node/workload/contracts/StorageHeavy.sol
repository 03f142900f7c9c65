// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

/// Reads, writes and clears many storage slots: plain words, packed fields, a dynamic array and a
/// counter that everybody shares. Each caller works in a mapping of its own, so only the counter
/// and the packed records, which are chosen by the caller's argument, make transactions conflict.
contract StorageHeavy {
    event Filled(address indexed caller, uint256 start, uint256 count);
    event Cleared(address indexed caller, uint256 start, uint256 count);
    event Counted(uint256 counter);

    struct Record {
        uint64 first;
        uint64 second;
        uint96 total;
        bool used;
    }

    uint256 public counter;
    mapping(address => mapping(uint256 => uint256)) private cells;
    mapping(uint256 => Record) public records;
    mapping(address => uint256[]) private histories;

    /// Writes `count` words.
    function fill(uint256 start, uint256 count, uint256 value) public {
        mapping(uint256 => uint256) storage mine = cells[msg.sender];
        for (uint256 i = 0; i < count; ++i) {
            mine[start + i] = value ^ (i << 128) | 1;
        }
        emit Filled(msg.sender, start, count);
    }

    /// Reads `count` words and returns their sum.
    function sum(uint256 start, uint256 count) public view returns (uint256 total) {
        mapping(uint256 => uint256) storage mine = cells[msg.sender];
        for (uint256 i = 0; i < count; ++i) {
            unchecked {
                total += mine[start + i];
            }
        }
    }

    /// Sets `count` words to zero, which gives gas back where they were not.
    function clear(uint256 start, uint256 count) public {
        mapping(uint256 => uint256) storage mine = cells[msg.sender];
        for (uint256 i = 0; i < count; ++i) {
            delete mine[start + i];
        }
        emit Cleared(msg.sender, start, count);
    }

    /// Changes the fields of `count` packed records one by one, as careless code does.
    function pack(uint256 start, uint256 count, uint64 value) public {
        for (uint256 i = 0; i < count; ++i) {
            Record storage record = records[start + i];
            unchecked {
                record.first += value;
                record.second = record.first ^ value;
                record.total += uint96(value);
            }
            record.used = true;
        }
    }

    /// Appends to the caller's history, or drops its newest half.
    function remember(uint256 count, uint256 value) public {
        uint256[] storage history = histories[msg.sender];
        for (uint256 i = 0; i < count; ++i) {
            history.push(value + i);
        }
    }

    function forget() public {
        uint256[] storage history = histories[msg.sender];
        for (uint256 left = history.length / 2; left != 0; --left) {
            history.pop();
        }
    }

    /// The one slot that all callers write.
    function bump(uint256 by) public {
        unchecked {
            counter += by;
        }
        emit Counted(counter);
    }

    /// A bit of everything: writes, reads what was written, clears the older part.
    function churn(uint256 start, uint256 count) external {
        fill(start, count, start);
        uint256 total = sum(start, count);
        pack(start, count / 4, uint64(total));
        if (start >= count) clear(start - count, count);
    }
}
