// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle export: blocks of a data directory as a chain file, one RLP block after another, as geth
// reads and writes them.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <unistd.h>

#include <fmt/format.h>

#include <types/block.hpp>

#include "inputs/access_list_file.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/counted.hpp"
#include "program/file.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

struct ExportOptions {
    LedgerFlags ledger;
    std::string file;
    std::optional<std::uint64_t> from;
    std::optional<std::uint64_t> to;
    std::string access_lists;  // file to write as well; empty: none
};

/// A file that has another name until it is complete, and is this process's until then; or standard
/// output; or a pipe or a device, which is written to as it is.
class OutputFile {
public:
    explicit OutputFile(const std::string& path)
        : path_(path),
          is_standard_(is_standard_output(path)),
          is_renamed_(!is_standard_ && is_replaceable(path)),
          opened_(is_renamed_ ? path + ".unfinished" : path) {
        file_ = is_standard_ ? stdout : open();
        if (file_ != nullptr) return;
        if (is_renamed_ && errno == EWOULDBLOCK)
            fail_input("export: cannot make {}: another process is writing it", opened_);
        fail("cannot make", opened_);
    }
    ~OutputFile() {
        if (file_ == nullptr || is_standard_) return;
        if (is_renamed_ && !is_published_) std::remove(opened_.c_str());
        std::fclose(file_);
    }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(BytesView bytes) {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
            fail("cannot write to", path_);
        size_ += bytes.size();
    }
    /// All of it is written, and on the disk where there is one to force it to.
    void complete() {
        if (std::fflush(file_) != 0) fail("cannot write to", path_);
        if (is_renamed_ && ::fsync(::fileno(file_)) != 0) fail("cannot write to", path_);
    }
    /// Follows complete(): it gets its name.
    void publish() {
        if (is_renamed_ && std::rename(opened_.c_str(), path_.c_str()) != 0)
            fail("cannot write", path_);
        is_published_ = true;
    }
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] bool is_standard() const noexcept { return is_standard_; }

private:
    [[nodiscard]] std::FILE* open() const {
        if (!is_renamed_) return std::fopen(opened_.c_str(), "wb");
        const int file = open_unfinished(opened_);
        return file < 0 ? nullptr : ::fdopen(file, "wb");
    }
    [[noreturn]] static void fail(const char* doing, const std::string& path) {
        fail_input("export: {} {}: {}", doing, path, std::strerror(errno));
    }

    const std::string path_;
    const bool is_standard_;
    const bool is_renamed_;
    const std::string opened_;
    std::FILE* file_ = nullptr;
    bool is_published_ = false;
    std::uint64_t size_ = 0;
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

ExitCode export_chain(const ExportOptions& options) {
    if (is_same_file(options.file, options.access_lists))
        fail_input("export: {}: blocks and access lists need files of their own", options.file);
    const auto ledger = open_ledger(make_reading_options(options.ledger));
    const std::uint64_t head = ledger->head().header.number;
    const std::uint64_t first_block = ledger->first_block();
    const std::uint64_t from = options.from.value_or(std::max<std::uint64_t>(first_block, 1));
    const std::uint64_t to = options.to.value_or(head);
    if (to > head) fail_input("export: --to {}: the head is block {}", to, head);
    if (from < first_block)
        fail_input("export: --from {}: the first block that is there is {}", from, first_block);
    if ((options.from.has_value() || options.to.has_value()) && from > to)
        fail_input("export: from block {} to block {} there are none: the head is block {}", from,
                   to, head);

    OutputFile file(options.file);
    std::optional<OutputFile> lists;
    if (!options.access_lists.empty()) lists.emplace(options.access_lists);
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
    Command command = app.add_subcommand("export", "Write a chain file that replay and geth read");
    const auto options = std::make_shared<ExportOptions>();
    add_maintenance_flags(command, options->ledger);
    command.add_option("file", options->file, "Chain file to write; - is standard output")
        .required();
    command.add_option("--from", options->from, "First block; by default the one after genesis");
    command.add_option("--to", options->to, "Last block; by default the head");
    command.add_option("--access-lists", options->access_lists,
                       "Write the blocks' access lists to this file, one after the other: what "
                       "replay --access-lists reads (EIP-7928)");
    command.callback([options, &action] { action = [options] { return export_chain(*options); }; });
}

}  // namespace heddle::node
