// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the test of the page puts on the chain: calls, events, failures, and tokens whose names are
// as bad as names can be.
import { readFileSync } from 'node:fs';

export const url = process.env.HEDDLE_CLIENT_URL;
// Markup, a mark that turns the direction of text, a control character.
export const HOSTILE = '<img src=x onerror="window.bad=1">\u202egnp.exe\u0007';
export const SHOWN = '<img src=x onerror="window.bad=1">\\u{202e}gnp.exe\\u{7}';

const board = JSON.parse(readFileSync(new URL('contracts/Board.json', import.meta.url), 'utf8'));
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export async function call(method, ...params) {
  return (await callAll([[method, ...params]]))[0];
}

export async function callAll(calls) {
  const answer = await fetch(url, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map(([method, ...params], id) =>
      ({ jsonrpc: '2.0', id, method, params }))),
  });
  const results = await answer.json();
  for (const { error } of results) if (error) throw new Error(error.message);
  return results.sort((a, b) => a.id - b.id).map(({ result }) => result);
}

const word = (value) => BigInt(value).toString(16).padStart(64, '0');
const text = (value) => {
  const bytes = Buffer.from(value, 'utf8');
  const padded = Buffer.alloc(Math.ceil(bytes.length / 32) * 32);
  bytes.copy(padded);
  return word(32) + word(bytes.length) + padded.toString('hex');
};

/** Code that answers calls without arguments with this text, and tells of a transfer of
 *  (to, amount) at any other call. */
function tokenCode(name) {
  const answer = text(name);
  const size = (answer.length / 2).toString(16).padStart(2, '0');
  const tell = `6024355f52600435337f${TRANSFER}60205fa300`;
  const head = 6 + 2; // CALLDATASIZE PUSH1 4 EQ PUSH1 there JUMPI
  const there = head - 1 + tell.length / 2;
  const start = there + 13;
  const hex = (value) => value.toString(16).padStart(2, '0');
  const code = `36600414${'60'}${hex(there)}57${tell}5b60${size}60${hex(start)}5f3960${size}5ff3`;
  return code.padEnd(start * 2, '00') + answer;
}

/** Creation of an account with this code. */
function creation(code) {
  const size = word(code.length / 2).slice(-4);
  return `0x61${size}600c5f3961${size}5ff3${code}`;
}

export async function sent(transaction) {
  const hash = await call('eth_sendTransaction', { gas: '0x2dc6c0', ...transaction });
  for (;;) {
    const receipt = await call('eth_getTransactionReceipt', hash);
    if (receipt) return receipt;
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** @return what there is to be looked at. */
export async function fill() {
  const accounts = await call('eth_accounts');
  const [from, to] = accounts;
  const { contractAddress: boardAddress } = await sent({
    from, data: `${board.bytecode}${text('board')}`,
  });
  const post = (note) => `0x${selectors.post}${text(note)}`;
  const posted = await sent({ from, to: boardAddress, data: post('hello') });
  const hostile = await sent({ from, to: boardAddress, data: post('<b>\u202ebad\u0001') });
  const tooLong = await sent({ from, to: boardAddress, data: post(HOSTILE) });
  const empty = await sent({ from, to: boardAddress, data: post('') });
  const { contractAddress: token } = await sent({ from, data: creation(tokenCode(HOSTILE)) });
  const moved = await sent({
    from, to: token, data: `0xa9059cbb${word(to)}${word(12345)}`,
  });
  return { accounts, from, to, boardAddress, posted, hostile, tooLong, empty, token, moved };
}

// Of Board's functions.
const selectors = { post: '8ee93cf3' };

/** A block of so many transfers and counts, all in one. */
export async function largeBlock({ accounts, boardAddress }, size) {
  await call('anvil_setAutomine', false);
  const head = await call('eth_blockNumber');
  const transactions = Array.from({ length: size }, (_, i) => ['eth_sendTransaction', {
    from: accounts[i % accounts.length], gas: '0x249f0',
    ...(i % 3 === 0 ? { to: boardAddress, data: `0x${selectors.post}${text(`note ${i}`)}` }
                    : { to: `0x${(0x10000 + i).toString(16).padStart(40, '0')}`, value: '0x1' }),
  }]);
  for (let i = 0; i < size; i += 100) await callAll(transactions.slice(i, i + 100));
  await call('evm_mine');
  await call('anvil_setAutomine', true);
  const last = Number(await call('eth_blockNumber'));
  for (let number = last; number > Number(head); --number) {
    const name = `0x${number.toString(16)}`;
    if (Number(await call('eth_getBlockTransactionCountByNumber', name)) >= size / 2) return number;
  }
  throw new Error('there is no large block');
}
