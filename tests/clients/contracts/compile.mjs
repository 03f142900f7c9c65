// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiles Board.sol to Board.json with the solc of the node_modules that NODE_PATH names.
//   NODE_PATH=build/clients/node_modules node tests/clients/contracts/compile.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const solc = createRequire(import.meta.url)('solc');
const here = (name) => new URL(name, import.meta.url);
const input = {
  language: 'Solidity',
  sources: { 'Board.sol': { content: readFileSync(here('Board.sol'), 'utf8') } },
  settings: {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 200 },
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
for (const problem of output.errors ?? []) console.error(problem.formattedMessage);
const { abi, evm } = output.contracts['Board.sol'].Board;
const lines = abi.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
writeFileSync(here('Board.json'), `{
  "compiler": "${solc.version()}",
  "abi": [
${lines}
  ],
  "bytecode": "0x${evm.bytecode.object}"
}
`);
