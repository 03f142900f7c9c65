// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

// What a client meets in contracts: state, events with indexed members, structures, payments, and
// every kind of failure.
contract Board {
    struct Note {
        address author;
        uint256 paid;
        string text;
    }

    error TooLong(uint256 length, uint256 limit);

    event Posted(address indexed author, uint256 indexed id, string text);
    event Paid(address from, uint256 amount);

    uint256 public constant LIMIT = 32;
    string public name;
    address public owner;
    Note[] private notes;
    mapping(address => uint256) public written;

    constructor(string memory name_) payable {
        name = name_;
        owner = msg.sender;
    }

    receive() external payable {
        emit Paid(msg.sender, msg.value);
    }

    function post(string calldata text) external payable returns (uint256 id) {
        require(bytes(text).length != 0, "empty note");
        if (bytes(text).length > LIMIT) revert TooLong(bytes(text).length, LIMIT);
        id = notes.length;
        notes.push(Note(msg.sender, msg.value, text));
        written[msg.sender] += 1;
        emit Posted(msg.sender, id, text);
    }

    function note(uint256 id) external view returns (Note memory) {
        return notes[id];
    }

    function count() external view returns (uint256) {
        return notes.length;
    }

    function divide(uint256 a, uint256 b) external pure returns (uint256) {
        return a / b;
    }

    function fail() external pure {
        revert();
    }

    // Of this code's account: of a delegating one where it is delegated to (EIP-7702).
    function self() external view returns (address, uint256) {
        return (address(this), address(this).balance);
    }
}
