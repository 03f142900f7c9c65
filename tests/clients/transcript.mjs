// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a client saw, step by step, as text that two nodes can be compared by. Values that differ
// from run to run (block hashes, timestamps) are left out by the steps themselves.
import { readFileSync, writeFileSync } from 'node:fs';

export const url = process.env.HEDDLE_CLIENT_URL;
export const socketUrl = url.replace(/^http/, 'ws');
export const chainId = 1337;

// The first of `heddle node --dev`.
export const keys = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
];
export const addresses = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
];
export const board = JSON.parse(
  readFileSync(new URL('contracts/Board.json', import.meta.url), 'utf8'),
);

function plain(value) {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  return value === undefined ? null : value;
}

const steps = [];

/** Runs one step and keeps what it returns. An exception ends the client. */
export async function step(name, action) {
  try {
    const result = await action();
    steps.push({ step: name, result: plain(result) });
    return result;
  } catch (error) {
    error.message = `step "${name}": ${error.message}`;
    throw error;
  }
}

/** Runs one step that must fail, and keeps what `describe` makes of its error. */
export async function failing(name, action, describe) {
  await step(name, async () => {
    let result;
    try {
      result = await action();
    } catch (error) {
      return describe(error);
    }
    throw new Error(`succeeded: ${JSON.stringify(plain(result))}`);
  });
}

/** Adds the steps of another program to the transcript. */
export function recorded(more) {
  steps.push(...more);
}

/** Writes the transcript; open sockets do not keep the client alive. */
export function finish() {
  const lines = steps.map((each) => `  ${JSON.stringify(each)}`).join(',\n');
  writeFileSync(process.env.HEDDLE_CLIENT_TRANSCRIPT, `[\n${lines}\n]\n`);
  process.exit(0);
}

/** Resolves when `condition` returns something; the runner bounds the time. */
export async function until(condition) {
  for (;;) {
    const result = await condition();
    if (result) return result;
    await new Promise((resume) => setTimeout(resume, 50));
  }
}
