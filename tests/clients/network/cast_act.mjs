// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// cast sends through one validator of a network while other clients do through others.
import { program } from '../foundry.mjs';
import {
  accountOf, accountsEach, assert, board, burst, finish, ownUrl, phrase, receiver, self, senders,
  until,
} from './shared.mjs';

const run = program('cast');
const cast = (command, ...args) => run(command, '--rpc-url', ownUrl, ...args);
const keyOf = (client, which) =>
  run('wallet', 'private-key', phrase, String(accountOf(client, which)));
const addressOf = async (client, which) => run('wallet', 'address', await keyOf(client, which));

const keys = [];
const accounts = [];
for (let which = 0; which < accountsEach; ++which) {
  keys.push(await keyOf(self, which));
  accounts.push(await addressOf(self, which));
}

const sent = [];
const offer = (which, ...args) => cast('send', '--private-key', keys[which], '--async', ...args);
async function receiptOf(hash, status = '0x1') {
  const receipt = JSON.parse(await until(() =>
    cast('receipt', hash, '--async', '--json').catch(() => null)));  // not yet
  assert(receipt.status === status, `${hash} has status ${receipt.status}`);
  sent.push(hash);
  return receipt;
}
const mined = async (...args) => receiptOf(await offer(...args));

const { contractAddress: target } = await mined(0, '--value', '5', '--create', board.bytecode,
  'constructor(string)', 'cast');
const post = 'post(string)';
await mined(0, target, post, 'type 0', '--legacy', '--value', '7');
await mined(0, target, post, 'type 1', '--access-list', '--legacy');
await mined(0, target, post, 'type 2');
const authorization = await run('wallet', 'sign-auth', target, '--private-key', keys[1],
  '--rpc-url', ownUrl);
await mined(0, accounts[1], post, 'type 4', '--auth', authorization);
assert(await cast('code', accounts[1]) !== '0x', 'the delegation is not there');
await receiptOf(await offer(0, target, post, '', '--gas-limit', '100000'), '0x0');
await mined(0, target, '--value', '1ether');

const hashes = [];
for (let i = 0; i < burst; ++i)
  hashes.push(await offer(2, receiver(self), '--value', '0.001ether', '--gas-limit', '21000',
    '--nonce', String(i)));
for (const hash of hashes) await receiptOf(hash);

// Contracts that come through other validators.
for (let other = 0; other < senders; ++other) {
  if (other === self) continue;
  const shown = await run('compute-address', await addressOf(other, 0), '--nonce', '0');
  const address = shown.split(' ').at(-1);
  await until(async () => (await cast('code', address)) !== '0x');
  const receipt = await mined(2, address, post, `from ${self}`);
  assert(receipt.logs.length === 1, 'the other contract logged nothing');
}
const posted = JSON.parse(await cast('logs', '--json', '--from-block', '0', '--address', target,
  'Posted(address indexed,uint256 indexed,string)', accounts[0]));
assert(posted.length === 3, `${posted.length} own posts`);

finish({
  sent, contracts: [target], accounts, receivers: [receiver(self)],
});
