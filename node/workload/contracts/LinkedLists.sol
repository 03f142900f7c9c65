// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

/// Linked lists, one a shard, that are searched from their heads: what a request costs grows with
/// the list, and a write conflicts with every search that comes to its end.
contract LinkedLists {
    event Searched(uint256 shard, bool found);

    struct List {
        uint64 head; // numbers of nodes; 0: none
        uint64 tail;
        uint64 count;
    }
    struct Node {
        uint192 value;
        uint64 next;
    }

    // The order of these fields is the storage layout that the genesis builder writes.
    mapping(uint256 => List) private lists;
    mapping(uint256 => Node) private nodes; // shard << 64 | number

    function contains(uint256 shard, uint192 value) external {
        emit Searched(shard, _find(shard, value));
    }

    /// Whether one of the first `shards` lists has it; all are searched.
    function containsAny(uint256 shards, uint192 value) external {
        bool found = false;
        for (uint256 shard = 0; shard < shards; ++shard) {
            if (_find(shard, value)) found = true;
        }
        emit Searched(shards, found);
    }

    /// Appends the value where it is not there.
    function add(uint256 shard, uint192 value) external {
        _add(shard, value);
    }

    function addToAll(uint256 shards, uint192 value) external {
        for (uint256 shard = 0; shard < shards; ++shard) {
            _add(shard, value);
        }
    }

    function _find(uint256 shard, uint192 value) private view returns (bool) {
        uint64 at = lists[shard].head;
        while (at != 0) {
            Node storage node = nodes[(shard << 64) | at];
            if (node.value == value) return true;
            at = node.next;
        }
        return false;
    }

    function _add(uint256 shard, uint192 value) private {
        bool found = _find(shard, value);
        emit Searched(shard, found);
        if (found) return;
        List storage list = lists[shard];
        uint64 number = list.count + 1;
        nodes[(shard << 64) | number] = Node(value, 0);
        if (list.tail == 0) list.head = number;
        else nodes[(shard << 64) | list.tail].next = number;
        list.tail = number;
        list.count = number;
    }
}
