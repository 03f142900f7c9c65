// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls, events, errors and token transfers in words: by the interfaces that the node was given
// (--artifacts) and by those that everybody knows.
import {AbiError, decode, decodeEvent} from './abi.js';
import {addressLink, h, visible} from './dom.js';
import {decimal, whole} from './format.js';
import {rpc} from './rpc.js';

const input = text => text.split(',').filter(Boolean).map(one => {
  const [type, name, indexed] = one.split(' ');
  return {type, name: name ?? '', indexed: indexed === 'indexed'};
});
const callable = (selector, name, inputs, outputs = '') =>
  ({kind: 'function', selector, name, inputs: input(inputs), outputs: input(outputs)});
const failure = (selector, name, inputs) =>
  ({kind: 'error', selector, name, inputs: input(inputs)});
const event = (topic, name, inputs) =>
  ({kind: 'event', topic, name, anonymous: false, inputs: input(inputs)});

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

// Of ERC-20, 721 and 1155, of wrapped ether, and Solidity's own errors.
const KNOWN = [
  callable('0xa9059cbb', 'transfer', 'address to,uint256 amount', 'bool'),
  callable('0x23b872dd', 'transferFrom', 'address from,address to,uint256 amount', 'bool'),
  callable('0x095ea7b3', 'approve', 'address spender,uint256 amount', 'bool'),
  callable('0x70a08231', 'balanceOf', 'address account', 'uint256'),
  callable('0x40c10f19', 'mint', 'address to,uint256 amount'),
  callable('0xd0e30db0', 'deposit', ''),
  callable('0x2e1a7d4d', 'withdraw', 'uint256 amount'),
  callable('0xa22cb465', 'setApprovalForAll', 'address operator,bool approved'),
  callable('0x42842e0e', 'safeTransferFrom', 'address from,address to,uint256 id'),
  callable('0xb88d4fde', 'safeTransferFrom', 'address from,address to,uint256 id,bytes data'),
  callable('0xf242432a', 'safeTransferFrom',
    'address from,address to,uint256 id,uint256 amount,bytes data'),
  callable('0x2eb2c2d6', 'safeBatchTransferFrom',
    'address from,address to,uint256[] ids,uint256[] amounts,bytes data'),
  failure('0x08c379a0', 'Error', 'string reason'),
  failure('0x4e487b71', 'Panic', 'uint256 code'),
  event('0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925', 'Approval',
    'address owner indexed,address spender indexed,uint256 amount'),
  event('0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31', 'ApprovalForAll',
    'address owner indexed,address operator indexed,bool approved'),
  event('0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c', 'Deposit',
    'address account indexed,uint256 amount'),
  event('0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65', 'Withdrawal',
    'address account indexed,uint256 amount'),
  event(SINGLE, 'TransferSingle', 'address operator indexed,address from indexed,' +
    'address to indexed,uint256 id,uint256 amount'),
  event(BATCH, 'TransferBatch', 'address operator indexed,address from indexed,' +
    'address to indexed,uint256[] ids,uint256[] amounts'),
  event(TRANSFER, 'Transfer', 'address from indexed,address to indexed,uint256 amount'),
  event(TRANSFER, 'Transfer', 'address from indexed,address to indexed,uint256 id indexed'),
];
const PANICS = {1: 'an assertion failed', 17: 'an overflow', 18: 'a division by zero',
  33: 'no such value of an enumeration', 34: 'malformed storage', 49: 'pop of an empty array',
  50: 'an index out of bounds', 65: 'too much memory', 81: 'a call of nothing'};

/** Interfaces by selector and topic; the node's come before those that everybody knows. */
class Interfaces {
  #bySelector = new Map();
  #byTopic = new Map();
  #byCode = new Map();  // hash of code → contract
  contracts = [];
  leftOut = {count: 0, list: []};

