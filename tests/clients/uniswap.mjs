// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Uniswap v2 and v3 as published, with ethers: deployed, filled, and swapped on over several
// pools; then swapped on by viem, web3.py and cast, as far as these are installed with it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  Contract, ContractFactory, JsonRpcProvider, MaxUint256, Signature, Wallet,
  encodeBytes32String, keccak256, parseEther, toUtf8Bytes,
} from 'ethers';

import { FOREVER, contracts, eventOf, linked, path } from './uniswap/contracts.mjs';
import { swapWithCast } from './uniswap/cast.mjs';
import { swapWithViem } from './uniswap/viem.mjs';
import { chainId, failing, finish, keys, recorded, step, url } from './transcript.mjs';

const provider = new JsonRpcProvider(url, undefined, { pollingInterval: 20, cacheTimeout: -1 });
const wallet = new Wallet(keys[0], provider);
const me = wallet.address;

const receiptOf = (receipt) => ({
  status: receipt.status, gasUsed: receipt.gasUsed, logs: receipt.logs.map(eventOf),
});
const done = async (sent) => receiptOf(await (await sent).wait());
const errorOf = (error) => ({ code: error.code, reason: error.reason });
const ether = parseEther;

async function deploy(name, bytecode, ...values) {
  const { abi } = contracts[name];
  const made = await new ContractFactory(abi, bytecode ?? contracts[name].bytecode, wallet)
    .deploy(...values);
  const receipt = await made.deploymentTransaction().wait();
  return { contract: made, at: made.target, gasUsed: receipt.gasUsed };
}
const at = (name, address) => new Contract(address, contracts[name].abi, wallet);

// --- Tokens and v2 ----------------------------------------------------------------------------

const tokens = [];
await step('tokens', async () => {
  for (let i = 0; i < 3; ++i)
    tokens.push((await deploy('token', undefined, ether('1000000'))).contract);
  return Promise.all(tokens.map(async (each) => [each.target, await each.balanceOf(me)]));
});
const [a, b, c] = tokens.map((each) => each.target);
const made = {};
await step('v2: deploy', async () => {
  made.weth = await deploy('weth');
  made.v2Factory = await deploy('v2Factory', undefined, me);
  made.v2Router = await deploy('v2Router', undefined, made.v2Factory.at, made.weth.at);
  return ['weth', 'v2Factory', 'v2Router'].map((name) => [made[name].at, made[name].gasUsed]);
});
const weth = made.weth.at;
const v2 = made.v2Router.contract;
await step('approvals', async () => {
  const receipts = [];
  for (const token of tokens) receipts.push(await done(token.approve(v2.target, MaxUint256)));
  return receipts;
});
await step('v2: liquidity of a and b', () => done(v2.addLiquidity(
  a, b, ether('10000'), ether('20000'), 0, 0, me, FOREVER)));
await step('v2: liquidity of b and c', () => done(v2.addLiquidity(
  b, c, ether('10000'), ether('5000'), 0, 0, me, FOREVER)));
await step('v2: liquidity of c and ether', () => done(v2.addLiquidityETH(
  c, ether('5000'), 0, 0, me, FOREVER, { value: ether('50') })));
await step('v2: quotes over three pools', async () => [
  await v2.getAmountsOut(ether('10'), [a, b, c, weth]),
  await v2.getAmountsIn(ether('0.01'), [a, b, c, weth]),
].map((each) => [...each]));
await step('v2: swap of tokens over two pools', () => done(v2.swapExactTokensForTokens(
  ether('10'), ether('9'), [a, b, c], me, FOREVER)));
await step('v2: swap of ether over three pools', () => done(v2.swapExactETHForTokens(
  0, [weth, c, b, a], me, FOREVER, { value: ether('1') })));
await step('v2: swap for ether over three pools', () => done(v2.swapTokensForExactETH(
  ether('0.05'), MaxUint256, [a, b, c, weth], me, FOREVER)));
