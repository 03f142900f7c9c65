// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "commands/export_ere.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <types/counted.hpp>

#include <consensus_adapter/ere_writer.hpp>

#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "program/made_folder.hpp"
#include "program/output_file.hpp"
#include "program/quantities.hpp"
#include "program/sha256.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using consensus_adapter::EreWriter;
using consensus_adapter::kEreBlocks;

constexpr std::string_view kChecksums = "checksums.txt";

/// What files of a chain begin with.
std::string_view network_of(std::uint64_t chain_id) noexcept {
    switch (chain_id) {
        case 1:
            return "mainnet";
        case 11'155'111:
            return "sepolia";
        case 560'048:
            return "hoodi";
        default:
            return "unknown";
    }
}

ledger::StoredHeader header_at(const ledger::DurableLedger& ledger, std::uint64_t number) {
    auto header = take(ledger.header(number));
    if (!header.has_value())
        throw StorageError(fmt::format("the header of block {} is missing", number));
    return *std::move(header);
}

ledger::StoredBlock block_at(const ledger::DurableLedger& ledger, std::uint64_t number) {
    auto block = take(ledger.block(number));
    if (!block.has_value())
        throw StorageError(fmt::format("the body of block {} is missing", number));
    return *std::move(block);
}

/// Where the first file begins.
std::uint64_t first_of(const ledger::DurableLedger& ledger, const EreExport& wanted) {
    const std::uint64_t there = ledger.first_block();
    const std::uint64_t least = (there + kEreBlocks - 1) / kEreBlocks * kEreBlocks;
    const std::uint64_t from = wanted.from.value_or(least);
    if (from % kEreBlocks != 0)
        fail_input("export: --from {}: ere files begin at multiples of {}: name {} or {}", from,
                   kEreBlocks, from / kEreBlocks * kEreBlocks,
                   (from / kEreBlocks + 1) * kEreBlocks);
    if (from < there)
        fail_input("export: --from {}: the first block that is there is {}", from, there);
    if (from > wanted.to)
        fail_input(
            "export: no ere file begins between block {} and block {}: they begin at "
            "multiples of {}",
            std::min(there, from), wanted.to, kEreBlocks);
    return from;
}

/// The folder's name.
std::string check_name(const std::string& folder) {
    if (is_standard_output(folder))
        fail_input("export: ere files need a folder, not standard output");
    return folder;
}

void check_folder(const std::string& folder, const MadeFolder& made) {
    if (made.error())
        fail_input("export: cannot make the folder {}: {}", folder, made.error().message());
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder, error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const fs::path name = entry->path().filename();
        if (name.extension() == ".ere" || name == kChecksums)
            fail_input("export: {} has {} already: name another folder", folder, name.native());
    }
    if (error) fail_input("export: cannot list the folder {}: {}", folder, error.message());
}

class EreExporter {
public:
    EreExporter(const ledger::DurableLedger& ledger, const EreExport& wanted)
        : ledger_(ledger),
          folder_(check_name(wanted.folder)),
          from_(first_of(ledger, wanted)),
          to_(wanted.to),
          made_(folder_) {
        check_folder(folder_, made_);
        network_ = network_of(stored_chain_config(ledger).chain_id);
    }
    EreExporter(const EreExporter&) = delete;
    EreExporter& operator=(const EreExporter&) = delete;

    void run() {
        std::string checksums;
        for (std::uint64_t first = from_; first <= to_; first += kEreBlocks) {
            if (!checksums.empty()) checksums += '\n';
            checksums += to_string(write_file_from(first));
            ++files_;
        }
        write_file((fs::path{folder_} / kChecksums).native(), checksums);
        made_.keep();
        fmt::print("{}, {} to {}, {}, {}\n", counted(to_ - from_ + 1, "block"), from_, to_,
                   counted(files_, "file"), format_bytes(bytes_));
    }

private:
    /// @return its SHA-256.
    Hash write_file_from(std::uint64_t first) {
        const std::uint64_t last = std::min<std::uint64_t>(to_, first + kEreBlocks - 1);
        const std::string hash = to_string(header_at(ledger_, last).hash);
        const std::string name = fmt::format("{}-{:05}-{}-noproofs.ere", network_,
                                             first / kEreBlocks, hash.substr(2, 8));
        const std::string path = (fs::path{folder_} / name).native();
        OutputFile file("export", path);
        Sha256 checksum;
        EreWriter writer([&](BytesView bytes) {
            file.write(bytes);
            checksum.add(bytes);
        });
        write_parts(writer, first, last);
        writer.finish();
        file.complete();
        file.publish();
        made_.add(path);  // it would be in the way of the next export, where this one fails
        bytes_ += file.size();
        return checksum.finish();
    }

    void write_parts(EreWriter& writer, std::uint64_t first, std::uint64_t last) {
        const auto for_each_block = [&](const auto& write) {
            for (std::uint64_t number = first; number <= last; ++number)
                write(number);
        };
        for_each_block([&](std::uint64_t n) { writer.add_header(header_at(ledger_, n).header); });
        for_each_block([&](std::uint64_t n) {
            writer.add_body(block_at(ledger_, n).block);
            show_progress();
        });
        for_each_block([&](std::uint64_t n) {
            writer.add_receipts(block_at(ledger_, n).receipts);
            show_progress();
        });
        if (!writer.has_difficulties()) return;
        for_each_block([&](std::uint64_t n) {
            writer.add_total_difficulty(header_at(ledger_, n).total_difficulty);
        });
    }

    /// A body or the receipts of a block are written.
    void show_progress() { progress_.update("writing blocks", ++parts_ / 2, to_ - from_ + 1); }

    const ledger::DurableLedger& ledger_;
    const std::string folder_;
    const std::uint64_t from_;
    const std::uint64_t to_;
    MadeFolder made_;
    std::string_view network_;
    StepProgress progress_;
    std::uint64_t parts_ = 0;
    std::uint64_t files_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace

void export_ere(const ledger::DurableLedger& ledger, const EreExport& wanted) {
    EreExporter{ledger, wanted}.run();
}

}  // namespace heddle::node
