// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "era1_file.hpp"

#include <functional>

#include <gtest/gtest.h>

#include <types/ordered_root.hpp>

#include "accumulator.hpp"
#include "era_samples.hpp"
#include "sample_blocks.hpp"
#include "scratch_file.hpp"

namespace heddle::consensus_adapter {
namespace {

/// Writes era1 files, right ones and, with the hooks, wrong ones.
struct Era1Writer {
    std::function<void(BlockHeader&)> change_header = [](BlockHeader&) {};
    Uint256 difficulty_error;
    std::uint8_t accumulator_error = 0;
    std::uint64_t index_error = 0;

    Bytes write(std::uint64_t first, std::uint64_t last) const {
        Bytes out;
        test::append_entry(0x3265, {}, out);
        Accumulator accumulator;
        std::vector<std::uint64_t> offsets;
        Uint256 total;
        for (std::uint64_t number = first; number <= last; ++number) {
            offsets.push_back(out.size());
            Block block = test::sample_block(number, number % 3);
            Bytes receipts;
            block.header.receipts_root = write_receipts(block, receipts);
            change_header(block.header);
            total += block.header.difficulty;
            write_block(block, receipts, total, out);
            accumulator.add(header_hash(block.header), total);
        }
        Hash root = accumulator.root();
        root.bytes[0] ^= accumulator_error;
        test::append_entry(0x07, Bytes(root.bytes.begin(), root.bytes.end()), out);
        Bytes index;
        test::append_le(first, 8, index);
        for (const std::uint64_t offset : offsets)
            test::append_le(offset - out.size() + index_error, 8, index);
        test::append_le(offsets.size(), 8, index);
        test::append_entry(0x3266, index, out);
        return out;
    }

private:
    static Hash write_receipts(const Block& block, Bytes& out) {
        std::vector<Bytes> receipts(block.transactions.size());
        for (std::size_t i = 0; i < receipts.size(); ++i) {
            Receipt receipt;
            receipt.type = i == 0 ? TransactionType::legacy : TransactionType::access_list;
            receipt.cumulative_gas_used = 21'000 * (i + 1);
            encode_receipt(receipt, receipts[i]);
            if (i == 0)
                out.insert(out.end(), receipts[i].begin(), receipts[i].end());
            else
                rlp::encode_string(receipts[i], out);
        }
        rlp::wrap_list(0, out);
        return ordered_root(receipts);
    }

    void write_block(const Block& block, const Bytes& receipts, const Uint256& total,
                     Bytes& out) const {
        test::append_entry(0x03, test::compress(test::header_of(block)), out);
        test::append_entry(0x04, test::compress(test::body_of(block)), out);
        test::append_entry(0x05, test::compress(receipts), out);
        test::append_entry(0x06, test::little_endian(total + difficulty_error), out);
    }
};

test::ReadResult read_all(const Bytes& content, const ArchiveOptions& options = {}) {
    const test::ScratchFile scratch{content};
    return test::read_all(*open_era1_file(*FileReader::open(scratch.path()), options));
}

std::optional<SourceErrorCode> error_of(const Bytes& content) {
    const auto result = read_all(content);
    return result.error.has_value() ? std::optional{result.error->code} : std::nullopt;
}

TEST(Era1File, gives_every_block_as_it_was) {
    const Bytes content = Era1Writer{}.write(0, 9);
    const test::ReadResult result = read_all(content);

    ASSERT_FALSE(result.error.has_value()) << to_string(*result.error);
    ASSERT_EQ(result.blocks.size(), 10u);
    EXPECT_EQ(result.blocks[5].transactions, test::sample_block(5, 2).transactions);
    EXPECT_EQ(result.blocks[5].header.number, 5u);
}

TEST(Era1File, takes_a_file_from_the_middle_of_history) {
    EXPECT_EQ(error_of(Era1Writer{}.write(8'192, 8'195)), std::nullopt);
}

TEST(Era1File, verifies_numbers_receipts_difficulties_accumulator_and_index) {
    Era1Writer writer;
    writer.change_header = [](BlockHeader& h) { h.number += h.number > 2 ? 1 : 0; };
    EXPECT_EQ(error_of(writer.write(0, 4)), EraFault::wrong_number);

    writer = {};
    writer.change_header = [](BlockHeader& h) { h.receipts_root = Hash{}; };
    EXPECT_EQ(error_of(writer.write(0, 4)), EraFault::receipts_mismatch);
    ArchiveOptions lenient;
    lenient.verify_receipts = false;
    EXPECT_FALSE(read_all(writer.write(0, 4), lenient).error.has_value());

    writer = {};
    writer.difficulty_error = Uint256{1};
    EXPECT_EQ(error_of(writer.write(0, 4)), EraFault::total_difficulty_mismatch);

    writer = {};
    writer.accumulator_error = 1;
    EXPECT_EQ(error_of(writer.write(0, 4)), EraFault::accumulator_mismatch);

    writer = {};
    writer.index_error = 1;
    EXPECT_EQ(error_of(writer.write(0, 4)), EraFault::malformed_entry);
}

TEST(Era1File, names_block_and_offset_of_what_is_wrong) {
    Era1Writer writer;
    writer.change_header = [](BlockHeader& h) {
        if (h.number == 3) h.receipts_root = Hash{};
    };

    const test::ReadResult result = read_all(writer.write(0, 4));

    ASSERT_TRUE(result.error.has_value());
    EXPECT_EQ(result.blocks.size(), 3u);
    EXPECT_EQ(result.error->number, 3u);
    EXPECT_GT(result.error->offset, 0u);
}

TEST(Era1File, bounds_what_entries_may_hold) {
    ArchiveOptions options;
    options.max_receipts_bytes = 10;
    const auto result = read_all(Era1Writer{}.write(0, 4), options);
    ASSERT_TRUE(result.error.has_value());
    EXPECT_EQ(result.error->code, FileFault::too_large);
}

TEST(Era1File, notices_every_cut) {
    const Bytes content = Era1Writer{}.write(0, 2);
    for (std::size_t size = 0; size < content.size(); ++size)
        EXPECT_TRUE(
            error_of(Bytes(content.begin(), content.begin() + static_cast<long>(size))).has_value())
            << size;
    Bytes longer = content;
    longer.push_back(0);
    EXPECT_TRUE(error_of(longer).has_value());
}

TEST(Era1File, never_gives_other_blocks_for_a_flipped_byte) {
    const Bytes content = Era1Writer{}.write(0, 2);
    const std::vector<Block> blocks = read_all(content).blocks;
    for (std::size_t at = 0; at < content.size(); ++at) {
        Bytes damaged = content;
        damaged[at] ^= 0x40;
        const test::ReadResult result = read_all(damaged);
        // Snappy may say one thing in several ways; then nothing is wrong.
        if (!result.error.has_value()) EXPECT_EQ(result.blocks, blocks) << at;
    }
}

TEST(Era1File, checks_every_byte_that_is_not_compressed) {
    const Bytes content = Era1Writer{}.write(0, 2);
    const std::size_t tail_size = (8 + 32) + (8 + 8 * 5);  // accumulator, index
    for (std::size_t at = content.size() - tail_size; at < content.size(); ++at) {
        Bytes damaged = content;
        damaged[at] ^= 0x40;
        EXPECT_TRUE(error_of(damaged).has_value()) << at;
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter
