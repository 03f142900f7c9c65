// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What waits for a block. A small pool is shown whole; of a large one what arrives.
import {addressLink, h, panel, replace, table, transactionLink} from './dom.js';
import {methodName} from './decode.js';
import {count, gwei, wei} from './format.js';
import {rpc} from './rpc.js';

const WHOLE = 500;      // transactions
const ROWS = 100;
const ARRIVALS = 20;
const ASK_MS = 1000;

const price = one => BigInt(one.maxFeePerGas ?? one.gasPrice ?? '0x0');

export function mempool() {
  const pending = h('b', {class: 'number'}, '–');
  const queued = h('b', {class: 'number'}, '–');
  const waiting = h('div');
  const arrivals = h('ol', {class: 'arrivals'});
  const recent = [];
  let isDrawn = true;

  const end = rpc.on('pending', hash => {
    recent.unshift(hash);
    recent.length = Math.min(recent.length, ARRIVALS);
    if (!isDrawn) return;
    isDrawn = false;
    setTimeout(() => {
      isDrawn = true;
      replace(arrivals, recent.map(one => h('li', null, transactionLink(one))));
    }, 250);
  });

  async function draw() {
    const status = await rpc.call('txpool_status');
    const [ready, later] = [Number(status.pending), Number(status.queued)];
    replace(pending, count(ready));
    replace(queued, count(later));
    if (ready + later === 0) return replace(waiting, 'Nothing waits.');
    if (ready + later > WHOLE)
      return replace(waiting, `Too many to list (more than ${WHOLE}); what arrives is below.`);
    const content = await rpc.call('txpool_content');
    const all = ['pending', 'queued'].flatMap(kind => Object.values(content[kind])
      .flatMap(of => Object.values(of)).map(one => ({...one, kind})));
    all.sort((a, b) => price(b) > price(a) ? 1 : price(b) < price(a) ? -1 : 0);
    const heads = ['hash', 'from', 'to', 'calls', '>value', '>pays', 'is'];
    const rows = all.slice(0, ROWS).map(one => [transactionLink(one.hash), addressLink(one.from),
      one.to === null ? 'creation' : addressLink(one.to), methodName(one), wei(one.value),
      gwei(price(one)), one.kind === 'pending' ? 'next' : 'waits for a nonce']);
    replace(waiting, table('Waiting transactions', heads, rows),
      all.length > ROWS && h('p', null, `The ${ROWS} that pay most of ${count(all.length)}.`));
  }

  const ask = () => draw().catch(error => replace(waiting, error.message));
  const timer = setInterval(ask, ASK_MS);
  ask();
  return {title: 'Mempool', element: h('div', null, h('h1', null, 'Mempool'),
    h('div', {class: 'tiles'}, h('div', null, pending, h('span', null, 'can be executed next')),
      h('div', null, queued, h('span', null, 'wait for an earlier nonce'))),
    panel('Waiting', waiting), panel('Arriving', arrivals)), end: () => {
    end();
    clearInterval(timer);
  }};
}
