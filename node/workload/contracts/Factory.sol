// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

/// The smallest contract that is worth creating: it remembers who made it and one value.
contract Child {
    address public immutable maker;
    uint256 public value;

    constructor(uint256 initial) {
        maker = msg.sender;
        value = initial;
    }

    function set(uint256 next) external {
        value = next;
    }
}

/// Creates children by CREATE and CREATE2 and talks to the newest. Creations by one factory are
/// serial, because each takes the factory's nonce.
contract Factory {
    error AlreadyThere(address child);

    event Created(address indexed child, address indexed caller, uint256 value);

    uint256 public count;
    address public newest;

    function create(uint256 value) public returns (address child) {
        child = address(new Child(value));
        _register(child, value);
    }

    function createAt(uint256 value, bytes32 salt) public returns (address child) {
        child = address(new Child{salt: salt}(value));
        _register(child, value);
    }

    function createMany(uint256 number, uint256 value) external {
        for (uint256 i = 0; i < number; ++i) {
            create(value + i);
        }
        Child(newest).set(number);
    }

    /// Where createAt() puts a child of this value and salt.
    function addressOf(uint256 value, bytes32 salt) external view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(Child).creationCode, abi.encode(value)));
        bytes32 digest = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, codeHash));
        return address(uint160(uint256(digest)));
    }

    function _register(address child, uint256 value) private {
        count += 1;
        newest = child;
        emit Created(child, msg.sender, value);
    }
}
