// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC with the node that served this page: over a WebSocket, and over HTTP while there is
// none. Addresses are relative, so that a proxy may have the node at any path.

const RETRY_MS = [500, 1000, 2000, 5000];
const POLL_MS = 1000;
// A WebSocket that nobody answers on is as good as none.
const SILENCE_MS = 30000;

export class RpcError extends Error {
  constructor({code, message, data}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class Rpc {
  #socket = null;
  #calls = new Map();  // id → {done, failed}
  #next = 1;
  #tries = 0;
  #hears = 0;  // when something was last heard
  #listeners = {head: new Set(), pending: new Set(), state: new Set()};
  #ids = new Map();  // of subscriptions → kind
  #base;
  #polled = null;  // the head's number when last asked
  state = 'connecting';  // live, polling or lost

  constructor(base) {
    this.#base = base;
  }

  start() {
    this.#connect();
    setInterval(() => this.#poll(), POLL_MS);
  }

  /** `head`: a header; `pending`: hash of a transaction; `state`: of the connection.
   *  @return what ends it. */
  on(kind, listener) {
    this.#listeners[kind].add(listener);
    if (kind === 'pending' && this.state === 'live') this.#subscribe('pending');
    return () => this.#listeners[kind].delete(listener);
  }

  call(method, ...params) {
    return this.#send({jsonrpc: '2.0', id: this.#next++, method, params});
  }

  /** Several calls in one message. @return results, in their order; a failed one is an RpcError. */
  batch(calls) {
    if (calls.length === 0) return Promise.resolve([]);
    return Promise.all(calls.map(([method, ...params]) =>
      this.call(method, ...params).catch(error => error)));
  }

  #send(request) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return this.#post(request);
    return new Promise((done, failed) => {
      this.#calls.set(request.id, {done, failed});
      this.#socket.send(JSON.stringify(request));
    });
  }

  async #post(request) {
    const answer = await fetch(this.#base, {
      method: 'POST', headers: {'content-type': 'application/json'},
      body: JSON.stringify(request)});
    if (!answer.ok) throw new RpcError({code: answer.status, message: await answer.text()});
    const {result, error} = await answer.json();
    if (error) throw new RpcError(error);
    return result;
  }

  #connect() {
    const url = new URL(this.#base);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.onopen = () => {
      this.#tries = 0;
      this.#hears = Date.now();
      this.#ids.clear();
      this.#subscribe('head');
      if (this.#listeners.pending.size > 0) this.#subscribe('pending');
      this.#become('live');
    };
    socket.onmessage = event => this.#hear(JSON.parse(event.data));
    socket.onclose = () => {
      for (const {failed} of this.#calls.values())
        failed(new RpcError({code: 0, message: 'The connection was lost.'}));
      this.#calls.clear();
      if (this.state === 'live') this.#become('lost');
      setTimeout(() => this.#connect(), RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)]);
    };
  }

  async #subscribe(kind) {
    if ([...this.#ids.values()].includes(kind)) return;
    const name = kind === 'head' ? 'newHeads' : 'newPendingTransactions';
    try {
      this.#ids.set(await this.call('eth_subscribe', name), kind);
    } catch (error) {
      console.warn(`no ${name}: ${error.message}`);
    }
  }

  #hear(message) {
    this.#hears = Date.now();
    if (message.method === 'eth_subscription') {
      const {subscription, result} = message.params;
      this.#tell(this.#ids.get(subscription) ?? 'head', result);
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (!call) return;
    if (message.error) call.failed(new RpcError(message.error));
    else call.done(message.result);
  }

  #tell(kind, what) {
    for (const listener of this.#listeners[kind]) listener(what);
  }

  #become(state) {
    if (state === this.state) return;
    this.state = state;
    this.#tell('state', state);
  }

  /** While there is no WebSocket: asks for the head, and the time tells whether there is a node. */
  async #poll() {
    if (this.#socket?.readyState === WebSocket.OPEN) {
      if (Date.now() - this.#hears < SILENCE_MS) return;
      this.#hears = Date.now();
      this.call('web3_clientVersion').catch(() => {});
      return;
    }
    try {
      const block = await this.#post({jsonrpc: '2.0', id: 0, method: 'eth_getBlockByNumber',
                                      params: ['latest', false]});
      this.#become('polling');
      if (block.number !== this.#polled) this.#tell('head', block);
      this.#polled = block.number;
    } catch {
      this.#become('lost');
    }
  }
}

/** Of this page: its own address without what is behind the folder. */
export const rpc = new Rpc(new URL('.', location.href.split('#')[0]).href);
