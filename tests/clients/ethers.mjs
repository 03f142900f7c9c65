// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// ethers 6 against a node: what dapps of it do.
import {
  Contract, ContractFactory, JsonRpcProvider, Wallet, WebSocketProvider, encodeRlp, keccak256,
  parseEther, parseUnits, toBeHex, verifyMessage, verifyTypedData,
} from 'ethers';
import {
  addresses, board, chainId, failing, finish, keys, socketUrl, step, until, url,
} from './transcript.mjs';

const provider = new JsonRpcProvider(url, undefined, { pollingInterval: 50, cacheTimeout: -1 });
const [first, second] = keys.map((key) => new Wallet(key, provider));
// The third signs nothing but replacements, whose nonces it counts by itself.
const third = new Wallet(keys[2], provider);

const receiptOf = (receipt) => ({
  type: receipt.type, status: receipt.status, to: receipt.to, from: receipt.from,
  contract: receipt.contractAddress, gasUsed: receipt.gasUsed, gasPrice: receipt.gasPrice,
  cumulative: receipt.cumulativeGasUsed, index: receipt.index, block: receipt.blockNumber,
  logs: receipt.logs.map((log) => ({
    address: log.address, topics: log.topics, data: log.data, index: log.index,
  })),
});
const logOf = (log) => ({
  name: log.eventName, args: [...log.args], block: log.blockNumber, index: log.index,
});
const errorOf = (error) => ({
  code: error.code, reason: error.reason, data: error.data, revert: error.revert?.name,
  args: error.revert ? [...error.revert.args] : undefined,
  rpc: (error.info?.error ?? error.error)?.code,
  message: (error.info?.error ?? error.error)?.message,
});

await step('network', async () => (await provider.getNetwork()).chainId);
await step('block number', () => provider.getBlockNumber());
await step('balance', () => provider.getBalance(addresses[0]));
await step('nonce', () => provider.getTransactionCount(addresses[0], 'pending'));
await step('fee data', async () => {
  const fees = await provider.getFeeData();
  return [fees.gasPrice, fees.maxFeePerGas, fees.maxPriorityFeePerGas];
});
await step('genesis block', async () => {
  const block = await provider.getBlock(0);
  return { hash: block.hash, stateRoot: block.stateRoot, gasLimit: block.gasLimit };
});

const factory = new ContractFactory(board.abi, board.bytecode, first);
const contract = await factory.deploy('ethers', { value: 5n });
await step('deploy', async () => receiptOf(await contract.deploymentTransaction().wait()));
await step('code', async () => keccak256(await provider.getCode(contract.target)));
await step('read', async () => [await contract.name(), await contract.owner()]);
await step('storage', () => provider.getStorage(contract.target, 0));

await step('estimate a call', () => contract.post.estimateGas('hello', { value: 7n }));
await step('static call', () => contract.post.staticCall('hello'));
await step('write', async () =>
  receiptOf(await (await contract.post('hello', { value: 7n })).wait()));
await step('read a structure', async () => [...(await contract.note(0))]);

for (const [name, overrides] of [
  ['type 0', { type: 0 }],
  ['type 1', { type: 1, accessList: [{ address: contract.target, storageKeys: [toBeHex(3, 32)] }] }],
  ['type 2', { type: 2, maxFeePerGas: parseUnits('9', 'gwei'), maxPriorityFeePerGas: parseUnits('3', 'gwei') }],
]) {
  await step(`write with ${name}`, async () => {
    const sent = await contract.post(name, overrides);
    const receipt = await sent.wait();
    const found = await provider.getTransaction(sent.hash);
    return {
      receipt: receiptOf(receipt), type: found.type, nonce: found.nonce, gas: found.gasLimit,
      maxFee: found.maxFeePerGas, tip: found.maxPriorityFeePerGas, accessList: found.accessList,
    };
  });
}

await step('type 4', async () => {
  const authorization = await second.authorize({ address: contract.target });
  const sent = await first.sendTransaction({
    type: 4, to: addresses[1], authorizationList: [authorization],
    data: contract.interface.encodeFunctionData('post', ['delegated']),
  });
  const receipt = await sent.wait();
  const found = await provider.getTransaction(sent.hash);
  return {
    receipt: receiptOf(receipt), code: await provider.getCode(addresses[1]),
    nonce: await provider.getTransactionCount(addresses[1]),
    authorizations: found.authorizationList.map((each) => ({
      address: each.address, nonce: each.nonce, chainId: each.chainId,
    })),
    self: [...(await new Contract(addresses[1], board.abi, provider).self())],
  };
});
await step('plain transfer', async () => {
  const sent = await second.sendTransaction({ to: contract.target, value: parseEther('1') });
  return receiptOf(await sent.wait());
});

await failing('require', () => contract.post(''), errorOf);
await failing('require in a call', () => contract.post.staticCall(''), errorOf);
await failing('custom error', () => contract.post.staticCall('x'.repeat(33)), errorOf);
await failing('panic', () => contract.divide(1, 0), errorOf);
await failing('array out of bounds', () => contract.note(99), errorOf);
await failing('revert without data', () => contract.fail(), errorOf);
await step('failed transaction', async () => {
  const sent = await contract.post('', { gasLimit: 100_000 });
  try {
    await sent.wait();
  } catch (error) {
    return { code: error.code, receipt: receiptOf(error.receipt) };
  }
  throw new Error('the transaction succeeded');
});
await failing('nonce too low', () =>
  first.sendTransaction({ to: addresses[1], nonce: 0 }), errorOf);
