// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// cast against a node: what people of foundry type.
import { complaint, program } from './foundry.mjs';
import { addresses, board, failing, finish, keys, step, until, url } from './transcript.mjs';

const run = program('cast');
const cast = (command, ...args) => run(command, '--rpc-url', url, ...args);
const gwei = (number) => `${number}gwei`;

async function send(...args) {
  const hash = await cast('send', '--private-key', keys[0], '--async', ...args);
  const receipt = JSON.parse(await until(async () => {
    try {
      return await cast('receipt', hash, '--json');
    } catch {
      return null;  // not yet
    }
  }));
  return {
    type: receipt.type, status: receipt.status, to: receipt.to, from: receipt.from,
    contract: receipt.contractAddress, gasUsed: receipt.gasUsed,
    gasPrice: receipt.effectiveGasPrice, block: receipt.blockNumber, index: receipt.transactionIndex,
    hash: receipt.transactionHash,
    logs: receipt.logs.map((log) => [log.address, log.topics, log.data, log.logIndex]),
  };
}

await step('chain id', () => cast('chain-id'));
await step('block number', () => cast('block-number'));
await step('balance', () => cast('balance', addresses[0], '--ether'));
await step('nonce', () => cast('nonce', addresses[0]));
await step('base fee', () => cast('base-fee', 'latest'));

const deployed = await step('deploy', () => send('--value', '5', '--create',
  board.bytecode, 'constructor(string)', 'cast'));
const address = deployed.contract;
await step('code size', () => cast('codesize', address));
await step('read', () => cast('call', address, 'name()(string)'));
await step('storage', () => cast('storage', address, '0'));
await step('estimate', () => cast('estimate', address, 'post(string)', 'hello',
  '--from', addresses[0], '--value', '7'));
await step('dynamic fee', () => send(address, 'post(string)', 'hello', '--value', '7'));
await step('structure', () => cast('call', address, 'note(uint256)((address,uint256,string))', '0'));
await step('legacy', () => send(address, 'post(string)', 'legacy', '--legacy',
  '--gas-price', gwei(3)));
await step('access list', () => send(address, 'post(string)', 'listed', '--access-list'));
await step('set code', async () => {
  const authorization = await run('wallet', 'sign-auth', address, '--private-key', keys[1], '--rpc-url', url);
  const receipt = await send(addresses[1], 'post(string)', 'delegated', '--auth', authorization);
  return { receipt, code: await cast('code', addresses[1]), nonce: await cast('nonce', addresses[1]) };
});
await step('transfer', () => send(addresses[2], '--value', '1ether'));

const call = (signature, ...args) => () => cast('call', address, signature, ...args);
await failing('require', call('post(string)', ''), complaint);
await failing('custom error', call('post(string)', 'x'.repeat(33)), complaint);
await failing('panic', call('divide(uint256,uint256)', '1', '0'), complaint);
await failing('revert without data', call('fail()'), complaint);
await failing('estimate of a failing call', () =>
  cast('estimate', address, 'post(string)', '', '--from', addresses[0]), complaint);
await step('failed', () => send(address, 'post(string)', '', '--gas-limit', '100000'));
await failing('nonce too low', () => send(addresses[1], '--nonce', '0', '--gas-limit', '21000'),
  complaint);

await step('logs', async () => {
  const logs = JSON.parse(await cast('logs', '--json', '--from-block', '0', '--address', address,
    'Posted(address indexed,uint256 indexed,string)', addresses[0]));
  return logs.map((log) => [log.topics, log.data, log.blockNumber, log.logIndex]);
});
await step('block', async () => {
  const block = JSON.parse(await cast('block', '2', '--json', '--full'));
  return {
    gasUsed: block.gasUsed, baseFee: block.baseFeePerGas, root: block.transactionsRoot,
    receipts: block.receiptsRoot, transactions: block.transactions.map((each) => each.hash),
  };
});
await step('transaction', async () => {
  const tx = JSON.parse(await cast('tx', deployed.hash, '--json'));
  return [tx.type, tx.from, tx.nonce, tx.gas, tx.value, tx.chainId, tx.v, tx.r, tx.s];
});
await step('proof', async () => {
  const proof = JSON.parse(await cast('proof', address, '0x0', '--block', '2'));
  return [proof.storageHash, proof.storageProof, proof.nonce, proof.balance, proof.codeHash];
});
await step('access list of a call', async () => JSON.parse(await cast('access-list', address,
  'post(string)', 'listed', '--from', addresses[0], '--json')));
await step('trace of a call', () => cast('rpc', 'debug_traceCall', JSON.stringify({
  from: addresses[0], to: address, data: '0x06fdde03',
}), 'latest', '{"tracer":"callTracer"}'));
await step('trace of a transaction', async () => JSON.parse(await cast('rpc',
  'debug_traceTransaction', deployed.hash, '{"tracer":"callTracer","tracerConfig":{"withLog":true}}'))
  .gasUsed);
await step('executed again', async () => {
  const text = await cast('run', deployed.hash, '--quick');
  return text.split('\n').filter((line) => /gas used|successfully|new/i.test(line))
    .map((line) => line.trim());
});
await step('call traced by the client', async () =>
  (await cast('call', address, 'name()(string)', '--trace')).split('\n')
    .filter((line) => /gas used|successfully/i.test(line)).map((line) => line.trim()));
await step('resolved', () => cast('rpc', 'eth_getTransactionCount', addresses[0], 'pending'));
finish();
