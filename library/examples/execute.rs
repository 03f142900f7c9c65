// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// execute BLOCK: what execute.c does, in Rust without any crate. With libheddle installed:
//
//     rustc --edition 2021 execute.rs -l heddle && ./execute block.hex
use std::ffi::{c_char, c_int, c_void, CStr};
use std::mem::size_of;
use std::process::ExitCode;
use std::ptr::{null, null_mut};

type Address = [u8; 20];
type Word = [u8; 32];

#[repr(C)]
#[derive(Clone, Copy)]
struct Bytes {
    data: *const u8,
    size: usize,
}

/// Structs of the interface: all zero but for their size.
macro_rules! sized {
    ($(struct $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        #[repr(C)]
        #[allow(dead_code)]
        struct $name { size: usize, $($field: $type),* }
        #[allow(dead_code)]
        impl $name {
            fn new() -> Self {
                // Integers, arrays of them, pointers and optional functions: zero is a value.
                let mut value: Self = unsafe { std::mem::zeroed() };
                value.size = size_of::<Self>();
                value
            }
        }
    )*};
}

sized! {
    struct Error {
        status: i32, callback_result: i32, transaction_index: i64,
        rule: [c_char; 48], text: [c_char; 464],
    }
    struct Account {
        nonce: u64, balance: Word, code_hash: Word, exists: u8, reserved: [u8; 7],
    }
    struct State {
        context: *mut c_void,
        account: Option<extern "C" fn(*mut c_void, *const Address, *mut Account) -> c_int>,
        storage:
            Option<extern "C" fn(*mut c_void, *const Address, *const Word, *mut Word) -> c_int>,
        code: Option<extern "C" fn(*mut c_void, *const Word, *mut c_void) -> c_int>,
        block_hash: *const c_void, has_storage: *const c_void, state_root: *const c_void,
    }
    struct Block {
        rlp: Bytes, ancestors: *const Bytes, ancestor_count: usize,
        parent_total_difficulty: *const Word, transactions: *const Bytes, transaction_count: usize,
        fields: *const c_void, withdrawals: *const c_void, withdrawal_count: usize,
        senders: *const Address, sender_count: usize, access_list: Bytes,
    }
    struct Summary {
        number: u64, gas_used: u64, execution_gas_used: u64, state_gas_used: u64,
        blob_gas_used: u64, receipt_count: usize, block_hash: Word, state_root: Word,
        has_state_root: u8, is_header_complete: u8, success: u8, reserved: [u8; 5], header: Bytes,
        access_list: Bytes, output: Bytes, ending: *const c_char,
    }
    struct Receipt {
        gas_used: u64, cumulative_gas_used: u64, blob_gas_used: u64, effective_gas_price: Word,
        post_state: Word, contract_address: Address, kind: u8, success: u8, has_post_state: u8,
        has_contract_address: u8, bloom: *const u8, log_count: usize, encoded: Bytes,
    }
    struct AccountChange {
        address: Address, exists: u8, storage_cleared: u8, reserved: [u8; 2], nonce: u64,
        balance: Word, code_hash: Word, slot_count: usize,
    }
}

#[repr(C)]
struct SlotChange {
    slot: Word,
    value: Word,
}

#[link(name = "heddle")]
extern "C" {
    fn heddle_status_name(status: i32) -> *const c_char;
    fn heddle_chain_by_name(name: *const c_char, out: *mut *mut c_void, error: *mut Error) -> c_int;
    fn heddle_chain_free(chain: *mut c_void);
    fn heddle_engine_new(options: *const c_void, out: *mut *mut c_void, error: *mut Error) -> c_int;
    fn heddle_engine_free(engine: *mut c_void);
    fn heddle_code_give(sink: *mut c_void, code: *const u8, size: usize) -> c_int;
    fn heddle_execute_block(
        engine: *mut c_void, chain: *const c_void, state: *const State, block: *const Block,
        out: *mut *mut c_void, error: *mut Error,
    ) -> c_int;
    fn heddle_result_free(result: *mut c_void);
    fn heddle_result_summary(result: *const c_void, out: *mut Summary) -> c_int;
    fn heddle_result_receipt(result: *const c_void, index: usize, out: *mut Receipt) -> c_int;
    fn heddle_result_changes(result: *const c_void) -> *const c_void;
    fn heddle_changes_account_count(changes: *const c_void) -> usize;
    fn heddle_changes_account(
        changes: *const c_void, index: usize, out: *mut AccountChange,
    ) -> c_int;
    fn heddle_changes_slot(
        changes: *const c_void, account: usize, index: usize, out: *mut SlotChange,
    ) -> c_int;
}

// --- The state: where a caller has a database ----------------------------------------------------

