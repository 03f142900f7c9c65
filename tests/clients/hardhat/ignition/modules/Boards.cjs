// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A deployment as people describe it: contracts, calls that wait for each other, what events and
// views say, plain transfers, and a module that builds on another one.
const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules');

const first = buildModule('First', (m) => {
  const board = m.contract('Board', [m.getParameter('name', 'first')], { value: 5n });
  const posted = m.call(board, 'post', ['hello'], { value: 7n });
  const again = m.call(board, 'post', ['again'], { id: 'again', from: m.getAccount(1),
    after: [posted] });
  m.send('gift', board, 10n ** 18n, undefined, { after: [again] });
  return { board, author: m.readEventArgument(again, 'Posted', 'author') };
});

module.exports = buildModule('Boards', (m) => {
  const { board, author } = m.useModule(first);
  const second = m.contract('Board', ['second'], { id: 'second' });
  m.call(second, 'post', [m.staticCall(board, 'name')], { id: 'copied', after: [board] });
  const same = m.contractAt('Board', second, { id: 'same' });
  m.call(same, 'post', ['through the address'], { from: m.getAccount(2) });
  m.call(same, 'written', [author], { id: 'counted' });
  return { board, second };
});
