// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

/// Linked lists of numbers, one a shard, as Early Scheduling §5.2 measures with: a request searches
/// one list or all of them, or appends a number that is not there. Every search passes from node to
/// node, so that its length is the cost of a request.
///
/// A list is known by its first slot, and lies in the slots from there on, so that whoever parts
/// storage by ranges of slots can have a list in each part. The first slot has the numbers of the
/// first and of the last node and their count, 64 bits each from the lowest; a node, as many slots
/// behind it as its number says, a value of 192 bits and the number of the next. 0: none.
contract LinkedLists {
    event Searched(uint256 indexed list, bool found);

    function contains(uint256 list, uint192 value) external {
        emit Searched(list, _find(list, value));
    }

    /// Whether one of `count` lists has it, whose first slots are `step` apart from 0 on; all are
    /// searched.
    function containsAny(uint256 count, uint256 step, uint192 value) external {
        bool found = false;
        for (uint256 i = 0; i < count; ++i) {
            if (_find(i * step, value)) found = true;
        }
        emit Searched(count, found);
    }

    /// Appends the value where it is not there.
    function add(uint256 list, uint192 value) external {
        _add(list, value);
    }

    function addToAll(uint256 count, uint256 step, uint192 value) external {
        for (uint256 i = 0; i < count; ++i) {
            _add(i * step, value);
        }
    }

    function _find(uint256 list, uint192 value) private view returns (bool) {
        uint256 at = uint64(_load(list));
        while (at != 0) {
            uint256 node = _load(list + at);
            if (uint192(node) == value) return true;
            at = node >> 192;
        }
        return false;
    }

    function _add(uint256 list, uint192 value) private {
        bool found = _find(list, value);
        emit Searched(list, found);
        if (found) return;
        uint256 ends = _load(list);
        uint256 first = uint64(ends);
        uint256 last = uint64(ends >> 64);
        uint256 number = uint64(ends >> 128) + 1;
        _store(list + number, value);
        if (last == 0) first = number;
        else _store(list + last, _load(list + last) | (number << 192));
        _store(list, first | (number << 64) | (number << 128));
    }

    function _load(uint256 slot) private view returns (uint256 word) {
        assembly {
            word := sload(slot)
        }
    }

    function _store(uint256 slot, uint256 word) private {
        assembly {
            sstore(slot, word)
        }
    }
}
