// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

/// The non-fungible token (EIP-721, what workloads need of it): transfers of different tokens
/// between different holders are independent, mints all take the next number.
contract Collection {
    error NotAllowed(address caller, uint256 id);
    error NotOwner(address holder, uint256 id);
    error ZeroAddress();

    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event Approval(address indexed owner, address indexed approved, uint256 indexed id);

    // The order of these fields is the storage layout that the genesis builder writes.
    uint256 public minted;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public getApproved;

    function mint(address to) external returns (uint256 id) {
        if (to == address(0)) revert ZeroAddress();
        id = minted;
        unchecked {
            minted = id + 1;
            balanceOf[to] += 1; // cannot exceed minted
        }
        ownerOf[id] = to;
        emit Transfer(address(0), to, id);
    }

    function approve(address approved, uint256 id) external {
        address owner = ownerOf[id];
        if (owner != msg.sender) revert NotOwner(msg.sender, id);
        getApproved[id] = approved;
        emit Approval(owner, approved, id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        if (to == address(0)) revert ZeroAddress();
        if (ownerOf[id] != from) revert NotOwner(from, id);
        address approved = getApproved[id];
        if (msg.sender != from && msg.sender != approved) revert NotAllowed(msg.sender, id);
        if (approved != address(0)) delete getApproved[id];
        unchecked {
            balanceOf[from] -= 1; // owns one at least
            balanceOf[to] += 1;
        }
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
}
