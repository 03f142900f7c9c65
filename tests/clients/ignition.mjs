// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// hardhat ignition against a node: a deployment, the same once more, and one that grows.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { finish, step } from './transcript.mjs';

mkdirSync('hardhat/contracts', { recursive: true });
copyFileSync('contracts/Board.sol', 'hardhat/contracts/Board.sol');
process.chdir('hardhat');
process.env.HARDHAT_CONFIG = 'hardhat.config.cjs';
process.env.HEDDLE_WITH_IGNITION = 'yes';
const require = createRequire(`${process.cwd()}/`);
const hre = require('hardhat');
const boards = require('./ignition/modules/Boards.cjs');
const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules');

const deploy = (module, options) => hre.ignition.deploy(module, options);
const state = async ({ board, second }) => {
  const notes = async (each) => Promise.all(Array.from(
    { length: Number(await each.count()) }, async (_, i) => [...(await each.note(i))]));
  return {
    addresses: [board.target, second.target], names: [await board.name(), await second.name()],
    notes: [await notes(board), await notes(second)],
    balance: await hre.ethers.provider.getBalance(board.target),
    blocks: await hre.ethers.provider.getBlockNumber(),
  };
};

await hre.run('compile', { quiet: true });
await step('a deployment', async () => state(await deploy(boards, {
  deploymentId: 'first', parameters: { First: { name: 'of a parameter' } },
})));
await step('the same once more does nothing', async () => state(await deploy(boards, {
  deploymentId: 'first', parameters: { First: { name: 'of a parameter' } },
})));
await step('one that grows goes on where it was', async () => {
  const grown = (texts) => buildModule('Grown', (m) => {
    const board = m.contract('Board', ['grown']);
    const calls = [];
    for (const text of texts)
      calls.push(m.call(board, 'post', [text], { id: text, after: [...calls] }));
    return { board };
  });
  await deploy(grown(['one']), { deploymentId: 'grown' });
  const before = await hre.ethers.provider.getBlockNumber();
  const { board } = await deploy(grown(['one', 'two', 'three']), { deploymentId: 'grown' });
  const journal = readFileSync('ignition/deployments/grown/journal.jsonl', 'utf8').split('\n');
  return [board.target, await board.count(),
    (await hre.ethers.provider.getBlockNumber()) - before,
    journal.filter((line) => line.includes('TRANSACTION_CONFIRM')).length];
});
finish();
