// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// viem 2 against a node: what dapps of it do.
import {
  BaseError, createPublicClient, createWalletClient, defineChain,
  encodeFunctionData, getContract, http, keccak256, parseEther, parseGwei, verifyMessage,
  verifyTypedData, webSocket,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  addresses, board, chainId, failing, finish, keys, socketUrl, step, until, url,
} from './transcript.mjs';

const chain = defineChain({
  id: chainId, name: 'Heddle', nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [url], webSocket: [socketUrl] } },
});
// How often a transaction was looked up.
let lookedUp = 0;
const transport = http(url, {
  retryCount: 0,
  fetchFn: async (target, options) => {
    const response = await fetch(target, options);
    if (options.body.includes('eth_getTransactionByHash')) lookedUp += 1;
    return response;
  },
});
const client = createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 });
const [first, second, third] = keys.map((key) => createWalletClient({
  account: privateKeyToAccount(key), chain, transport,
}));

const receiptOf = (receipt) => ({
  type: receipt.type, status: receipt.status, to: receipt.to, from: receipt.from,
  contract: receipt.contractAddress, gasUsed: receipt.gasUsed, gasPrice: receipt.effectiveGasPrice,
  cumulative: receipt.cumulativeGasUsed, index: receipt.transactionIndex,
  block: receipt.blockNumber,
  logs: receipt.logs.map((log) => ({
    address: log.address, topics: log.topics, data: log.data, index: log.logIndex,
    removed: log.removed,
  })),
});
const logOf = (log) => ({
  name: log.eventName, args: log.args, block: log.blockNumber, index: log.logIndex,
});
const errorOf = (error) => {
  const names = [];
  let innermost = error;
  for (let each = error; each; each = each.cause) {
    names.push(each.name);
    innermost = each;
  }
  const reverted = error instanceof BaseError && error.walk((each) => each.data?.errorName);
  return {
    names, code: innermost.code, message: innermost.message?.split('\n')[0],
    data: innermost.data, revert: reverted?.data?.errorName, args: reverted?.data?.args,
  };
};
const wait = async (hash) => client.waitForTransactionReceipt({ hash });

await step('chain id', () => client.getChainId());
await step('block number', () => client.getBlockNumber());
await step('balance', () => client.getBalance({ address: addresses[0] }));
await step('nonce', () => client.getTransactionCount({ address: addresses[0] }));
await step('fees', async () => {
  const fees = await client.estimateFeesPerGas();
  return [fees.maxFeePerGas, fees.maxPriorityFeePerGas, await client.getGasPrice(),
    await client.getBlobBaseFee()];
});

const deployed = await step('deploy', async () => receiptOf(await wait(await first.deployContract({
  abi: board.abi, bytecode: board.bytecode, args: ['viem'], value: 5n,
}))));
const address = deployed.contract;
const contract = getContract({ address, abi: board.abi, client: { public: client, wallet: first } });
await step('code', async () => keccak256(await client.getCode({ address })));
await step('read', async () => [await contract.read.name(), await contract.read.owner()]);
await step('storage', () => client.getStorageAt({ address, slot: '0x0' }));
await step('estimate a call', () => contract.estimateGas.post(['hello'], { value: 7n }));
await step('simulate and write', async () => {
  const { request, result } = await client.simulateContract({
    address, abi: board.abi, functionName: 'post', args: ['hello'], value: 7n,
    account: first.account,
  });
  return { result, receipt: receiptOf(await wait(await first.writeContract(request))) };
});
await step('read a structure', () => contract.read.note([0n]));

for (const [name, overrides] of [
  ['legacy', { gasPrice: parseGwei('3') }],
  ['eip2930', {
    gasPrice: parseGwei('3'), accessList: [{ address, storageKeys: [`0x${'0'.repeat(63)}3`] }],
  }],
  ['eip1559', { maxFeePerGas: parseGwei('9'), maxPriorityFeePerGas: parseGwei('3') }],
]) {
  await step(`write as ${name}`, async () => {
    // Signed here with all that belongs to it: where the node fills in what is missing, it may
    // choose another type.
    const serializedTransaction = await first.signTransaction({
      type: name, chainId, gas: 100_000n, to: address, ...overrides,
      nonce: await client.getTransactionCount({ address: addresses[0] }),
      data: encodeFunctionData({ abi: board.abi, functionName: 'post', args: [name] }),
    });
    const hash = await client.sendRawTransaction({ serializedTransaction });
    const receipt = await wait(hash);
    const found = await client.getTransaction({ hash });
    return {
      receipt: receiptOf(receipt), type: found.type, nonce: found.nonce, gas: found.gas,
      gasPrice: found.gasPrice, maxFee: found.maxFeePerGas, tip: found.maxPriorityFeePerGas,
      accessList: found.accessList, v: found.v, yParity: found.yParity, chainId: found.chainId,
    };
  });
}
await step('eip7702', async () => {
  const authorization = await second.signAuthorization({ contractAddress: address });
  const hash = await first.sendTransaction({
    to: addresses[1], authorizationList: [authorization],
    data: encodeFunctionData({ abi: board.abi, functionName: 'post', args: ['delegated'] }),
  });
  const receipt = await wait(hash);
  const found = await client.getTransaction({ hash });
  return {
    receipt: receiptOf(receipt), type: found.type,
    code: await client.getCode({ address: addresses[1] }),
    nonce: await client.getTransactionCount({ address: addresses[1] }),
    authorizations: found.authorizationList.map((each) => [each.address, each.nonce, each.chainId]),
    self: await client.readContract({ address: addresses[1], abi: board.abi, functionName: 'self' }),
  };
});
await step('transfer', async () => receiptOf(await wait(await second.sendTransaction({
  to: address, value: parseEther('1'),
}))));

