// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Board} from "./Board.sol";

// What of the cheat codes a script needs; forge provides them at this address.
interface Vm {
    function startBroadcast(uint256 privateKey) external;
    function stopBroadcast() external;
    function signAndAttachDelegation(address implementation, uint256 privateKey) external;
}

// A deployment as people script it: a creation, calls, a creation at a known address, a
// delegation.
contract Post {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint256 private constant FIRST =
        0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80;
    uint256 private constant SECOND =
        0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d;
    address private constant SECOND_ADDRESS = 0x70997970C51812dc3A010C7d01b50e0d17dc79C8;

    function run() external returns (Board board, Board salted) {
        vm.startBroadcast(FIRST);
        board = new Board{value: 5}("forge");
        board.post{value: 7}("hello");
        board.post("again");
        salted = new Board{salt: bytes32(uint256(1))}("salted");
        vm.signAndAttachDelegation(address(board), SECOND);
        Board(payable(SECOND_ADDRESS)).post("delegated");
        vm.stopBroadcast();
        require(board.count() == 2, "the board is not as it was written");
    }
}
