// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the clients of a network share: where its validators are, whose accounts are whose, and the
// form in which clients' answers are compared with each other's.
import { readFileSync, writeFileSync } from 'node:fs';

export { board, chainId, until } from '../transcript.mjs';

/** JSON-RPC of every validator; this client's own is the one it sends to. */
export const urls = process.env.HEDDLE_CLIENT_URLS.split(',');
export const ownUrl = process.env.HEDDLE_CLIENT_URL;
/** The accounts of `heddle node --dev` follow from it. */
export const phrase = 'test test test test test test test test test test test junk';
/** Clients that send, and which of them this is: 0, 1, ... */
export const senders = Number(process.env.HEDDLE_CLIENT_SENDERS);
export const self = Number(process.env.HEDDLE_CLIENT_SELF);
export const accountsEach = 3;
/** The index of one of a client's accounts. */
export const accountOf = (client, which) => client * accountsEach + which;
/** Transfers that each client sends before it waits for any. */
export const burst = 8;
/** An account that only the transfers of one client go to. */
export const receiver = (client) => `0x${(0xfeed0000 + client).toString(16).padStart(40, '0')}`;

/** What was done or read, for the runner. Open sockets do not keep the client alive. */
export function finish(result) {
  const text = JSON.stringify(result, (_, value) =>
    (typeof value === 'bigint' ? value.toString() : value));
  writeFileSync(process.env.HEDDLE_CLIENT_TRANSCRIPT, text);
  process.exit(0);
}

/** What a client does now, for whoever looks at one that failed or hangs. */
export function say(what) {
  console.log(`${new Date().toISOString()} ${what}`);
}

export function assert(condition, message) {
  if (!condition) throw new Error(message);
}

/** What is to be read: the last block, accounts, contracts and their slots. */
export const readPlan = () => JSON.parse(readFileSync(process.env.HEDDLE_CLIENT_PLAN, 'utf8'));

const number = (value) => (value === null || value === undefined ? null : BigInt(value).toString());
const lower = (value) => value?.toLowerCase() ?? null;

export const canonicalLog = (log) => ({
  address: lower(log.address), topics: log.topics.map(lower), data: lower(log.data),
  index: number(log.logIndex ?? log.index), block: number(log.blockNumber),
  blockHash: lower(log.blockHash), transaction: lower(log.transactionHash),
  position: number(log.transactionIndex),
});

/** Of JSON as it is on the wire; of the clients' own objects in the scripts of each. */
export const canonical = {
  block: (block) => ({
    number: number(block.number), hash: lower(block.hash), parent: lower(block.parentHash),
    time: number(block.timestamp), gasUsed: number(block.gasUsed), gasLimit: number(block.gasLimit),
    baseFee: number(block.baseFeePerGas), miner: lower(block.miner), extra: lower(block.extraData),
    randao: lower(block.mixHash), stateRoot: lower(block.stateRoot),
    receiptsRoot: lower(block.receiptsRoot),
    transactions: block.transactions.map((each) => lower(each.hash ?? each)),
  }),
  transaction: (tx) => ({
    hash: lower(tx.hash), type: number(tx.type), from: lower(tx.from), to: lower(tx.to),
    nonce: number(tx.nonce), value: number(tx.value), gas: number(tx.gas), input: lower(tx.input),
    maxFee: number(tx.type >= 2 ? tx.maxFeePerGas : tx.gasPrice),
    block: number(tx.blockNumber), blockHash: lower(tx.blockHash), position: number(tx.transactionIndex),
    signature: [number(tx.r), number(tx.s)],
  }),
  receipt: (receipt) => ({
    transaction: lower(receipt.transactionHash), status: number(receipt.status),
    type: number(receipt.type), from: lower(receipt.from), to: lower(receipt.to),
    contract: lower(receipt.contractAddress), gasUsed: number(receipt.gasUsed),
    cumulative: number(receipt.cumulativeGasUsed), price: number(receipt.effectiveGasPrice),
    block: number(receipt.blockNumber), blockHash: lower(receipt.blockHash),
    position: number(receipt.transactionIndex), bloom: lower(receipt.logsBloom),
    logs: receipt.logs.map(canonicalLog),
  }),
  account: (balance, nonce, code) => ({
    balance: number(balance), nonce: number(nonce), code: lower(code),
  }),
  proof: (proof) => ({
    account: proof.accountProof.map(lower), balance: number(proof.balance),
    nonce: number(proof.nonce), codeHash: lower(proof.codeHash),
    storageHash: lower(proof.storageHash),
    slots: proof.storageProof.map((slot) => ({
      key: number(slot.key), value: number(slot.value), proof: slot.proof.map(lower),
    })),
  }),
};
