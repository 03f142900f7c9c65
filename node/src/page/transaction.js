// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One transaction: what it asked for, what became of it, in words where its interfaces are known.
import {addressLink, blockLink, copyable, facts, h, panel, replace, say, table,
        visible} from './dom.js';
import {interfaces, showAmount, showCall, showFailure, transfersOf} from './decode.js';
import {age, gwei, plural, wei, whole} from './format.js';
import {rpc} from './rpc.js';

const TYPES = ['legacy', 'access list', 'dynamic fee', 'blobs', 'set code'];
const MOST_LOGS = 200;
const MOST_CALLS = 500;
const POLL_MS = 1000;

/** A text that scrolls, and has a name for those who come to it without seeing it. */
const scrolled = (label, ...text) =>
  h('pre', {class: 'dump', role: 'group', 'aria-label': label, tabindex: '0'}, ...text);

/** Input, output or code as it is, a line of 32 bytes each. `label`: what it is. */
export function dump(data, label) {
  const digits = data.slice(2, 2 + 64 * 256);
  const lines = digits.match(/.{1,64}/g) ?? [];
  return h('details', null, h('summary', null, plural((data.length - 2) / 2, 'byte')),
    scrolled(label, lines.join('\n'),
      data.length - 2 > digits.length ? '\n…' : ''));
}

export async function transaction(hash) {
  const found = await rpc.call('eth_getTransactionByHash', hash);
  if (found === null) throw new Error(`There is no transaction ${hash}.`);
  const body = h('div');
  const element = h('div', null, h('h1', null, 'Transaction'), body);
  let timer = null;
  const draw = async () => {
    const receipt = await rpc.call('eth_getTransactionReceipt', hash);
    replace(body, contents(found, receipt));
    if (receipt !== null) clearInterval(timer);
  };
  await draw();
  if (found.blockNumber === null)
    timer = setInterval(() => draw().catch(error => say(error.message)), POLL_MS);
  return {title: 'Transaction', element, end: () => clearInterval(timer)};
}

function contents(found, receipt) {
  const called = found.to === null || found.input === '0x' ? null : interfaces.call(found.input);
  const reason = h('span', {class: 'muted'}, 'asking why…');
  const isFailed = receipt?.status === '0x0';
  const calls = h('div');
  if (isFailed) askWhy(found.hash, reason);
  return [
    h('section', {class: 'panel'}, facts([
      ['hash', copyable(found.hash)],
      ['status', receipt === null ? h('span', {class: 'badge waiting'}, 'pending')
        : isFailed ? [h('span', {class: 'badge failed'}, 'failed'), ' ', reason]
                   : h('span', {class: 'badge good'}, 'succeeded')],
      receipt && ['block', [blockLink(Number(receipt.blockNumber)),
        `, number ${Number(receipt.transactionIndex)} in it`, timeOf(receipt)]],
      ['from', addressLink(found.from)],
      ['to', found.to === null
        ? ['creates ', receipt?.contractAddress ? addressLink(receipt.contractAddress) : '']
        : addressLink(found.to)],
      ['value', wei(found.value)],
      ['calls', called ? h('div', {class: 'call'}, showCall(called))
        : found.input === '0x' ? 'nothing, only moves the value' : found.to === null
          ? 'code that becomes a contract' : h('code', null, found.input.slice(0, 10))],
      receipt && ['fee', `${wei(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice))}: ` +
        `${whole(receipt.gasUsed)} gas of ${whole(found.gas)} at ` +
        gwei(receipt.effectiveGasPrice)],
      ['nonce', whole(found.nonce)],
      ['kind', TYPES[Number(found.type)] ?? found.type],
      found.input !== '0x' && ['input', dump(found.input, 'Input')]])),
    receipt ? transfers(receipt.logs) : null,
    receipt ? logs(receipt.logs) : null,
    receipt ? panel('Calls', h('button', {type: 'button', onclick: event => {
      event.target.disabled = true;
      showCalls(found.hash, calls).catch(error => replace(calls, error.message));
    }}, 'Trace its calls'), calls) : null];
}

function timeOf(receipt) {
  const element = h('span', {class: 'muted'});
  rpc.call('eth_getHeaderByNumber', receipt.blockNumber).then(header => {
    if (header) replace(element, `, ${age(header.timestamp)}`);
  }, () => {});
  return element;
}

const trace = hash => rpc.call('debug_traceTransaction', hash, {tracer: 'callTracer'});

async function askWhy(hash, element) {
  try {
    const call = await trace(hash);
    replace(element, call.error === 'execution reverted' ? 'reverted: '
      : [visible(call.error ?? ''), call.output ? ': ' : ''],
      call.output || call.error === 'execution reverted' ? showFailure(call.output) : '');
  } catch (error) {
    replace(element, 'why is not known: ', visible(error.message));
  }
}

function transfers(logs) {
  const moved = logs.slice(0, MOST_LOGS).flatMap(transfersOf);
  if (moved.length === 0) return null;
  const heads = ['token', 'kind', 'from', 'to', '>amount'];
  const rows = moved.slice(0, MOST_LOGS).map(one => [addressLink(one.token), one.standard,
    addressLink(one.from), addressLink(one.to), showAmount(one)]);
  return panel('Token transfers', table('Token transfers', heads, rows));
}

function logs(list) {
  if (list.length === 0) return null;
  return panel(plural(list.length, 'event'), list.slice(0, MOST_LOGS).map(log => {
    const found = interfaces.event(log);
    return h('article', {class: 'log'}, h('p', null, addressLink(log.address), ' ',
      found ? h('span', {class: 'call'}, showCall(found)) : h('span', {class: 'muted'},
        'an event of which no interface is known')),
      h('details', null, h('summary', null, plural(log.topics.length, 'topic')),
        scrolled('Topics', log.topics.join('\n'))),
      log.data === '0x' ? null : dump(log.data, 'Data of the event'));
  }), list.length > MOST_LOGS && h('p', null, `${list.length - MOST_LOGS} more are not shown.`));
}

async function showCalls(hash, element) {
  let left = MOST_CALLS;
  const item = call => {
    if (--left < 0) return null;
    const called = call.input && call.input !== '0x' ? interfaces.call(call.input) : null;
    return h('li', null, h('span', {class: 'tag'}, visible(call.type ?? '')), ' ',
      call.to ? addressLink(call.to) : '', ' ',
      called ? h('span', {class: 'call'}, showCall(called)) : h('code', null,
        visible((call.input ?? '0x').slice(0, 10))),
      call.value && call.value !== '0x0' ? ` with ${wei(call.value)}` : '',
      h('span', {class: 'muted'}, ` ${whole(call.gasUsed ?? '0x0')} gas`),
      call.error ? [' ', h('span', {class: 'badge failed'}, visible(call.error)), ' ',
        call.output ? showFailure(call.output) : ''] : '',
      call.calls ? h('ul', {class: 'calls'}, call.calls.map(item)) : null);
  };
  const tree = h('ul', {class: 'calls'}, item(await trace(hash)));
  replace(element, tree, left < 0 ? h('p', null, `The first ${MOST_CALLS} calls.`) : null);
}
