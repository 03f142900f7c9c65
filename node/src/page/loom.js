// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One block as it ran: a lane for each worker over time, and threads from a transaction to the one
// that it waited for. The picture is one canvas; what it shows is in a table beside it as well.
import {h, plain, replace, transactionLink} from './dom.js';
import {duration, plural} from './format.js';
import {List} from './list.js';

const LANE = 30;
const BAR = 18;
const AXIS = 22;
const LEFT = 34;
const LEAST_BAR = 1.5;
const MOST_THREADS = 1500;
const WORDS = {attempted: 'ran ahead', givenUp: 'given up', repaired: 'ran again at its turn',
  inOrder: 'ran at its turn', confirmed: 'as its access list says'};

/** Colours of the theme that is on. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(`--${name}`).trim();
  return {ink: of('ink'), muted: of('muted'), line: of('line'), ground: of('ground'),
    ahead: of('indigo'), order: of('teal'), repaired: of('weld'), lost: of('madder'),
    thread: of('thread'), tries: of('teal'), disk: of('weld'), execution: of('indigo'),
    recovery: of('madder')};
}

/** A canvas of so many pixels of the page, sharp on every screen. */
export function fit(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas,
    {width: wide, height: high});
  canvas.style.height = `${height}px`;
  const paint = canvas.getContext('2d');
  paint.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint.clearRect(0, 0, width, height);
  return paint;
}

/** A step of an axis: 1, 2 or 5 times a power of ten. */
export function niceStep(span, most) {
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  return power * ([1, 2, 5].find(step => step * power >= rough) ?? 10);
}

/** A time without zeros at its end. */
const tick = time => duration(time).replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' ');

function readRuns(rows) {
  return rows.map(([index, worker, begin, end, kind, isFinal]) =>
    ({index, worker, begin, end, kind, isFinal}));
}

export class Loom {
  #canvas = h('canvas', {tabindex: '0', role: 'img', 'aria-label': 'No block yet'});
  #tip = h('p', {class: 'tip', 'aria-live': 'off'});
  #scroll = h('div', {class: 'loom-scroll', onscroll: () => this.#ask()});
  #spread = h('div', {class: 'loom-spread'});
  #zoom = h('input', {type: 'range', min: '0', max: '8', step: '0.5', value: '0',
                      'aria-label': 'Zoom', oninput: () => this.#rescale()});
  #runs = [];
  #final = new Map();   // transaction → run
  #order = null;        // heddle_blockOrder
  #waits = new Map();   // transaction → [{from, causes}]
  #critical = new Set();
  #lanes = 1;
  #end = 1;
  #selected = null;     // transaction
  #isAsked = false;
  #hashes = [];
  #table = h('div');
  paintMs = 0;
  element;

  constructor({isLive = false} = {}) {
    this.#scroll.append(this.#spread, this.#canvas);
    this.#canvas.addEventListener('pointermove', event => this.#point(event));
    this.#canvas.addEventListener('click', event => this.#point(event, true));
    this.#canvas.addEventListener('keydown', event => this.#press(event));
    new ResizeObserver(() => this.#rescale()).observe(this.#scroll);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#ask());
    const legend = [['ahead', 'ran ahead, accepted'], ['order', 'ran at its turn'],
      ['repaired', 'repaired: ran again'], ['lost', 'lost attempt'],
      ['thread', 'critical path']].map(([name, text]) => h('span', null,
        h('i', {class: `key ${name}`, 'aria-hidden': 'true'}), text));
    this.element = h('figure', {class: 'loom'}, this.#scroll, this.#tip,
      h('figcaption', {class: 'legend'}, legend,
        isLive ? null : h('label', {class: 'zoom'}, 'zoom ', this.#zoom)),
      isLive ? null : h('details', {ontoggle: event => this.#listRuns(event.target.open)},
        h('summary', null, 'The runs as a table'), this.#table));
  }

  /** @param execution  heddle_blockExecution. @param hashes  of the block's transactions. */
  show(execution, hashes = []) {
    this.#runs = readRuns(execution.runs ?? []);
    this.#hashes = hashes;
    this.#final = new Map(this.#runs.filter(run => run.isFinal).map(run => [run.index, run]));
    this.#lanes = this.#runs.reduce((most, run) => Math.max(most, run.worker + 1), 1);
    this.#end = this.#runs.reduce((last, run) => Math.max(last, run.end), 1);
    this.#selected = null;
    this.#order = null;
    this.#waits.clear();
    this.#critical.clear();
    this.#canvas.setAttribute('aria-label',
      `Block ${execution.number}: ${plural(this.#runs.length, 'run')} of ` +
      `${plural(execution.transactions, 'transaction')} on ` +
      `${plural(execution.workers, 'worker')} in ` +
      `${duration(execution.executionNs)}. Arrow keys go from one to the next.`);
    this.#rescale();
  }

  /** @param order  heddle_blockOrder of the same block. */
  weave(order) {
    this.#order = order;
    this.#critical = new Set(order.criticalPath);
    for (const [to, from, causes] of order.waits) {
      if (!this.#waits.has(to)) this.#waits.set(to, []);
      this.#waits.get(to).push({from, causes});
    }
    this.#ask();
  }

  get #width() {
    return Math.max(200, this.#scroll.clientWidth);
  }
  get #scale() {  // pixels a nanosecond
    return (this.#width - LEFT - 8) * 2 ** Number(this.#zoom.value) / this.#end;
  }
  #x(time) {
    return LEFT + time * this.#scale - this.#scroll.scrollLeft;
  }
  #y(worker) {
    return AXIS + worker * LANE + (LANE - BAR) / 2;
  }

  #rescale() {
    this.#spread.style.width = `${LEFT + 8 + this.#end * this.#scale}px`;
    this.#ask();
  }
  #ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      const began = performance.now();
      this.#paint();
      this.paintMs = performance.now() - began;
      this.element.dataset.painted = this.paintMs.toFixed(1);
    });
  }

