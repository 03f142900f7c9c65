// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "ere_file.hpp"

#include <array>
#include <functional>

#include <gtest/gtest.h>

#include <types/ordered_root.hpp>
#include <types/receipt.hpp>

#include "accumulator.hpp"
#include "era_format.hpp"
#include "era_samples.hpp"
#include "sample_blocks.hpp"
#include "scratch_file.hpp"

namespace heddle::consensus_adapter {
namespace {

/// The receipts of a block, with logs, of several types; before Byzantium with states.
std::vector<Receipt> sample_receipts(std::size_t count, bool has_states) {
    std::vector<Receipt> receipts(count);
    for (std::size_t i = 0; i < count; ++i) {
        Receipt& receipt = receipts[i];
        receipt.type = i == 0 || has_states ? TransactionType::legacy : TransactionType::set_code;
        receipt.cumulative_gas_used = 21'000 * (i + 1);
        receipt.success = i % 2 == 0;
        if (has_states) receipt.post_state = to_hash(Uint256{i + 1});
        receipt.logs = {{address_from_low64(i), {to_hash(Uint256{7})}, {1, 2, 3}}};
        receipt.bloom = logs_bloom(receipt.logs);
    }
    return receipts;
}

void append_slim(const Receipt& receipt, Bytes& out) {
    const std::size_t begin = out.size();
    rlp::encode_uint64(static_cast<std::uint64_t>(receipt.type), out);
    if (receipt.post_state.has_value())
        rlp::encode_hash(*receipt.post_state, out);
    else
        rlp::encode_uint64(receipt.success ? 1 : 0, out);
    rlp::encode_uint64(receipt.cumulative_gas_used, out);
    encode_logs(receipt.logs, out);
    rlp::wrap_list(begin, out);
}

/// Writes ere files, right ones and, with the members changed, wrong ones.
struct EreWriter {
    std::uint64_t merge = 0;  // number of the first block without a difficulty
    bool has_receipts = true;
    bool has_proofs = false;
    bool has_accumulator = true;
    std::function<void(BlockHeader&)> change_header = [](BlockHeader&) {};
    Uint256 difficulty_error{};
    std::uint8_t accumulator_error = 0;
    std::uint64_t index_error = 0;
    std::uint64_t count_error = 0;
    Bytes other_entries{};

    Bytes write(std::uint64_t first, std::uint64_t last) const {
        const std::vector<Block> blocks = make_blocks(first, last);
        Bytes out;
        test::append_entry(0x3265, {}, out);
        std::vector<std::vector<std::uint64_t>> parts;
        const auto add_part = [&](std::uint16_t type, const auto& content_of) {
            auto& offsets = parts.emplace_back();
            for (const Block& block : blocks) {
                offsets.push_back(out.size());
                test::append_entry(type, content_of(block), out);
            }
        };
        add_part(0x03, [](const Block& block) { return test::compress(test::header_of(block)); });
        add_part(0x04, [](const Block& block) { return test::compress(test::body_of(block)); });
        if (has_receipts)
            add_part(0x0a, [](const Block& block) { return test::compress(receipts_of(block)); });
        if (has_proofs) add_part(0x0b, [](const Block&) { return Bytes{1, 2, 3}; });
        Uint256 total;
        Accumulator accumulator;
        const bool has_difficulties = first < merge;
        if (has_difficulties)
            add_part(0x06, [&](const Block& block) {
                total += block.header.difficulty;
                if (!block.header.difficulty.is_zero())
                    accumulator.add(header_hash(block.header), total);
                return test::little_endian(total + difficulty_error);
            });
        out.insert(out.end(), other_entries.begin(), other_entries.end());
        if (has_difficulties && has_accumulator) {
            Hash root = accumulator.root();
            root.bytes[0] ^= accumulator_error;
            test::append_entry(0x07, Bytes(root.bytes.begin(), root.bytes.end()), out);
        }
        append_index(first, parts, out);
        return out;
    }

private:
    std::vector<Block> make_blocks(std::uint64_t first, std::uint64_t last) const {
        std::vector<Block> blocks;
        for (std::uint64_t number = first; number <= last; ++number) {
            Block block = test::sample_block(number, number % 3);
            if (number >= merge) block.header.difficulty = {};
            const auto receipts =
                sample_receipts(block.transactions.size(), !block.header.difficulty.is_zero());
            std::vector<Bytes> encoded;
            for (const Receipt& receipt : receipts)
                encode_receipt(receipt, encoded.emplace_back());
            block.header.receipts_root = ordered_root(encoded);
            change_header(block.header);
            blocks.push_back(std::move(block));
        }
        return blocks;
    }

