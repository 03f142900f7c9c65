// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks: the list of all of them, one of them, and the newest transactions.
import {chain} from './chain.js';
import {addressLink, blockLink, copyable, facts, h, panel, replace, say, table,
        transactionLink} from './dom.js';
import {methodName} from './decode.js';
import {age, compact, count, duration, gwei, moment, percent, plural, significant, times, wei,
        whole} from './format.js';
import {LEAST, shareBar, speedUp} from './history.js';
import {List} from './list.js';
import {Loom, objectText} from './loom.js';
import {rpc} from './rpc.js';

export function blocks() {
  const list = new List('Blocks', [{title: 'block', class: 'w6'}, {title: 'age', class: 'w6'},
    {title: 'transactions', class: 'w6 right'}, {title: 'gas used', class: 'w6 right'},
    {title: 'took', class: 'w6 right wide'}, {title: 'at once', class: 'w5 right wide'},
    {title: 'hash', class: 'grow wide'}], async index => {
    const number = head - index;
    const figures = chain.figuresOf(number);
    const header = await chain.header(number);
    return [blockLink(number), age(header.timestamp), count(header.transactionCount),
      compact(Number(header.gasUsed)), figures ? duration(figures.executionNs) : '–',
      figures ? times(speedUp(figures)) : '–',
      h('code', null, header.hash)];
  });
  let head = chain.head;
  const update = () => {
    if (chain.head === head && list.element.dataset.filled) return;
    // Rows keep their places under whoever reads them.
    const added = chain.head - head;
    head = chain.head;
    list.element.dataset.filled = 'yes';
    list.resize(head + 1, added);
  };
  const end = chain.on(update);
  update();
  return {title: 'Blocks', end,
    element: h('div', null, h('h1', null, 'Blocks'), list.element)};
}

const transactionColumns = [{title: '#', class: 'w4 right'}, {title: 'hash', class: 'w10'},
  {title: 'calls', class: 'w8 wide'}, {title: 'from', class: 'w10 wide'},
  {title: 'to', class: 'w10 wide'}, {title: 'value', class: 'grow right'}];
const transactionCells = transaction => [String(Number(transaction.transactionIndex ?? 0)),
  transactionLink(transaction.hash), methodName(transaction), addressLink(transaction.from),
  transaction.to === null ? h('i', null, 'creation') : addressLink(transaction.to),
  wei(transaction.value)];

/** The newest ones; more are fetched as the list is scrolled. */
export function transactions() {
  const known = [];
  let next = -1;  // block
  let isAsking = false;
  const columns = [{title: 'block', class: 'w6'}, ...transactionColumns];
  const list = new List('Transactions', columns, index => {
    if (index + 50 > known.length) more();
    const one = known[index];
    return one ? [blockLink(Number(one.blockNumber)), ...transactionCells(one)] : [];
  });
  const note = h('p', {class: 'muted'}, 'Newest first.');

  async function more() {
    if (isAsking || next < 0) return;
    isAsking = true;
    const before = known.length;
    try {
      while (next >= 0 && known.length < before + 100) {
        const asked = Array.from({length: Math.min(20, next + 1)}, (_, i) => next - i);
        const counts = await rpc.batch(asked.map(number =>
          ['eth_getBlockTransactionCountByNumber', `0x${number.toString(16)}`]));
        next = asked.at(-1) - 1;
        const full = asked.filter((_, i) => Number(counts[i]) > 0).slice(0, 20);
        const found = await rpc.batch(full.map(number =>
          ['eth_getBlockByNumber', `0x${number.toString(16)}`, true]));
        for (const block of found)
          if (!(block instanceof Error)) known.push(...block.transactions.reverse());
      }
    } finally {
      isAsking = false;
    }
    list.resize(known.length);
    replace(note, next < 0 ? `All ${count(known.length)}, newest first.` : 'Newest first.');
  }
  const again = h('button', {type: 'button', onclick: () => {
    known.length = 0;
    next = chain.head;
    more();
  }}, 'Newest');
  const end = chain.on(() => {
    if (known.length > 0 || next >= 0) return;
    next = chain.head;
    more();
  });
  next = chain.head;
  more();
  return {title: 'Transactions', end, element: h('div', null,
    h('div', {class: 'head'}, h('h1', null, 'Transactions'), again), note, list.element)};
}

