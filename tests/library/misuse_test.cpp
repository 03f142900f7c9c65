// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
// What callers can do wrong, and what is promised to them.
#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "client.hpp"
#include "small_chain.hpp"

namespace heddle::test {

namespace {

class LibraryWorkers : public ::testing::TestWithParam<std::uint32_t> {};

/// The hash of the small chain's block, which says that all is as it should be.
std::string hash_of(const Executed& executed) {
    if (executed.status != HEDDLE_OK) return executed.error.text;
    const heddle_summary summary = summary_of(executed.result.get());
    return to_hex(BytesView{summary.block_hash.bytes, 32});
}

TEST_P(LibraryWorkers, a_block_that_was_made_passes_every_check) {
    const EnginePtr engine = make_engine(GetParam());
    for (const char* fork :
         {"London", "Paris", "Shanghai", "Cancun", "Prague", "Osaka", "Amsterdam"}) {
        SmallChain small(fork);
        const Callbacks state = small.callbacks();
        const Executed made = execute(engine.get(), small.chain(), state, small.unmade());
        ASSERT_EQ(made.status, HEDDLE_OK) << fork << ": " << made.error.text;
        const std::vector<Receipt> receipts = receipts_of(made.result.get());
        ASSERT_EQ(receipts.size(), 3U);
        EXPECT_TRUE(receipts[0].success && receipts[1].success && receipts[2].success) << fork;
        EXPECT_EQ(load_be(receipts[1].logs.at(0).data.data()), Uint256{42}) << fork;

        const Bytes block = small.encode(made.result.get());
        const Executed whole = execute(engine.get(), small.chain(), state, small.given(block));
        EXPECT_EQ(hash_of(whole), hash_of(made)) << fork;
        EXPECT_EQ(receipts_of(whole.result.get()), receipts) << fork;
        heddle_block alone = small.given(block);
        alone.ancestor_count = 0;
        EXPECT_EQ(hash_of(execute(engine.get(), small.chain(), state, alone)), hash_of(made))
            << fork;
    }
}

/// The block that the examples execute on a state of their own.
TEST(LibraryExamples, execute_the_block_of_the_small_chain) {
    SmallChain small("Cancun");
    const Callbacks state = small.callbacks();
    const Executed made = execute(make_engine(1).get(), small.chain(), state, small.unmade());
    ASSERT_EQ(made.status, HEDDLE_OK) << made.error.text;
    std::ifstream file(HEDDLE_EXAMPLES "/block.hex");
    std::string text;
    file >> text;
    EXPECT_EQ("0x" + text, to_hex(small.encode(made.result.get())));
}

TEST(LibraryResults, are_the_same_for_every_number_of_workers) {
    SmallChain small("Amsterdam");
    const Callbacks state = small.callbacks();
    const EnginePtr one = make_engine(1, HEDDLE_ENGINE_ACCESS_LISTS);
    const EnginePtr four = make_engine(4, HEDDLE_ENGINE_ACCESS_LISTS);
    const Executed serial = execute(one.get(), small.chain(), state, small.unmade());
    const Executed parallel = execute(four.get(), small.chain(), state, small.unmade());

    ASSERT_EQ(hash_of(parallel), hash_of(serial));
    EXPECT_EQ(diff_of(heddle_result_changes(parallel.result.get())),
              diff_of(heddle_result_changes(serial.result.get())));
    const heddle_summary a = summary_of(serial.result.get());
    const heddle_summary b = summary_of(parallel.result.get());
    EXPECT_TRUE(
        equal({a.access_list.data, a.access_list.size}, {b.access_list.data, b.access_list.size}));
    EXPECT_GT(a.access_list.size, 100U);
    EXPECT_EQ(std::max(a.execution_gas_used, a.state_gas_used), a.gas_used);
    EXPECT_GT(a.state_gas_used, 0U);
}

TEST(LibraryResults, of_one_transaction_have_output_ending_changes_and_list) {
    SmallChain small("Amsterdam");
    const Callbacks state = small.callbacks();
    const EnginePtr engine = make_engine(1);
    Bytes tx;
    encode_transaction(small.transactions[1], tx);
    heddle_fields fields = small.fields;
    fields.number = 10;
    store_be(Uint256{7}, fields.base_fee_per_gas.bytes);
    heddle_result* made = nullptr;
    ASSERT_EQ(heddle_execute_transaction(engine.get(), small.chain(), state.get(), &fields,
                                         bytes_of(tx), nullptr, &made, nullptr),
              HEDDLE_OK);
    const ResultPtr result(made);

    const heddle_summary summary = summary_of(made);
    EXPECT_EQ(std::string_view{summary.ending}, "success");
    EXPECT_EQ(summary.success, 1);
    EXPECT_EQ(summary.receipt_count, 1U);
    EXPECT_GT(summary.access_list.size, 0U);
    EXPECT_EQ(summary.header.size, 0U);
    const StateDiff diff = diff_of(heddle_result_changes(made));
    const auto counter =
        std::ranges::find(diff.accounts, address_from_low64(0xc0de), &AccountChange::address);
    ASSERT_NE(counter, diff.accounts.end());
    EXPECT_EQ(counter->storage, (std::vector<StorageChange>{{Uint256{0}, Uint256{42}}}));
}

TEST(LibraryResults, without_roots_a_header_is_not_complete_and_nothing_else_is_missing) {
    SmallChain small("Prague");
    const Callbacks state(small.state());
    const EnginePtr engine = make_engine(1);
    const Executed made = execute(engine.get(), small.chain(), state, small.unmade());

    ASSERT_EQ(made.status, HEDDLE_OK) << made.error.text;
    const heddle_summary summary = summary_of(made.result.get());
    EXPECT_EQ(summary.has_state_root, 0);
    EXPECT_EQ(summary.is_header_complete, 0);
    EXPECT_EQ(summary.receipt_count, 3U);
}

TEST(LibraryRejection, names_the_rule_and_the_transaction) {
    SmallChain small("Prague");
    const Callbacks state = small.callbacks();
    const EnginePtr engine = make_engine(1);
    small.transactions.push_back(small.transactions[0]);
    const Executed twice = execute(engine.get(), small.chain(), state, small.unmade());
    EXPECT_EQ(twice.status, HEDDLE_REJECTED);
    EXPECT_EQ(twice.error.status, HEDDLE_REJECTED);
    EXPECT_EQ(std::string_view{twice.error.rule}, "nonce_too_low");
    EXPECT_EQ(twice.error.transaction_index, 3);
    EXPECT_EQ(twice.result, nullptr);

    small.transactions.pop_back();
    const Executed made = execute(engine.get(), small.chain(), state, small.unmade());
    Bytes block = small.encode(made.result.get());
    Block changed = *decode_block(block);
    changed.header.gas_used += 1;
    block.clear();
    encode_block(changed, block);
    const Executed wrong = execute(engine.get(), small.chain(), state, small.given(block));
    EXPECT_EQ(wrong.status, HEDDLE_REJECTED);
    EXPECT_EQ(std::string_view{wrong.error.rule}, "invalid_gas_used");
    EXPECT_EQ(wrong.error.transaction_index, -1);

    changed.header.gas_used -= 1;
    changed.header.state_root = Hash{};
    block.clear();
    encode_block(changed, block);
    const Executed root = execute(engine.get(), small.chain(), state, small.given(block));
    EXPECT_EQ(std::string_view{root.error.rule}, "invalid_state_root");
}

TEST_P(LibraryWorkers, a_callback_that_fails_at_any_place_ends_the_call_and_not_the_engine) {
    SmallChain small("Amsterdam");
    const EnginePtr engine = make_engine(GetParam());
    Callbacks state = small.callbacks();
    const Executed right = execute(engine.get(), small.chain(), state, small.unmade());
    const std::string hash = hash_of(right);
    const std::uint64_t calls = state.calls();
    ASSERT_GT(calls, 10U);

    for (std::uint64_t i = 1; i <= calls; ++i) {
        state.fail_from(i, 77);
        const Executed failed = execute(engine.get(), small.chain(), state, small.unmade());
        // A parallel run may take fewer calls than the one before.
        if (failed.status == HEDDLE_OK && state.calls() < i) continue;
        ASSERT_EQ(failed.status, HEDDLE_CALLBACK_FAILED) << i << ": " << failed.error.text;
        EXPECT_EQ(failed.error.callback_result, 77);
        EXPECT_EQ(failed.result, nullptr);
        if (GetParam() == 1) EXPECT_EQ(state.calls(), i) << "called again after it had failed";
    }
    state.fail_from(~std::uint64_t{0}, 0);
    EXPECT_EQ(hash_of(execute(engine.get(), small.chain(), state, small.unmade())), hash);
}

TEST_P(LibraryWorkers, code_of_another_hash_is_refused_and_not_remembered) {
    SmallChain small("Prague");
    const EnginePtr engine = make_engine(GetParam());
    Callbacks state = small.callbacks();
    using Twist = std::function<Bytes(Bytes)>;
    const std::vector<Twist> twists = {
        [](Bytes code) {
            code[0] ^= 1;
            return code;
        },
        [](const Bytes&) { return Bytes{}; },
        [](const Bytes&) { return Bytes((std::size_t{16} << 20) + 1); },
    };
    for (const Twist& twist : twists) {
        state.twist_code = twist;
        const Executed wrong = execute(engine.get(), small.chain(), state, small.unmade());
        EXPECT_TRUE(wrong.status == HEDDLE_BAD_STATE || wrong.status == HEDDLE_CALLBACK_FAILED)
            << wrong.status;
    }
    state.twist_code = {};
    EXPECT_EQ(execute(engine.get(), small.chain(), state, small.unmade()).status, HEDDLE_OK);

    state.change().code = nullptr;
    const Executed none = execute(make_engine(1).get(), small.chain(), state, small.unmade());
    EXPECT_EQ(none.status, HEDDLE_BAD_STATE);
}

TEST_P(LibraryWorkers, an_engine_at_work_refuses_a_second_call) {
    SmallChain small("Prague");
    const EnginePtr engine = make_engine(GetParam());
    Callbacks state = small.callbacks();
    const Callbacks inner = small.callbacks();
    const heddle_block block = small.unmade();
    std::atomic<int> refused = 0;
    state.in_callback = [&] {
        if (execute(engine.get(), small.chain(), inner, block).status == HEDDLE_BUSY) ++refused;
    };
    EXPECT_EQ(execute(engine.get(), small.chain(), state, block).status, HEDDLE_OK);
    EXPECT_GT(refused.load(), 10);
}

INSTANTIATE_TEST_SUITE_P(Workers, LibraryWorkers, ::testing::Values(1U, 2U, 4U));

TEST(LibraryThreads, share_chains_and_read_one_result_at_once) {
    SmallChain small("Amsterdam");
    const Callbacks state = small.callbacks();
    const heddle_block block = small.unmade();
    const Executed first = execute(make_engine(1).get(), small.chain(), state, block);
    ASSERT_EQ(first.status, HEDDLE_OK);
    std::vector<std::string> hashes(4);
    std::vector<std::size_t> sizes(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < hashes.size(); ++i)
        threads.emplace_back([&, i] {
            const Callbacks own = small.callbacks();
            hashes[i] = hash_of(execute(make_engine(1).get(), small.chain(), own, block));
            heddle_receipt receipt = HEDDLE_INIT(heddle_receipt);
            (void)heddle_result_receipt(first.result.get(), 1, &receipt);
            sizes[i] = receipt.encoded.size;
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(hashes, std::vector<std::string>(4, hash_of(first)));
    EXPECT_EQ(sizes, std::vector<std::size_t>(4, sizes[0]));
    EXPECT_GT(sizes[0], 256U);
}

/// Bytes that somebody has damaged are refused or executed; nothing else happens.
TEST(LibraryHostile, blocks_with_any_byte_changed_or_missing_do_no_harm) {
    std::mt19937_64 random(announced_seed(20'261'123));
    for (const char* fork : {"London", "Cancun", "Amsterdam"}) {
        SmallChain small(fork);
        const Callbacks state = small.callbacks();
        const EnginePtr engine = make_engine(1);
        const Executed made = execute(engine.get(), small.chain(), state, small.unmade());
        const Bytes right = small.encode(made.result.get());
        std::size_t refused = 0;
        for (std::size_t i = 0; i < 2 * right.size(); ++i) {
            Bytes wrong = right;
            if (i < right.size())
                wrong[i] ^= static_cast<std::uint8_t>(1U << random() % 8);
            else
                wrong.resize(i - right.size());
            heddle_block block = small.given(wrong);
            if (random() % 2 == 0) block.ancestor_count = 0;
            const Executed executed = execute(engine.get(), small.chain(), state, block);
            const bool is_expected =
                executed.status == HEDDLE_OK || executed.status == HEDDLE_MALFORMED ||
                executed.status == HEDDLE_REJECTED || executed.status == HEDDLE_INVALID_ARGUMENT;
            ASSERT_TRUE(is_expected) << fork << ' ' << i << ": " << executed.error.text;
            refused += executed.status != HEDDLE_OK ? 1 : 0;
        }
        EXPECT_GT(refused, right.size()) << fork;
        EXPECT_EQ(hash_of(execute(engine.get(), small.chain(), state, small.given(right))),
                  hash_of(made));
    }
}

TEST(LibraryMisuse, nulls_and_wrong_sizes_are_invalid_arguments) {
    SmallChain small("Prague");
    const Callbacks state = small.callbacks();
    const EnginePtr engine = make_engine(1);
    const heddle_block block = small.unmade();
    heddle_result* result = nullptr;
    const auto call = [&](heddle_engine* e, const heddle_chain* c, const heddle_state* s,
                          const heddle_block* b, heddle_result** out) {
        return heddle_execute_block(e, c, s, b, out, nullptr);
    };
    EXPECT_EQ(call(nullptr, small.chain(), state.get(), &block, &result), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(call(engine.get(), nullptr, state.get(), &block, &result), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(call(engine.get(), small.chain(), nullptr, &block, &result), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(call(engine.get(), small.chain(), state.get(), nullptr, &result),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(call(engine.get(), small.chain(), state.get(), &block, nullptr),
              HEDDLE_INVALID_ARGUMENT);

    for (const std::size_t size : {std::size_t{0}, std::size_t{8}, sizeof(heddle_block) - 1,
                                   std::size_t{1} << 20, ~std::size_t{0}}) {
        heddle_block wrong = block;
        wrong.size = size;
        EXPECT_EQ(call(engine.get(), small.chain(), state.get(), &wrong, &result),
                  HEDDLE_INVALID_ARGUMENT)
            << size;
        heddle_summary summary = HEDDLE_INIT(heddle_summary);
        summary.size = size;
        const Executed made = execute(engine.get(), small.chain(), state, block);
        EXPECT_EQ(heddle_result_summary(made.result.get(), &summary), HEDDLE_INVALID_ARGUMENT);
        heddle_error error = HEDDLE_INIT(heddle_error);
        error.size = size;
        EXPECT_EQ(
            heddle_execute_block(engine.get(), small.chain(), state.get(), &block, &result, &error),
            HEDDLE_INVALID_ARGUMENT);
        EXPECT_EQ(result, nullptr);
    }

    heddle_block no_data = block;
    no_data.transactions = nullptr;
    EXPECT_EQ(execute(engine.get(), small.chain(), state, no_data).status, HEDDLE_INVALID_ARGUMENT);
    no_data = small.given({});
    no_data.rlp.size = 10;
    EXPECT_EQ(execute(engine.get(), small.chain(), state, no_data).status, HEDDLE_INVALID_ARGUMENT);
    Callbacks incomplete = small.callbacks();
    incomplete.change().account = nullptr;
    EXPECT_EQ(execute(engine.get(), small.chain(), incomplete, block).status,
              HEDDLE_INVALID_ARGUMENT);
    heddle_engine_free(nullptr);
    heddle_chain_free(nullptr);
    heddle_result_free(nullptr);
}

TEST(LibraryMisuse, indexes_beyond_the_end_are_invalid_arguments) {
    SmallChain small("Prague");
    const Callbacks state = small.callbacks();
    const Executed made = execute(make_engine(1).get(), small.chain(), state, small.unmade());
    const heddle_result* result = made.result.get();
    const heddle_changes* changes = heddle_result_changes(result);
    heddle_receipt receipt = HEDDLE_INIT(heddle_receipt);
    heddle_log log = HEDDLE_INIT(heddle_log);
    heddle_account_change account = HEDDLE_INIT(heddle_account_change);
    heddle_slot_change slot;
    const std::size_t none = ~std::size_t{0};
    EXPECT_EQ(heddle_result_receipt(result, 3, &receipt), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_result_receipt(result, none, &receipt), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_result_log(result, 0, 0, &log), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_result_log(result, 1, 1, &log), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_changes_account(changes, none, &account), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_changes_slot(changes, 0, none, &slot), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_changes_code(changes, none, nullptr, nullptr), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_changes_account_count(nullptr), 0U);
    EXPECT_EQ(heddle_result_changes(nullptr), nullptr);
}

/// A caller that was compiled against a later header.
TEST(LibraryVersions, what_is_not_known_must_be_zero_and_is_given_as_zero) {
    struct Later {
        heddle_engine_options known = {};
        std::uint64_t added = 0;
    } options;
    options.known.size = sizeof(options);
    heddle_engine* engine = nullptr;
    heddle_error error = HEDDLE_INIT(heddle_error);
    ASSERT_EQ(heddle_engine_new(&options.known, &engine, &error), HEDDLE_OK) << error.text;
    heddle_engine_free(engine);
    options.added = 1;
    EXPECT_EQ(heddle_engine_new(&options.known, &engine, &error), HEDDLE_INVALID_ARGUMENT);

    struct LaterError {
        heddle_error known = {};
        std::uint64_t added = 7;
    } later;
    later.known.size = sizeof(later);
    EXPECT_EQ(heddle_engine_new(&options.known, &engine, &later.known), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(later.added, 0U);
    EXPECT_EQ(later.known.size, sizeof(later));
    EXPECT_NE(std::string_view{later.known.text}, "");
}

TEST(LibraryEngine, refuses_options_out_of_range_and_gas_above_its_limit) {
    heddle_engine_options options = HEDDLE_INIT(heddle_engine_options);
    heddle_engine* engine = nullptr;
    options.workers = 257;
    EXPECT_EQ(heddle_engine_new(&options, &engine, nullptr), HEDDLE_INVALID_ARGUMENT);
    options.workers = 1;
    options.flags = 1U << 31;
    EXPECT_EQ(heddle_engine_new(&options, &engine, nullptr), HEDDLE_INVALID_ARGUMENT);
    options.flags = 0;
    options.scheduler = "tarot";
    EXPECT_EQ(heddle_engine_new(&options, &engine, nullptr), HEDDLE_INVALID_ARGUMENT);
    options.scheduler = "serial";
    options.max_gas_limit = 29'999'999;
    ASSERT_EQ(heddle_engine_new(&options, &engine, nullptr), HEDDLE_OK);
    const EnginePtr owner(engine);
    SmallChain small("Prague");
    const Callbacks state = small.callbacks();
    EXPECT_EQ(execute(engine, small.chain(), state, small.unmade()).status, HEDDLE_LIMIT);
}

TEST(LibraryChain, is_read_from_json_and_names_and_nothing_else) {
    heddle_chain* chain = nullptr;
    heddle_error error = HEDDLE_INIT(heddle_error);
    for (const std::string& text :
         {std::string{}, std::string{"["}, std::string{"{}"}, std::string{"[1]"},
          std::string{"{\"config\": 5}"}, std::string{"{\"chainId\": \"x\"}"},
          std::string{"{\"chainId\": 1e400}"}, std::string(200'000, '['),
          std::string{"{\"chainId\": 1, \"pragueTime\": -1}"}, std::string{"\xff\xfe\0", 3}}) {
        EXPECT_EQ(heddle_chain_from_json(text.data(), text.size(), &chain, &error),
                  HEDDLE_MALFORMED)
            << text.substr(0, 40);
        EXPECT_EQ(chain, nullptr);
    }
    EXPECT_EQ(heddle_chain_from_json(nullptr, 0, &chain, &error), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_chain_from_json("{}", std::size_t{1} << 40, &chain, &error), HEDDLE_LIMIT);
    EXPECT_EQ(heddle_chain_by_name(nullptr, &chain, &error), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(heddle_chain_by_name("Berlusconi", &chain, &error), HEDDLE_INVALID_ARGUMENT);
    EXPECT_NE(std::string_view{error.text}.find("Berlin"), std::string_view::npos);
    for (const char* name : {"mainnet", "sepolia", "Frontier", "Amsterdam"}) {
        ASSERT_EQ(heddle_chain_by_name(name, &chain, &error), HEDDLE_OK) << name;
        heddle_chain_free(chain);
    }
}

TEST(LibraryBlock, takes_senders_that_fit_and_ancestors_that_follow_each_other) {
    SmallChain small("Prague");
    const Callbacks state = small.callbacks();
    const EnginePtr engine = make_engine(1);
    const Executed made = execute(engine.get(), small.chain(), state, small.unmade());

    std::vector<heddle_address> senders(3);
    for (std::size_t i = 0; i < 3; ++i)
        std::ranges::copy(small.transactions[i].sender->bytes, senders[i].bytes);
    heddle_block block = small.unmade();
    block.senders = senders.data();
    block.sender_count = 3;
    EXPECT_EQ(hash_of(execute(engine.get(), small.chain(), state, block)), hash_of(made));
    block.sender_count = 2;
    EXPECT_EQ(execute(engine.get(), small.chain(), state, block).status, HEDDLE_INVALID_ARGUMENT);

    block = small.unmade();
    const std::vector<heddle_bytes> twice(2, block.ancestors[0]);
    block.ancestors = twice.data();
    block.ancestor_count = 2;
    EXPECT_EQ(execute(engine.get(), small.chain(), state, block).status, HEDDLE_INVALID_ARGUMENT);
    block.ancestor_count = 0;
    EXPECT_EQ(execute(engine.get(), small.chain(), state, block).status, HEDDLE_INVALID_ARGUMENT);

    // A whole block does for its header.
    Block parent;
    parent.header = small.parent();
    parent.withdrawals.emplace();
    Bytes encoded;
    encode_block(parent, encoded);
    const heddle_bytes whole = bytes_of(encoded);
    block = small.unmade();
    block.ancestors = &whole;
    EXPECT_EQ(hash_of(execute(engine.get(), small.chain(), state, block)), hash_of(made));
}

TEST(LibraryBlock, before_byzantium_needs_roots_once_its_parent_is_known) {
    heddle_chain* made = nullptr;
    ASSERT_EQ(heddle_chain_by_name("Homestead", &made, nullptr), HEDDLE_OK);
    const ChainPtr chain(made);
    SmallChain small("London");
    const Callbacks no_roots(small.state());
    const Executed executed = execute(make_engine(1).get(), chain.get(), no_roots, small.unmade());
    EXPECT_EQ(executed.status, HEDDLE_INVALID_ARGUMENT);
    EXPECT_NE(std::string_view{executed.error.text}.find("state_root"), std::string_view::npos);
}

TEST(LibraryNames, say_version_and_status) {
    EXPECT_EQ(std::string_view{heddle_version()}, HEDDLE_EXPECTED_VERSION);
    EXPECT_EQ(std::string_view{heddle_status_name(HEDDLE_REJECTED)}, "rejected");
    EXPECT_EQ(std::string_view{heddle_status_name(HEDDLE_INTERNAL)}, "internal error");
    EXPECT_EQ(std::string_view{heddle_status_name(-1)}, "unknown status");
    EXPECT_EQ(std::string_view{heddle_status_name(10)}, "unknown status");
}

/// Before, the status came alone.
TEST(LibraryMisuse, without_room_for_what_a_call_makes_is_explained) {
    const auto error_of = [](auto&& call) {
        heddle_error error = HEDDLE_INIT(heddle_error);
        EXPECT_EQ(call(&error), HEDDLE_INVALID_ARGUMENT);
        EXPECT_EQ(error.status, HEDDLE_INVALID_ARGUMENT);
        return std::string{error.text};
    };
    EXPECT_EQ(error_of([](auto* error) { return heddle_chain_by_name("Prague", nullptr, error); }),
              "out is null");
    EXPECT_EQ(error_of([](auto* error) { return heddle_engine_new(nullptr, nullptr, error); }),
              "out is null");
    EXPECT_EQ(error_of([](auto* error) {
                  return heddle_execute_block(nullptr, nullptr, nullptr, nullptr, nullptr, error);
              }),
              "out is null");
}

}  // namespace

}  // namespace heddle::test
