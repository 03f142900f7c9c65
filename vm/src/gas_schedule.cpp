// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "gas_schedule.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>

namespace heddle::vm {
namespace {

/// The opcode exists from here on.
constexpr void define(GasSchedule& s, unsigned opcode, std::int64_t gas) {
    const OpcodeFacts& facts = kOpcodes[opcode];
    s.opcodes[opcode] = {static_cast<std::int16_t>(gas), facts.stack_required, facts.stack_change};
}

constexpr void reprice(GasSchedule& s, std::initializer_list<Opcode> opcodes, int gas) {
    for (const Opcode opcode : opcodes)
        s.opcodes[opcode].gas = static_cast<std::int16_t>(gas);
}

// YP App. G: G_zero 0, G_base 2, G_verylow 3, G_low 5, G_mid 8, G_high 10.
constexpr GasSchedule frontier() {
    GasSchedule s;
    // What no line below defines. Without it g++ 12 compiles zeros there, a defined instruction for
    // nothing, in place of OpcodeTraits' defaults.
    s.opcodes.fill({});
    define(s, OP_STOP, 0);
    for (const Opcode op :
         {OP_ADD, OP_SUB, OP_LT, OP_GT, OP_SLT, OP_SGT, OP_EQ, OP_AND, OP_OR, OP_XOR, OP_BYTE})
        define(s, op, 3);
    for (const Opcode op : {OP_MUL, OP_DIV, OP_SDIV, OP_MOD, OP_SMOD, OP_SIGNEXTEND})
        define(s, op, 5);
    for (const Opcode op : {OP_ADDMOD, OP_MULMOD})
        define(s, op, 8);
    define(s, OP_EXP, 10);
    define(s, OP_ISZERO, 3);
    define(s, OP_NOT, 3);
    define(s, OP_KECCAK256, 30);
    for (const Opcode op : {OP_ADDRESS, OP_ORIGIN, OP_CALLER, OP_CALLVALUE, OP_CALLDATASIZE,
                            OP_CODESIZE, OP_GASPRICE, OP_COINBASE, OP_TIMESTAMP, OP_NUMBER,
                            OP_PREVRANDAO, OP_GASLIMIT, OP_PC, OP_MSIZE, OP_GAS})
        define(s, op, 2);
    define(s, OP_BALANCE, 20);
    define(s, OP_CALLDATALOAD, 3);
    define(s, OP_CALLDATACOPY, 3);
    define(s, OP_CODECOPY, 3);
    define(s, OP_EXTCODESIZE, 20);
    define(s, OP_EXTCODECOPY, 20);
    define(s, OP_BLOCKHASH, 20);
    define(s, OP_POP, 2);
    define(s, OP_MLOAD, 3);
    define(s, OP_MSTORE, 3);
    define(s, OP_MSTORE8, 3);
    define(s, OP_SLOAD, 50);
    define(s, OP_SSTORE, 0);
    define(s, OP_JUMP, 8);
    define(s, OP_JUMPI, 10);
    define(s, OP_JUMPDEST, 1);
    for (unsigned op = OP_PUSH1; op <= OP_SWAP16; ++op)  // PUSH1 … PUSH32, DUP1 … SWAP16
        define(s, op, 3);
    for (unsigned i = 0; i <= 4; ++i)
        define(s, OP_LOG0 + i, std::int64_t{375} * (i + 1));
    define(s, OP_CREATE, s.create);
    define(s, OP_CALL, 40);
    define(s, OP_CALLCODE, 40);
    define(s, OP_RETURN, 0);
    define(s, OP_SELFDESTRUCT, 0);
    return s;
}

constexpr void tangerine_whistle(GasSchedule& s) {  // EIP-150
    reprice(s, {OP_EXTCODESIZE, OP_EXTCODECOPY, OP_CALL, OP_CALLCODE, OP_DELEGATECALL}, 700);
    reprice(s, {OP_BALANCE}, 400);
    reprice(s, {OP_SLOAD}, 200);
    reprice(s, {OP_SELFDESTRUCT}, 5'000);
    s.all_but_one_64th = true;
    s.selfdestruct_new_account = 25'000;
}

constexpr void constantinople(GasSchedule& s) {
    for (const Opcode op : {OP_SHL, OP_SHR, OP_SAR})  // EIP-145
        define(s, op, 3);
    define(s, OP_EXTCODEHASH, 400);   // EIP-1052
    define(s, OP_CREATE2, s.create);  // EIP-1014
    s.net_gas_metering = true;        // EIP-1283
    s.sstore_noop = 200;
}

constexpr void istanbul(GasSchedule& s) {
    define(s, OP_CHAINID, 2);      // EIP-1344
    define(s, OP_SELFBALANCE, 5);  // EIP-1884
    reprice(s, {OP_BALANCE, OP_EXTCODEHASH}, 700);
    reprice(s, {OP_SLOAD}, 800);
    s.net_gas_metering = true;  // EIP-2200
    s.sstore_stipend_check = true;
    s.sstore_noop = 800;
    s.intrinsic.non_zero_byte = 16;  // EIP-2028
}

constexpr void berlin(GasSchedule& s) {  // EIP-2929
    constexpr int kWarm = 100;
    constexpr int kColdAccount = 2'600;
    constexpr int kColdSlot = 2'100;
    reprice(s,
            {OP_BALANCE, OP_EXTCODESIZE, OP_EXTCODECOPY, OP_EXTCODEHASH, OP_SLOAD, OP_CALL,
             OP_CALLCODE, OP_DELEGATECALL, OP_STATICCALL},
            kWarm);
    s.warm_access = kWarm;
    s.cold_account = kColdAccount - kWarm;
    s.cold_slot = kColdSlot - kWarm;
    s.selfdestruct_cold_account = kColdAccount;
    s.sstore_noop = kWarm;
    s.sstore_cold_slot = kColdSlot;
    s.sstore_reset = 5'000 - kColdSlot;
}

constexpr void cancun(GasSchedule& s) {
    define(s, OP_BLOBHASH, 3);     // EIP-4844
    define(s, OP_BLOBBASEFEE, 2);  // EIP-7516
    define(s, OP_TLOAD, 100);      // EIP-1153
    define(s, OP_TSTORE, 100);
    define(s, OP_MCOPY, 3);  // EIP-5656
}

constexpr void osaka(GasSchedule& s) {
    define(s, OP_CLZ, 5);                       // EIP-7939
    s.limits.max_transaction_gas = 16'777'216;  // EIP-7825
    s.limits.max_blobs_per_transaction = 6;     // EIP-7594
    s.limits.max_block_bytes = 8'388'608;       // EIP-7934
}

/// Of transactions: EIP-2780, 7976, 7981, 8037, 8038.
constexpr void amsterdam_intrinsic(IntrinsicCosts& costs) {
    constexpr std::uint64_t kFloorByte = 64;  // EIP-7976
    costs.transaction = 12'000;
    costs.recipient = 3'000;
    costs.value = 6'000;
    costs.create = 12'000;
    costs.floor_token = kFloorByte;
    costs.tokens_per_non_zero_byte = 1;
    costs.access_list_floor_byte = kFloorByte;
    costs.access_list_address = 2'900;
    costs.access_list_slot = 2'000;
    costs.authorization = 7'816;
}

constexpr void amsterdam(GasSchedule& s) {
    constexpr int kWarm = 100;
    constexpr int kColdAccount = 3'000;                       // EIP-8038
    constexpr int kAccountWrite = 9'000;                      // EIP-8038
    constexpr int kSlotWrite = 10'000;                        // EIP-8038
    constexpr std::int64_t kStateByte = 1'530;                // EIP-8037
    define(s, OP_SLOTNUM, 2);                                 // EIP-7843
    for (const Opcode op : {OP_DUPN, OP_SWAPN, OP_EXCHANGE})  // EIP-8024
        define(s, op, 3);
    s.cold_account = kColdAccount - kWarm;
    s.selfdestruct_cold_account = kColdAccount;
    // They read the account, and then its code.
    reprice(s, {OP_EXTCODESIZE, OP_EXTCODECOPY}, 2 * kWarm);
    s.sstore_cold_slot = 2'100 - kWarm;  // a write pays for the access as well, warm or not
    s.sstore_set = kWarm + kSlotWrite;
    s.sstore_reset = kWarm + kSlotWrite;
    s.sstore_clear_refund = 11'616;
    s.call_value = kAccountWrite + s.call_stipend;
    s.new_account = 0;
    s.selfdestruct_new_account = kAccountWrite;
    s.create = 12'000;
    reprice(s, {OP_CREATE, OP_CREATE2}, 12'000);
    s.code_deposit_byte = 0;
    s.code_deposit_word = kKeccakWordGas;
    s.state = {.new_account = 120 * kStateByte,
               .new_slot = 64 * kStateByte,
               .delegation = 23 * kStateByte,
               .code_byte = kStateByte};
    s.authority_write = kAccountWrite;
    s.authority_refund = 0;
    amsterdam_intrinsic(s.intrinsic);
    s.limits.max_code_bytes = 65'536;  // EIP-7954
    s.limits.max_init_code_bytes = 131'072;
    s.limits.max_execution_gas = s.limits.max_transaction_gas;  // EIP-8037
    s.limits.max_transaction_gas = 0xffff'ffff;
}

constexpr GasSchedule schedule(Revision revision) {
    GasSchedule s = frontier();
    s.revision = revision;
    if (revision >= Revision::homestead) {
        define(s, OP_DELEGATECALL, 40);  // EIP-7
        s.intrinsic.create = 32'000;     // EIP-2
    }
    if (revision >= Revision::tangerine_whistle) tangerine_whistle(s);
    if (revision >= Revision::spurious_dragon) {
        s.exp_byte = 50;                   // EIP-160
        s.limits.max_code_bytes = 24'576;  // EIP-170
    }
    if (revision >= Revision::byzantium) {
        define(s, OP_RETURNDATASIZE, 2);  // EIP-211
        define(s, OP_RETURNDATACOPY, 3);
        define(s, OP_STATICCALL, 700);  // EIP-214
        define(s, OP_REVERT, 0);        // EIP-140
    }
    if (revision >= Revision::constantinople) constantinople(s);
    if (revision >= Revision::petersburg) {  // EIP-1716
        s.net_gas_metering = false;
        s.sstore_noop = 5'000;
    }
    if (revision >= Revision::istanbul) istanbul(s);
    if (revision >= Revision::berlin) berlin(s);
    if (revision >= Revision::london) {
        define(s, OP_BASEFEE, 2);   // EIP-3198
        s.max_refund_quotient = 5;  // EIP-3529
        s.selfdestruct_refund = 0;
        s.sstore_clear_refund = 4'800;
    }
    if (revision >= Revision::shanghai) {
        define(s, OP_PUSH0, 2);  // EIP-3855
        s.init_code_word = 2;    // EIP-3860
        s.intrinsic.init_code_word = 2;
        s.limits.max_init_code_bytes = 2 * s.limits.max_code_bytes;
    }
    if (revision >= Revision::cancun) cancun(s);
    if (revision >= Revision::prague) {
        s.intrinsic.floor_token = 10;  // EIP-7623
        s.authority_refund = 12'500;   // EIP-7702: PER_EMPTY_ACCOUNT_COST - PER_AUTH_BASE_COST
    }
    if (revision >= Revision::osaka) osaka(s);
    if (revision >= Revision::amsterdam) amsterdam(s);
    return s;
}

constexpr std::array<GasSchedule, kRevisionCount> kSchedules = [] {
    std::array<GasSchedule, kRevisionCount> all{};
    for (std::size_t i = 0; i < kRevisionCount; ++i)
        all[i] = schedule(static_cast<Revision>(i));
    return all;
}();

// Evaluated element by element a table has its defaults even where g++ 12 compiles zeros; as a
// whole it is what is compiled.
constexpr bool is_compiled_as_evaluated(const GasSchedule& s) {
    const auto compiled = std::bit_cast<std::array<OpcodeTraits, 256>>(s.opcodes);
    return std::ranges::equal(compiled, s.opcodes, {}, &OpcodeTraits::gas, &OpcodeTraits::gas);
}
static_assert(std::ranges::all_of(kSchedules, is_compiled_as_evaluated));

}  // namespace

const GasSchedule& gas_schedule(Revision revision) noexcept {
    return kSchedules[static_cast<std::size_t>(revision)];
}

const IntrinsicCosts& intrinsic_costs(Revision revision) noexcept {
    return gas_schedule(revision).intrinsic;
}

const Limits& limits(Revision revision) noexcept {
    return gas_schedule(revision).limits;
}

}  // namespace heddle::vm
