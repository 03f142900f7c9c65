// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// ethers sends through one validator of a network while other clients do through others.
import {
  Contract, ContractFactory, HDNodeWallet, JsonRpcProvider, getCreateAddress, parseEther, toBeHex,
} from 'ethers';
import {
  accountOf, accountsEach, assert, board, burst, finish, ownUrl, phrase, receiver, self, senders,
  until,
} from './shared.mjs';

const provider = new JsonRpcProvider(ownUrl, undefined, { pollingInterval: 100, cacheTimeout: -1 });
const walletOf = (client, which) =>
  HDNodeWallet.fromPhrase(phrase, undefined, `m/44'/60'/0'/0/${accountOf(client, which)}`);
const wallets = Array.from({ length: accountsEach },
  (_, which) => walletOf(self, which).connect(provider));
const [first, second, third] = wallets;

const sent = [];
/** Waits for the receipt of what is sent here; a failed transaction has to be expected. */
async function mined(sending, status = 1) {
  const { hash } = await sending;
  const receipt = await provider.waitForTransaction(hash);
  assert(receipt.status === status, `${hash} has status ${receipt.status}`);
  sent.push(hash);
  return receipt;
}

const factory = new ContractFactory(board.abi, board.bytecode, first);
const contract = await factory.deploy('ethers', { value: 5n });
await mined(contract.deploymentTransaction());
const { target } = contract;

await mined(contract.post('type 0', { type: 0, value: 7n }));
await mined(contract.post('type 1', {
  type: 1, accessList: [{ address: target, storageKeys: [toBeHex(3, 32)] }],
}));
await mined(contract.post('type 2'));
await mined(first.sendTransaction({
  type: 4, to: second.address, data: contract.interface.encodeFunctionData('post', ['type 4']),
  authorizationList: [await second.authorize({ address: target })],
}));
assert(await provider.getCode(second.address) !== '0x', 'the delegation is not there');
await mined(contract.post('', { gasLimit: 100_000 }), 0);
await mined(first.sendTransaction({ to: target, value: parseEther('1') }));

const hashes = [];
for (let i = 0; i < burst; ++i) {
  const { hash } = await third.sendTransaction({
    to: receiver(self), value: parseEther('0.001'), gasLimit: 21_000,
  });
  hashes.push({ hash });
}
await Promise.all(hashes.map((each) => mined(each)));

// Contracts that come through other validators.
for (let other = 0; other < senders; ++other) {
  if (other === self) continue;
  const address = getCreateAddress({ from: walletOf(other, 0).address, nonce: 0 });
  await until(async () => (await provider.getCode(address)) !== '0x');
  const receipt = await mined(new Contract(address, board.abi, third).post(`from ${self}`));
  assert(receipt.logs.length === 1, 'the other contract logged nothing');
}
const posted = await contract.queryFilter(contract.filters.Posted(first.address), 0, 'latest');
assert(posted.length === 3, `${posted.length} own posts`);

finish({
  sent, contracts: [target], accounts: wallets.map((each) => each.address),
  receivers: [receiver(self)],
});