  #paint() {
    const colours = palette();
    const height = AXIS + this.#lanes * LANE + 6;
    this.#canvas.style.width = `${this.#width}px`;
    const paint = fit(this.#canvas, this.#width, height);
    paint.font = '11px system-ui, sans-serif';
    this.#paintAxis(paint, colours, height);
    paint.save();
    paint.beginPath();
    paint.rect(LEFT - 1, 0, this.#width, height);
    paint.clip();
    this.#paintWaits(paint, colours);
    for (const run of this.#runs) this.#paintRun(paint, colours, run);
    this.#paintCritical(paint, colours);
    paint.restore();
  }

  #paintAxis(paint, colours, height) {
    const visible = (this.#width - LEFT) / this.#scale;
    const step = niceStep(visible, Math.max(2, this.#width / 110));
    const first = Math.floor(this.#scroll.scrollLeft / this.#scale / step) * step;
    paint.textAlign = 'center';
    for (let time = first; time <= first + visible + step; time += step) {
      const x = this.#x(time);
      if (x < LEFT - 1 || x > this.#width) continue;
      paint.fillStyle = colours.line;
      paint.fillRect(x, AXIS - 5, 1, height - AXIS + 2);
      paint.fillStyle = colours.muted;
      paint.fillText(tick(time), Math.min(Math.max(x, LEFT + 10), this.#width - 24), 12);
    }
    paint.textAlign = 'right';
    for (let worker = 0; worker < this.#lanes; ++worker) {
      const y = this.#y(worker) + BAR / 2;
      paint.fillStyle = colours.muted;
      paint.fillText(String(worker), LEFT - 12, y + 4);
      paint.fillStyle = colours.line;
      paint.fillRect(LEFT, y, this.#width - LEFT, 1);
    }
  }

  #paintRun(paint, colours, run) {
    const x = this.#x(run.begin);
    const width = Math.max(LEAST_BAR, (run.end - run.begin) * this.#scale - 0.5);
    if (x + width < LEFT || x > this.#width) return;
    const y = this.#y(run.worker);
    if (!run.isFinal) {  // an outline: work for nothing
      paint.strokeStyle = colours.lost;
      paint.lineWidth = 1;
      paint.strokeRect(x + 0.5, y + 3.5, Math.max(1, width - 1), BAR - 7);
      return;
    }
    paint.fillStyle = run.kind === 'repaired' ? colours.repaired
      : run.kind === 'inOrder' ? colours.order : colours.ahead;
    paint.globalAlpha = this.#selected === null || this.#isNear(run.index) ? 1 : 0.35;
    if (width > 5) {
      paint.beginPath();
      paint.roundRect(x, y, width, BAR, 3);
      paint.fill();
    } else {
      paint.fillRect(x, y, width, BAR);
    }
    paint.globalAlpha = 1;
    if (run.index !== this.#selected) return;
    paint.strokeStyle = colours.ink;
    paint.lineWidth = 2;
    paint.strokeRect(x - 1, y - 1, Math.max(width, 3) + 2, BAR + 2);
  }

  #isNear(index) {
    return index === this.#selected ||
      (this.#waits.get(this.#selected) ?? []).some(wait => wait.from === index) ||
      (this.#waits.get(index) ?? []).some(wait => wait.from === this.#selected);
  }

  #paintThread(paint, from, to) {
    const [a, b] = [this.#final.get(from), this.#final.get(to)];
    if (!a || !b) return;
    const [x1, y1] = [this.#x(a.end), this.#y(a.worker) + BAR / 2];
    const [x2, y2] = [this.#x(b.begin), this.#y(b.worker) + BAR / 2];
    if (Math.max(x1, x2) < LEFT || Math.min(x1, x2) > this.#width) return;
    const bend = Math.max(12, Math.abs(x2 - x1) / 2);
    paint.beginPath();
    paint.moveTo(x1, y1);
    paint.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    paint.stroke();
  }

  #paintWaits(paint, colours) {
    paint.strokeStyle = colours.muted;
    let drawn = 0;
    for (const [to, waits] of this.#waits) {
      const isChosen = this.#selected === null || to === this.#selected ||
        waits.some(wait => wait.from === this.#selected);
      if (!isChosen) continue;
      paint.globalAlpha = this.#selected === null ? 0.3 : 0.9;
      paint.lineWidth = this.#selected === null ? 0.8 : 1.4;
      for (const {from} of waits) {
        if (++drawn > MOST_THREADS) break;
        this.#paintThread(paint, from, to);
      }
    }
    paint.globalAlpha = 1;
  }

  #paintCritical(paint, colours) {
    const path = this.#order?.criticalPath ?? [];
    paint.strokeStyle = colours.thread;
    paint.lineWidth = 2.2;
    for (let i = 1; i < path.length; ++i) this.#paintThread(paint, path[i - 1], path[i]);
    // It goes over one of its transactions and under the next, as a thread does in cloth.
    paint.fillStyle = colours.thread;
    for (let i = 0; i < path.length; i += 2) {
      const run = this.#final.get(path[i]);
      if (!run) continue;
      const width = Math.max(LEAST_BAR, (run.end - run.begin) * this.#scale);
      paint.fillRect(this.#x(run.begin), this.#y(run.worker) + BAR / 2 - 1, width, 2);
    }
  }

  #point(event, isClick = false) {
    const box = this.#canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const worker = Math.floor((y - AXIS) / LANE);
    const time = (x - LEFT + this.#scroll.scrollLeft) / this.#scale;
    const near = 3 / this.#scale;
    let best = null;
    for (const run of this.#runs) {
      if (run.worker !== worker || run.begin - near > time || run.end + near < time) continue;
      const distance = Math.max(run.begin - time, time - run.end, 0);
      if (best === null || distance < best.distance) best = {run, distance};
    }
    this.#select(best?.run ?? null);
    if (isClick && best && this.#hashes[best.run.index])
      location.hash = `#/tx/${this.#hashes[best.run.index]}`;
  }

  #press(event) {
    const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1}[event.key];
    if (event.key === 'Enter' && this.#selected !== null && this.#hashes[this.#selected])
      location.hash = `#/tx/${this.#hashes[this.#selected]}`;
    if (event.key === 'Escape') this.#select(null);
    if (!step || this.#runs.length === 0) return;
    event.preventDefault();
    const runs = [...this.#final.keys()].sort((a, b) => a - b);
    const place = runs.indexOf(this.#selected);
    const next = runs[Math.min(runs.length - 1, Math.max(0, place < 0 ? 0 : place + step))];
    const run = this.#final.get(next);
    const x = this.#x(run.begin);
    if (x < LEFT || x > this.#width - 40) this.#scroll.scrollLeft += x - this.#width / 2;
    this.#tip.setAttribute('aria-live', 'polite');
    this.#select(run);
  }

  #select(run) {
    const index = run?.index ?? null;
    if (index === this.#selected && index !== null) return;
    this.#selected = index;
    replace(this.#tip, run ? this.#describe(run) : '');
    this.#ask();
  }

  #describe(run) {
    const waits = (this.#waits.get(run.index) ?? []).map(({from, causes}) =>
      `${from} (${causes.map(cause => objectText(this.#order.objects[cause])).join(', ')})`);
    return [h('b', null, `Transaction ${run.index}`),
      ` on worker ${run.worker}: ${duration(run.begin)} to ${duration(run.end)}, `,
      `${duration(run.end - run.begin)}; ${WORDS[run.kind] ?? run.kind}`,
      run.isFinal ? '' : ', for nothing', this.#critical.has(run.index)
        ? '; on the critical path' : '', waits.length > 0 ? `; waits for ${waits.join(', ')}` : ''];
  }

  #listRuns(isOpen) {
    if (!isOpen) return replace(this.#table);
    const list = new List('Runs', [{title: 'transaction', class: 'w5 right'},
      {title: 'worker', class: 'w4 right'}, {title: 'begin', class: 'w6 right'},
      {title: 'took', class: 'w6 right'}, {title: 'what became of it', class: 'grow'},
      {title: 'hash', class: 'w10 wide'}], index => {
      const run = this.#runs[index];
      return [String(run.index), String(run.worker), duration(run.begin),
        duration(run.end - run.begin),
        (WORDS[run.kind] ?? run.kind) + (run.isFinal ? '' : ', for nothing'),
        this.#hashes[run.index] ? transactionLink(this.#hashes[run.index]) : ''];
    }, {height: 'short'});
    replace(this.#table, list.element);
    list.resize(this.#runs.length);
  }
}

/** `slot 0x5 of 0x12…ab`. */
export function objectText(object) {
  if (!object) return 'an object';
  const address = plain(`${object.address.slice(0, 8)}…${object.address.slice(-4)}`);
  const slot = object.slot && object.slot.length > 14
    ? `${object.slot.slice(0, 8)}…${object.slot.slice(-4)}` : object.slot;
  if (object.kind === 'storage') return `slot ${slot} of ${address}`;
  return `${object.kind === 'allStorage' ? 'all storage' : object.kind} of ${address}`;
}
