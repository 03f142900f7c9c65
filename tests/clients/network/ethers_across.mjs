// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one validator is told shows at the others: ethers, with all of them at once.
import {
  Contract, ContractFactory, HDNodeWallet, JsonRpcProvider, Transaction, WebSocketProvider,
  parseUnits,
} from 'ethers';

import {
  accountOf, assert, board, chainId, finish, phrase, say, senders, until, urls,
} from './shared.mjs';

const providers = urls.map((url) =>
  new JsonRpcProvider(url, chainId, { staticNetwork: true, pollingInterval: 100, cacheTimeout: -1 }));
const [first, second, third, fourth] = providers;
// The account after those of the senders.
const wallet = HDNodeWallet.fromPhrase(phrase, undefined, `m/44'/60'/0'/0/${accountOf(senders, 0)}`);
const sink = `0x${'aa'.repeat(20)}`;
const sent = [];

/** Waits until `ask` gives every validator's answer `wanted`. */
const everywhere = (ask, wanted) => until(async () => {
  const answers = await Promise.all(providers.map(ask));
  return answers.every((answer) => answer === wanted);
});
const errorOf = async (action) => {
  try {
    await action();
  } catch (error) {
    return (error.info?.error ?? error.error)?.message ?? error.message;
  }
  throw new Error('succeeded');
};

// A fee that no base fee comes down to keeps a transaction waiting.
const tooLittle = 2n;
const enough = parseUnits('10', 'gwei');
const sign = (nonce, value, fee) => wallet.signTransaction({
  chainId, type: 2, to: sink, nonce, value, gasLimit: 21_000, maxFeePerGas: fee,
  maxPriorityFeePerGas: fee === enough ? parseUnits('1', 'gwei') : 1n,
});

/** Of a block, that all validators have and say the same of. */
async function minedEverywhere(hash) {
  const receipts = await Promise.all(providers.map((provider) => provider.waitForTransaction(hash)));
  const blocks = new Set(receipts.map((receipt) => receipt.blockHash));
  assert(blocks.size === 1, `${hash} is in ${blocks.size} blocks`);
  assert(receipts[0].status === 1, `${hash} failed`);
  sent.push(hash);
  return receipts[0];
}

async function nodesKnowTheNetwork() {
  await everywhere((provider) => provider.send('net_peerCount', []), '0x3');
  await everywhere((provider) => provider.send('eth_syncing', []), false);
  await everywhere((provider) => provider.send('net_listening', []), true);
  await everywhere((provider) => provider.send('eth_chainId', []), '0x539');
}

/** @return the nonce that waits everywhere */
async function pendingEverywhere() {
  const nonce = await first.getTransactionCount(wallet.address);
  const { hash } = await first.broadcastTransaction(await sign(nonce, 1n, tooLittle));
  await until(async () => (await third.getTransaction(hash)) !== null);
  const found = await third.send('eth_getTransactionByHash', [hash]);
  assert(found.blockHash === null && found.blockNumber === null, 'what waits has a block');
  const content = await third.send('txpool_contentFrom', [wallet.address]);
  assert(content.pending[nonce]?.hash === hash, 'the third txpool does not show it');
  await everywhere((provider) => provider.getTransactionCount(wallet.address, 'pending'), nonce + 1);
  await everywhere((provider) => provider.getTransactionCount(wallet.address), nonce);
  await everywhere((provider) => provider.getTransactionReceipt(hash), null);
  return { nonce, hash };
}

/** A higher offer through another validator than the first one; one below it is refused by all. */
async function replacedEverywhere({ nonce, hash }) {
  const nearly = await sign(nonce, 2n, tooLittle);
  for (const provider of providers) {
    const refusal = await errorOf(() => provider.broadcastTransaction(nearly));
    assert(/replacement transaction underpriced/.test(refusal), refusal);
  }
  const better = await fourth.broadcastTransaction(await sign(nonce, 3n, enough));
  await minedEverywhere(better.hash);
  await everywhere((provider) => provider.getTransaction(hash), null);
  await everywhere((provider) => provider.getTransactionCount(wallet.address, 'pending'), nonce + 1);
  for (const provider of providers) {
    const refusal = await errorOf(async () =>
      provider.broadcastTransaction(await sign(nonce, 1n, enough)));
    assert(/nonce too low/.test(refusal), refusal);
  }
}