  constructor() {
    this.#add(KNOWN);
  }
  #add(entries) {
    for (const entry of entries) {
      const [map, key] = entry.kind === 'event' ? [this.#byTopic, entry.topic]
                                                : [this.#bySelector, entry.selector];
      map.set(key, [...(map.get(key) ?? []), entry]);
    }
  }
  async load() {
    const {contracts, leftOut, leftOutCount} = await rpc.call('heddle_artifacts');
    this.#bySelector.clear();
    this.#byTopic.clear();
    for (const contract of contracts) {
      this.#add(contract.entries);
      if (contract.codeHash) this.#byCode.set(contract.codeHash, contract);
    }
    this.#add(KNOWN);
    this.contracts = contracts;
    this.leftOut = {count: leftOutCount, list: leftOut};
  }
  contractOf(codeHash) {
    return this.#byCode.get(codeHash) ?? null;
  }
  /** @return {entry, values} of the first one that the data fits; values null: none fits. */
  #first(entries, read) {
    for (const entry of entries) {
      try {
        return {entry, values: read(entry)};
      } catch (error) {
        if (!(error instanceof AbiError)) throw error;
      }
    }
    return entries.length > 0 ? {entry: entries[0], values: null} : null;
  }
  call(data, kind = 'function') {
    const entries = (this.#bySelector.get(data.slice(0, 10).toLowerCase()) ?? [])
      .filter(entry => entry.kind === kind);
    return this.#first(entries, entry => decode(entry.inputs, data.slice(10)));
  }
  event({topics, data}) {
    const entries = this.#byTopic.get(topics[0]?.toLowerCase()) ?? [];
    const found = this.#first(entries, entry => decodeEvent(entry, topics, data));
    return found?.values ? found : null;
  }
}
export const interfaces = new Interfaces();

// As text, so that it is there in what is copied as well.
const quoted = text => h('span', null, '“', visible(text), '”');

/** A decoded value as elements. */
export function show(value, parameter, depth = 0) {
  if (typeof value === 'bigint') return h('span', {class: 'number'}, whole(value));
  if (typeof value === 'boolean') return h('span', {class: 'word'}, String(value));
  if (Array.isArray(value)) {
    const inner = {...parameter, type: parameter.type.replace(/\[\d*\]$/, '')};
    return ['[', value.slice(0, 50).map((one, i) => [i ? ', ' : '', show(one, inner, depth + 1)]),
      value.length > 50 ? `, … ${value.length - 50} more` : '', ']'];
  }
  if (value?.tuple)
    return ['(', value.tuple.map((one, i) => [i ? ', ' : '', one.parameter.name &&
      h('span', {class: 'label'}, visible(one.parameter.name), ' '),
      show(one.value, one.parameter, depth + 1)]), ')'];
  if (parameter.type === 'address') return addressLink(value);
  if (parameter.type === 'string') return quoted(value);
  return h('code', {class: 'data'}, visible(value));
}

/** `transfer(to 0x…, amount 5)` as elements. */
export function showCall({entry, values}) {
  if (values === null)
    return [h('b', null, visible(entry.name)), ' ',
      h('span', {class: 'muted'}, 'the arguments cannot be read')];
  return [h('b', null, visible(entry.name)), '(', values.map((pair, i) => [i ? ', ' : '',
    pair.parameter.name && h('span', {class: 'label'}, visible(pair.parameter.name), ' '),
    show(pair.value, pair.isHash ? {type: 'bytes32'} : pair.parameter)]), ')'];
}

/** The name of what a transaction calls, for lists. */
export function methodName(transaction) {
  if (transaction.to === null) return h('i', null, 'creation');
  if (transaction.input === '0x') return h('span', {class: 'muted'}, 'transfer');
  const found = interfaces.call(transaction.input);
  return found ? h('span', {class: 'tag'}, visible(found.entry.name))
               : h('code', {class: 'muted'}, transaction.input.slice(0, 10));
}

/** Why a call failed, by what it returned. */
export function showFailure(data) {
  if (!data || data === '0x') return 'without a reason';
  const found = interfaces.call(data, 'error');
  if (!found) return h('code', {class: 'data'}, visible(data));
  if (found.entry.name === 'Error' && found.values)
    return quoted(found.values[0].value);
  if (found.entry.name === 'Panic' && found.values)
    return ['Panic: ', PANICS[Number(found.values[0].value)] ?? whole(found.values[0].value)];
  return showCall(found);
}

const topicAddress = topic => '0x' + topic.slice(-40);

/** What tokens a log moves: [{standard, token, from, to, id, amount}]. */
export function transfersOf(log) {
  const {topics, data, address: token} = log;
  try {
    if (topics[0] === TRANSFER && topics.length === 4 && data === '0x')
      return [{standard: 'ERC-721', token, from: topicAddress(topics[1]),
               to: topicAddress(topics[2]), id: BigInt(topics[3]), amount: 1n}];
    if (topics[0] === TRANSFER && topics.length === 3 && data.length === 66)
      return [{standard: 'ERC-20', token, from: topicAddress(topics[1]),
               to: topicAddress(topics[2]), id: null, amount: BigInt(data)}];
    if ((topics[0] !== SINGLE && topics[0] !== BATCH) || topics.length !== 4) return [];
    const values = interfaces.event(log)?.values.slice(3).map(pair => pair.value) ?? [];
    const [ids, amounts] = values.map(value => Array.isArray(value) ? value : [value]);
    return ids.map((id, i) => ({standard: 'ERC-1155', token, from: topicAddress(topics[2]),
      to: topicAddress(topics[3]), id, amount: amounts[i] ?? 0n}));
  } catch {
    return [];  // it only looks like one
  }
}

// What tokens say of themselves, which is whatever they like.
const tokens = new Map();
const MOST_TOKENS = 1000;

export function tokenOf(address) {
  if (tokens.size > MOST_TOKENS) tokens.clear();
  if (!tokens.has(address)) tokens.set(address, askToken(address));
  return tokens.get(address);
}

async function askToken(address) {
  const ask = data => ['eth_call', {to: address, data, gas: '0x30d40'}, 'latest'];
  const [symbol, decimals] = await rpc.batch([ask('0x95d89b41'), ask('0x313ce567')]);
  return {symbol: textOf(symbol), decimals: decimalsOf(decimals)};
}

function textOf(answer) {
  if (typeof answer !== 'string' || answer === '0x') return null;
  try {
    return String(decode([{type: 'string', name: ''}], answer)[0].value).slice(0, 64);
  } catch {
    return null;
  }
}

function decimalsOf(answer) {
  if (typeof answer !== 'string' || answer.length !== 66) return 0;
  const number = BigInt(answer);
  return number <= 36n ? Number(number) : 0;
}

/** The amount of a transfer; what the token says of itself is filled in when it has answered. */
export function showAmount({token, standard, id, amount}) {
  const element = h('span', {class: 'number'}, whole(amount));
  if (id !== null) return [element, ' of ', h('span', {class: 'number'}, `#${whole(id)}`)];
  if (standard === 'ERC-20')
    tokenOf(token).then(({symbol, decimals}) => {
      element.textContent = decimal(amount, decimals);
      if (symbol !== null) element.append(' ', visible(symbol));
    });
  return element;
}
