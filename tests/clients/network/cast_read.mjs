// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// cast reads all that there is from every validator. Each command is a process, so
// transactions and receipts are read block by block, and accounts at the last block only.
import { program } from '../foundry.mjs';
import { canonical, canonicalLog, finish, readPlan, urls } from './shared.mjs';

const plan = readPlan();
const run = program('cast');

async function read(url) {
  const cast = (command, ...args) => run(command, '--rpc-url', url, ...args);
  const json = async (...args) => JSON.parse(await cast(...args));
  const whole = {};
  const shared = {};
  const keep = (what, all, form) => {
    whole[what] = all;
    shared[what] = form;
  };
  const last = String(plan.last);
  // First of all: nodes prove the last 128 states only, and the chain grows.
  for (const address of plan.proved) {
    const slots = plan.contracts.includes(address) ? plan.slots.map(String) : [];
    const proof = await json('proof', address, ...slots, '--block', last);
    keep(`proof of ${address}`, proof, canonical.proof(proof));
  }
  for (let number = 0; number <= plan.last; ++number) {
    const block = await json('block', String(number), '--full', '--json');
    keep(`block ${number}`, block, canonical.block(block));
    if (block.transactions.length === 0) continue;
    for (const tx of block.transactions)
      keep(`transaction ${tx.hash}`, tx, canonical.transaction(tx));
    for (const receipt of await json('rpc', 'eth_getBlockReceipts', block.number))
      keep(`receipt ${receipt.transactionHash}`, receipt, canonical.receipt(receipt));
  }
  const range = ['--json', '--from-block', '0', '--to-block', last];
  const logs = await json('logs', ...range);
  keep('logs', logs, logs.map(canonicalLog));
  for (const address of plan.contracts) {
    const own = (await json('logs', ...range, '--address', address)).map(canonicalLog);
    keep(`logs of ${address}`, own, own);
  }
  for (const address of plan.accounts) {
    const at = ['--block', last];
    const account = canonical.account(await cast('balance', address, ...at),
      await cast('nonce', address, ...at), await cast('code', address, ...at));
    keep(`account ${address} at ${last}`, account, account);
  }
  for (const address of plan.contracts) {
    for (const slot of plan.slots) {
      const value = await cast('storage', address, String(slot), '--block', last);
      keep(`storage ${address} ${slot}`, value, value);
    }
  }
  return { whole, shared };
}

finish(await Promise.all(urls.map(read)));
