// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! Blocks that carry their pre-state, and that state as revm's database.

use std::{collections::HashMap, convert::Infallible, fs::File, io::BufReader, path::Path};

use alloy_consensus::{Header, Transaction, TxEnvelope, Typed2718};
use alloy_primitives::{
    keccak256,
    map::{AddressMap, B256Map, U256Map},
    Address, Bytes, B256, U256, U64,
};
use revm::{
    context::TxEnv,
    database_interface::Database,
    state::{AccountInfo, Bytecode},
};
use serde::Deserialize;

#[derive(Deserialize)]
struct JsonTransaction {
    from: Address,
    #[serde(flatten)]
    signed: TxEnvelope,
}

#[derive(Deserialize)]
struct JsonWithdrawal {
    address: Address,
    amount: U64,
}

#[derive(Deserialize)]
struct JsonBlock {
    #[serde(flatten)]
    header: Header,
    transactions: Vec<JsonTransaction>,
    #[serde(default)]
    withdrawals: Vec<JsonWithdrawal>,
}

#[derive(Deserialize)]
struct JsonAccount {
    balance: U256,
    nonce: U64,
    #[serde(default)]
    code: Bytes,
    #[serde(default)]
    storage: HashMap<U256, U256>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonWitness {
    block: JsonBlock,
    pre_state: HashMap<Address, JsonAccount>,
    #[serde(default)]
    block_hashes: HashMap<U64, B256>,
}

struct StoredAccount {
    info: AccountInfo,
    storage: U256Map<U256>,
}

/// The state before a block. Code is analysed when it is first asked for.
#[derive(Default)]
pub struct State {
    accounts: AddressMap<StoredAccount>,
    raw_codes: B256Map<Bytes>,
    codes: B256Map<Bytecode>,
    block_hashes: HashMap<u64, B256>,
}

impl State {
    /// As if no code had ever been analysed.
    pub fn forget_codes(&mut self) {
        self.codes.clear();
        for account in self.accounts.values_mut() {
            account.info.code = None;
        }
    }

    /// From now on accounts come with their code where it has been analysed, which spares revm a
    /// look-up.
    pub fn attach_codes(&mut self) {
        for account in self.accounts.values_mut() {
            account.info.code = self.codes.get(&account.info.code_hash).cloned();
        }
    }
}

impl Database for State {
    type Error = Infallible;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        Ok(self
            .accounts
            .get(&address)
            .map(|account| account.info.clone()))
    }

    fn code_by_hash(&mut self, hash: B256) -> Result<Bytecode, Infallible> {
        if let Some(code) = self.codes.get(&hash) {
            return Ok(code.clone());
        }
        let raw = self.raw_codes.get(&hash).cloned().unwrap_or_default();
        let code = Bytecode::new_raw(raw);
        self.codes.insert(hash, code.clone());
        Ok(code)
    }

    fn storage(&mut self, address: Address, slot: U256) -> Result<U256, Infallible> {
        let account = self.accounts.get(&address);
        Ok(account
            .and_then(|account| account.storage.get(&slot))
            .copied()
            .unwrap_or_default())
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, Infallible> {
        Ok(self.block_hashes.get(&number).copied().unwrap_or_default())
    }
}

/// A block with everything its execution reads.
pub struct Witness {
    pub header: Header,
    pub signed: Vec<TxEnvelope>,
    /// The same transactions with their senders, as revm takes them.
    pub transactions: Vec<TxEnv>,
    /// To whom, and how many wei.
    pub withdrawals: Vec<(Address, U256)>,
    pub state: State,
}

const WEI_PER_GWEI: u64 = 1_000_000_000;

fn environment_of(sender: Address, tx: &TxEnvelope) -> TxEnv {
    TxEnv {
        tx_type: tx.ty(),
        caller: sender,
        gas_limit: tx.gas_limit(),
        gas_price: tx.max_fee_per_gas(),
        kind: tx.kind(),
        value: tx.value(),
        data: tx.input().clone(),
        nonce: tx.nonce(),
        chain_id: tx.chain_id(),
        access_list: tx.access_list().cloned().unwrap_or_default(),
        gas_priority_fee: tx.max_priority_fee_per_gas(),
        blob_hashes: tx.blob_versioned_hashes().unwrap_or_default().to_vec(),
        max_fee_per_blob_gas: tx.max_fee_per_blob_gas().unwrap_or_default(),
        authorization_list: Vec::new(),
    }
}

fn state_of(accounts: HashMap<Address, JsonAccount>, hashes: HashMap<U64, B256>) -> State {
    let mut state = State::default();
    for (address, account) in accounts {
        let code_hash = keccak256(&account.code);
        let info = AccountInfo {
            balance: account.balance,
            nonce: account.nonce.to(),
            code_hash,
            code: None,
            ..Default::default()
        };
        let storage = account.storage.into_iter().collect();
        state.raw_codes.insert(code_hash, account.code);
        state
            .accounts
            .insert(address, StoredAccount { info, storage });
    }
    state.block_hashes = hashes
        .into_iter()
        .map(|(number, hash)| (number.to(), hash))
        .collect();
    state
}

/// Reads one file. Senders are taken from it.
pub fn load(path: &Path) -> Result<Witness, String> {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| fail(&error))?;
    let json: JsonWitness =
        serde_json::from_reader(BufReader::new(file)).map_err(|error| fail(&error))?;
    let block = json.block;
    let transactions = block
        .transactions
        .iter()
        .map(|tx| environment_of(tx.from, &tx.signed))
        .collect();
    Ok(Witness {
        header: block.header,
        signed: block.transactions.into_iter().map(|tx| tx.signed).collect(),
        transactions,
        withdrawals: block
            .withdrawals
            .into_iter()
            .map(|to| {
                (
                    to.address,
                    U256::from(to.amount.to::<u64>()) * U256::from(WEI_PER_GWEI),
                )
            })
            .collect(),
        state: state_of(json.pre_state, json.block_hashes),
    })
}
