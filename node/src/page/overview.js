// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The first view: the chain now, its last blocks as cloth, and the newest one that had anything to
// do as it ran.
import {chain} from './chain.js';
import {blockLink, h, panel, replace, table} from './dom.js';
import {age, compact, count, duration, gwei, plural, times} from './format.js';
import {History, LEAST, shareBar, speedUp, spent} from './history.js';
import {Loom} from './loom.js';
import {rpc} from './rpc.js';

const RATE_MS = 10000;
const ROWS = 12;
const LOOM_MS = 1500;   // a picture that changes more often cannot be looked at
const POOL_MS = 1000;
const SHARES = 100;     // blocks
const NOTHING_RAN = 'No block with transactions has been watched since the node was started.';

/** Of the blocks seen in the last seconds: what they sum up to in one. */
function rate(of) {
  const since = performance.now() - RATE_MS;
  const recent = chain.blocks.filter(block => block.seen > since);
  return recent.reduce((sum, block) => sum + of(block), 0) / (RATE_MS / 1000);
}

export function overview() {
  const figures = Object.fromEntries(['block', 'tps', 'gas', 'pending', 'fee', 'once'].map(
    name => [name, h('b', {class: 'number'}, '–')]));
  const names = {block: 'newest block', tps: 'transactions a second', gas: 'gas a second',
    pending: 'pending', fee: 'base fee', once: 'runs at once'};
  const history = new History();
  const loom = new Loom({isLive: true});
  const share = h('div');
  const list = h('div');
  const loomTitle = h('p', {class: 'muted', id: 'loom-title'}, NOTHING_RAN);
  const pause = h('button', {type: 'button', 'aria-pressed': 'false', onclick: () => {
    isPaused = !isPaused;
    pause.setAttribute('aria-pressed', String(isPaused));
    replace(pause, isPaused ? 'Go on' : 'Hold still');
    if (!isPaused) draw();
  }}, 'Hold still');
  const element = h('div', {class: 'view-overview'},
    h('h1', {class: 'hidden'}, 'Overview'),
    h('div', {class: 'tiles'}, Object.entries(names).map(([name, text]) =>
      h('div', null, figures[name], h('span', null, text)))),
    h('section', {class: 'panel'}, h('div', {class: 'head'}, h('h2', null, 'On the loom'), pause),
      loomTitle, loom.element),
    panel('The cloth', history.element),
    panel('Where the time goes', share),
    panel('Last blocks', list, h('p', null, h('a', {href: '#/blocks'}, 'All blocks'))));

  loom.element.hidden = true;  // until there is something on it
  let isPaused = false;
  let shown = null;  // the block on the loom
  let changed = -Infinity;  // the page may be younger than LOOM_MS

  async function weave(block) {
    changed = performance.now();
    shown = block.number;
    const [execution, order] = await rpc.batch([
      ['heddle_blockExecution', `0x${block.number.toString(16)}`],
      ['heddle_blockOrder', `0x${block.number.toString(16)}`]]);
    if (!execution?.runs || shown !== block.number) return;
    loom.element.hidden = false;
    loom.show(execution);
    const ordered = order instanceof Error ? null : order;
    if (ordered) loom.weave(ordered);
    replace(loomTitle, 'Block ', blockLink(block.number),
      `: ${plural(execution.transactions, 'transaction')} on ` +
      `${plural(execution.workers, 'worker')} in ${duration(execution.executionNs)}` +
      (execution.transactions >= LEAST ? `, ${times(speedUp(execution))} at once` : '') +
      (ordered && ordered.criticalGas > 0
        ? `; its order allows ${times(ordered.totalGas / ordered.criticalGas)}` : ''));
  }

  async function listBlocks() {
    const last = chain.head;
    const numbers = Array.from({length: Math.min(ROWS, last + 1)}, (_, i) => last - i);
    const rows = await Promise.all(numbers.map(async number => chain.figuresOf(number) ??
      fromHeader(number, await chain.header(number).catch(() => null))));
    replace(list, table('Last blocks', ['block', 'age', '>transactions', '>gas', '>took',
      '>runs at once'], rows.map(block => [blockLink(block.number), age(block.timestamp),
      count(block.transactions), compact(block.gasUsed),
      block.executionNs === undefined ? '–' : duration(spent(block)),
      times(speedUp(block))])));
  }

  function draw() {
    replace(figures.block, count(Math.max(0, chain.head)));
    replace(figures.tps, compact(rate(block => block.transactions)));
    replace(figures.gas, compact(rate(block => block.gasUsed)));
    replace(figures.fee, chain.baseFee ? gwei(chain.baseFee) : '–');
    const busy = chain.blocks.filter(block => block.transactions > 0).slice(-SHARES);
    const large = busy.filter(block => block.transactions >= LEAST);
    const time = large.reduce((sum, block) => sum + block.executionNs, 0);
    replace(figures.once, times(large.reduce((sum, block) => sum + block.busyNs, 0) / time));
    if (isPaused) return;
    history.draw(chain.blocks);
    replace(share, busy.length > 0 ? shareBar(busy) : NOTHING_RAN);
    if (chain.head >= 0) listBlocks();
    const newest = busy.at(-1);
    if (newest && newest.number !== shown && performance.now() - changed > LOOM_MS)
      weave(newest).catch(error => console.warn(error.message));
  }

  async function askPool() {
    const status = await rpc.call('txpool_status');
    replace(figures.pending, count(Number(status.pending) + Number(status.queued)));
  }

  const end = chain.on(draw);
  const timer = setInterval(() => {
    askPool().catch(() => replace(figures.pending, '–'));
    draw();
  }, POOL_MS);
  askPool().catch(() => {});
  draw();
  return {title: 'Overview', element, end: () => {
    end();
    clearInterval(timer);
  }};
}

function fromHeader(number, header) {
  return {number, timestamp: Number(header?.timestamp ?? 0),
    transactions: header?.transactionCount ?? 0, gasUsed: Number(header?.gasUsed ?? 0)};
}
