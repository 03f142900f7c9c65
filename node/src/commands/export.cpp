// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle export: blocks of a data directory as a chain file, one RLP block after another, or as ere
// files, as geth reads and writes them.
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <types/block.hpp>
#include <types/counted.hpp>

#include "commands/export_ere.hpp"
#include "inputs/access_list_file.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/file.hpp"
#include "program/output_file.hpp"
#include "program/quantities.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

struct ExportOptions {
    LedgerFlags ledger;
    std::string file;
    std::string format = "rlp";
    std::optional<std::uint64_t> from;
    std::optional<std::uint64_t> to;
    std::string access_lists;  // file to write as well; empty: none
};

/// Where the header claims no list there may be one that was made for execution, or none.
void write_access_list(const ledger::DurableLedger& ledger, const BlockHeader& header,
                       OutputFile& file) {
    if (header.number == 0) return;
    const auto list = take(ledger.access_list(header.number));
    const bool is_claimed = header.block_access_list_hash.has_value();
    if (list.has_value())
        file.write(is_claimed ? *list : encode_named_list(header, *list));
    else if (is_claimed)
        fail_input("export: the access list of block {} is not kept any more", header.number);
}

/// The last block to be written.
std::uint64_t last_of(const ExportOptions& options, const ledger::DurableLedger& ledger) {
    const std::uint64_t head = ledger.head().header.number;
    const std::uint64_t to = options.to.value_or(head);
    if (to > head) fail_input("export: --to {}: the head is block {}", to, head);
    return to;
}

ExitCode export_as_ere(const ExportOptions& options) {
    if (!options.access_lists.empty())
        fail_input(
            "export: --access-lists goes with --format rlp: ere files have no place for "
            "access lists");
    const auto ledger = open_ledger(make_reading_options(options.ledger));
    export_ere(*ledger, {options.file, options.from, last_of(options, *ledger)});
    close_ledger(*ledger);
    return ExitCode::ok;
}

ExitCode export_as_rlp(const ExportOptions& options) {
    if (is_same_file(options.file, options.access_lists))
        fail_input("export: {}: blocks and access lists need files of their own", options.file);
    const auto ledger = open_ledger(make_reading_options(options.ledger));
    const std::uint64_t first_block = ledger->first_block();
    const std::uint64_t from = options.from.value_or(std::max<std::uint64_t>(first_block, 1));
    const std::uint64_t to = last_of(options, *ledger);
    if (from < first_block)
        fail_input("export: --from {}: the first block that is there is {}", from, first_block);
    if ((options.from.has_value() || options.to.has_value()) && from > to)
        fail_input("export: from block {} to block {} there are none: the head is block {}", from,
                   to, ledger->head().header.number);

    OutputFile file("export", options.file);
    std::optional<OutputFile> lists;
    if (!options.access_lists.empty()) lists.emplace("export", options.access_lists);
    Bytes bytes;
    StepProgress progress;
    for (std::uint64_t number = from; number <= to; ++number) {
        const auto block = take(ledger->block(number));
        if (!block.has_value())
            throw StorageError(fmt::format("the body of block {} is missing", number));
        bytes.clear();
        encode_block(block->block, bytes);
        file.write(bytes);
        if (lists.has_value()) write_access_list(*ledger, block->block.header, *lists);
        progress.update("writing blocks", number - from + 1, to - from + 1);
    }
    // Neither has its name before both are complete.
    file.complete();
    if (lists.has_value()) lists->complete();
    file.publish();
    if (lists.has_value()) lists->publish();
    close_ledger(*ledger);
    const std::string summary =
        from > to ? fmt::format("0 blocks, {}\n", format_bytes(file.size()))
                  : fmt::format("{}, {} to {}, {}\n", counted(to - from + 1, "block"), from, to,
                                format_bytes(file.size()));
    if (file.is_standard() || (lists.has_value() && lists->is_standard()))
        say("{}", summary);
    else
        fmt::print("{}", summary);
    return ExitCode::ok;
}

}  // namespace

void register_export(Command app, Action& action) {
    Command command = app.add_subcommand("export", "Write chain files that replay and geth read");
    const auto options = std::make_shared<ExportOptions>();
    add_maintenance_flags(command, options->ledger);
    command
        .add_option("file", options->file,
                    "Chain file to write, - is standard output; with --format ere the folder for "
                    "the files")
        .required();
    command
        .add_option("--format", options->format,
                    "rlp, one block after another; or ere, archives of 8192 blocks with their "
                    "receipts")
        .one_of({"rlp", "ere"})
        .capture_default();
    command.add_option("--from", options->from, "First block; by default the one after genesis");
    command.add_option("--to", options->to, "Last block; by default the head");
    command.add_option("--access-lists", options->access_lists,
                       "Write the blocks' access lists to this file, one after the other: what "
                       "replay --access-lists reads (EIP-7928)");
    command.callback([options, &action] {
        action = [options] {
            return options->format == "ere" ? export_as_ere(*options) : export_as_rlp(*options);
        };
    });
}

}  // namespace heddle::node
