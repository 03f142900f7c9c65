// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC with the node that served this page: over a WebSocket, and over HTTP while there is
// none. Addresses are relative, so that a proxy may have the node at any path.

const RETRY_MS = [500, 1000, 2000, 5000];
const POLL_MS = 1000;
// A WebSocket on which nothing has come for so long is asked whether anybody is there, and is as
// good as none when it has not been answered for so long: a node that hangs, a network that is gone.
const SILENCE_MS = 30000;
const ANSWER_MS = 10000;

export class RpcError extends Error {
  constructor({code, message, data}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** What was asked has no answer, for nobody was there to give it. */
export class NoAnswer extends Error {}

export class Rpc {
  #socket = null;
  #calls = new Map();  // id → {done, failed}
  #next = 1;
  #tries = 0;
  #hears = 0;  // when something was last heard
  #probed = 0; // when it was then asked whether anybody is there; 0: it was not
  #isPolling = false;
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

  get #isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  call(method, ...params) {
    return this.#send({jsonrpc: '2.0', id: this.#next++, method, params});
  }

  /** Several calls in one message. @return results, in their order; in place of one that failed its error. */
  batch(calls) {
    if (calls.length === 0) return Promise.resolve([]);
    return Promise.all(calls.map(([method, ...params]) =>
      this.call(method, ...params).catch(error => error)));
  }

  #send(request) {
    if (!this.#isOpen) return this.#post(request);
    return new Promise((done, failed) => {
      this.#calls.set(request.id, {done, failed});
      this.#socket.send(JSON.stringify(request));
    });
  }

  async #post(request, patience = SILENCE_MS) {
    let answer;
    let text;
    try {
      answer = await fetch(this.#base, {
        method: 'POST', headers: {'content-type': 'application/json'},
        body: JSON.stringify(request), signal: AbortSignal.timeout(patience)});
      text = await answer.text();
    } catch {
      throw new NoAnswer('The node does not answer.');
    }
    // Of a proxy whose node is away.
    if (answer.status === 502 || answer.status === 504)
      throw new NoAnswer('The proxy says that the node does not answer.');
    if (!answer.ok) throw new RpcError({code: answer.status, message: text});
    const {result, error} = JSON.parse(text);
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
      this.#hear();
      this.#ids.clear();
      this.#subscribe('head');
      if (this.#listeners.pending.size > 0) this.#subscribe('pending');
      this.#become('live');
    };
    socket.onmessage = event => {
      this.#hear();
      this.#take(JSON.parse(event.data));
    };
    socket.onclose = () => this.#lose(socket);
  }

  #hear() {
    this.#hears = Date.now();
    this.#probed = 0;
  }

  #lose(socket) {
    if (socket !== this.#socket) return;  // it has been given up before it was closed
    this.#socket = null;
    for (const {failed} of this.#calls.values()) failed(new NoAnswer('The connection was lost.'));
    this.#calls.clear();
    if (this.state === 'live') this.#become('lost');
    setTimeout(() => this.#connect(), RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)]);
  }

  /** Whoever is at the other end does not answer a request to close it either. */
  #giveUp(socket) {
    this.#lose(socket);
    socket.close();
  }

  /** Asks whether anybody is there where nothing has come for long. */
  #probe() {
    const now = Date.now();
    if (this.#probed !== 0) {
      if (now - this.#probed >= ANSWER_MS) this.#giveUp(this.#socket);
    } else if (now - this.#hears >= SILENCE_MS) {
      this.#probed = now;
      this.call('web3_clientVersion').catch(() => {});
    }
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

  #take(message) {
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
    if (this.#isOpen) return this.#probe();
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const block = await this.#post({jsonrpc: '2.0', id: 0, method: 'eth_getBlockByNumber',
                                      params: ['latest', false]}, ANSWER_MS);
      this.#hearPolled(block);
    } catch {
      if (!this.#isOpen) this.#become('lost');
    }
    this.#isPolling = false;
  }

  #hearPolled(block) {
    if (this.#isOpen) return;  // there is a WebSocket by now
    this.#become('polling');
    if (block.number !== this.#polled) this.#tell('head', block);
    this.#polled = block.number;
  }
}

/** Of this page: its own address without what is behind the folder. */
export const rpc = new Rpc(new URL('.', location.href.split('#')[0]).href);