    static Bytes receipts_of(const Block& block) {
        Bytes out;
        for (const Receipt& receipt :
             sample_receipts(block.transactions.size(), !block.header.difficulty.is_zero()))
            append_slim(receipt, out);
        rlp::wrap_list(0, out);
        return out;
    }

    void append_index(std::uint64_t first, const std::vector<std::vector<std::uint64_t>>& parts,
                      Bytes& out) const {
        Bytes index;
        const std::size_t count = parts.front().size();
        test::append_le(first, 8, index);
        for (std::size_t block = 0; block < count; ++block)
            for (const auto& offsets : parts)
                test::append_le(offsets[block] - out.size() + index_error, 8, index);
        test::append_le(parts.size(), 8, index);
        test::append_le(count + count_error, 8, index);
        test::append_entry(0x3267, index, out);
    }
};

test::ReadResult read_all(const Bytes& content, const ArchiveOptions& options = {}) {
    const test::ScratchFile scratch{content};
    const auto reader = FileReader::open(scratch.path());
    const auto file = open_ere_file(*reader, options);
    if (!file.has_value()) return {.blocks = {}, .error = file.error()};
    return test::read_all(**file);
}

std::optional<SourceErrorCode> error_of(const Bytes& content) {
    const auto result = read_all(content);
    return result.error.has_value() ? std::optional{result.error->code} : std::nullopt;
}

/// A file of every kind: from before, over and after the merge.
std::vector<Bytes> all_kinds() {
    return {EreWriter{.merge = 99}.write(0, 5), EreWriter{.merge = 3}.write(0, 5),
            EreWriter{}.write(8'192, 8'197)};
}

TEST(EreFile, gives_every_block_as_it_was) {
    for (const Bytes& content : all_kinds()) {
        const test::ReadResult result = read_all(content);
        ASSERT_FALSE(result.error.has_value()) << to_string(*result.error);
        ASSERT_EQ(result.blocks.size(), 6u);
        const BlockHeader& header = result.blocks[5].header;
        EXPECT_EQ(result.blocks[5].transactions,
                  test::sample_block(header.number, header.number % 3).transactions);
        EXPECT_TRUE(header.number == 5u || header.number == 8'197u);
    }
}

TEST(EreFile, does_without_receipts_and_takes_proofs_and_entries_of_others) {
    EreWriter writer{.merge = 3, .has_receipts = false, .has_proofs = true};
    test::append_entry(0x1234, {1, 2, 3, 4, 5}, writer.other_entries);
    const test::ReadResult result = read_all(writer.write(0, 5));
    ASSERT_FALSE(result.error.has_value()) << to_string(*result.error);
    EXPECT_EQ(result.blocks.size(), 6u);
    EXPECT_EQ(error_of(EreWriter{.merge = 3, .has_accumulator = false}.write(0, 5)), std::nullopt);
}

TEST(EreFile, is_told_from_era1_by_what_comes_first) {
    const auto format_of = [](const Bytes& content) {
        const test::ScratchFile scratch{content};
        return *era_format_of(*FileReader::open(scratch.path()));
    };
    for (const Bytes& content : all_kinds())
        EXPECT_EQ(format_of(content), EraFormat::ere);
    for (const bool has_receipts : {false, true})
        for (const std::uint64_t merge : {std::uint64_t{0}, std::uint64_t{99}})
            EXPECT_EQ(
                format_of(EreWriter{.merge = merge, .has_receipts = has_receipts}.write(1, 1)),
                EraFormat::ere);
    Bytes era1;
    for (const std::uint16_t type : std::to_array<std::uint16_t>({0x3265, 3, 4, 5, 6, 7, 0x3266}))
        test::append_entry(type, {}, era1);
    EXPECT_EQ(format_of(era1), EraFormat::era1);
    EXPECT_EQ(format_of(test::sample_chain(1, 2)), EraFormat::none);
    EXPECT_EQ(format_of({}), EraFormat::none);
}

TEST(EreFile, verifies_numbers_receipts_difficulties_accumulator_and_index) {
    EreWriter writer{.merge = 3};
    writer.change_header = [](BlockHeader& h) { h.number += h.number > 2 ? 1 : 0; };
    EXPECT_EQ(error_of(writer.write(0, 4)), EraFault::wrong_number);

    writer = {.merge = 3};
    writer.change_header = [](BlockHeader& h) { h.receipts_root = Hash{}; };
    EXPECT_EQ(error_of(writer.write(0, 4)), EraFault::receipts_mismatch);
    ArchiveOptions lenient;
    lenient.verify_receipts = false;
    EXPECT_FALSE(read_all(writer.write(0, 4), lenient).error.has_value());

    EXPECT_EQ(error_of(EreWriter{.merge = 3, .difficulty_error = Uint256{1}}.write(0, 4)),
              EraFault::total_difficulty_mismatch);
    EXPECT_EQ(error_of(EreWriter{.merge = 3, .accumulator_error = 1}.write(0, 4)),
              EraFault::accumulator_mismatch);
    EXPECT_EQ(error_of(EreWriter{.merge = 3, .index_error = 1}.write(0, 4)),
              EraFault::malformed_entry);
    EXPECT_EQ(error_of(EreWriter{.merge = 3, .count_error = 1}.write(0, 4)),
              EraFault::malformed_entry);
}

TEST(EreFile, names_block_and_offset_of_what_is_wrong) {
    EreWriter writer;
    writer.change_header = [](BlockHeader& h) {
        if (h.number == 3) h.receipts_root = Hash{};
    };
    const test::ReadResult result = read_all(writer.write(0, 4));
    ASSERT_TRUE(result.error.has_value());
    EXPECT_EQ(result.blocks.size(), 3u);
    EXPECT_EQ(result.error->number, 3u);
    EXPECT_GT(result.error->offset, 0u);
}

TEST(EreFile, bounds_what_entries_may_hold) {
    ArchiveOptions options;
    options.max_receipts_bytes = 10;
    const auto result = read_all(EreWriter{}.write(0, 4), options);
    ASSERT_TRUE(result.error.has_value());
    EXPECT_EQ(result.error->code, FileFault::too_large);
}

TEST(EreFile, notices_every_cut) {
    for (const Bytes& content : all_kinds()) {
        for (std::size_t size = 0; size < content.size(); ++size)
            EXPECT_TRUE(error_of(Bytes(content.begin(), content.begin() + static_cast<long>(size)))
                            .has_value())
                << size;
        Bytes longer = content;
        longer.push_back(0);
        EXPECT_TRUE(error_of(longer).has_value());
    }
}

TEST(EreFile, never_gives_other_blocks_for_a_flipped_byte) {
    for (const Bytes& content : all_kinds()) {
        const std::vector<Block> blocks = read_all(content).blocks;
        for (std::size_t at = 0; at < content.size(); ++at) {
            Bytes damaged = content;
            damaged[at] ^= 0x40;
            const test::ReadResult result = read_all(damaged);
            // Snappy may say one thing in several ways; then nothing is wrong.
            if (!result.error.has_value()) EXPECT_EQ(result.blocks, blocks) << at;
        }
    }
}

TEST(EreFile, checks_every_byte_of_its_index) {
    const Bytes content = EreWriter{.merge = 3}.write(0, 4);
    const std::size_t index_size = 8 + 8 * (5 * 4 + 3);
    for (std::size_t at = content.size() - index_size; at < content.size(); ++at) {
        Bytes damaged = content;
        damaged[at] ^= 0x40;
        EXPECT_TRUE(error_of(damaged).has_value()) << at;
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter
