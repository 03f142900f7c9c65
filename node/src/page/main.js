// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which view is shown, by what is behind the # of the address, and what is on all of them.
import {account} from './account.js';
import {block, blocks, transactions} from './block.js';
import {chain} from './chain.js';
import {interfaces} from './decode.js';
import {byId, h, replace, say, visible} from './dom.js';
import {plural} from './format.js';
import {mempool} from './mempool.js';
import {overview} from './overview.js';
import {NoAnswer, rpc} from './rpc.js';
import {startSearch} from './search.js';
import {transaction} from './transaction.js';

// A view gives {title, element, end()}, or a promise of it.
const VIEWS = [
  [/^$/, overview],
  [/^blocks$/, blocks],
  [/^transactions$/, transactions],
  [/^mempool$/, mempool],
  [/^block\/(\d{1,20}|0x[0-9a-f]{64})$/i, block],
  [/^tx\/(0x[0-9a-f]{64})$/i, transaction],
  [/^address\/(0x[0-9a-f]{40})$/i, account],
];
const STATES = {connecting: 'connecting', live: 'live', polling: 'live, without WebSocket',
  lost: 'not connected, trying again'};

let current = null;  // the view that is shown
let serial = 0;      // of the one that was asked for last

function problem(title, text) {
  return {title, end: () => {}, element: h('div', null, h('h1', null, title),
    h('p', {role: 'alert'}, visible(text)), h('p', null, h('a', {href: '#/'}, 'Overview')))};
}

async function make(path) {
  for (const [pattern, view] of VIEWS) {
    const found = pattern.exec(path);
    if (!found) continue;
    try {
      return await view(...found.slice(1));
    } catch (error) {
      if (!(error instanceof NoAnswer)) return problem('Not found', error.message);
      return {...problem('No answer', error.message), isUnanswered: true};
    }
  }
  return problem('Not found', 'There is no such view.');
}

async function go(isFirst) {
  const mine = ++serial;
  const path = location.hash.replace(/^#\/?/, '');
  const view = await make(path);
  if (mine !== serial) return view.end();  // somebody has gone on meanwhile
  current?.end();
  current = view;
  document.title = `${view.title} – Heddle`;
  replace(byId('main'), view.element);
  for (const link of document.querySelectorAll('header nav a')) {
    const isHere = link.getAttribute('href') === `#/${path.split('/')[0]}`;
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (isFirst) return;
  window.scrollTo(0, 0);
  byId('main').focus({preventScroll: true});
}

function showState(state) {
  const link = byId('link');
  link.dataset.state = state;
  replace(byId('link-text'), STATES[state]);
  if (state === 'lost') return say('The node does not answer; trying again.');
  say('');
  if (current?.isUnanswered) go(true);  // now there is somebody who may answer
}

// The blocks beside a block are one key away.
document.addEventListener('keydown', event => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
  const key = {'[': 'prev', ']': 'next'}[event.key];
  const link = key && document.querySelector(`.steps a[rel=${key}]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});

rpc.on('state', showState);
window.addEventListener('hashchange', () => go(false));
startSearch();
rpc.start();
chain.start();
rpc.call('web3_clientVersion').then(
  version => replace(byId('version'), visible(version)), () => {});
interfaces.load().then(() => {
  const {contracts, leftOut} = interfaces;
  if (contracts.length === 0 && leftOut.count === 0) return;
  replace(byId('artifacts'), `interfaces of ${plural(contracts.length, 'contract')}`,
    leftOut.count > 0 ? `, ${leftOut.count} left out` : '');
  byId('artifacts').title = leftOut.list.map(one => `${one.file}: ${one.reason}`).join('\n');
  if (/^#\/(tx|block|address)/.test(location.hash)) go(true);
}, error => console.warn(error.message));
go(true);
