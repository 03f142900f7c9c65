// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! A block through revm: one journal for the whole block, taken out at its end, which is the
//! fastest way revm has.

use std::time::Instant;

use alloy_consensus::{
    proofs, Eip658Value, Header, Receipt, ReceiptEnvelope, ReceiptWithBloom, TxReceipt, TxType,
};
use alloy_primitives::{address, Address, Bloom, U256};
use revm::{
    context::{
        result::ExecutionResult, BlockEnv, CfgEnv, Context, ContextTr, Journal, JournalTr, TxEnv,
    },
    context_interface::block::BlobExcessGasAndPrice,
    primitives::{eip4844::BLOB_BASE_FEE_UPDATE_FRACTION_CANCUN, hardfork::SpecId},
    ExecuteEvm, MainBuilder, MainnetEvm, SystemCallEvm,
};

use crate::witness::{State, Witness};

const BEACON_ROOTS: Address = address!("000F3df6D732807Ef1319fB7B8bB8522d0Beac02"); // EIP-4788
const SHANGHAI_TIME: u64 = 1_681_338_455;
const CANCUN_TIME: u64 = 1_710_338_135;
const PRAGUE_TIME: u64 = 1_746_612_311;

/// Mainnet's rules by first block, newest first.
const FORKS: [(u64, SpecId); 10] = [
    (15_537_394, SpecId::MERGE),
    (12_965_000, SpecId::LONDON),
    (12_244_000, SpecId::BERLIN),
    (9_069_000, SpecId::ISTANBUL),
    (7_280_000, SpecId::PETERSBURG),
    (4_370_000, SpecId::BYZANTIUM),
    (2_675_000, SpecId::SPURIOUS_DRAGON),
    (2_463_000, SpecId::TANGERINE),
    (1_150_000, SpecId::HOMESTEAD),
    (0, SpecId::FRONTIER),
];

fn rules_of(header: &Header) -> Result<SpecId, String> {
    match header.timestamp {
        PRAGUE_TIME.. => Err(format!(
            "block {}: rules later than Cancun's",
            header.number
        )),
        CANCUN_TIME.. => Ok(SpecId::CANCUN),
        SHANGHAI_TIME.. => Ok(SpecId::SHANGHAI),
        _ => Ok(FORKS
            .iter()
            .find(|fork| header.number >= fork.0)
            .expect("the last is 0")
            .1),
    }
}

/// Wei for the beneficiary of a block without ommers (EIP-649, EIP-1234, EIP-3675).
fn reward_under(rules: SpecId) -> Option<U256> {
    let ether = match rules {
        rules if rules >= SpecId::MERGE => return None,
        rules if rules >= SpecId::PETERSBURG => 2u64,
        rules if rules >= SpecId::BYZANTIUM => 3,
        _ => 5,
    };
    Some(U256::from(ether) * U256::from(10u64.pow(18)))
}

fn environment_of(header: &Header, rules: SpecId) -> BlockEnv {
    BlockEnv {
        number: U256::from(header.number),
        beneficiary: header.beneficiary,
        timestamp: U256::from(header.timestamp),
        gas_limit: header.gas_limit,
        basefee: header.base_fee_per_gas.unwrap_or_default(),
        difficulty: header.difficulty,
        prevrandao: (rules >= SpecId::MERGE).then_some(header.mix_hash),
        blob_excess_gas_and_price: header
            .excess_blob_gas
            .map(|gas| BlobExcessGasAndPrice::new(gas, BLOB_BASE_FEE_UPDATE_FRACTION_CANCUN)),
        slot_num: 0,
    }
}

type Evm = MainnetEvm<Context<BlockEnv, TxEnv, CfgEnv, State, Journal<State>, ()>>;

/// What one run of a block gave.
pub struct Run {
    pub gas_used: u64,
    pub nanoseconds: u128,
}

/// How far a block is run, each including those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Changes, gas, logs.
    Execution,
    /// Receipts with blooms, the block's bloom compared with the header's.
    Blooms,
    /// The roots of transactions and receipts, compared with the header's.
    Leaves,
}

/// Runs one block again and again, always on its pre-state.
pub struct Engine {
    evm: Evm,
    rules: SpecId,
    work: Work,
}

