// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One account: what it owns, its code, its transactions, any slot of its storage, tokens that it
// moved lately.
import {accountTransactions} from './account_transactions.js';
import {chain} from './chain.js';
import {addressLink, blockLink, copyable, facts, h, panel, replace, say, table,
        transactionLink, visible} from './dom.js';
import {interfaces, showAmount, transfersOf} from './decode.js';
import {plural, wei, whole} from './format.js';
import {rpc} from './rpc.js';
import {dump} from './transaction.js';

const EMPTY_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BLOCKS_BACK = 1000;
const MOST_TRANSFERS = 100;

export async function account(address) {
  const body = h('div');
  const draw = async () => {
    const [state, code] = await rpc.batch([['eth_getAccount', address, 'latest'],
                                           ['eth_getCode', address, 'latest']]);
    if (state instanceof Error) throw state;
    const contract = interfaces.contractOf(state?.codeHash);
    const delegate = /^0xef0100([0-9a-f]{40})$/.exec(code)?.[1];
    replace(body, facts([
      ['address', copyable(address)],
      ['balance', wei(state?.balance ?? '0x0')],
      ['nonce', whole(state?.nonce ?? '0x0')],
      ['code', code === '0x' ? 'none' : delegate ? ['that of ', addressLink(`0x${delegate}`)]
        : [contract ? h('span', {class: 'tag'}, visible(contract.name)) : '', ' ',
          dump(code, 'Code')]],
      code !== '0x' && ['code hash', h('code', null, state?.codeHash ?? EMPTY_CODE)],
      contract && contract.source && ['source', visible(contract.source)],
      contract && ['interface', contract.entries.map((entry, i) => [i ? ', ' : '',
        h('span', {class: `entry ${entry.kind}`}, visible(entry.name))])]]));
  };
  await draw();
  const moved = h('div', null, 'Looking for them…');
  showTransfers(address, moved).catch(error => replace(moved, visible(error.message)));
  const end = chain.on(() => draw().catch(error => say(error.message)));
  return {title: 'Account', end, element: h('div', null, h('h1', null, 'Account'),
    h('section', {class: 'panel'}, body), accountTransactions(address),
    panel('Storage', storage(address)),
    panel(`Token transfers of the last ${whole(BLOCKS_BACK)} blocks`, moved))};
}

function storage(address) {
  const answer = h('p', {role: 'status'});
  const slot = h('input', {id: 'slot', autocomplete: 'off', spellcheck: 'false',
                           placeholder: '0 or 0x…'});
  const ask = async event => {
    event.preventDefault();
    try {
      const number = BigInt(slot.value.trim() || '0');
      if (number < 0n || number >= 2n ** 256n) throw new Error('A slot is at most 256 bits.');
      const value = await rpc.call('eth_getStorageAt', address, `0x${number.toString(16)}`,
                                   'latest');
      replace(answer, copyable(value), ' = ', h('span', {class: 'number'}, whole(value)));
    } catch (error) {
      replace(answer, error instanceof SyntaxError ? 'A slot is a number, decimal or after 0x.'
                                                   : visible(error.message));
    }
  };
  return h('form', {class: 'inline', onsubmit: ask}, h('label', {for: 'slot'}, 'Slot'), slot,
           h('button', null, 'Read'), answer);
}

async function showTransfers(address, element) {
  const topic = '0x' + address.slice(2).toLowerCase().padStart(64, '0');
  const from = `0x${Math.max(0, chain.head - BLOCKS_BACK).toString(16)}`;
  const ask = topics => ['eth_getLogs', {fromBlock: from, toBlock: 'latest', topics}];
  const found = await rpc.batch([ask([TRANSFER, topic]), ask([TRANSFER, null, topic])]);
  const failed = found.find(one => one instanceof Error);
  if (failed) throw failed;
  const unique = new Map(found.flat().map(log => [`${log.blockNumber} ${log.logIndex}`, log]));
  const logs = [...unique.values()].sort((a, b) =>
    Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex));
  if (logs.length === 0) return replace(element, 'None.');
  const rows = logs.slice(0, MOST_TRANSFERS).flatMap(log => transfersOf(log).map(one => [
    blockLink(Number(log.blockNumber)), transactionLink(log.transactionHash),
    addressLink(one.token), one.from === address.toLowerCase() ? 'to' : 'from',
    addressLink(one.from === address.toLowerCase() ? one.to : one.from), showAmount(one)]));
  const heads = ['block', 'transaction', 'token', '', 'whom', '>amount'];
  replace(element, table('Token transfers', heads, rows), logs.length > MOST_TRANSFERS
    ? h('p', null, `The newest of ${plural(logs.length, 'transfer')}.`) : null);
}
