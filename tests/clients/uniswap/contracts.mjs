// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Uniswap's contracts as its npm packages publish them, and what the scripts write of receipts.
import { createRequire } from 'node:module';

import { Interface } from 'ethers';

const require = createRequire(import.meta.url);
const ARTEFACTS = {
  v2Factory: 'v2-core/build/UniswapV2Factory.json',
  v2Pair: 'v2-core/build/UniswapV2Pair.json',
  v2Router: 'v2-periphery/build/UniswapV2Router02.json',
  token: 'v2-periphery/build/ERC20.json',
  weth: 'v2-periphery/build/WETH9.json',
  v3Factory: 'v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  v3Pool: 'v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json',
  v3Router: 'v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
  quoter: 'v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
  positions: 'v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/' +
    'NonfungiblePositionManager.json',
  drawing: 'v3-periphery/artifacts/contracts/libraries/NFTDescriptor.sol/NFTDescriptor.json',
  descriptor: 'v3-periphery/artifacts/contracts/NonfungibleTokenPositionDescriptor.sol/' +
    'NonfungibleTokenPositionDescriptor.json',
  router02: 'swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
};

/** By the names above: `abi` and `bytecode`, in which libraries may be open. */
export const contracts = Object.fromEntries(Object.entries(ARTEFACTS).map(([name, path]) => {
  const artefact = require(`@uniswap/${path}`);
  const { bytecode } = artefact;
  return [name, {
    abi: artefact.abi, links: artefact.linkReferences ?? {},
    bytecode: bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`,
  }];
}));

/** Its bytecode with `address` for each library that it is linked with. */
export function linked({ bytecode, links }, address) {
  let text = bytecode;
  for (const place of Object.values(links).flatMap((each) => Object.values(each)).flat()) {
    const begin = 2 + 2 * place.start;
    text = text.slice(0, begin) + address.slice(2).toLowerCase() +
      text.slice(begin + 2 * place.length);
  }
  return text;
}

const events = [...new Map(Object.values(contracts).flatMap((each) => each.abi)
  .filter((entry) => entry.type === 'event')
  // Transfers of tokens and of positions differ in what is indexed only.
  .map((entry) => [`${entry.name}${entry.inputs.map((input) => input.indexed)}`, entry])).values()]
  .map((entry) => new Interface([entry]));

/** An event in words: its name and arguments. */
export function eventOf(log) {
  for (const one of events) {
    try {
      const found = one.parseLog({ topics: [...log.topics], data: log.data });
      if (found) return [log.address.toLowerCase(), found.name, ...found.args];
    } catch {
      // The same signature with other indexed members.
    }
  }
  return [log.address.toLowerCase(), ...log.topics, log.data];
}

/** Tokens and fees of pools, as the routers of v3 take them. */
export const path = (first, ...hops) => `0x${first.slice(2)}${hops.map(([fee, token]) =>
  fee.toString(16).padStart(6, '0') + token.slice(2)).join('')}`.toLowerCase();

export const FOREVER = 2n ** 64n - 1n;