await failing('too poor', () =>
  first.sendTransaction({ to: addresses[1], value: parseEther('20000'), gasLimit: 21_000 }),
  errorOf);
await failing('wrong chain', async () =>
  provider.broadcastTransaction(await new Wallet(keys[0]).signTransaction({
    chainId: 1, to: addresses[1], nonce: await first.getNonce(), gasLimit: 21_000, type: 2,
    maxFeePerGas: parseUnits('10', 'gwei'), maxPriorityFeePerGas: 1n,
  })), errorOf);

await step('events', async () =>
  (await contract.queryFilter(contract.filters.Posted(), 0, 'latest')).map(logOf));
await step('events of one author', async () =>
  (await contract.queryFilter(contract.filters.Posted(addresses[0], 2))).map(logOf));
await step('events of a block', async () => {
  const block = await provider.getBlock(2);
  const logs = await provider.getLogs({ blockHash: block.hash });
  return logs.map((log) => ({ topics: log.topics, transactions: block.transactions.length }));
});
for (const tag of ['earliest', 'latest', 'pending'])
  await step(`balance at ${tag}`, () => provider.getBalance(contract.target, tag));
// How far behind the head they are is the consensus' business.
for (const tag of ['safe', 'finalized'])
  await step(`balance at ${tag}`, async () => typeof (await provider.getBalance(addresses[0], tag)));
await step('balance at a block', () => provider.getBalance(contract.target, 1));
await step('call at a block', () => contract.count({ blockTag: 2 }));
await step('no such transaction', () => provider.getTransaction(`0x${'11'.repeat(32)}`));
await step('block with transactions', async () => {
  const block = await provider.getBlock(2, true);
  return block.prefetchedTransactions.map((each) => [each.from, each.to, each.nonce, each.value]);
});
await step('proof', async () => {
  const block = await provider.send('eth_getBlockByNumber', ['0x2', false]);
  const proof = await provider.send('eth_getProof', [contract.target, ['0x0'], '0x2']);
  const number = (hex) => (BigInt(hex) === 0n ? '0x' : toBeHex(BigInt(hex)));
  // Every node is named by its hash in the one above it, and the last one holds the value.
  const leads = (root, nodes, value) => {
    const above = [root, ...nodes];
    return nodes.every((node, i) => above[i].includes(keccak256(node).slice(2))) &&
      nodes.at(-1).endsWith(value.slice(2));
  };
  const account = encodeRlp([
    number(proof.nonce), number(proof.balance), proof.storageHash, proof.codeHash,
  ]);
  const slot = proof.storageProof[0];
  return {
    account: leads(block.stateRoot, proof.accountProof, account),
    slot: leads(proof.storageHash, slot.proof, encodeRlp(slot.value)), value: slot.value,
    code: proof.codeHash === keccak256(await provider.getCode(contract.target)),
    nodes: slot.proof.length,
  };
});

await step('typed data', async () => {
  const domain = { name: 'Board', version: '1', chainId, verifyingContract: contract.target };
  const types = { Note: [{ name: 'text', type: 'string' }, { name: 'tags', type: 'uint8[]' }] };
  const value = { text: 'signed', tags: [1, 2, 3] };
  const signature = await first.signTypedData(domain, types, value);
  return [signature.length, verifyTypedData(domain, types, value, signature)];
});
await step('message', async () => verifyMessage('hello', await first.signMessage('hello')));

const socket = new WebSocketProvider(socketUrl);
await step('subscriptions', async () => {
  const heads = [];
  const pending = [];
  const events = [];
  const listening = new Contract(contract.target, board.abi, socket);
  await socket.on('block', (number) => heads.push(number));
  await socket.on('pending', (hash) => pending.push(hash));
  await listening.on('Posted', (author, id, text) => events.push([author, id, text]));
  // A listener is there once the node has answered a later request on the same connection.
  await until(async () => (await socket.getBlockNumber()) >= 0 && listening.listenerCount());
  await new Promise((resume) => setTimeout(resume, 300));
  const sent = await contract.post('subscribed');
  const receipt = await sent.wait();
  await until(() => heads.includes(receipt.blockNumber) && events.length > 0);
  await until(() => pending.includes(sent.hash));
  return { events };
});

await step('replacement', async () => {
  const nonce = await third.getNonce();
  const fees = { gasLimit: 21_000, type: 2, maxPriorityFeePerGas: parseUnits('2', 'gwei') };
  const send = (value, at, gwei) => third.sendTransaction({
    ...fees, to: addresses[0], value, nonce: at, maxFeePerGas: parseUnits(`${gwei}`, 'gwei'),
    maxPriorityFeePerGas: parseUnits(`${gwei / 5}`, 'gwei'),
  });
  // It waits for the nonce before it, so that there is something to replace.
  const replaced = await send(1n, nonce + 1, 10);
  let refusal;
  try {
    await send(2n, nonce + 1, 10.5);
  } catch (error) {
    refusal = errorOf(error);
  }
  const better = await send(3n, nonce + 1, 20);
  const waiting = await provider.getTransactionCount(third.address, 'pending');
  await send(0n, nonce, 20);
  const receipt = await better.wait();
  return {
    refusal, waiting: waiting - nonce, status: receipt.status, gasUsed: receipt.gasUsed,
    replaced: await provider.getTransactionReceipt(replaced.hash),
    next: (await third.getNonce()) - nonce,
  };
});
finish();