const COUNTER: &str = "000000000000000000000000000000000000c0de";
/// Address, nonce, balance in wei, code, its Keccak-256.
const ACCOUNTS: [(&str, u64, u64, &str, &str); 4] = [
    ("7e5f4552091a69125d5dfcb7b8c2659029395bdf", 0, 1_000_000_000_000_000_000, "", ""),
    ("2b5ad5c4795c026514f8317c7a215e218dccd6cf", 0, 1_000_000_000_000_000_000, "", ""),
    ("6813eb9362372eef6200f3b1dbc3f819671cba69", 0, 1_000_000_000_000_000_000, "", ""),
    (
        COUNTER, 1, 0, "60005460010180600055600052600160206000a100",
        "a21544fecf23f2127f7f5adfd9e9557c3b05197a1ec96a91d6983b29cfea2309",
    ),
];

fn from_hex(text: &str) -> Vec<u8> {
    let digit = |c: char| c.to_digit(16).expect("hexadecimal digits") as u8;
    let digits: Vec<u8> = text.trim().chars().map(digit).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

// What the library passes is valid for the time of the call.
extern "C" fn read_account(_: *mut c_void, address: *const Address, out: *mut Account) -> c_int {
    let (address, out) = unsafe { (to_hex(&*address), &mut *out) };
    for (known, nonce, balance, _, code_hash) in ACCOUNTS {
        if known == address {
            out.exists = 1;
            out.nonce = nonce;
            out.balance[24..].copy_from_slice(&balance.to_be_bytes());
            out.code_hash[..code_hash.len() / 2].copy_from_slice(&from_hex(code_hash));
        }
    }
    0
}

extern "C" fn read_storage(
    _: *mut c_void, address: *const Address, slot: *const Word, out: *mut Word,
) -> c_int {
    let (address, slot, out) = unsafe { (to_hex(&*address), &*slot, &mut *out) };
    if address == COUNTER && slot.iter().all(|byte| *byte == 0) {
        out[31] = 41;
    }
    0
}

extern "C" fn read_code(_: *mut c_void, code_hash: *const Word, sink: *mut c_void) -> c_int {
    let wanted = unsafe { to_hex(&*code_hash) };
    for (_, _, _, code, known) in ACCOUNTS {
        if known == wanted {
            let code = from_hex(code);
            return unsafe { heddle_code_give(sink, code.as_ptr(), code.len()) };
        }
    }
    1
}

// --- What became of it ---------------------------------------------------------------------------

fn show(result: *const c_void) {
    let mut summary = Summary::new();
    unsafe { heddle_result_summary(result, &mut summary) };
    println!("block {}", to_hex(&summary.block_hash));
    println!("number {}, gas {}", summary.number, summary.gas_used);
    for i in 0..summary.receipt_count {
        let mut receipt = Receipt::new();
        unsafe { heddle_result_receipt(result, i, &mut receipt) };
        let ending = if receipt.success != 0 { "success" } else { "failure" };
        println!("transaction {i}: {ending}, gas {}, logs {}", receipt.gas_used, receipt.log_count);
    }
    let changes = unsafe { heddle_result_changes(result) };
    for i in 0..unsafe { heddle_changes_account_count(changes) } {
        let mut account = AccountChange::new();
        unsafe { heddle_changes_account(changes, i, &mut account) };
        let (address, balance) = (to_hex(&account.address), to_hex(&account.balance));
        println!("account {address} balance {balance} nonce {}", account.nonce);
        for j in 0..account.slot_count {
            let mut slot = SlotChange { slot: [0; 32], value: [0; 32] };
            unsafe { heddle_changes_slot(changes, i, j, &mut slot) };
            println!("  slot {} value {}", to_hex(&slot.slot), to_hex(&slot.value));
        }
    }
}

fn execute(rlp: &[u8]) -> Result<(), String> {
    let mut error = Error::new();
    let (mut chain, mut engine, mut result) = (null_mut(), null_mut(), null_mut());
    let mut state = State::new();
    state.account = Some(read_account);
    state.storage = Some(read_storage);
    state.code = Some(read_code);
    let mut block = Block::new();
    block.rlp = Bytes { data: rlp.as_ptr(), size: rlp.len() };
    let status = unsafe {
        let mut status = heddle_chain_by_name(c"Cancun".as_ptr(), &mut chain, &mut error);
        if status == 0 {
            status = heddle_engine_new(null(), &mut engine, &mut error);
        }
        if status == 0 {
            status = heddle_execute_block(engine, chain, &state, &block, &mut result, &mut error);
        }
        status
    };
    if status == 0 {
        show(result);
    }
    unsafe {
        heddle_result_free(result);
        heddle_engine_free(engine);
        heddle_chain_free(chain);
        if status == 0 {
            return Ok(());
        }
        let name = CStr::from_ptr(heddle_status_name(status)).to_string_lossy();
        Err(format!("{name}: {}", CStr::from_ptr(error.text.as_ptr()).to_string_lossy()))
    }
}

fn main() -> ExitCode {
    let path = std::env::args().nth(1).expect("usage: execute BLOCK");
    let text = std::fs::read_to_string(path).expect("the file of the block");
    match execute(&from_hex(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
