// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Methods that other clients have beside geth's: accounts, senders, traces in OpenEthereum's forms.
#include <algorithm>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "development_node.hpp"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class OtherMethodsTest : public DevelopmentTest {
protected:
    /// Three transactions of one block: a transfer, a call that stores, one that fails.
    void make_block() {
        // Stores its caller's value in slot 1: CALLVALUE PUSH1 1 SSTORE.
        ask("anvil_setCode", R"("{}","0x34600155")", kContract);
        // Reverts: PUSH0 PUSH0 REVERT.
        ask("anvil_setCode", R"("{}","0x5f5ffd")", kNobody);
        ask("evm_setAutomine", "false");
        transfer_ = send(kAlice, kBob);
        store_ =
            ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","value":"0x5","gas":"0x20000"}})",
                kAlice, kContract);
        failure_ = ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","gas":"0x20000"}})",
                       kAlice, kNobody);
        ask("evm_mine");
    }
    std::string member(const std::string& json, std::string_view name) {
        const std::string key = fmt::format("\"{}\":", name);
        const auto begin = json.find(key) + key.size();
        return json.substr(begin, json.find_first_of(",}", begin) - begin);
    }

    std::string transfer_;
    std::string store_;
    std::string failure_;
};

TEST_F(OtherMethodsTest, an_account_is_one_answer) {
    make_block();
    const std::string proof = ask("eth_getProof", R"("{}",[],"latest")", kContract);
    const std::string account = ask("eth_getAccount", R"("{}","latest")", kContract);
    for (const std::string_view name : {"codeHash", "balance", "nonce"})
        EXPECT_EQ(member(account, name), member(proof, name));
    EXPECT_EQ(member(account, "storageRoot"), member(proof, "storageHash"));
    EXPECT_EQ(ask("eth_getAccount", R"("0x00000000000000000000000000000000000000dd","latest")"),
              "null");
}

TEST_F(OtherMethodsTest, a_transaction_is_found_by_its_sender) {
    make_block();
    for (int i = 0; i < 12; ++i)
        ask("evm_mine");
    const auto find = [&](std::string_view sender, int nonce) {
        return ask("eth_getTransactionBySenderAndNonce", R"("{}","{:#x}")", sender, nonce);
    };
    EXPECT_EQ(find(kAlice, 0), ask("eth_getTransactionByHash", "{}", transfer_));
    EXPECT_EQ(find(kAlice, 2), ask("eth_getTransactionByHash", "{}", failure_));
    EXPECT_EQ(find(kAlice, 3), "null");
    EXPECT_EQ(find(kBob, 0), "null");
    const std::string pending = send(kAlice, kBob);  // nobody mines
    EXPECT_THAT(find(kAlice, 3), HasSubstr(pending));
}

TEST_F(OtherMethodsTest, a_transaction_is_filled_for_who_signs_it) {
    const std::string filled =
        ask("eth_fillTransaction", R"({{"from":"{}","to":"{}"}})", kAlice, kBob);
    EXPECT_THAT(filled, AllOf(StartsWith(R"({"raw":"0x02)"), HasSubstr(R"("gas":"0x5208")"),
                              HasSubstr(R"("nonce":"0x0")"), HasSubstr(R"("chainId":"0x539")")));
}

TEST_F(OtherMethodsTest, the_node_says_who_is_paid_and_what_it_is) {
    EXPECT_EQ(ask("eth_coinbase"), R"("0x0000000000000000000000000000000000000000")");
    ask("anvil_setCoinbase", R"("{}")", kNobody);
    EXPECT_EQ(ask("eth_coinbase"), fmt::format("\"{}\"", kNobody));
    EXPECT_THAT(ask("admin_nodeInfo"),
                AllOf(HasSubstr(R"("name":"heddle/)"), HasSubstr(R"("network":1337)")));
}

TEST_F(OtherMethodsTest, the_last_of_the_roots_within_a_block_is_the_blocks) {
    make_block();
    const std::string block = ask("eth_getBlockByNumber", R"("latest",false)");
    const std::string roots = ask("debug_intermediateRoots", "{}", member(block, "hash"));
    EXPECT_THAT(roots, testing::EndsWith(member(block, "stateRoot") + "]"));
    EXPECT_EQ(std::ranges::count(roots, ','), 2);
    EXPECT_THAT(ask("debug_intermediateRoots", "{},1", member(block, "hash")),
                HasSubstr("invalid argument 1"));
}

TEST_F(OtherMethodsTest, traces_say_what_called_what) {
    make_block();
    const std::string all = ask("trace_block", R"("latest")");
    const std::string one = ask("trace_transaction", "{}", store_);

    EXPECT_THAT(one, AllOf(StartsWith(R"([{"action":{"callType":"call")"),
                           HasSubstr(R"("transactionPosition":1)"), HasSubstr(store_),
                           HasSubstr(R"("value":"0x5")"), HasSubstr(R"("traceAddress":[])")));
    EXPECT_THAT(all, HasSubstr(one.substr(1, one.size() - 2)));
    EXPECT_THAT(ask("trace_transaction", "{}", failure_), HasSubstr(R"("error":"Reverted")"));
    EXPECT_EQ("[" + ask("trace_get", R"({},["0x0"])", store_) + "]", one);
    EXPECT_EQ(ask("trace_get", R"({},["0x1"])", store_), "null");
    EXPECT_EQ(ask("trace_transaction", R"("0x{}")", word(1)), "null");
    // Of the outermost call as of the others: what its execution takes, which is nothing here.
    EXPECT_THAT(
        ask("trace_call", R"({{"from":"{}","to":"{}","gas":"0x5208"}},["trace"])", kAlice, kBob),
        AllOf(HasSubstr(R"("gas":"0x0")"), HasSubstr(R"("gasUsed":"0x0")")));
    EXPECT_THAT(ask("trace_block", R"("0x9")"), HasSubstr("not found"));
    EXPECT_THAT(ask("trace_block", R"("0x0")"), HasSubstr("genesis"));
}

TEST_F(OtherMethodsTest, replays_say_what_changed) {
    make_block();
    const std::string replay =
        ask("trace_replayTransaction", R"({},["trace","stateDiff"])", store_);
    EXPECT_THAT(
        replay,
        AllOf(HasSubstr(fmt::format(R"("storage":{{"0x{}":{{"*":{{"from":"0x{}","to":"0x{}")",
                                    word(1), word(0), word(5))),
              HasSubstr(fmt::format(R"("{}":{{"balance":{{"*":{{"from":"0x0","to":"0x5"}}}})",
                                    kContract)),
              HasSubstr(R"("nonce":{"*":{"from":"0x1","to":"0x2"}})"),
              HasSubstr(R"("vmTrace":null)"), testing::Not(HasSubstr("transactionPosition"))));
    const std::string block = ask("trace_replayBlockTransactions", R"("latest",["trace"])");
    EXPECT_THAT(block, AllOf(HasSubstr(R"("stateDiff":null)"),
                             HasSubstr("\"transactionHash\":" + failure_)));
    EXPECT_THAT(ask("trace_replayTransaction", R"({},["vmTrace"])", store_),
                HasSubstr("argument 1"));
    // As if it were sent now.
    EXPECT_THAT(
        ask("trace_call", R"({{"from":"{}","to":"{}","value":"0x7"}},["trace","stateDiff"])",
            kAlice, kContract),
        AllOf(HasSubstr(word(7)), HasSubstr(R"("type":"call")")));
}

TEST_F(OtherMethodsTest, calls_are_traced_one_on_top_of_the_other) {
    make_block();
    const auto call = [](int value) {
        return fmt::format(R"([{{"from":"{}","to":"{}","value":"{:#x}"}},["stateDiff"]])", kAlice,
                           kContract, value);
    };
    EXPECT_THAT(ask("trace_callMany", R"([{},{}],"latest")", call(7), call(9)),
                AllOf(HasSubstr(fmt::format(R"("from":"0x{}","to":"0x{}")", word(5), word(7))),
                      HasSubstr(fmt::format(R"("from":"0x{}","to":"0x{}")", word(7), word(9)))));
    EXPECT_EQ(ask("trace_callMany", "[]"), "[]");
    EXPECT_THAT(ask("trace_callMany", R"([{{"to":"{}"}}])", kBob), HasSubstr("at position 0"));
    // The chain knows nothing of it.
    EXPECT_EQ(ask("eth_getStorageAt", R"("{}","0x1","latest")", kContract),
              "\"0x" + word(5) + "\"");
}

TEST_F(OtherMethodsTest, a_signed_transaction_is_traced_before_it_is_sent) {
    make_block();
    const std::string raw = member(
        ask("eth_signTransaction",
            R"({{"from":"{}","to":"{}","value":"0x6","gas":"0x20000","nonce":"0x3",)"
            R"("maxFeePerGas":"0x77359400","maxPriorityFeePerGas":"0x1","chainId":"0x539"}})",
            kAlice, kContract),
        "raw");
    EXPECT_THAT(ask("trace_rawTransaction", R"({},["trace","stateDiff"])", raw),
                AllOf(HasSubstr(fmt::format(R"("from":"0x{}","to":"0x{}")", word(5), word(6))),
                      HasSubstr(R"("type":"call")")));
    EXPECT_THAT(ask("trace_rawTransaction", R"("0x02c0",["trace"])"), HasSubstr("decoded"));
    EXPECT_EQ(number("eth_getTransactionCount", R"("{}","pending")", kAlice), 3u);
}

TEST_F(OtherMethodsTest, traces_are_found_by_who_called_and_who_was_called) {
    make_block();
    ask("evm_mine");
    send(kBob, kAlice);
    ask("evm_mine");
    const auto find = [&](const std::string& criteria) {
        return ask("trace_filter", R"({{"fromBlock":"0x0","toBlock":"latest"{}}})", criteria);
    };
    const auto count = [](const std::string& traces) {
        std::size_t found = 0;
        for (auto at = traces.find("\"action\""); at != std::string::npos;
             at = traces.find("\"action\"", at + 1))
            ++found;
        return found;
    };
    const std::string store = ask("trace_transaction", "{}", store_);

    EXPECT_EQ(count(find("")), 4u);
    EXPECT_EQ(count(find(fmt::format(R"(,"fromAddress":["{}"])", kAlice))), 3u);
    EXPECT_EQ(find(fmt::format(R"(,"toAddress":["{}"])", kContract)), store);
    EXPECT_EQ(find(fmt::format(R"(,"fromAddress":["{}"],"toAddress":["{}","{}"])", kBob, kAlice,
                               kContract))
                  .find(store),
              std::string::npos);
    // Both sides, or either.
    const std::string sides =
        fmt::format(R"(,"fromAddress":["{}"],"toAddress":["{}"])", kBob, kContract);
    EXPECT_EQ(find(sides), "[]");
    EXPECT_EQ(find(sides + R"(,"mode":"intersection")"), "[]");
    EXPECT_EQ(count(find(sides + R"(,"mode":"union")")), 2u);
    EXPECT_EQ(find(fmt::format(R"(,"toAddress":["{}"],"mode":"union")", kContract)), store);
    EXPECT_THAT(find(R"(,"mode":"both")"), HasSubstr("-32602"));
    EXPECT_EQ(find(R"(,"after":1,"count":1)"), store);
    EXPECT_EQ(find(R"(,"count":0)"), "[]");
    EXPECT_THAT(ask("trace_filter", R"({{"fromBlock":"0x3","toBlock":"0x1"}})"),
                HasSubstr("invalid block range"));
    EXPECT_THAT(ask("trace_filter", R"({{"fromBlock":"0x1","toBlock":"0x99"}})"),
                HasSubstr("not found"));
}

TEST_F(OtherMethodsTest, a_search_of_traces_executes_so_many_blocks_at_most) {
    const TemporaryFolder folder;
    const std::string config = folder.write("node.toml", "[rpc]\ntrace_blocks = 2\n");
    start({"--config", config});
    for (int i = 0; i < 3; ++i)
        ask("evm_mine");
    EXPECT_EQ(ask("trace_filter", R"({{"fromBlock":"0x1","toBlock":"0x2"}})"), "[]");
    EXPECT_THAT(ask("trace_filter", R"({{"fromBlock":"0x1","toBlock":"0x3"}})"),
                HasSubstr("at most 2"));
}

TEST_F(OtherMethodsTest, storage_is_listed_as_it_was_within_a_block) {
    make_block();
    const std::string block = member(ask("eth_getBlockByNumber", R"("latest",false)"), "hash");
    const auto range = [&](int index, std::string_view start, int limit) {
        return ask("debug_storageRangeAt", R"({},{},"{}","{}",{})", block, index, kContract, start,
                   limit);
    };
    const std::string none_in_range = R"({"storage":{},"nextKey":null})";
    const std::string none_at_all = R"({"storage":null,"nextKey":null})";
    // keccak256 of 1.
    const std::string hash = "0xb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6";
    EXPECT_EQ(range(0, "0x", 10), none_at_all);
    EXPECT_EQ(range(1, "0x", 10), none_at_all);
    EXPECT_EQ(
        range(2, "0x", 10),
        fmt::format(R"({{"storage":{{"{}":{{"key":"0x{}","value":"0x{}"}}}},"nextKey":null}})",
                    hash, word(1), word(5)));
    EXPECT_EQ(range(2, "0x", 0), fmt::format(R"({{"storage":{{}},"nextKey":"{}"}})", hash));
    EXPECT_EQ(range(2, "0xb2", 10), none_in_range);
    EXPECT_THAT(range(3, "0x", 10), HasSubstr("out of range"));

    // Two more slots, set without a block: they are in the next one's.
    ask("anvil_setStorageAt", R"("{}","0x2","0x9")", kContract);
    ask("anvil_setStorageAt", R"("{}","0x1","0x0")", kContract);
    ask("evm_mine");
    EXPECT_EQ(
        ask("debug_storageRangeAt", R"("0x2",0,"{}","0x",10)", kContract),
        fmt::format(R"({{"storage":{{"0x405787fa12a823e0f2b7631cc41b3ba8828b3321ca811111fa75c)"
                    R"(d3aa3bb5ace":{{"key":"0x{}","value":"0x{}"}}}},"nextKey":null}})",
                    word(2), word(9)));
    EXPECT_EQ(ask("debug_storageRangeAt", R"("0x2",0,"{}","0x",10)",
                  "0x00000000000000000000000000000000000000dd"),
              none_at_all);
}

TEST_F(OtherMethodsTest, accounts_are_listed_in_parts_that_make_the_whole) {
    make_block();
    const std::string whole = ask("debug_dumpBlock", R"("latest")");
    const std::string block = ask("eth_getBlockByNumber", R"("latest",false)");
    EXPECT_THAT(whole,
                AllOf(StartsWith(R"({"root":")" + member(block, "stateRoot").substr(3)),
                      HasSubstr(fmt::format(R"("storage":{{"0x{}":"05"}})", word(1))),
                      HasSubstr(R"("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266":{"balance":")"),
                      HasSubstr(R"("code":"0x34600155")")));
    const auto count = [](const std::string& dump) {
        std::size_t found = 0;
        for (auto at = dump.find(R"("balance":)"); at != std::string::npos;
             at = dump.find(R"("balance":)", at + 1))
            ++found;
        return found;
    };
    std::size_t accounts = 0;
    std::string start = "0x";
    for (int part = 0; part < 100 && !start.empty(); ++part) {
        const std::string some =
            ask("debug_accountRange", R"("latest","{}",3,true,true,false)", start);
        EXPECT_LE(count(some), 3u);
        EXPECT_THAT(some, testing::Not(HasSubstr(R"("code":)")));
        accounts += count(some);
        start.clear();
        // What is told is what the next part is asked for with.
        if (const auto next = some.find(R"("next":")"); next != std::string::npos)
            start = some.substr(next + 8, 66);
    }
    EXPECT_EQ(accounts, count(whole));
    EXPECT_GT(accounts, 10u);
    EXPECT_EQ(ask("debug_accountRange", R"("latest","0x",-1)"),
              ask("debug_accountRange", R"("latest","0x",0)"));
    // As geth: of accounts a short start is a number, and no hash is below it here.
    EXPECT_EQ(ask("debug_accountRange", R"("latest","0xff",3)"),
              ask("debug_accountRange", R"("latest","0x",3)"));
    EXPECT_THAT(ask("debug_accountRange", R"("latest","0x{}00",3)", word(1)),
                HasSubstr("at most 32 bytes"));
}

TEST_F(OtherMethodsTest, an_explorer_is_told_of_blocks_and_accounts) {
    make_block();
    EXPECT_EQ(ask("ots_getApiLevel"), "8");
    EXPECT_EQ(ask("ots_hasCode", R"("{}","latest")", kContract), "true");
    EXPECT_EQ(ask("ots_hasCode", R"("{}","latest")", kBob), "false");
    EXPECT_EQ(ask("ots_getTransactionBySenderAndNonce", R"("{}",1)", kAlice), store_);
    EXPECT_EQ(ask("ots_getTransactionBySenderAndNonce", R"("{}",9)", kAlice), "null");
    EXPECT_THAT(ask("ots_getBlockDetails", "1"),
                AllOf(HasSubstr(R"("transactionCount":"0x3")"), HasSubstr(R"("blockReward":"0x0")"),
                      testing::Not(HasSubstr(R"("totalFees":"0x0")"))));
    EXPECT_EQ(ask("ots_getBlockDetails", "9"), "null");
    const std::string page = ask("ots_getBlockTransactions", "1,1,2");
    EXPECT_THAT(page, AllOf(HasSubstr("\"hash\":" + failure_), HasSubstr(R"("receipts":[{)"),
                            testing::Not(HasSubstr(transfer_))));
    EXPECT_THAT(ask("ots_getBlockTransactions", "1,7,2"), HasSubstr(R"("receipts":[])"));
    EXPECT_THAT(ask("ots_getBlockTransactions", "1,0,0"), HasSubstr("expected a page"));
}

TEST_F(OtherMethodsTest, all_transactions_of_an_account_are_found_page_by_page) {
    make_block();  // block 1: to Bob, to the contract, to nobody, which fails
    // Sends 2 wei to Bob: PUSH0 x4 PUSH1 2 PUSH20 bob GAS CALL.
    ask("anvil_setCode", R"("{}","0x5f5f5f5f600273{}5af1")", kContract, kBob.substr(2));
    ask("evm_mine");  // block 2: nothing
    ask("evm_setAutomine", "true");
    const std::string within =  // block 3: Bob is paid by a contract
        ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","value":"0x5","gas":"0x40000"}})",
            kAlice, kContract);
    const std::string back = send(kBob, kAlice);  // block 4
    const auto search = [&](std::string_view direction, std::string_view account, int block,
                            int size) {
        const std::string page = ask(fmt::format("ots_searchTransactions{}", direction),
                                     R"("{}",{},{})", account, block, size);
        std::string found =
            fmt::format("{}{}:", member(page, "firstPage") == "true" ? "first " : "",
                        member(page, "lastPage") == "true" ? "last" : "");
        const std::string hashes = page.substr(0, page.find(R"("receipts":)"));
        for (auto at = hashes.find(R"("hash":)"); at != std::string::npos;
             at = hashes.find(R"("hash":)", at + 1)) {
            const std::string hash = member(hashes.substr(at), "hash");
            found += hash == transfer_  ? " transfer"
                     : hash == store_   ? " store"
                     : hash == failure_ ? " failure"
                     : hash == within   ? " within"
                     : hash == back     ? " back"
                                        : " " + hash;
        }
        return found;
    };
    EXPECT_EQ(search("Before", kBob, 0, 25), "first last: back within transfer");
    EXPECT_EQ(search("Before", kAlice, 0, 25), "first last: back within failure store transfer");
    EXPECT_EQ(search("Before", kContract, 0, 25), "first last: within store");
    EXPECT_EQ(search("Before", kNobody, 0, 25), "first last: failure");
    EXPECT_EQ(search("Before", "0x00000000000000000000000000000000000000dd", 0, 25), "first last:");
    // A page ends with a whole block; the next one begins below it.
    EXPECT_EQ(search("Before", kAlice, 0, 1), "first : back");
    EXPECT_EQ(search("Before", kAlice, 4, 1), ": within");
    EXPECT_EQ(search("Before", kAlice, 3, 1), "last: failure store transfer");
    EXPECT_EQ(search("Before", kAlice, 1, 1), "last:");
    EXPECT_EQ(search("After", kAlice, 0, 1), "last: failure store transfer");
    EXPECT_EQ(search("After", kAlice, 1, 2), "first : back within");
    EXPECT_EQ(search("After", kAlice, 3, 9), "first : back");
    EXPECT_EQ(search("After", kAlice, 4, 9), "first :");
    EXPECT_EQ(search("Before", kAlice, 9'999, 1), ": back");

    const std::string page = ask("ots_searchTransactionsBefore", R"("{}",0,25)", kNobody);
    const std::string block = ask("eth_getBlockByNumber", R"("0x1",false)");
    const std::string time = member(block, "timestamp");
    EXPECT_THAT(page,
                HasSubstr(fmt::format(R"("timestamp":{}}}])",
                                      std::stoull(time.substr(1, time.size() - 2), nullptr, 16))));
    EXPECT_THAT(ask("ots_searchTransactionsBefore", R"("{}",0,0)", kBob),
                HasSubstr("expected a page"));
    EXPECT_THAT(ask("ots_searchTransactionsAfter", R"("{}",0,100000)", kBob),
                HasSubstr("expected a page"));
}

TEST_F(OtherMethodsTest, a_page_of_transactions_ends_where_an_answer_may_be_no_larger) {
    start({"--set", "rpc.max_response_kilobytes=4"});
    for (int i = 0; i < 5; ++i)
        send(kAlice, kBob);
    EXPECT_THAT(ask("ots_searchTransactionsBefore", R"("{}",0,25)", kBob),
                HasSubstr("the page is larger than 4096 bytes"));
    EXPECT_THAT(ask("ots_searchTransactionsBefore", R"("{}",0,1)", kBob),
                HasSubstr(R"("lastPage":false)"));
}

TEST_F(OtherMethodsTest, the_head_is_set_back_as_geth_does) {
    make_block();
    ask("evm_mine");
    EXPECT_EQ(ask("debug_setHead", R"("0x1")"), "null");
    EXPECT_EQ(ask("eth_blockNumber"), R"("0x1")");
    EXPECT_EQ(ask("debug_setHead", "0"), "null");
    EXPECT_EQ(ask("eth_getTransactionReceipt", "{}", transfer_), "null");
    EXPECT_THAT(ask("debug_setHead", R"("0x5")"), HasSubstr("there are blocks 0 to 0"));
}

TEST_F(OtherMethodsTest, states_and_rules_are_told) {
    make_block();
    EXPECT_EQ(ask("debug_getAccessibleState", R"("0x0","0x1")"), "0");
    EXPECT_EQ(ask("debug_getAccessibleState", R"("latest","0x0")"), "1");
    EXPECT_THAT(ask("debug_getAccessibleState", R"("0x1","latest")"), HasSubstr("different"));
    EXPECT_THAT(ask("debug_chainConfig"),
                AllOf(StartsWith("{"), HasSubstr(R"("chainId":1337,)"), HasSubstr("pragueTime"),
                      HasSubstr(R"("terminalTotalDifficulty":0,)"), HasSubstr("blobSchedule")));
}

TEST_F(OtherMethodsTest, an_explorer_is_told_what_happened_within_a_transaction) {
    // Creates an empty contract with 3 wei, then sends 2 wei to Bob:
    // PUSH0 PUSH0 PUSH1 3 CREATE; PUSH0 x4 PUSH1 2 PUSH20 bob GAS CALL.
    ask("anvil_setCode", R"("{}","0x5f5f6003f05f5f5f5f600273{}5af1")", kContract, kBob.substr(2));
    const std::string hash =
        ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","value":"0x5","gas":"0x40000"}})",
            kAlice, kContract);
    const std::string operations = ask("ots_getInternalOperations", "{}", hash);
    EXPECT_THAT(operations,
                AllOf(StartsWith(R"([{"type":2,)"), HasSubstr(R"("value":"0x3"},{"type":0)"),
                      HasSubstr(fmt::format(R"("to":"{}","value":"0x2")", kBob))));
    EXPECT_THAT(ask("ots_traceTransaction", "{}", hash),
                AllOf(StartsWith(R"([{"type":"CALL","depth":0,)"),
                      HasSubstr(R"({"type":"CREATE","depth":1,)")));
    EXPECT_EQ(ask("ots_getTransactionError", "{}", hash), R"("0x")");
    // Reverts with a word: PUSH1 7 PUSH0 MSTORE PUSH1 32 PUSH0 REVERT.
    ask("anvil_setCode", R"("{}","0x60075f5260205ffd")", kNobody);
    const std::string failed =
        ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","gas":"0x20000"}})", kAlice, kNobody);
    EXPECT_EQ(ask("ots_getTransactionError", "{}", failed), "\"0x" + word(7) + "\"");

    // Deploys one byte: PUSH1 1 PUSH0 RETURN.
    const std::string created = ask(
        "eth_sendTransaction", R"({{"from":"{}","data":"0x60015ff3","gas":"0x20000"}})", kAlice);
    const std::string contract = member(receipt(created), "contractAddress");
    for (int i = 0; i < 5; ++i)
        ask("evm_mine");
    EXPECT_EQ(ask("ots_getContractCreator", "{}", contract),
              fmt::format(R"({{"hash":{},"creator":"{}"}})", created, kAlice));
    EXPECT_EQ(ask("ots_getContractCreator", R"("{}")", kBob), "null");
}

}  // namespace
}  // namespace heddle::test
