// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// hardhat 2 against a node: compile, deploy and test, where the node signs.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';

import { failing, finish, step } from './transcript.mjs';

mkdirSync('hardhat/contracts', { recursive: true });
copyFileSync('contracts/Board.sol', 'hardhat/contracts/Board.sol');
process.chdir('hardhat');
process.env.HARDHAT_CONFIG = 'hardhat.config.cjs';
const hre = createRequire(import.meta.url)('hardhat');
const { ethers } = hre;

const receiptOf = (receipt) => ({
  type: receipt.type, status: receipt.status, to: receipt.to, from: receipt.from,
  contract: receipt.contractAddress, gasUsed: receipt.gasUsed,
  logs: receipt.logs.map((log) => ({ topics: log.topics, data: log.data, index: log.index })),
});
// The words differ from node to node.
const errorOf = (error) => ({ name: error.name, code: error.code, data: error.data });

await step('compile', async () => {
  await hre.run('compile', { quiet: true });
  return (await hre.artifacts.getAllFullyQualifiedNames()).length;
});
const signers = await ethers.getSigners();
await step('accounts', async () => signers.map((each) => each.address));
await step('balance', () => ethers.provider.getBalance(signers[0].address));
const board = await ethers.deployContract('Board', ['hardhat'], { value: 5n });
await step('deploy', async () => receiptOf(await board.deploymentTransaction().wait()));
await step('read', async () => [await board.name(), await board.owner()]);
await step('write', async () => receiptOf(await (await board.post('hello', { value: 7n })).wait()));
await step('write as another', async () =>
  receiptOf(await (await board.connect(signers[1]).post('second')).wait()));
await step('structure', async () => [...(await board.note(1))]);
await step('type 0', async () => receiptOf(await (await board.post('type 0', {
  gasPrice: ethers.parseUnits('3', 'gwei'),
})).wait()));
await step('type 1', async () => {
  const sent = await board.post('type 1', {
    gasPrice: ethers.parseUnits('3', 'gwei'), accessList: [{ address: board.target, storageKeys: [] }],
  });
  return receiptOf(await sent.wait());
});
await step('transfer', async () => receiptOf(await (await signers[2].sendTransaction({
  to: board.target, value: ethers.parseEther('1'),
})).wait()));
await failing('require', () => board.post(''), errorOf);
await failing('custom error', () => board.post('x'.repeat(33)), errorOf);
await failing('panic', () => board.divide(1, 0), errorOf);
await failing('too poor', () => signers[3].sendTransaction({
  to: board.target, value: ethers.parseEther('20000'), gasLimit: 30_000,
}), (error) => ({ name: error.name, message: error.message.split(':')[0].toLowerCase() }));
await step('events', async () => (await board.queryFilter('Posted', 0)).map((log) => [...log.args]));
await step('message', async () =>
  ethers.verifyMessage('hello', await signers[1].signMessage('hello')));
await step('typed data', async () => {
  const domain = { name: 'Board', version: '1', chainId: 1337, verifyingContract: board.target };
  const types = {
    Note: [{ name: 'text', type: 'string' }, { name: 'marks', type: 'Mark[2]' }],
    Mark: [{ name: 'place', type: 'int16' }, { name: 'tag', type: 'bytes4' }],
  };
  const value = {
    text: 'signed', marks: [{ place: -5, tag: '0x01020304' }, { place: 6, tag: '0xffffffff' }],
  };
  const signature = await signers[1].signTypedData(domain, types, value);
  return ethers.verifyTypedData(domain, types, value, signature);
});
await step('many at once', async () => {
  const sent = await Promise.all(signers.map((each, i) => board.connect(each).post(`note ${i}`)));
  const receipts = await Promise.all(sent.map((each) => each.wait()));
  return [receipts.every((each) => each.status === 1), await board.count()];
});
await step('mine', async () => {
  const before = await ethers.provider.getBlockNumber();
  await ethers.provider.send('evm_mine', []);
  return (await ethers.provider.getBlockNumber()) - before;
});
finish();
