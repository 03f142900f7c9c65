// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
import { createPublicClient, createWalletClient, defineChain, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

import { FOREVER, contracts, eventOf } from './contracts.mjs';
import { chainId, keys, step, url } from '../transcript.mjs';

/** Swaps over several pools of v2 and v3 with viem: quoted, simulated, sent. */
export async function swapWithViem({ a, b, c, v2, v3, quoter, there }) {
  const chain = defineChain({
    id: chainId, name: 'Heddle', nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const transport = http(url);
  const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
  const account = privateKeyToAccount(keys[0]);
  const wallet = createWalletClient({ account, chain, transport });
  const simulate = (address, name, functionName, args) => client.simulateContract({
    address, abi: contracts[name].abi, functionName, args, account,
  });
  const swap = async (...call) => {
    const { request, result } = await simulate(...call);
    const hash = await wallet.writeContract(request);
    const receipt = await client.waitForTransactionReceipt({ hash });
    return {
      result, status: receipt.status, gasUsed: receipt.gasUsed, logs: receipt.logs.map(eventOf),
    };
  };

  await step('viem: v2 over two pools', () => swap(v2, 'v2Router', 'swapExactTokensForTokens',
    [parseEther('3'), 0n, [a, b, c], account.address, FOREVER]));
  await step('viem: v3 quote', async () =>
    (await simulate(quoter, 'quoter', 'quoteExactInput', [there, parseEther('3')])).result);
  await step('viem: v3 over two pools', () => swap(v3, 'v3Router', 'exactInput', [{
    path: there, recipient: account.address, deadline: FOREVER, amountIn: parseEther('3'),
    amountOutMinimum: 0n,
  }]));
}