impl Engine {
    pub fn new(header: &Header, mut state: State, work: Work) -> Result<Self, String> {
        let rules = rules_of(header)?;
        state.forget_codes();
        let mut context = Context::new(state, rules);
        context.block = environment_of(header, rules);
        Ok(Self {
            evm: context.build_mainnet(),
            rules,
            work,
        })
    }

    pub fn into_state(self) -> State {
        self.evm.ctx.journaled_state.database
    }

    pub fn attach_codes(&mut self) {
        self.evm.ctx.journaled_state.database.attach_codes();
    }

    /// What the run made is freed within the time, as on Heddle's side.
    pub fn run(&mut self, witness: &Witness) -> Result<Run, String> {
        let transactions = witness.transactions.clone();
        let begin = Instant::now();
        let gas_used = self
            .run_block(witness, transactions)
            .map_err(|error| format!("block {}: {error}", witness.header.number))?;
        Ok(Run {
            gas_used,
            nanoseconds: begin.elapsed().as_nanos(),
        })
    }

    fn run_block(&mut self, witness: &Witness, transactions: Vec<TxEnv>) -> Result<u64, String> {
        let header = &witness.header;
        if let Some(root) = header.parent_beacon_block_root {
            self.evm
                .system_call_one(BEACON_ROOTS, root.into())
                .map_err(|error| format!("{error:?}"))?;
        }
        let results = self
            .evm
            .transact_many(transactions.into_iter())
            .map_err(|error| format!("{error:?}"))?;
        let journal = self.evm.ctx.journal_mut();
        let mut pay = |to: Address, wei: U256| journal.balance_incr(to, wei);
        if let Some(wei) = reward_under(self.rules) {
            pay(header.beneficiary, wei).map_err(|error| error.to_string())?;
        }
        for (to, wei) in &witness.withdrawals {
            pay(*to, *wei).map_err(|error| error.to_string())?;
        }
        let changes = self.evm.finalize();
        let gas_used = results
            .iter()
            .map(|result| result.gas().tx_gas_used())
            .sum();
        if self.work != Work::Execution {
            let receipts = check_blooms(witness, results)?;
            if self.work == Work::Leaves {
                check_roots(witness, &receipts, self.rules)?;
            }
        }
        drop(changes);
        Ok(gas_used)
    }
}

fn receipt_of(kind: TxType, result: ExecutionResult, cumulative_gas_used: u64) -> ReceiptEnvelope {
    let receipt = Receipt {
        status: Eip658Value::Eip658(result.is_success()),
        cumulative_gas_used,
        logs: result.into_logs(),
    };
    let receipt: ReceiptWithBloom<Receipt> = receipt.into_with_bloom();
    match kind {
        TxType::Legacy => ReceiptEnvelope::Legacy(receipt),
        TxType::Eip2930 => ReceiptEnvelope::Eip2930(receipt),
        TxType::Eip1559 => ReceiptEnvelope::Eip1559(receipt),
        TxType::Eip4844 => ReceiptEnvelope::Eip4844(receipt),
        TxType::Eip7702 => ReceiptEnvelope::Eip7702(receipt),
    }
}

fn check_blooms(
    witness: &Witness,
    results: Vec<ExecutionResult>,
) -> Result<Vec<ReceiptEnvelope>, String> {
    let mut gas = 0;
    let mut bloom = Bloom::ZERO;
    let receipts: Vec<ReceiptEnvelope> = results
        .into_iter()
        .zip(&witness.signed)
        .map(|(result, tx)| {
            gas += result.gas().tx_gas_used();
            let receipt = receipt_of(tx.tx_type(), result, gas);
            bloom |= *receipt.logs_bloom();
            receipt
        })
        .collect();
    if bloom != witness.header.logs_bloom {
        return Err("another bloom than the header's".into());
    }
    Ok(receipts)
}

/// Before Byzantium receipts carry state roots, which a partial state does not have: theirs is not
/// compared then, on Heddle's side neither.
fn check_roots(
    witness: &Witness,
    receipts: &[ReceiptEnvelope],
    rules: SpecId,
) -> Result<(), String> {
    let header = &witness.header;
    if proofs::calculate_transaction_root(&witness.signed) != header.transactions_root {
        return Err("another root of transactions than the header's".into());
    }
    if rules >= SpecId::BYZANTIUM
        && proofs::calculate_receipt_root(receipts) != header.receipts_root
    {
        return Err("another root of receipts than the header's".into());
    }
    Ok(())
}