/** By number or hash. */
export async function block(name) {
  const isHash = name.length === 66;
  const asked = isHash ? name : `0x${BigInt(name).toString(16)}`;
  const method = isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber';
  const found = await rpc.call(method, asked, true);
  if (found === null) throw new Error(`There is no block ${name}.`);
  const number = Number(found.number);
  const loom = new Loom();
  const ran = panel('As it ran', h('p', {class: 'muted'}, 'Asking how it ran…'));
  const list = new List('Transactions of the block', transactionColumns, index =>
    transactionCells(found.transactions[index]), {height: 'tall'});
  const step = (to, text, key) => h('a', {href: `#/block/${to}`, class: 'button', rel: key}, text);
  const element = h('div', null,
    h('div', {class: 'head'}, h('h1', null, 'Block ', h('span', {class: 'number'}, count(number))),
      h('nav', {'aria-label': 'Neighbours', class: 'steps'},
        number > 0 && step(number - 1, '← earlier', 'prev'),
        step(number + 1, 'later →', 'next'))),
    h('section', {class: 'panel'}, facts([
      ['time', `${moment(found.timestamp)}, ${age(found.timestamp)}`],
      ['transactions', count(found.transactions.length)],
      ['gas', `${whole(found.gasUsed)} of ${whole(found.gasLimit)}, ` +
        percent(Number(found.gasUsed), Number(found.gasLimit))],
      found.baseFeePerGas && ['base fee', gwei(found.baseFeePerGas)],
      ['beneficiary', addressLink(found.miner)],
      found.withdrawals?.length > 0 && ['withdrawals', count(found.withdrawals.length)],
      ['hash', copyable(found.hash)], ['parent', h('a', {href: `#/block/${found.parentHash}`},
        h('code', null, found.parentHash))],
      ['state root', h('code', null, found.stateRoot)]])),
    ran, panel('Transactions', found.transactions.length > 0 ? list.element : 'It has none.'));
  list.resize(found.transactions.length);
  showExecution(found, ran, loom).catch(error => say(error.message));
  return {title: `Block ${number}`, element, end: () => {}};
}

async function showExecution(found, panel, loom) {
  const [execution, order] = await rpc.batch([['heddle_blockExecution', found.hash],
                                             ['heddle_blockOrder', found.hash]]);
  const isSeen = execution !== null && !(execution instanceof Error);
  const isOrdered = !(order instanceof Error);
  const title = h('h2', null, 'As it ran');
  if (found.transactions.length === 0)
    return replace(panel, title, h('p', {class: 'muted'}, 'There was nothing to run.'));
  replace(panel, title,
    isSeen ? executionFacts(execution) : h('p', {class: 'muted'},
      'This node did not watch it run, or has forgotten: it keeps the last blocks only.'),
    isSeen && execution.runs ? loom.element : null,
    isSeen ? shareBar([execution]) : null,
    isOrdered ? orderFacts(order, found) : h('p', {class: 'muted'},
      `What orders it is not known: ${order.message}`));
  if (!isSeen || !execution.runs) return;
  loom.show(execution, found.transactions.map(one => one.hash));
  if (isOrdered) loom.weave(order);
}

function executionFacts(execution) {
  return facts([
    ['execution', duration(execution.executionNs)],
    ['workers', count(execution.workers)],
    execution.transactions >= LEAST && ['runs at once', times(speedUp(execution))],
    ['attempts',
      `${count(execution.attempted)} ahead of their turn, ${count(execution.lost)} lost`],
    ['at their turn',
      `${count(execution.inOrder)} only then, ${plural(execution.repaired, 'repair')}`],
    execution.notKept > 0 && ['not kept', `${plural(execution.notKept, 'run')}`]], 'beside');
}

function orderFacts(order, found) {
  const share = order.totalGas > 0 ? order.criticalGas / order.totalGas : 0;
  const path = order.criticalPath.slice(0, 12).map((index, i) => [i ? ' → ' : '',
    h('a', {href: `#/tx/${found.transactions[index].hash}`}, String(index))]);
  const rows = order.objects.filter(object => object.waiting > 0).slice(0, 12).map(object => [
    h('span', {class: 'tag'}, object.kind), addressLink(object.address),
    object.slot ? h('code', {title: object.slot}, objectText(object).split(' of ')[0]) : '',
    count(object.waiting), percent(object.criticalGas, order.totalGas)]);
  return h('div', null, h('h3', null, 'What orders it'), facts([
    ['critical path', `${plural(order.criticalPath.length, 'transaction')}, ` +
      `${significant(share * 100)} % of the gas`],
    ['at best', `${times(order.totalGas / order.criticalGas)} of serial, on enough workers`],
    ['waits', `${count(order.edges)} of one transaction for another`],
    ['path', [path, order.criticalPath.length > 12
      ? ` → … ${order.criticalPath.length - 12} more` : '']]]),
    rows.length > 0 ? table('Objects that somebody waits for',
      ['object', 'of', 'slot', '>wait for it', '>on the path'], rows)
      : h('p', {class: 'muted'}, 'No transaction waits for another.'));
}
