// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What somebody means by what they typed: a block, a transaction or an account.
import {byId, say} from './dom.js';
import {rpc} from './rpc.js';

/** The view's address. Throws an Error that says what can be searched for. */
export async function find(text) {
  const query = text.trim().replaceAll(/[,_\s]/g, '');
  if (/^\d{1,20}$/.test(query)) return `#/block/${BigInt(query)}`;
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(query))
    return `#/address/0x${query.replace(/^0x/, '').toLowerCase()}`;
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(query)) {
    const hash = `0x${query.replace(/^0x/, '').toLowerCase()}`;
    const [transaction, block] = await rpc.batch([['eth_getTransactionByHash', hash],
                                                 ['eth_getHeaderByHash', hash]]);
    if (transaction && !(transaction instanceof Error)) return `#/tx/${hash}`;
    if (block && !(block instanceof Error)) return `#/block/${hash}`;
    throw new Error('No transaction and no block has this hash.');
  }
  if (/^0x[0-9a-fA-F]{1,16}$/.test(query)) return `#/block/${BigInt(query)}`;
  throw new Error('Search for a block number, a hash (64 digits) or an address (40 digits).');
}

export function startSearch() {
  const field = byId('query');
  byId('search').addEventListener('submit', async event => {
    event.preventDefault();
    try {
      const target = await find(field.value);
      field.setAttribute('aria-invalid', 'false');
      say('');
      field.blur();
      location.hash = target;
    } catch (error) {
      field.setAttribute('aria-invalid', 'true');
      field.select();
      say(error.message);
    }
  });
  document.addEventListener('keydown', event => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}
