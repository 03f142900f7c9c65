// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

interface IToken {
    function balanceOf(address holder) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// A pool of two tokens that trades along x * y = k with a fee of 0.3 %, which stays in the pool.
/// Every swap reads and writes the one slot of packed reserves, so swaps in one pool are serial by
/// nature: this is the contended contract of the workloads.
contract Pair {
    error Locked();
    error UnknownToken(address token);
    error NothingIn();
    error TooLittleOut(uint256 out, uint256 wanted);
    error ReserveOverflow();
    error NoLiquidity();
    error TransferFailed(address token);

    event Swap(
        address indexed sender,
        address indexed to,
        address tokenIn,
        uint256 amountIn,
        uint256 amountOut
    );
    event Sync(uint112 reserve0, uint112 reserve1);
    event LiquidityAdded(address indexed provider, uint256 amount0, uint256 amount1, uint256 shares);
    event LiquidityRemoved(address indexed provider, uint256 amount0, uint256 amount1, uint256 shares);

    uint256 private constant FEE_BASE = 1000;
    uint256 private constant AFTER_FEE = 997;

    // The order of these fields is the storage layout that the genesis builder writes.
    address public token0;
    address public token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private lastTimestamp;
    uint256 public price0Cumulative;
    uint256 public price1Cumulative;
    uint256 private unlocked;
    uint256 public totalShares;
    mapping(address => uint256) public sharesOf;

    modifier locked() {
        if (unlocked != 1) revert Locked();
        unlocked = 2;
        _;
        unlocked = 1;
    }

    constructor(address first, address second) {
        token0 = first;
        token1 = second;
        unlocked = 1;
    }

    function reserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, lastTimestamp);
    }

    /// What `amountIn` of a token buys, given the two reserves, after the fee.
    function quote(uint256 amountIn, uint256 reserveIn, uint256 reserveOut)
        public
        pure
        returns (uint256)
    {
        if (amountIn == 0) revert NothingIn();
        if (reserveIn == 0 || reserveOut == 0) revert NoLiquidity();
        uint256 taxed = amountIn * AFTER_FEE;
        return (taxed * reserveOut) / (reserveIn * FEE_BASE + taxed);
    }

    function swap(address tokenIn, uint256 amountIn, uint256 minimumOut, address to)
        external
        locked
        returns (uint256 amountOut)
    {
        (address first, address second) = (token0, token1);
        if (tokenIn != first && tokenIn != second) revert UnknownToken(tokenIn);
        bool forward = tokenIn == first;
        (uint256 old0, uint256 old1) = (reserve0, reserve1);

        amountOut = forward ? quote(amountIn, old0, old1) : quote(amountIn, old1, old0);
        if (amountOut < minimumOut) revert TooLittleOut(amountOut, minimumOut);
        _pull(tokenIn, msg.sender, amountIn);
        _push(forward ? second : first, to, amountOut);

        _update(IToken(first).balanceOf(address(this)), IToken(second).balanceOf(address(this)), old0, old1);
        emit Swap(msg.sender, to, tokenIn, amountIn, amountOut);
    }

    function addLiquidity(uint256 amount0, uint256 amount1) external locked returns (uint256 shares) {
        (uint256 old0, uint256 old1) = (reserve0, reserve1);
        uint256 supply = totalShares;
        shares = supply == 0
            ? _sqrt(amount0 * amount1)
            : _smaller((amount0 * supply) / old0, (amount1 * supply) / old1);
        if (shares == 0) revert NoLiquidity();
        _pull(token0, msg.sender, amount0);
        _pull(token1, msg.sender, amount1);
        totalShares = supply + shares;
        sharesOf[msg.sender] += shares;
        _update(old0 + amount0, old1 + amount1, old0, old1);
        emit LiquidityAdded(msg.sender, amount0, amount1, shares);
    }

    function removeLiquidity(uint256 shares) external locked returns (uint256 amount0, uint256 amount1) {
        (uint256 old0, uint256 old1) = (reserve0, reserve1);
        uint256 supply = totalShares;
        sharesOf[msg.sender] -= shares;
        totalShares = supply - shares;
        amount0 = (shares * old0) / supply;
        amount1 = (shares * old1) / supply;
        _push(token0, msg.sender, amount0);
        _push(token1, msg.sender, amount1);
        _update(old0 - amount0, old1 - amount1, old0, old1);
        emit LiquidityRemoved(msg.sender, amount0, amount1, shares);
    }

    /// Takes what the pool really holds as its reserves.
    function sync() external locked {
        (uint256 old0, uint256 old1) = (reserve0, reserve1);
        _update(IToken(token0).balanceOf(address(this)), IToken(token1).balanceOf(address(this)), old0, old1);
    }

    /// Stores the new reserves and adds the old price for the time it was valid.
    function _update(uint256 new0, uint256 new1, uint256 old0, uint256 old1) private {
        if (new0 > type(uint112).max || new1 > type(uint112).max) revert ReserveOverflow();
        uint32 time = uint32(block.timestamp);
        unchecked {
            uint32 elapsed = time - lastTimestamp; // wraps as meant
            if (elapsed != 0 && old0 != 0 && old1 != 0) {
                price0Cumulative += ((old1 << 112) / old0) * elapsed;
                price1Cumulative += ((old0 << 112) / old1) * elapsed;
            }
        }
        reserve0 = uint112(new0);
        reserve1 = uint112(new1);
        lastTimestamp = time;
        emit Sync(uint112(new0), uint112(new1));
    }

    function _pull(address token, address from, uint256 value) private {
        if (!IToken(token).transferFrom(from, address(this), value)) revert TransferFailed(token);
    }

    function _push(address token, address to, uint256 value) private {
        if (!IToken(token).transfer(to, value)) revert TransferFailed(token);
    }

    function _smaller(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }

    /// The integer square root, by Newton's steps from above.
    function _sqrt(uint256 value) private pure returns (uint256 root) {
        if (value == 0) return 0;
        root = value;
        uint256 next = value / 2 + 1;
        while (next < root) {
            root = next;
            next = (value / next + next) / 2;
        }
    }
}