const simulated = { address, abi: board.abi, account: first.account };
for (const [name, functionName, args] of [
  ['require', 'post', ['']],
  ['custom error', 'post', ['x'.repeat(33)]],
  ['panic', 'divide', [1n, 0n]],
  ['array out of bounds', 'note', [99n]],
  ['revert without data', 'fail', []],
])
  await failing(name, () => client.simulateContract({ ...simulated, functionName, args }), errorOf);
await failing('estimate of a failing call', () => contract.estimateGas.post(['']), errorOf);
await step('failed transaction', async () =>
  receiptOf(await wait(await contract.write.post([''], { gas: 100_000n }))));
await failing('nonce too low', () =>
  first.sendTransaction({ to: addresses[1], nonce: 0, gas: 21_000n }), errorOf);
await failing('too poor', () =>
  first.sendTransaction({
    to: addresses[1], value: parseEther('20000'), gas: 21_000n, maxFeePerGas: parseGwei('9'),
    maxPriorityFeePerGas: parseGwei('3'),
  }), errorOf);
await failing('intrinsic gas', () =>
  first.sendTransaction({ to: addresses[1], gas: 20_000n }), errorOf);

await step('events', async () =>
  (await client.getContractEvents({ address, abi: board.abi, fromBlock: 0n })).map(logOf));
await step('events of one author', async () => (await client.getContractEvents({
  address, abi: board.abi, eventName: 'Posted', fromBlock: 0n,
  args: { author: addresses[0], id: [1n, 2n] },
})).map(logOf));
await step('a filter', async () => {
  const filter = await client.createContractEventFilter({ address, abi: board.abi });
  await wait(await contract.write.post(['filtered']));
  const changes = await client.getFilterChanges({ filter });
  return {
    changes: changes.map(logOf), again: await client.getFilterChanges({ filter }),
    removed: await client.uninstallFilter({ filter }),
  };
});
for (const blockTag of ['earliest', 'latest', 'pending'])
  await step(`balance at ${blockTag}`, () => client.getBalance({ address, blockTag }));
for (const blockTag of ['safe', 'finalized'])
  await step(`balance at ${blockTag}`, async () =>
    typeof (await client.getBalance({ address: addresses[0], blockTag })));
await step('call at a block', () => contract.read.count({ blockNumber: 2n }));
await step('block', async () => {
  const block = await client.getBlock({ blockNumber: 2n, includeTransactions: true });
  return {
    gasUsed: block.gasUsed, baseFee: block.baseFeePerGas, gasLimit: block.gasLimit,
    transactions: block.transactions.map((each) => [each.from, each.to, each.nonce, each.value]),
    count: await client.getBlockTransactionCount({ blockNumber: 2n }), bloom: block.logsBloom,
    withdrawals: block.withdrawals, blobGas: [block.blobGasUsed, block.excessBlobGas],
  };
});
await step('fee history', () => client.getFeeHistory({ blockCount: 4, rewardPercentiles: [10, 90],
  blockNumber: 6n }));
