// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The last blocks as cloth: each block a thread, in small graphs with one axis of blocks.
import {h, replace} from './dom.js';
import {compact, count, duration, times} from './format.js';
import {fit, palette} from './loom.js';

const HEIGHT = 74;
const PITCH = 5;   // pixels from a block to the next
const THREAD = 4;  // its width
export const LEAST = 8;  // transactions of a block that can keep several workers busy

const PARTS = [['recovery', 'recoveryNs'], ['execution', 'executionNs'], ['tries', 'triesNs'],
               ['disk', 'diskNs']];

/** What the workers did at once, on average. Of a block with hardly any transaction it would tell
 *  what else has to be done for one: NaN. */
export const speedUp = block => block.executionNs > 0 && block.transactions >= LEAST
  ? block.busyNs / block.executionNs : NaN;
export const spent = block => PARTS.reduce((sum, [, name]) => sum + block[name], 0);

/** The share of each part of the time, of several blocks. */
export function shares(blocks) {
  const sums = PARTS.map(([part, name]) =>
    ({part, time: blocks.reduce((sum, block) => sum + block[name], 0)}));
  const all = sums.reduce((sum, {time}) => sum + time, 0);
  return sums.map(({part, time}) => ({part, time, share: all > 0 ? time / all : 0}));
}

class Graph {
  #canvas = h('canvas', {role: 'img', 'aria-label': 'No block yet'});
  #value = h('b', {class: 'number'});
  #hint = h('span', {class: 'muted'});
  element;

  /** `layers(block)`: [colour, value] from below; `text(blocks)`: the newest in words. */
  constructor(title, layers, text, describe) {
    this.layers = layers;
    this.text = text;
    this.describe = describe;
    this.title = title;
    this.#canvas.addEventListener('pointermove', event => this.#point(event));
    this.#canvas.addEventListener('pointerleave', () => replace(this.#hint));
    this.#canvas.addEventListener('click', event => {
      const block = this.#blockAt(event);
      if (block) location.hash = `#/block/${block.number}`;
    });
    this.element = h('figure', {class: 'graph'},
      h('figcaption', null, h('span', null, title), this.#value, this.#hint), this.#canvas);
  }

  draw(blocks, colours) {
    const width = this.#canvas.clientWidth || 300;
    const paint = fit(this.#canvas, width, HEIGHT);
    this.shown = blocks.slice(-Math.floor(width / PITCH));
    const layers = this.shown.map(block => this.layers(block));
    const sums = layers.map(layer => layer.reduce((sum, [, value]) => sum + value, 0));
    // One block that took very long must not flatten the others.
    const most = Math.max(robustMost(sums), 1e-9);
    const begin = width - this.shown.length * PITCH;
    this.begin = begin;
    layers.forEach((layer, i) => {
      let y = HEIGHT - 1;
      for (const [colour, value] of layer) {
        const height = Math.min(y - 1, value / most * (HEIGHT - 6));
        paint.fillStyle = colours[colour];
        paint.fillRect(begin + i * PITCH, y - height, THREAD, height);
        y -= height;
      }
    });
    paint.fillStyle = colours.line;
    paint.fillRect(0, HEIGHT - 1, width, 1);
    const text = this.text(this.shown);
    replace(this.#value, text);
    this.#canvas.setAttribute('aria-label',
      `${this.title}, the last ${this.shown.length} blocks; now ${text}`);
  }

  #blockAt(event) {
    const x = event.clientX - this.#canvas.getBoundingClientRect().left;
    return this.shown?.[Math.floor((x - this.begin) / PITCH)] ?? null;
  }
  #point(event) {
    const block = this.#blockAt(event);
    replace(this.#hint, block ? `block ${count(block.number)}: ${this.describe(block)}` : '');
  }
}

function robustMost(values) {
  const sorted = values.filter(value => value > 0).sort((a, b) => a - b);
  if (sorted.length === 0) return 1;
  return Math.min(sorted.at(-1), 3 * sorted[Math.floor(sorted.length * 0.9)]);
}

const latest = (blocks, of) => blocks.length > 0 ? of(blocks.at(-1)) : '–';
/** The newest one that had anything to do. */
const busy = blocks => blocks.filter(block => block.transactions > 0);

export class History {
  #graphs = [
    new Graph('transactions a block', block => [['execution', block.transactions]],
      blocks => latest(blocks, block => count(block.transactions)),
      block => count(block.transactions)),
    new Graph('gas a block', block => [['tries', block.gasUsed]],
      blocks => latest(blocks, block => compact(block.gasUsed)),
      block => compact(block.gasUsed)),
    new Graph('runs at once', block => [['disk', speedUp(block) || 0]],
      blocks => latest(blocks.filter(block => block.transactions >= LEAST),
        block => times(speedUp(block))),
      block => times(speedUp(block))),
    new Graph('time: recovery, execution, tries, disk',
      block => PARTS.map(([part, name]) => [part, block[name]]),
      blocks => latest(busy(blocks), block => duration(spent(block))),
      block => PARTS.map(([part, name]) => `${part} ${duration(block[name])}`).join(', ')),
    new Graph('attempts lost and transactions repaired',
      block => [['repaired', block.repaired], ['lost', block.lost]],
      blocks => latest(busy(blocks), block => `${count(block.lost)} and ${count(block.repaired)}`),
      block => `${count(block.lost)} lost, ${count(block.repaired)} repaired`),
  ];
  element = h('div', {class: 'graphs'}, this.#graphs.map(graph => graph.element));

  draw(blocks) {
    const colours = palette();
    for (const graph of this.#graphs) graph.draw(blocks, colours);
  }
}

/** Where the time went, as one bar with words. */
export function shareBar(blocks) {
  const parts = shares(blocks);
  const bar = h('div', {class: 'share', role: 'img', 'aria-label':
    parts.map(({part, share}) => `${part} ${Math.round(share * 100)} %`).join(', ')},
    parts.map(({part, share}) => {
      const piece = h('span', {class: part});
      piece.style.flexGrow = share;
      return piece;
    }));
  return h('div', null, bar, h('p', {class: 'legend'}, parts.map(({part, time, share}) =>
    h('span', null, h('i', {class: `key ${part}`, 'aria-hidden': 'true'}),
      `${part} ${duration(time)}, ${(share * 100).toFixed(0)} %`))));
}
