// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle.h as a C compiler sees it, and what programs compiled against it rely on: the sizes and
// places of the first version. A struct may grow at its end, and nothing else here may change.
#include <heddle.h>

#include <stdio.h>
#include <string.h>

#define SIZE_IS(type, bytes) _Static_assert(sizeof(type) >= (bytes), #type)
#define LIES_AT(type, member, bytes) _Static_assert(offsetof(type, member) == (bytes), #member)

#if UINTPTR_MAX == UINT64_MAX
SIZE_IS(heddle_error, 536);
LIES_AT(heddle_error, transaction_index, 16);
LIES_AT(heddle_error, rule, 24);
LIES_AT(heddle_error, text, 72);
SIZE_IS(heddle_account, 88);
LIES_AT(heddle_account, balance, 16);
LIES_AT(heddle_account, exists, 80);
SIZE_IS(heddle_state, 64);
LIES_AT(heddle_state, account, 16);
LIES_AT(heddle_state, state_root, 56);
SIZE_IS(heddle_engine_options, 40);
LIES_AT(heddle_engine_options, max_gas_limit, 32);
SIZE_IS(heddle_fields, 248);
LIES_AT(heddle_fields, base_fee_per_gas, 48);
LIES_AT(heddle_fields, extra_data, 208);
LIES_AT(heddle_fields, beneficiary, 224);
SIZE_IS(heddle_block, 120);
LIES_AT(heddle_block, rlp, 8);
LIES_AT(heddle_block, access_list, 104);
SIZE_IS(heddle_summary, 184);
LIES_AT(heddle_summary, block_hash, 56);
LIES_AT(heddle_summary, header, 128);
LIES_AT(heddle_summary, ending, 176);
SIZE_IS(heddle_receipt, 152);
LIES_AT(heddle_receipt, type, 116);
LIES_AT(heddle_receipt, encoded, 136);
SIZE_IS(heddle_log, 176);
SIZE_IS(heddle_account_change, 112);
SIZE_IS(heddle_slot_change, 64);
SIZE_IS(heddle_withdrawal, 48);
#endif
_Static_assert(HEDDLE_INTERFACE == 1, "a new interface has a new soname, and new numbers here");

static int failures;

static void check(int holds, const char *what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++failures;
}

static int no_account(void *context, const heddle_address *address, heddle_account *account) {
    (void)address;
    (void)account;
    ++*(int *)context;
    return 0;
}

static int no_storage(void *context, const heddle_address *address, const heddle_word *slot,
                      heddle_word *value) {
    (void)address;
    (void)slot;
    (void)value;
    ++*(int *)context;
    return 0;
}

int main(void) {
    heddle_error error = HEDDLE_INIT(heddle_error);
    heddle_chain *chain = NULL;
    heddle_engine *engine = NULL;
    check(heddle_chain_by_name("Osaka", &chain, &error) == HEDDLE_OK, error.text);
    check(heddle_engine_new(NULL, &engine, &error) == HEDDLE_OK, error.text);

    int calls = 0;
    heddle_state state = HEDDLE_INIT(heddle_state);
    state.context = &calls;
    state.account = no_account;
    state.storage = no_storage;
    heddle_fields fields = HEDDLE_INIT(heddle_fields);
    fields.gas_limit = 30000000;
    // EIP-155's example: nobody has the account that signed it.
    static const uint8_t tx[] =
        "\xf8\x6c\x09\x85\x04\xa8\x17\xc8\x00\x82\x52\x08\x94\x35\x35\x35\x35\x35\x35\x35\x35\x35"
        "\x35\x35\x35\x35\x35\x35\x35\x35\x35\x35\x35\x88\x0d\xe0\xb6\xb3\xa7\x64\x00\x00\x80\x25"
        "\xa0\x28\xef\x61\x34\x0b\xd9\x39\xbc\x21\x95\xfe\x53\x75\x67\x86\x60\x03\xe1\xa1\x5d\x3c"
        "\x71\xff\x63\xe1\x59\x06\x20\xaa\x63\x62\x76\xa0\x67\xcb\xe9\xd8\x99\x7f\x76\x1a\xec\xb7"
        "\x03\x30\x4b\x38\x00\xcc\xf5\x55\xc9\xf3\xdc\x64\x21\x4b\x29\x7f\xb1\x96\x6a\x3b\x6d\x83";
    const heddle_bytes bytes = {tx, sizeof tx - 1};
    heddle_result *result = (heddle_result *)&calls;
    check(heddle_execute_transaction(engine, chain, &state, &fields, bytes, NULL, &result,
                                     &error) == HEDDLE_REJECTED,
          "a transaction whose nonce is not the sender's");
    check(result == NULL, "no result of a call that failed");
    check(strcmp(error.rule, "nonce_too_high") == 0, error.rule);
    check(error.transaction_index == -1 && error.text[0] != '\0', "the error's other fields");
    check(calls > 0, "callbacks");
    heddle_engine_free(engine);
    heddle_chain_free(chain);
    printf("%d wrong\n", failures);
    return failures != 0;
}
