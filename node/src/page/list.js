// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A list of any length of which only what can be seen is in the document.
import {h, replace} from './dom.js';

const ROW_PX = 34;
const AHEAD = 8;  // rows drawn above and below
// Browsers know no element that is taller than some 30 million pixels.
const MOST_ROWS = 800000;

/** A scrolling table whose rows all have the same height.
 *  `columns`: {title, class}; `rowOf(index)`: the row's cells, or a promise of them, or null. */
export class List {
  #columns;
  #rowOf;
  #count = 0;
  #drawn = '';
  #isAsked = false;
  #body = h('div', {class: 'rows', role: 'rowgroup'});
  #filler = h('div', {class: 'filler', role: 'presentation'}, this.#body);
  #view;
  element;

  constructor(label, columns, rowOf, {height = null} = {}) {
    this.#columns = columns;
    this.#rowOf = rowOf;
    this.#view = h('div', {class: 'view', tabindex: '0', role: 'presentation',
                           onscroll: () => this.draw()}, this.#filler);
    if (height) this.#view.classList.add(height);
    const heads = h('div', {class: 'heads', role: 'row'}, columns.map(column =>
      h('span', {role: 'columnheader', class: column.class}, column.title)));
    this.element = h('div', {class: 'list', role: 'table', 'aria-label': label}, heads,
                     this.#view);
    new ResizeObserver(() => this.draw(true)).observe(this.#view);
  }

  /** How many rows there are. What is looked at stays where it is if `added` rows came above it. */
  resize(count, added = 0) {
    this.#count = Math.min(count, MOST_ROWS);
    this.element.setAttribute('aria-rowcount', String(this.#count));
    this.#filler.style.height = `${this.#count * ROW_PX}px`;
    if (added > 0 && this.#view.scrollTop > ROW_PX) this.#view.scrollTop += added * ROW_PX;
    this.draw(true);
  }

  /** The first row and how many can be seen. */
  get window() {
    const first = Math.floor(this.#view.scrollTop / ROW_PX);
    return {first, count: Math.ceil(this.#view.clientHeight / ROW_PX) + 1};
  }

  draw(isForced = false) {
    if (isForced) this.#drawn = '';
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      this.#fill();
    });
  }

  #fill() {
    const {first, count} = this.window;
    const begin = Math.max(0, first - AHEAD);
    const end = Math.min(this.#count, first + count + AHEAD);
    if (this.#drawn === `${begin} ${end}`) return;
    this.#drawn = `${begin} ${end}`;
    this.#body.style.transform = `translateY(${begin * ROW_PX}px)`;
    const rows = [];
    for (let index = begin; index < end; ++index) {
      const row = h('div', {class: 'row', role: 'row', 'aria-rowindex': index + 1});
      const cells = this.#rowOf(index);
      if (cells instanceof Promise)
        cells.then(these => this.#put(row, these), () => this.#put(row, ['–']));
      else this.#put(row, cells);
      rows.push(row);
    }
    replace(this.#body, rows);
  }

  #put(row, cells) {
    replace(row, (cells ?? []).map((cell, i) =>
      h('span', {role: 'cell', class: this.#columns[i]?.class}, cell)));
  }
}
