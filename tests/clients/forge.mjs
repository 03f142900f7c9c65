// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// forge against a node: a script that deploys, and verification of what it sent.
import { chmodSync, mkdirSync, readFileSync, writeFileSync, copyFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { program } from './foundry.mjs';
import { chainId, finish, step, url } from './transcript.mjs';

const forge = program('forge');
chmodSync('solc.mjs', 0o755);
mkdirSync('project/script', { recursive: true });
for (const name of ['Board.sol', 'Post.s.sol'])
  copyFileSync(`contracts/${name}`, `project/script/${name}`);
writeFileSync('project/foundry.toml', `[profile.default]
src = "script"
script = "script"
out = "out"
libs = []
solc = "${resolve('solc.mjs')}"
offline = true
auto_detect_solc = false
evm_version = "prague"
optimizer = true
optimizer_runs = 200
bytecode_hash = "none"
cbor_metadata = false
`);

const project = ['--root', 'project'];
await step('build', async () => {
  await forge('build', ...project);
  const output = JSON.parse(readFileSync('project/out/Board.sol/Board.json', 'utf8'));
  return output.abi.length;
});
await step('script', async () => {
  await forge('script', 'project/script/Post.s.sol:Post', ...project, '--rpc-url', url,
    '--broadcast', '--slow', '--non-interactive');
  const run = JSON.parse(readFileSync(
    `project/broadcast/Post.s.sol/${chainId}/run-latest.json`, 'utf8'));
  return {
    transactions: run.transactions.map((each) => ({
      kind: each.transactionType, contract: each.contractName, address: each.contractAddress,
      function: each.function, arguments: each.arguments, gas: each.transaction.gas,
      nonce: each.transaction.nonce, value: each.transaction.value,
    })),
    receipts: run.receipts.map((each) => ({
      type: each.type, status: each.status, gasUsed: each.gasUsed, block: each.blockNumber,
      contract: each.contractAddress, logs: each.logs.map((log) => [log.address, log.topics, log.data]),
    })),
  };
});
finish();
