// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

/// The fungible token (EIP-20) of the generated workloads: what most contract calls on a public
/// chain do. Two storage slots change per transfer; balances live in one mapping, so two transfers
/// conflict exactly when they share a holder.
contract Token {
    error InsufficientBalance(address holder, uint256 has, uint256 needs);
    error InsufficientAllowance(address spender, uint256 has, uint256 needs);
    error NotMinter(address caller);
    error ZeroAddress();

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public constant name = "Heddle Workload Token";
    string public constant symbol = "HWT";
    uint8 public constant decimals = 18;

    // The order of these fields is the storage layout that the genesis builder writes.
    address public minter;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(uint256 supply) {
        minter = msg.sender;
        _mint(msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        // The greatest value means "without limit" and is not spent, as most deployed tokens do.
        if (allowed != type(uint256).max) {
            if (allowed < value) revert InsufficientAllowance(msg.sender, allowed, value);
            unchecked {
                allowance[from][msg.sender] = allowed - value;
            }
        }
        _move(from, to, value);
        return true;
    }

    function mint(address to, uint256 value) external {
        if (msg.sender != minter) revert NotMinter(msg.sender);
        _mint(to, value);
    }

    function burn(uint256 value) external {
        uint256 held = balanceOf[msg.sender];
        if (held < value) revert InsufficientBalance(msg.sender, held, value);
        unchecked {
            balanceOf[msg.sender] = held - value;
            totalSupply -= value;
        }
        emit Transfer(msg.sender, address(0), value);
    }

    function _mint(address to, uint256 value) private {
        if (to == address(0)) revert ZeroAddress();
        totalSupply += value;
        unchecked {
            balanceOf[to] += value; // cannot exceed totalSupply, which was checked
        }
        emit Transfer(address(0), to, value);
    }

    function _move(address from, address to, uint256 value) private {
        if (to == address(0)) revert ZeroAddress();
        uint256 held = balanceOf[from];
        if (held < value) revert InsufficientBalance(from, held, value);
        unchecked {
            balanceOf[from] = held - value;
            balanceOf[to] += value; // the sum of all balances is totalSupply
        }
        emit Transfer(from, to, value);
    }
}
