// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "node_pages.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "json_writer.hpp"

namespace heddle::node {
namespace {

/// Shows the chain with what JSON-RPC over WebSocket gives; needs nothing from anywhere else.
constexpr std::string_view kFrontPage = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Heddle</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
 :root { color-scheme: light dark; }
 body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 68rem; padding: 0 1rem; }
 h1 { font-size: 1.3rem; margin: 0; } .facts { display: flex; gap: 2rem; flex-wrap: wrap; margin: 1rem 0; }
 .facts div { min-width: 7rem; } .facts b { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
 table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
 th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid #8884; } th:last-child, td:last-child { text-align: left; font-family: monospace; }
 .bar { display: inline-block; height: .7em; background: #4a8; vertical-align: baseline; }
 #status { color: #c33; }
</style></head><body>
<h1>Heddle</h1><div id="version"></div><div id="status" role="status"></div>
<div class="facts">
 <div>block<b id="number">–</b></div><div>transactions/s<b id="tps">–</b></div>
 <div>Mgas/s<b id="gas">–</b></div><div>pending<b id="pending">–</b></div>
 <div>base fee (gwei)<b id="fee">–</b></div><div>chain id<b id="chain">–</b></div></div>
<table><thead><tr><th>block</th><th>age</th><th>transactions</th><th>gas used</th><th></th><th>hash</th></tr></thead><tbody id="blocks"></tbody></table>
<p>JSON-RPC over HTTP and WebSocket at this address. <a href="/metrics">Metrics</a>, <a href="/health">health</a>.</p>
<script>
const $ = id => document.getElementById(id), shown = [], calls = new Map();
let socket, nextId = 1;
const call = (method, ...params) => new Promise((done, failed) => {
  calls.set(nextId, {done, failed});
  socket.send(JSON.stringify({jsonrpc: '2.0', id: nextId++, method, params})); });
const row = (text, cell = document.createElement('td')) => { cell.textContent = text; return cell; };
function draw() {
  const now = Date.now() / 1000, body = $('blocks'); body.replaceChildren();
  for (const b of shown) {
    const tr = document.createElement('tr'), bar = document.createElement('td'), span = document.createElement('span');
    span.className = 'bar'; span.style.width = (60 * Number(b.gasUsed) / Number(b.gasLimit)) + 'px'; bar.append(span);
    tr.append(row(Number(b.number)), row(Math.max(0, Math.round(now - Number(b.timestamp))) + ' s'),
              row(b.count ?? ''), row(Number(b.gasUsed).toLocaleString()), bar, row(b.hash));
    body.append(tr); }
  const recent = shown.filter(b => b.seen > now - 10), span = 10;
  $('tps').textContent = (recent.reduce((sum, b) => sum + (b.count ?? 0), 0) / span).toFixed(1);
  $('gas').textContent = (recent.reduce((sum, b) => sum + Number(b.gasUsed), 0) / span / 1e6).toFixed(1);
}
async function add(head, seen) {
  const block = {...head, seen};
  shown.unshift(block); shown.length = Math.min(shown.length, 400);
  $('number').textContent = Number(head.number).toLocaleString();
  if (head.baseFeePerGas) $('fee').textContent = (Number(head.baseFeePerGas) / 1e9).toPrecision(3);
  block.count = Number(await call('eth_getBlockTransactionCountByHash', head.hash));
}
async function opened() {
  $('status').textContent = '';
  $('version').textContent = await call('web3_clientVersion');
  $('chain').textContent = Number(await call('eth_chainId'));
  await add(await call('eth_getBlockByNumber', 'latest', false), 0);
  await call('eth_subscribe', 'newHeads');
}
function connect() {
  socket = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host);
  socket.onopen = () => opened().catch(error => { $('status').textContent = error; });
  socket.onmessage = event => {
    const message = JSON.parse(event.data);
    if (message.method === 'eth_subscription') add(message.params.result, Date.now() / 1000);
    const waiting = calls.get(message.id); calls.delete(message.id);
    if (waiting) message.error ? waiting.failed(message.error.message) : waiting.done(message.result); };
  socket.onclose = () => { $('status').textContent = 'not connected, trying again'; setTimeout(connect, 2000); };
}
setInterval(() => { draw(); if (socket.readyState === 1) call('txpool_status').then(s => { $('pending').textContent = Number(s.pending); }); }, 1000);
connect();
</script></body></html>
)html";

rpc::Page json_page(unsigned status, std::string body) {
    return {status, "application/json", std::move(body)};
}

rpc::Page health_page(const NodePages& parts) {
    const auto failure = parts.failure();
    const SharedBlock head = parts.chain->head_block();
    const MempoolStatus pool = parts.mempool->status();
    std::string body;
    JsonWriter out{body, JsonWriter::Style::compact};
    out.begin_object();
    out.key("ready");
    out.boolean(!failure.has_value());
    out.key("head");
    out.number(head->block.header.number);
    out.key("headTimestamp");
    out.number(head->block.header.timestamp);
    out.key("durable");
    out.number(parts.chain->ledger().durable());
    out.key("pendingTransactions");
    out.number(pool.pending);
    if (failure.has_value()) {
        out.key("failure");
        out.string(*failure);
    }
    out.end_object();
    return json_page(failure.has_value() ? 503 : 200, std::move(body));
}

}  // namespace

rpc::Pages make_pages(NodePages parts) {
    rpc::Pages pages;
    pages["/"] = [] { return rpc::Page{200, "text/html; charset=utf-8", std::string{kFrontPage}}; };
    pages["/metrics"] = [metrics = parts.metrics] {
        return rpc::Page{200, "text/plain; version=0.0.4; charset=utf-8", metrics()};
    };
    pages["/health/live"] = [] { return json_page(200, R"({"live":true})"); };
    pages["/health"] = [parts = std::move(parts)] { return health_page(parts); };
    return pages;
}

std::string client_version() {
    return fmt::format("heddle/v{}/linux-{}", HEDDLE_VERSION,
#if defined(__x86_64__)
                       "amd64"
#elif defined(__aarch64__)
                       "arm64"
#else
                       "unknown"
#endif
    );
}

}  // namespace heddle::node
