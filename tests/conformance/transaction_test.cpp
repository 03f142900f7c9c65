// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>
#include <types/transaction.hpp>
#include <vm/validate.hpp>

#include "fixtures.hpp"
#include "formats/json.hpp"
#include "formats/networks.hpp"
#include "program/exceptions.hpp"

// TransactionTests of ethereum/tests: encoded transactions with, for each fork, sender, hash and
// intrinsic gas, or the reason why they are invalid.
namespace heddle::node {
namespace {

constexpr std::size_t kFiles = 210;

Revision revision_of(std::string_view fork) {
    const auto network = find_network(fork);
    EXPECT_TRUE(network) << fork;
    const bool is_merged = network->config.terminal_total_difficulty.has_value();
    return network->config.revision(0, 0, is_merged);
}

/// Whether the first byte is no type that the fork knows.
bool has_unsupported_type(BytesView bytes, Revision revision) {
    switch (bytes.empty() ? 0 : bytes[0]) {
        case 1:
            return revision < Revision::berlin;
        case 2:
            return revision < Revision::london;
        case 3:
            return revision < Revision::cancun;
        case 4:
            return revision < Revision::prague;
        default:
            // A string where the list of a legacy transaction should be.
            return !bytes.empty() && bytes[0] >= 0x80 && bytes[0] < 0xc0;
    }
}

/// Checks that need no block: the sender is rich and its nonce fits.
std::optional<TransactionError> validate_alone(Transaction& tx, Revision revision) {
    const auto sender = recover_sender(tx);
    if (!sender) return TransactionError::invalid_signature;
    tx.sender = sender;
    ledger::MemoryState state;
    state.set_account(*sender, {.nonce = tx.nonce, .balance = Uint256::max()});
    BlockEnv env;
    env.revision = revision;
    env.max_blob_gas_per_block = std::numeric_limits<std::uint64_t>::max();
    constexpr auto kUnlimited = std::numeric_limits<std::uint64_t>::max();
    const auto valid = vm::validate(tx, state, env, {kUnlimited, kUnlimited, kUnlimited});
    // Funds and the block's gas are nothing that the transaction alone decides.
    Uint256 cost;
    if (!valid && valid.error() == TransactionError::gas_limit_above_block &&
        mul_overflow(Uint256{tx.gas_limit}, tx.max_fee_per_gas, cost))
        return TransactionError::gas_price_overflow;
    if (valid || valid.error() == TransactionError::insufficient_funds ||
        valid.error() == TransactionError::gas_limit_above_block)
        return std::nullopt;
    return valid.error();
}

void check(const Bytes& bytes, std::string_view fork, const JsonView& expected) {
    const Revision revision = revision_of(fork);
    const auto exception = expected.find("exception");
    const std::string_view reason = exception ? exception->string() : std::string_view{};
    auto tx = decode_transaction(bytes);
    if (has_unsupported_type(bytes, revision)) {
        // Where the payload is malformed as well, some fixtures name the one and some the other.
        EXPECT_TRUE(is_expected(TransactionError::type_not_supported, reason) ||
                    (!tx && is_expected(tx.error(), reason)))
            << reason;
        return;
    }
    if (!tx) {
        EXPECT_TRUE(is_expected(tx.error(), reason))
            << "got " << to_string(tx.error()) << ", want " << reason;
        return;
    }
    if (const auto error = validate_alone(*tx, revision)) {
        EXPECT_TRUE(is_expected(*error, reason))
            << "got " << to_string(*error) << ", want " << reason;
        return;
    }
    ASSERT_EQ(reason, "");
    EXPECT_EQ(to_string(*tx->sender), to_string(expected.at("sender").address()));
    EXPECT_EQ(transaction_hash(*tx), expected.at("hash").hash());
    EXPECT_EQ(vm::intrinsic_gas(*tx, revision).gas, expected.at("intrinsicGas").uint64());
}

TEST(TransactionTests, every_fork_accepts_or_rejects_as_stated) {
    const auto folder = test::fixture_archive("ethereum-tests");
    if (!folder) GTEST_SKIP() << test::missing_fixture_message("ethereum-tests");
    JsonParser parser;
    std::size_t files = 0;
    const auto tests = *folder / "TransactionTests";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tests)) {
        if (entry.path().extension() != ".json") continue;
        ++files;
        const JsonView document = parser.parse_file(entry.path().native());
        for (std::size_t i = 0; i < document.size(); ++i) {
            const auto [name, test] = document.member(i);
            const Bytes bytes = test.at("txbytes").bytes();
            const JsonView results = test.at("result");
            for (std::size_t j = 0; j < results.size(); ++j) {
                const auto [fork, expected] = results.member(j);
                SCOPED_TRACE(std::string(name) + " " + std::string(fork));
                check(bytes, fork, expected);
            }
        }
    }

    EXPECT_GE(files, kFiles);
}

}  // namespace
}  // namespace heddle::node
