// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A browser that opens the page of a node, and checks that are counted.
import { createRequire } from 'node:module';
import path from 'node:path';

const { HEDDLE_PACKAGES, HEDDLE_CHROMIUM } = process.env;
const { chromium } = createRequire(path.join(HEDDLE_PACKAGES, 'x.js'))('playwright-core');

let passed = 0;
let failed = 0;
export const problems = []; // that the browser has told of

export async function check(sentence, action) {
  try {
    await action();
    ++passed;
    console.log(`ok      ${sentence}`);
  } catch (error) {
    ++failed;
    const lines = String(error.message).split('\n').slice(0, 8);
    console.log([`FAILED  ${sentence}`, ...lines].join('\n        '));
  }
}

export function expect(isTrue, what) {
  if (!isTrue) throw new Error(what);
}

/** Waits until the page says so; a busy machine may take its time. */
export const until = (page, condition, argument) =>
  page.waitForFunction(condition, argument, { timeout: 120000, polling: 100 });
export const untilText = (page, text) =>
  until(page, (wanted) => document.querySelector('main').innerText.includes(wanted), text);

export async function open(browser, url, options = {}) {
  const { script, socket, ...others } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...others });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  if (script) await page.addInitScript(script);
  if (socket) await page.routeWebSocket(/./, socket);
  await page.goto(url);
  await page.waitForSelector('main h1', { state: 'attached', timeout: 120000 });
  return page;
}

export const launch = () => chromium.launch({
  executablePath: HEDDLE_CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});

/** At the end: how many checks there were, and whether all were good. */
export function report() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