await step('proof', async () => {
  const proof = await client.getProof({ address, storageKeys: ['0x0'], blockNumber: 2n });
  const block = await client.getBlock({ blockNumber: 2n });
  return {
    rooted: keccak256(proof.accountProof[0]) === block.stateRoot,
    storage: keccak256(proof.storageProof[0].proof[0]) === proof.storageHash,
    value: proof.storageProof[0].value, balance: proof.balance, nonce: proof.nonce,
  };
});
await step('access list', () => client.createAccessList({
  to: address, account: first.account.address,
  data: encodeFunctionData({ abi: board.abi, functionName: 'post', args: ['listed'] }),
}));
await step('calls with other state', async () => {
  const data = encodeFunctionData({ abi: board.abi, functionName: 'self' });
  const { data: self } = await client.call({
    to: '0x00000000000000000000000000000000000000aa', data,
    stateOverride: [{
      address: '0x00000000000000000000000000000000000000aa', balance: 77n,
      code: await client.getCode({ address }),
    }],
  });
  return self;
});
await step('simulated blocks', async () => {
  const blocks = await client.simulateBlocks({
    blocks: [{
      blockOverrides: { time: 4_102_444_800n },
      stateOverrides: [{ address: addresses[2], balance: parseEther('3') }],
      calls: [
        { account: addresses[2], to: addresses[1], value: parseEther('2') },
        {
          account: addresses[0], to: address, abi: board.abi, functionName: 'post',
          args: ['simulated'],
        },
        { account: addresses[0], to: address, abi: board.abi, functionName: 'post', args: [''] },
      ],
    }],
  });
  return blocks.map((block) => ({
    number: block.number, gasUsed: block.gasUsed,
    calls: block.calls.map((each) => ({
      status: each.status, gasUsed: each.gasUsed, result: each.result, data: each.data,
      logs: each.logs?.map((log) => [log.address, log.topics, log.data]),
      error: each.error?.name,
    })),
  }));
});
await step('simulated calls with assets', async () => {
  const { results, assetChanges } = await client.simulateCalls({
    account: addresses[0], traceAssetChanges: false,
    calls: [{ to: addresses[1], value: 1n }, { to: address, data: '0x06fdde03' }],
  });
  return { results: results.map((each) => [each.status, each.gasUsed, each.data]), assetChanges };
});

await step('typed data', async () => {
  const data = {
    domain: { name: 'Board', version: '1', chainId, verifyingContract: address },
    types: {
      Note: [{ name: 'text', type: 'string' }, { name: 'marks', type: 'Mark[]' }],
      Mark: [{ name: 'place', type: 'int16' }, { name: 'tag', type: 'bytes4' }],
    },
    primaryType: 'Note',
    message: { text: 'signed', marks: [{ place: -5, tag: '0x01020304' }] },
  };
  const signature = await first.signTypedData(data);
  return [signature.length,
    await verifyTypedData({ ...data, address: addresses[0], signature }),
    await client.verifyTypedData({ ...data, address: addresses[0], signature })];
});
await step('message', async () => {
  const signature = await first.signMessage({ message: 'hello' });
  return [await verifyMessage({ address: addresses[0], message: 'hello', signature }),
    await client.verifyMessage({ address: addresses[0], message: 'hello', signature })];
});

await step('subscriptions', async () => {
  const socket = createPublicClient({ chain, transport: webSocket(socketUrl, { retryCount: 0 }) });
  const heads = [];
  const pending = [];
  const events = [];
  const failures = [];
  const onError = (error) => failures.push(error.message);
  socket.watchBlockNumber({ onBlockNumber: (number) => heads.push(number), onError });
  socket.watchPendingTransactions({ onTransactions: (hashes) => pending.push(...hashes), onError });
  socket.watchContractEvent({
    address, abi: board.abi, eventName: 'Posted', onLogs: (logs) => events.push(...logs), onError,
  });
  // What is answered on the same connection was asked after them.
  await socket.getBlockNumber();
  await new Promise((resume) => setTimeout(resume, 500));
  const hash = await contract.write.post(['subscribed']);
  const receipt = await wait(hash);
  await until(() => failures.length > 0 ||
    (heads.includes(receipt.blockNumber) && events.length > 0 && pending.includes(hash)));
  return { events: events.map(logOf), failures };
});

await step('replacement', async () => {
  const address2 = third.account.address;
  const nonce = await client.getTransactionCount({ address: address2 });
  const send = (value, at, gwei) => third.sendTransaction({
    to: addresses[0], value, nonce: at, gas: 21_000n, maxFeePerGas: parseGwei(`${gwei}`),
    maxPriorityFeePerGas: parseGwei(`${gwei / 5}`),
  });
  const replaced = await send(1n, nonce + 1, 10);
  let refusal;
  try {
    await send(2n, nonce + 1, 10.5);
  } catch (error) {
    refusal = errorOf(error);
  }
  const reported = [];
  const before = lookedUp;
  const waiting = client.waitForTransactionReceipt({
    hash: replaced, onReplaced: (replacement) => reported.push(replacement.reason),
  });
  // viem knows what was replaced if it has seen it.
  await until(() => lookedUp > before);
  const better = await send(3n, nonce + 1, 20);
  await send(0n, nonce, 20);
  const receipt = await waiting;
  return {
    refusal, reported, status: receipt.status, gasUsed: receipt.gasUsed,
    isBetter: receipt.transactionHash === better,
    next: (await client.getTransactionCount({ address: address2 })) - nonce,
  };
});
finish();
