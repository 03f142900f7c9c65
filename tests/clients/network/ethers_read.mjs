// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// ethers reads all that there is from every validator.
import { JsonRpcProvider, concat, keccak256, toBeHex } from 'ethers';

import { assert, canonical, canonicalLog, chainId, finish, readPlan, urls } from './shared.mjs';

const plan = readPlan();
const lower = (value) => value?.toLowerCase() ?? null;

// Its own objects, in the words of JSON-RPC.
const asBlock = (block) => ({ ...block.toJSON(), mixHash: block.prevRandao });
const asTransaction = (tx) => ({
  ...tx.toJSON(), gas: tx.gasLimit, input: tx.data, transactionIndex: tx.index,
  r: tx.signature.r, s: tx.signature.s,
});
const asReceipt = (receipt) => ({
  ...receipt.toJSON(), transactionHash: receipt.hash, transactionIndex: receipt.index,
  effectiveGasPrice: receipt.gasPrice, type: receipt.type,
});

async function read(url) {
  const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, cacheTimeout: -1 });
  const whole = {};
  const shared = {};
  const keep = (what, all, form) => {
    whole[what] = all;
    shared[what] = form;
  };
  const at = toBeHex(plan.last).replace('0x0', '0x');
  // First of all: nodes prove the last 128 states only, and the chain grows.
  await Promise.all(plan.proved.map(async (address) => {
    const slots = plan.contracts.includes(address) ? plan.slots.map((slot) => toBeHex(slot, 32)) : [];
    const proof = await provider.send('eth_getProof', [address, slots, at]);
    keep(`proof of ${address}`, proof, canonical.proof(proof));
  }));

  await Promise.all(Array.from({ length: plan.last + 1 }, async (_, number) => {
    const block = await provider.getBlock(number, true);
    keep(`block ${number}`,
      await provider.send('eth_getBlockByNumber', [`0x${number.toString(16)}`, true]),
      canonical.block(asBlock(block)));
    if (number > 0) {
      const expected = keccak256(concat([block.parentHash, toBeHex(number, 8)]));
      assert(block.prevRandao === expected, `block ${number}: prevrandao is ${block.prevRandao}`);
    }
    await Promise.all(block.transactions.map(async (hash) => {
      keep(`transaction ${hash}`, await provider.send('eth_getTransactionByHash', [hash]),
        canonical.transaction(asTransaction(await provider.getTransaction(hash))));
      keep(`receipt ${hash}`, await provider.send('eth_getTransactionReceipt', [hash]),
        canonical.receipt(asReceipt(await provider.getTransactionReceipt(hash))));
    }));
  }));
  const range = { fromBlock: 0, toBlock: plan.last };
  const logs = await provider.getLogs(range);
  keep('logs', logs.map((log) => log.toJSON()), logs.map(canonicalLog));
  for (const address of plan.contracts) {
    const own = (await provider.getLogs({ ...range, address })).map(canonicalLog);
    keep(`logs of ${address}`, own, own);
  }

  await Promise.all(plan.accounts.flatMap((address) =>
    [Math.floor(plan.last / 2), plan.last].map(async (number) => {
      const account = canonical.account(await provider.getBalance(address, number),
        await provider.getTransactionCount(address, number), await provider.getCode(address, number));
      keep(`account ${address} at ${number}`, account, account);
    })));
  await Promise.all(plan.contracts.flatMap((address) => plan.slots.map(async (slot) => {
    const value = lower(await provider.getStorage(address, slot, plan.last));
    keep(`storage ${address} ${slot}`, value, value);
  })));
  return { whole, shared };
}

finish(await Promise.all(urls.map(read)));
