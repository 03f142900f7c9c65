// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// execute BLOCK: executes the block whose RLP the file has in hexadecimal digits, on a state of
// four accounts, and shows what became of it. With libheddle installed:
//
//     cc -std=c11 execute.c -lheddle -o execute && ./execute block.hex
#include <heddle.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The state: where a caller has a database ----------------------------------------------------

struct account {
    const char *address;
    uint64_t nonce;
    uint64_t balance; // wei
    const char *code;
    const char *code_hash;
};

static const struct account accounts[] = {
    {"7e5f4552091a69125d5dfcb7b8c2659029395bdf", 0, 1000000000000000000u, "", ""},
    {"2b5ad5c4795c026514f8317c7a215e218dccd6cf", 0, 1000000000000000000u, "", ""},
    {"6813eb9362372eef6200f3b1dbc3f819671cba69", 0, 1000000000000000000u, "", ""},
    {"000000000000000000000000000000000000c0de", 1, 0, "60005460010180600055600052600160206000a100",
     "a21544fecf23f2127f7f5adfd9e9557c3b05197a1ec96a91d6983b29cfea2309"},
};

static size_t from_hex(const char *text, uint8_t *out, size_t room) {
    size_t size = 0;
    unsigned byte;
    while (size < room && sscanf(text + 2 * size, "%2x", &byte) == 1) out[size++] = (uint8_t)byte;
    return size;
}

static int is_hex_of(const char *text, const uint8_t *bytes, size_t size) {
    uint8_t decoded[32];
    return from_hex(text, decoded, sizeof decoded) == size && memcmp(decoded, bytes, size) == 0;
}

static int read_account(void *context, const heddle_address *address, heddle_account *out) {
    (void)context;
    for (size_t i = 0; i < sizeof accounts / sizeof *accounts; ++i) {
        if (!is_hex_of(accounts[i].address, address->bytes, sizeof address->bytes)) continue;
        out->exists = 1;
        out->nonce = accounts[i].nonce;
        for (int j = 0; j < 8; ++j)
            out->balance.bytes[31 - j] = (uint8_t)(accounts[i].balance >> 8 * j);
        from_hex(accounts[i].code_hash, out->code_hash.bytes, sizeof out->code_hash.bytes);
    }
    return 0;
}

static int read_storage(void *context, const heddle_address *address, const heddle_word *slot,
                        heddle_word *out) {
    static const heddle_word first = {{0}};
    (void)context;
    if (is_hex_of(accounts[3].address, address->bytes, sizeof address->bytes) &&
        memcmp(slot, &first, sizeof first) == 0)
        out->bytes[31] = 41;
    return 0;
}

static int read_code(void *context, const heddle_hash *code_hash, heddle_code_sink *sink) {
    uint8_t code[64];
    (void)context;
    for (size_t i = 0; i < sizeof accounts / sizeof *accounts; ++i)
        if (is_hex_of(accounts[i].code_hash, code_hash->bytes, sizeof code_hash->bytes))
            return (int)heddle_code_give(sink, code,
                                         from_hex(accounts[i].code, code, sizeof code));
    return 1; // the call ends with HEDDLE_CALLBACK_FAILED and this number
}

// --- What became of it ---------------------------------------------------------------------------

static void print_hex(const char *label, const uint8_t *bytes, size_t size) {
    printf("%s", label);
    for (size_t i = 0; i < size; ++i) printf("%02x", bytes[i]);
}

static void show_receipts(const heddle_result *result, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        heddle_receipt receipt = HEDDLE_INIT(heddle_receipt);
        heddle_result_receipt(result, i, &receipt);
        printf("transaction %zu: %s, gas %llu, logs %zu\n", i,
               receipt.success ? "success" : "failure", (unsigned long long)receipt.gas_used,
               receipt.log_count);
    }
}

static void show_changes(const heddle_changes *changes) {
    for (size_t i = 0; i < heddle_changes_account_count(changes); ++i) {
        heddle_account_change account = HEDDLE_INIT(heddle_account_change);
        heddle_changes_account(changes, i, &account);
        print_hex("account ", account.address.bytes, sizeof account.address.bytes);
        print_hex(" balance ", account.balance.bytes, sizeof account.balance.bytes);
        printf(" nonce %llu\n", (unsigned long long)account.nonce);
        for (size_t j = 0; j < account.slot_count; ++j) {
            heddle_slot_change slot;
            heddle_changes_slot(changes, i, j, &slot);
            print_hex("  slot ", slot.slot.bytes, sizeof slot.slot.bytes);
            print_hex(" value ", slot.value.bytes, sizeof slot.value.bytes);
            printf("\n");
        }
    }
}

static int execute(heddle_engine *engine, const heddle_chain *chain, const uint8_t *rlp,
                   size_t size) {
    heddle_state state = HEDDLE_INIT(heddle_state);
    state.account = read_account;
    state.storage = read_storage;
    state.code = read_code;
    heddle_block block = HEDDLE_INIT(heddle_block);
    block.rlp.data = rlp;
    block.rlp.size = size;

    heddle_error error = HEDDLE_INIT(heddle_error);
    heddle_result *result;
    if (heddle_execute_block(engine, chain, &state, &block, &result, &error) != HEDDLE_OK) {
        fprintf(stderr, "%s: %s\n", heddle_status_name(error.status), error.text);
        return EXIT_FAILURE;
    }
    heddle_summary summary = HEDDLE_INIT(heddle_summary);
    heddle_result_summary(result, &summary);
    print_hex("block ", summary.block_hash.bytes, sizeof summary.block_hash.bytes);
    printf("\nnumber %llu, gas %llu\n", (unsigned long long)summary.number,
           (unsigned long long)summary.gas_used);
    show_receipts(result, summary.receipt_count);
    show_changes(heddle_result_changes(result));
    heddle_result_free(result);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    static char text[65536];
    static uint8_t rlp[sizeof text / 2];
    if (argc != 2) {
        fprintf(stderr, "usage: execute BLOCK\n");
        return EXIT_FAILURE;
    }
    FILE *file = fopen(argv[1], "r");
    if (file == NULL) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const size_t size = from_hex(text, rlp, sizeof rlp);

    heddle_error error = HEDDLE_INIT(heddle_error);
    heddle_chain *chain = NULL;
    heddle_engine *engine = NULL;
    int code = EXIT_FAILURE;
    if (heddle_chain_by_name("Cancun", &chain, &error) == HEDDLE_OK &&
        heddle_engine_new(NULL, &engine, &error) == HEDDLE_OK)
        code = execute(engine, chain, rlp, size);
    else
        fprintf(stderr, "%s: %s\n", heddle_status_name(error.status), error.text);
    heddle_engine_free(engine);
    heddle_chain_free(chain);
    return code;
}
