// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
import { eventOf } from './contracts.mjs';
import { program } from '../foundry.mjs';
import { addresses, keys, step, url } from '../transcript.mjs';

const FOREVER = '18446744073709551615';
const AMOUNT = '2000000000000000000';

/** The same with cast. */
export async function swapWithCast({ a, b, c, v2, v3, there }) {
  const run = program('cast');
  const swap = async (...args) => {
    const receipt = JSON.parse(await run('send', '--rpc-url', url, '--private-key', keys[0],
      '--json', ...args));
    return {
      status: Number(receipt.status), gasUsed: Number(receipt.gasUsed),
      logs: receipt.logs.map(eventOf),
    };
  };
  await step('cast: v2 quote', () => run('call', '--rpc-url', url, v2,
    'getAmountsOut(uint256,address[])(uint256[])', AMOUNT, `[${a},${b},${c}]`));
  await step('cast: v2 over two pools', () => swap(v2,
    'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', AMOUNT, '0',
    `[${a},${b},${c}]`, addresses[0], FOREVER));
  await step('cast: v3 over two pools', () => swap(v3,
    'exactInput((bytes,address,uint256,uint256,uint256))',
    `(${there},${addresses[0]},${FOREVER},${AMOUNT},0)`));
}
