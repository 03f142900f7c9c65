// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The transactions in which an account takes part, a page at a time. The node executes blocks again
// to find them, so they are looked for when somebody asks, and the search may take its time.
import {addressLink, blockLink, h, panel, replace, table, transactionLink, visible} from './dom.js';
import {methodName} from './decode.js';
import {wei} from './format.js';
import {rpc} from './rpc.js';

const ON_PAGE = 25;
const HEADS = ['block', 'transaction', 'calls', 'from', 'to', '>value', ''];

export function accountTransactions(address) {
  const rows = h('div', {role: 'status'});
  let oldest = 0;  // block of the page shown; 0: the newest page is next
  const button = (label, block) =>
    h('button', {type: 'button', onclick: () => show(block())}, label);
  const newest = button('Newest', () => 0);
  const older = button('Older', () => oldest);

  async function show(block) {
    newest.disabled = older.disabled = true;
    replace(rows, 'Looking for them…');
    try {
      const page = await rpc.call('ots_searchTransactionsBefore', address, block, ON_PAGE);
      oldest = Number(page.txs.at(-1)?.blockNumber ?? 0);
      older.disabled = page.lastPage || oldest === 0;
      replace(rows, page.txs.length === 0 ? 'None.'
        : table('Transactions', HEADS, page.txs.map((one, i) => cells(one, page.receipts[i]))));
    } catch (error) {
      older.disabled = true;
      replace(rows, visible(error.message));
    }
    newest.disabled = false;
  }
  show(0);
  return panel('Transactions', rows, h('p', {class: 'inline'}, newest, ' ', older));
}

function cells(transaction, receipt) {
  const to = transaction.to ?? receipt.contractAddress;
  return [blockLink(Number(transaction.blockNumber)), transactionLink(transaction.hash),
    methodName(transaction), addressLink(transaction.from),
    to === null ? h('i', null, 'creation') : addressLink(to), wei(transaction.value),
    receipt.status === '0x0' ? h('span', {class: 'badge failed'}, 'failed') : ''];
}