await failing('v2: a swap that brings too little', () => v2.swapExactTokensForTokens(
  ether('10'), ether('1000'), [a, b, c], me, FOREVER), errorOf);
await failing('v2: a swap that comes too late', () => v2.swapExactTokensForTokens(
  ether('10'), 0, [a, b, c], me, 1), errorOf);
await step('v2: liquidity taken out with a permit', async () => {
  const pair = at('v2Pair', await made.v2Factory.contract.getPair(a, b));
  const liquidity = (await pair.balanceOf(me)) / 2n;
  const types = { Permit: [
    { name: 'owner', type: 'address' }, { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' }, { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' }] };
  const { v, r, s } = Signature.from(await wallet.signTypedData(
    { name: 'Uniswap V2', version: '1', chainId, verifyingContract: pair.target }, types,
    { owner: me, spender: v2.target, value: liquidity, nonce: 0, deadline: FOREVER }));
  return done(v2.removeLiquidityWithPermit(
    a, b, liquidity, 0, 0, me, FOREVER, false, v, r, s));
});

// --- v3 ---------------------------------------------------------------------------------------

await step('v3: deploy', async () => {
  made.v3Factory = await deploy('v3Factory');
  const factory = made.v3Factory.at;
  made.v3Router = await deploy('v3Router', undefined, factory, weth);
  made.quoter = await deploy('quoter', undefined, factory, weth);
  made.drawing = await deploy('drawing');
  made.descriptor = await deploy('descriptor', linked(contracts.descriptor, made.drawing.at), weth,
    encodeBytes32String('ETH'));
  made.positions = await deploy('positions', undefined, factory, weth, made.descriptor.at);
  made.router02 = await deploy('router02', undefined, made.v2Factory.at, factory,
    made.positions.at, weth);
  return ['v3Factory', 'v3Router', 'quoter', 'drawing', 'descriptor', 'positions', 'router02']
    .map((name) => [made[name].at, made[name].gasUsed]);
});
const [v3, quoter, positions, both] = ['v3Router', 'quoter', 'positions', 'router02']
  .map((name) => made[name].contract);
