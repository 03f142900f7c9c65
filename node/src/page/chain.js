// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page knows of the chain as it goes on: the last blocks with how they ran. However many
// blocks come, the node is asked a few times a second.
import {rpc} from './rpc.js';

const KEPT = 1024;      // blocks
const FIRST = 256;      // of these, asked for at the start
const AHEAD = 16;
const ASK_MS = 300;
const CACHED = 512;     // headers that lists have asked for

class Chain {
  head = -1;
  baseFee = null;
  blocks = [];  // figures (heddle_executionHistory), ascending by number
  #listeners = new Set();
  #timer = null;
  #isAsking = false;
  #isNew = true;       // nothing of this chain has been asked for yet
  #asked = new Map();  // number → promise of a header with transactionCount

  start() {
    rpc.on('head', header => this.#heard(header));
    rpc.on('state', state => {
      if (state === 'live' || state === 'polling') this.#begin();
      else this.#isNew = true;  // whoever answers next may have another chain
    });
  }

  /** Called when there are new blocks, a few times a second. @return what ends it. */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #begin() {
    try {
      this.#heard(await rpc.call('eth_getBlockByNumber', 'latest', false));
    } catch { /* the next head tells */ }
  }

  #heard(header) {
    const number = Number(header.number);
    if (this.#isNew || number <= this.head) {  // another chain, or blocks were taken back
      this.blocks = this.#isNew ? [] : this.blocks.filter(block => block.number < number);
      this.#asked.clear();
    }
    this.head = number;
    if (header.baseFeePerGas) this.baseFee = header.baseFeePerGas;
    this.#askSoon();
  }

  #askSoon() {
    const isFirst = this.blocks.length === 0 && !this.#isAsking;
    this.#timer ??= setTimeout(() => this.#ask(), isFirst ? 0 : ASK_MS);
  }

  async #ask() {
    this.#timer = null;
    if (this.#isAsking) return this.#askSoon();  // the answer that is awaited may be older
    this.#isAsking = true;
    try {
      const last = this.blocks.at(-1)?.number ?? -1;
      // Some more, for others may have come since the last head was heard of.
      const missing = Math.min(this.head - last + AHEAD, FIRST);
      const figures = await rpc.call('heddle_executionHistory', `0x${missing.toString(16)}`);
      const news = figures.filter(block => block.number > last);
      // Those that were there before the page was are not part of what comes in a second.
      for (const block of news) block.seen = this.#isNew ? -Infinity : performance.now();
      this.#isNew = false;
      this.blocks.push(...news);
      this.blocks.splice(0, Math.max(0, this.blocks.length - KEPT));
      const newest = this.blocks.at(-1)?.number ?? -1;
      if (newest > this.head) this.head = newest;
    } catch (error) {
      console.warn(error.message);
    }
    this.#isAsking = false;
    for (const listener of this.#listeners) listener();
  }

  figuresOf(number) {
    return this.blocks.findLast(block => block.number === number) ?? null;
  }

  /** A header with its transactionCount, for lists. */
  header(number) {
    if (this.#asked.size > CACHED) this.#asked.clear();
    if (!this.#asked.has(number)) this.#asked.set(number, this.#header(number));
    return this.#asked.get(number);
  }

  async #header(number) {
    const name = `0x${number.toString(16)}`;
    const [header, count] = await rpc.batch([
      ['eth_getHeaderByNumber', name], ['eth_getBlockTransactionCountByNumber', name]]);
    if (header === null || header instanceof Error) throw header ?? new Error('no such block');
    return {...header, transactionCount: Number(count)};
  }
}

export const chain = new Chain();
