// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The page of a node under other addresses than 127.0.0.1: another address of the machine, and
// proxies before it; and what it looks like, against pictures that are kept. The node at
// HEDDLE_CLIENT_URL is new. HEDDLE_PICTURES is the folder of those pictures; with
// HEDDLE_KEEP_PICTURES they are made anew.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import {
  check, expect, launch, open, report, until, untilText,
} from './page_browser.mjs';
import { fill, sent, url } from './page_chain.mjs';

const { HEDDLE_PICTURES, HEDDLE_KEEP_PICTURES } = process.env;
// Fonts differ between machines: pictures are so small that only what is where can be seen. Another
// family of letters changes up to 1 % of the points by so much, another view 7 % and more.
const CELL = 16;
const DIFFERENT = 12; // of 255, in one colour
const MOST_DIFFERENT = 0.04; // of all points

const node = new URL(url);
const browser = await launch();
const chain = await fill();

/** A proxy that has the node below a path, and keeps Host. `hold` makes it one that takes everything
 *  and answers nothing; a port of 0 is any. */
async function proxy(hasWebSockets, port = 0) {
  const inner = (address) => address.replace(/^\/chain/, '') || '/';
  const target = { host: node.hostname, port: node.port };
  const sockets = new Set();
  let isHeld = false;
  const server = http.createServer((request, response) => {
    if (isHeld) return;
    const { method, headers } = request;
    const asked = http.request(
      { ...target, method, headers, path: inner(request.url) },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
    asked.on('error', () => response.destroy());
    request.pipe(asked);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => {});
    if (isHeld) return;
    if (!hasWebSockets) return socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const other = net.connect(target, () => {
      const lines = [`${request.method} ${inner(request.url)} HTTP/1.1`];
      for (let i = 0; i < request.rawHeaders.length; i += 2)
        lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
      other.write(`${lines.join('\r\n')}\r\n\r\n`);
      other.pipe(socket).pipe(other);
    });
    other.on('error', () => socket.destroy());
    sockets.add(other);
  });
  await new Promise((done) => { server.listen(port, '127.0.0.1', done); });
  return {
    url: `http://localhost:${server.address().port}/chain/`,
    port: server.address().port,
    hold() {
      isHeld = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.resume();
      }
    },
    async close() {
      const closed = new Promise((done) => { server.close(done); });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const stateOf = (page, state) =>
  until(page, (wanted) => document.getElementById('link').dataset.state === wanted, state);

/** Sends a transaction and waits until the page shows its block. */
async function expectLive(page) {
  const receipt = await sent({ from: chain.from, to: chain.to, value: '0x1' });
  await untilText(page, Number(receipt.blockNumber).toLocaleString('en'));
}

await check(`the page works at another address of the machine, ${node.hostname}`, async () => {
  expect(node.hostname !== '127.0.0.1', url);
  const page = await open(browser, `${url}/#/`);
  await stateOf(page, 'live');
  await expectLive(page);
  await page.context().close();
});

await check('the page works below a path of a proxy that keeps Host', async () => {
  const before = await proxy(true);
  const page = await open(browser, `${before.url}#/tx/${chain.posted.transactionHash}`);
  await untilText(page, 'nonce');
  await page.goto(`${before.url}#/`);
  await stateOf(page, 'live');
  await expectLive(page);
  await page.context().close();
  await before.close();
});

await check('behind a proxy that passes no WebSocket on, the node is asked instead', async () => {
  const before = await proxy(false);
  const page = await open(browser, `${before.url}#/`);
  await stateOf(page, 'polling');
  await expectLive(page);
  await page.context().close();
  await before.close();
});

const noticeOf = (page) => page.$eval('#notice', (one) => one.innerText);

// Trigger: a node that ends, and begins anew, while its page is open; with WebSockets and without.
// Symptom: a view that was asked for meanwhile said "Not found: Failed to fetch", for ever, and
// without WebSockets "The node does not answer" stayed as well.
for (const hasWebSockets of [true, false]) {
  const kind = hasWebSockets ? 'with WebSockets' : 'without WebSockets';
  await check(`a node that goes away and comes back is told, ${kind}`, async () => {
    const before = await proxy(hasWebSockets);
    const page = await open(browser, `${before.url}#/`);
    const state = hasWebSockets ? 'live' : 'polling';
    await stateOf(page, state);
    await before.close();
    await stateOf(page, 'lost');
    expect((await noticeOf(page)).startsWith('The node does not answer'), await noticeOf(page));
    await page.evaluate(() => { location.hash = '#/block/1'; });
    await untilText(page, 'No answer');
    const after = await proxy(hasWebSockets, before.port);
    await stateOf(page, state);
    await untilText(page, 'state root');
    expect(await noticeOf(page) === '', await noticeOf(page));
    await page.context().close();
    await after.close();
  });
}

// Trigger: a node that hangs, or a network that is gone: nothing comes, nothing is closed.
// Symptom: "live" was said for ever.
await check('a node that takes everything and answers nothing is told', async () => {
  const before = await proxy(true);
  const page = await open(browser, `${before.url}#/`, { script: () => {
    const { now } = Date;
    window.ahead = 0;
    Date.now = () => now() + window.ahead;
  } });
  await stateOf(page, 'live');
  before.hold();
  await until(page, () => { // half a minute passes each time that it is looked at
    window.ahead += 30000;
    return document.getElementById('link').dataset.state === 'lost';
  });
  await before.close();
  const after = await proxy(true, before.port);
  await stateOf(page, 'live');
  await expectLive(page);
  await page.context().close();
  await after.close();
});

/** The colours of a picture, in so few points that letters cannot be told. */
const reduce = (page, png, cell) => page.evaluate(async ([data, size]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${data}`;
  await image.decode();
  const small = document.createElement('canvas');
  small.width = Math.round(image.width / size);
  small.height = Math.round(image.height / size);
  const brush = small.getContext('2d');
  brush.imageSmoothingQuality = 'high';
  brush.drawImage(image, 0, 0, small.width, small.height);
  return small.toDataURL('image/png').split(',')[1];
}, [png.toString('base64'), cell]);

/** @return share of points that differ; 1 where the sizes do. */
const difference = (page, kept, seen, least) => page.evaluate(async ([a, b, threshold]) => {
  const points = await Promise.all([a, b].map(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const brush = canvas.getContext('2d');
    brush.drawImage(image, 0, 0);
    return brush.getImageData(0, 0, image.width, image.height);
  }));
  if (points[0].width !== points[1].width || points[0].height !== points[1].height) return 1;
  const [one, other] = points.map((each) => each.data);
  let different = 0;
  for (let i = 0; i < one.length; i += 4)
    if ([0, 1, 2].some((part) => Math.abs(one[i + part] - other[i + part]) > threshold))
      ++different;
  return different / (one.length / 4);
}, [kept, seen, least]);

async function expectLike(name, hash, options, ready) {
  const page = await open(browser, `${url}/${hash}`, options);
  await ready(page);
  await page.waitForTimeout(600); // for what is drawn at the next frame
  const png = await page.screenshot();
  await page.context().close();
  // Away from the page, whose policy forbids pictures out of data.
  const context = await browser.newContext();
  const blank = await context.newPage();
  const seen = await reduce(blank, png, CELL);
  const file = path.join(HEDDLE_PICTURES, `${name}.png`);
  if (HEDDLE_KEEP_PICTURES) writeFileSync(file, Buffer.from(seen, 'base64'));
  expect(existsSync(file), `${file} is not there`);
  const share = await difference(blank, readFileSync(file).toString('base64'), seen, DIFFERENT);
  await context.close();
  console.log(`        measured: ${(share * 100).toFixed(1)} % of ${name} differ`);
  expect(share <= MOST_DIFFERENT,
    `${(share * 100).toFixed(1)} % of the points differ from ${file}; where that is meant, run ` +
    'again with HEDDLE_KEEP_PICTURES=1 and look at it');
}

const phone = { viewport: { width: 360, height: 740 } };
const transaction = `#/tx/${chain.posted.transactionHash}`;
for (const [name, hash, options, text] of [
  ['transaction', transaction, {}, 'nonce'],
  ['transaction-dark', transaction, { colorScheme: 'dark' }, 'nonce'],
  ['transaction-phone', transaction, phone, 'nonce'],
  ['mempool', '#/mempool', {}, 'Nothing waits'],
])
  await check(`the view ${name} looks as it did`, () =>
    expectLike(name, hash, options, (page) => untilText(page, text)));

await check('a picture of another view is told apart', async () => {
  const context = await browser.newContext();
  const blank = await context.newPage();
  const kept = (name) => readFileSync(path.join(HEDDLE_PICTURES, `${name}.png`)).toString('base64');
  const far = async (a, b) => (await difference(blank, kept(a), kept(b), DIFFERENT)) >
    MOST_DIFFERENT;
  expect(await far('transaction', 'mempool'), 'a transaction is like the mempool');
  expect(await far('transaction', 'transaction-dark'), 'light is like dark');
  expect(await far('transaction', 'transaction-phone'), 'wide is like narrow');
  await context.close();
});

await browser.close();
report();
