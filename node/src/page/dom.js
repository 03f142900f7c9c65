// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Making elements. Everything that a chain says becomes text, never markup: nothing in this page
// sets innerHTML, and the policy that the node sends with it forbids that as well.

/** An element. Properties that begin with `on` are listeners, the others attributes; children are
 *  elements or text, and what is null or false is left out. */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

export const byId = id => document.getElementById(id);

// Characters that change how others are shown, or cannot be seen: control characters, marks that
// turn the direction of text, spaces without width, tags, lone surrogates.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00ad\u034f\u115f\u1160\u2800\u3164\uffa0]/gu;
const LONGEST = 4096;

/** Text that somebody else has chosen, with characters that cannot be seen written out. */
export function visible(text) {
  const whole = String(text);
  const shown = whole.length > LONGEST ? whole.slice(0, LONGEST) : whole;
  const parts = [];
  let end = 0;
  for (const found of shown.matchAll(HIDDEN)) {
    parts.push(shown.slice(end, found.index), h('span', {class: 'escape'}, code(found[0])));
    end = found.index + found[0].length;
  }
  parts.push(shown.slice(end));
  if (whole.length > LONGEST) parts.push(` … ${whole.length - LONGEST} more`);
  return h('bdi', {class: 'foreign'}, parts);
}

/** The same as plain text, for labels and pictures. */
export function plain(text) {
  return String(text).slice(0, 128).replace(HIDDEN, code);
}

function code(character) {
  return `\\u{${character.codePointAt(0).toString(16)}}`;
}

/** A term and what it is; rows that are false are left out. `kind` beside: several in a line. */
export function facts(rows, kind = '') {
  return h('dl', {class: `facts ${kind}`}, rows.filter(Boolean).map(([term, ...what]) =>
    h('div', null, h('dt', null, term), h('dd', null, what))));
}

export function panel(title, ...children) {
  return h('section', {class: 'panel'}, h('h2', null, title), children);
}

/** Rows of cells. A head that begins with `>` is one of numbers, which end at the right. */
export function table(label, heads, rows) {
  const kinds = heads.map(head => head.startsWith('>') ? 'right' : null);
  return h('div', {class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0'},
    h('table', null,
      h('caption', {class: 'hidden'}, label),
      h('thead', null, h('tr', null, heads.map((head, i) =>
        h('th', {scope: 'col', class: kinds[i]}, head.replace('>', ''))))),
      h('tbody', null, rows.map(cells => h('tr', null, cells.map((cell, i) =>
        h('td', {class: kinds[i]}, cell)))))));
}

export const blockLink = number => h('a', {href: `#/block/${number}`, class: 'number'},
  Number(number).toLocaleString('en'));

/** A hash or an address as a link; narrow places get its two ends, and its whole as a title. */
function hashLink(kind, value, label) {
  const text = label ?? h('span', {class: 'ends'}, `${value.slice(0, 10)}…${value.slice(-6)}`);
  return h('a', {href: `#/${kind}/${value}`, class: 'hash', title: value}, text);
}

export const transactionLink = hash => hashLink('tx', hash);
export const addressLink = (address, name) =>
  name ? [hashLink('address', address), ' ', h('span', {class: 'tag'}, visible(name))]
       : hashLink('address', address);

/** Something long that is copied with a press. */
export function copyable(text) {
  const button = h('button', {class: 'copy', type: 'button', 'aria-label': 'Copy', onclick: () => {
    navigator.clipboard?.writeText(text).then(() => say('Copied.'), () => say('Not copied.'));
  }}, 'copy');
  return h('span', {class: 'copyable'}, h('code', null, text), button);
}

/** One sentence for everybody, read out by screen readers. */
export function say(sentence) {
  replace(byId('notice'), sentence);
}