/** Each through the next validator, the last one first. */
async function noncesAcross() {
  const nonce = await second.getTransactionCount(wallet.address, 'pending');
  const signed = await Promise.all(providers.map((_, i) => sign(nonce + i, 1n, enough)));
  const hashes = [];
  for (let i = providers.length - 1; i >= 0; --i)
    hashes.push((await providers[i].broadcastTransaction(signed[i])).hash);
  for (const hash of hashes) await minedEverywhere(hash);
  await everywhere((provider) => provider.getTransactionCount(wallet.address, 'pending'),
    nonce + providers.length);
}

/** @return the contract, at the second validator */
async function subscribed() {
  const factory = new ContractFactory(board.abi, board.bytecode, wallet.connect(second));
  const contract = await factory.deploy('across');
  await minedEverywhere(contract.deploymentTransaction().hash);
  await contract.waitForDeployment();

  const socket = new WebSocketProvider(urls[3].replace('http', 'ws'), chainId, { staticNetwork: true });
  const heads = new Map();
  const events = [];
  const pending = [];
  const subscribe = async (kind, ...args) => socket.send('eth_subscribe', [kind, ...args]);
  const subscriptions = new Map([
    [await subscribe('newHeads'), (head) => heads.set(Number(head.number), head.hash)],
    [await subscribe('logs', { address: contract.target }), (log) => events.push(log)],
    [await subscribe('newPendingTransactions'), (hash) => pending.push(hash)],
  ]);
  socket.websocket.addEventListener('message', (message) => {
    const { method, params } = JSON.parse(message.data);
    if (method === 'eth_subscription') subscriptions.get(params.subscription)?.(params.result);
  });
  const listening = new Contract(contract.target, board.abi, socket);
  const posts = [];
  await listening.on('Posted', (author, id, text) => posts.push(text));
  await socket.getBlockNumber();  // answered after what was asked for before

  const hashes = [];
  for (const text of ['one', 'two', 'three']) hashes.push((await contract.post(text)).hash);
  const receipts = [];
  for (const hash of hashes) receipts.push(await minedEverywhere(hash));
  await until(() => events.length === 3 && posts.length === 3 &&
    receipts.every((receipt) => heads.has(receipt.blockNumber)) &&
    hashes.every((hash) => pending.includes(hash)));
  assert(posts.join() === 'one,two,three', `events: ${posts.join()}`);
  receipts.forEach((receipt, i) => {
    assert(heads.get(receipt.blockNumber) === receipt.blockHash, 'another head');
    assert(events[i].transactionHash === receipt.hash && !events[i].removed, 'another log');
    assert(events[i].blockHash === receipt.blockHash, 'a log of another block');
  });
  const numbers = [...heads.keys()];
  assert(numbers.every((number, i) => i === 0 || number === numbers[i - 1] + 1),
    `heads: ${numbers.join()}`);
  return contract;
}

/** The blob of zeros, whose commitment and proof are the point at infinity. */
async function blobsRefused() {
  const infinity = `0xc0${'00'.repeat(47)}`;
  const transaction = Transaction.from({
    chainId, type: 3, to: sink, nonce: await first.getTransactionCount(wallet.address, 'pending'),
    gasLimit: 21_000, maxFeePerGas: enough, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: enough,
    blobs: [{ data: `0x${'00'.repeat(131_072)}`, commitment: infinity, proof: infinity }],
  });
  const signed = await wallet.signTransaction(transaction);
  for (const provider of providers) {
    const refusal = await errorOf(() => provider.send('eth_sendRawTransaction', [signed]));
    assert(refusal === 'blob transactions are refused on this network: it keeps no blobs', refusal);
  }
}

say('what the nodes know of the network');
await nodesKnowTheNetwork();
say('pending');
const waiting = await pendingEverywhere();
say('replaced');
await replacedEverywhere(waiting);
say('nonces');
await noncesAcross();
say('subscriptions');
const contract = await subscribed();
say('blobs');
await blobsRefused();
say('sent and awaited');
const receipt = await third.send('eth_sendRawTransactionSync', [
  await sign(await third.getTransactionCount(wallet.address, 'pending'), 5n, enough)]);
await minedEverywhere(receipt.transactionHash);
finish({ sent, contracts: [contract.target], accounts: [wallet.address], receivers: [sink] });