const EVEN = 2n ** 96n; // a price of one
const POOLS = [[a, b, 3000], [b, c, 500], [c, weth, 3000]];
const sorted = (one, other) => (BigInt(one) < BigInt(other) ? [one, other] : [other, one]);
await step('v3: approvals', async () => {
  for (const token of tokens)
    for (const spender of [v3, positions, both])
      await (await token.approve(spender.target, MaxUint256)).wait();
  await (await made.weth.contract.approve(positions.target, MaxUint256)).wait();
  return done(made.weth.contract.deposit({ value: ether('100') }));
});
await step('v3: pools', async () => {
  const receipts = [];
  for (const [one, other, fee] of POOLS)
    receipts.push(await done(positions.createAndInitializePoolIfNecessary(
      ...sorted(one, other), fee, EVEN)));
  return receipts;
});
await step('v3: positions', async () => {
  const receipts = [];
  for (const [one, other, fee] of POOLS) {
    const [token0, token1] = sorted(one, other);
    const amount = ether(other === weth ? '50' : '5000');
    receipts.push(await done(positions.mint({
      token0, token1, fee, tickLower: -6000, tickUpper: 6000, amount0Desired: amount,
      amount1Desired: amount, amount0Min: 0, amount1Min: 0, recipient: me, deadline: FOREVER,
    })));
  }
  return receipts;
});
const there = path(a, [3000, b], [500, c]);
const back = path(c, [500, b], [3000, a]);
await step('v3: quotes over two pools', async () => {
  const out = await quoter.quoteExactInput.staticCall(there, ether('10'));
  const into = await quoter.quoteExactOutput.staticCall(back, ether('10'));
  return [out, into].map((each) => [each[0], [...each[1]], [...each[2]], each[3]]);
});
await step('v3: exact input over two pools', () => done(v3.exactInput({
  path: there, recipient: me, deadline: FOREVER, amountIn: ether('10'), amountOutMinimum: 0,
})));
await step('v3: exact output over two pools', () => done(v3.exactOutput({
  path: back, recipient: me, deadline: FOREVER, amountOut: ether('10'),
  amountInMaximum: ether('20'),
})));
await step('v3: exact input over three pools, for ether', () => done(v3.multicall([
  v3.interface.encodeFunctionData('exactInput', [{
    path: path(a, [3000, b], [500, c], [3000, weth]), recipient: `0x${'0'.repeat(40)}`,
    deadline: FOREVER, amountIn: ether('2'), amountOutMinimum: 0,
  }]),
  v3.interface.encodeFunctionData('unwrapWETH9', [0, me]),
])));
await failing('v3: a swap that brings too little', () => v3.exactInput({
  path: there, recipient: me, deadline: FOREVER, amountIn: ether('10'),
  amountOutMinimum: ether('11'),
}), errorOf);
await step('v3: liquidity is added, taken out and collected', async () => {
  const all = { amount0Max: 2n ** 128n - 1n, amount1Max: 2n ** 128n - 1n };
  const added = await done(positions.increaseLiquidity({
    tokenId: 1, amount0Desired: ether('10'), amount1Desired: ether('10'), amount0Min: 0,
    amount1Min: 0, deadline: FOREVER,
  }));
  const { liquidity } = await positions.positions(1);
  const taken = await done(positions.multicall([
    positions.interface.encodeFunctionData('decreaseLiquidity', [{
      tokenId: 1, liquidity: liquidity / 2n, amount0Min: 0, amount1Min: 0, deadline: FOREVER,
    }]),
    positions.interface.encodeFunctionData('collect', [{ tokenId: 1, recipient: me, ...all }]),
  ]));
  return [added, taken];
});
await step('v3: a position draws itself', async () => {
  const text = await positions.tokenURI(1);
  return [text.slice(0, 29), text.length, keccak256(toUtf8Bytes(text))];
});
await step('v2 and v3 in one transaction', () => done(both['multicall(uint256,bytes[])'](FOREVER, [
  both.interface.encodeFunctionData('swapExactTokensForTokens', [
    ether('5'), 0, [a, b], '0x0000000000000000000000000000000000000002']),
  both.interface.encodeFunctionData('exactInput', [{
    path: path(b, [500, c], [3000, weth]), recipient: '0x0000000000000000000000000000000000000002',
    amountIn: 0, amountOutMinimum: 0,
  }]),
  both.interface.encodeFunctionData('unwrapWETH9(uint256,address)', [0, me]),
])));
await step('state of a pool', async () => {
  const pool = at('v3Pool', await made.v3Factory.contract.getPool(a, b, 3000));
  const now = await pool.slot0();
  return [now.sqrtPriceX96, now.tick, await pool.liquidity(), await pool.feeGrowthGlobal0X128()];
});

// --- Other clients on the same contracts ------------------------------------------------------

const deployed = {
  a, b, c, weth, v2: v2.target, v3: v3.target, quoter: quoter.target, there, back,
};
await swapWithViem(deployed);
await swapWithCast(deployed);

writeFileSync('deployed.json', JSON.stringify({ ...deployed, abis: {
  v2: contracts.v2Router.abi, v3: contracts.v3Router.abi, quoter: contracts.quoter.abi,
} }));
const python = join(process.env.HEDDLE_CLIENT_PACKAGES, '..', 'venv', 'bin', 'python');
if (!existsSync(python)) throw new Error('there is no web3.py');
execFileSync(python, [join('uniswap', 'web3_swaps.py'), 'deployed.json', 'swapped.json'],
  { stdio: 'inherit' });
recorded(JSON.parse(readFileSync('swapped.json', 'utf8')));
finish();
