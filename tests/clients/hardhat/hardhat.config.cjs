// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A project whose network is the node, and whose compiler is the npm package solc.
require('@nomicfoundation/hardhat-ethers');
// Only the client of that name has it installed.
if (process.env.HEDDLE_WITH_IGNITION) require('@nomicfoundation/hardhat-ignition-ethers');
const { subtask } = require('hardhat/config');
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names');

subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => ({
  compilerPath: require.resolve('solc/soljson.js'), isSolcJs: true, version: solcVersion,
  longVersion: require('solc').version().split('.Emscripten')[0],
}));

module.exports = {
  solidity: { version: '0.8.30', settings: { evmVersion: 'cancun', optimizer: { enabled: true } } },
  defaultNetwork: 'heddle',
  // The node signs: the accounts are its own.
  networks: { heddle: { url: process.env.HEDDLE_CLIENT_URL, accounts: 'remote' } },
  ignition: { blockPollingInterval: 50, disableFeeBumping: true },
  paths: { sources: './contracts', cache: './cache', artifacts: './artifacts' },
};
