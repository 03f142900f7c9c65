// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// `heddle generate --snapshot`: a first state of any size, account by account into a ledger and
// from there into a snapshot.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <ledger/genesis_loader.hpp>
#include <ledger/snapshot.hpp>
#include <types/text_bytes.hpp>
#include <workload/generator.hpp>
#include <workload/world.hpp>

#include "commands/generate.hpp"
#include "formats/chain_config_json.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "program/made_folder.hpp"

namespace heddle::node {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSlotsPerContract = 1'024;
constexpr auto kBeingMade = ledger::LedgerStage::being_made;

void check(const std::expected<void, ledger::LedgerError>& result) {
    if (!result.has_value()) fail_ledger(result.error(), kBeingMade);
}

void give(const GenesisAccount& account, ledger::GenesisLoader& loader) {
    loader.begin_account(account.address);
    for (const auto& [slot, value] : account.storage)
        check(loader.add_slot(slot, value));
    check(loader.end_account(account.nonce, account.balance, account.code));
}

/// What is too much to be held: accounts that only receive, as make_world() makes them, and
/// contracts that nobody calls. Their addresses are the last of the idle ones.
void give_idle(const GenerateOptions& options, ledger::GenesisLoader& loader) {
    const std::uint64_t seed = options.workload.seed;
    for (std::uint32_t i = 0; i < options.workload.idle_accounts; ++i) {
        loader.begin_account(workload::idle_address(seed, i));
        check(loader.end_account(0, 1, {}));
    }
    const Bytes stop{0x00};
    std::uint32_t index = UINT32_MAX;
    for (std::uint64_t done = 0; done < options.idle_slots; --index) {
        loader.begin_account(workload::idle_address(seed, index));
        for (std::uint64_t slot = 0; slot < kSlotsPerContract && done < options.idle_slots;
             ++slot, ++done)
            check(loader.add_slot(slot, done + 1));
        check(loader.end_account(1, {}, stop));
    }
}

/// A name that nobody else uses: what lies beside it is removed.
constexpr std::string_view kMark = "heddle-generate.unfinished";
constexpr std::string_view kData = "data";

enum class Place : std::uint8_t {
    taken,      // by somebody else, who knows for what
    free,       // nothing there, or an empty folder, which stays one
    left_over,  // by an attempt that was killed, with its mark
};

Place look_at(const fs::path& folder) {
    std::error_code error;
    const fs::file_status there = fs::symlink_status(folder, error);
    if (there.type() == fs::file_type::not_found) return Place::free;
    if (!fs::is_directory(there)) return Place::taken;
    Place place = Place::free;
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
         entry.increment(error)) {
        const fs::path name = entry->path().filename();
        const fs::file_type type = entry->symlink_status(error).type();
        if (name == kMark && type == fs::file_type::regular && entry->file_size(error) == 0)
            place = Place::left_over;
        else if (name != kData || type != fs::file_type::directory)
            return Place::taken;
        else if (place == Place::free)
            place = Place::taken;  // unless the mark is still to come
    }
    return error ? Place::taken : place;
}

/// Errors: InputError; StorageError where it is the disk.
[[noreturn]] void fail_to_make(const fs::path& path, int error) {
    if (is_of_disk(error)) throw StorageError(path.string() + ": " + std::strerror(error));
    fail_input("{}: cannot be written: {}", path.string(), std::strerror(error));
}

/// Where the data directory is that a snapshot is made from, beside a mark that says so and is
/// locked as long as somebody is at work. It goes, also where something fails: on a full disk it
/// would hold the room that is missing. What a kill leaves is the next attempt's.
class BuildingFolder {
public:
    /// Errors: InputError where something else is there, or another process is at work;
    /// StorageError.
    explicit BuildingFolder(const fs::path& path)
        : place_(checked(look_at(path), path)), made_(path), path_(path) {
        if (made_.error()) fail_to_make(path, made_.error().value());
        mark_ = open_unfinished((path / kMark).string());
        if (mark_ < 0 && errno == EWOULDBLOCK)
            fail_input("{}: another process is making it; choose another --out", path.string());
        if (mark_ < 0) fail_to_make(path, errno);
        if (place_ == Place::left_over) made_.take_over();
    }
    BuildingFolder(const BuildingFolder&) = delete;
    BuildingFolder& operator=(const BuildingFolder&) = delete;
    ~BuildingFolder() {
        std::error_code error;
        fs::remove_all(path_ / kData, error);
        // While something of it is left, the mark has to say what it is.
        if (!error) fs::remove(path_ / kMark, error);
        ::close(mark_);
    }

    [[nodiscard]] std::string data() const { return (path_ / kData).string(); }
    /// Removes the data directory, that of an attempt that was killed too. Errors: InputError.
    void clear() const {
        std::error_code error;
        fs::remove_all(path_ / kData, error);
        if (error) fail_input("{}: cannot be removed: {}", data(), error.message());
    }

private:
    static Place checked(Place place, const fs::path& path) {
        if (place == Place::taken)
            fail_input("{}: exists already; remove it, or choose another --out", path.string());
        return place;
    }

    const Place place_;
    MadeFolder made_;
    const fs::path path_;
    int mark_ = -1;
};

}  // namespace

GenerateSummary generate_state(const GenerateOptions& options) {
    fs::path folder = options.out;
    if (!folder.has_filename()) folder = folder.parent_path();  // of a slash at the end
    const std::string out = folder.string();
    std::error_code error;
    if (fs::exists(fs::symlink_status(out, error)))
        fail_input("{}: exists already; remove it, or choose another --out", out);
    const BuildingFolder building(out + ".building");  // goes after all that has it open
    GenerateOptions small = options;
    small.workload.idle_accounts = 0;
    workload::Generator generator(small.workload);
    const Genesis genesis =
        workload::make_genesis(generator.take_alloc(), options.workload, block_gas_limit(options));

    ledger::DurableLedgerOptions settings;
    building.clear();
    settings.directory = building.data();
    StepProgress progress;
    auto loader =
        take(ledger::GenesisLoader::begin(std::move(settings), progress.callback()), kBeingMade);
    for (const GenesisAccount& account : genesis.alloc)
        give(account, loader);
    give_idle(options, loader);
    const std::string config = format_chain_config(genesis.config);
    GenerateSummary summary;
    const BytesView chain = bytes_of(config);
    summary.head_hash = take(loader.load(genesis.header, chain), kBeingMade);
    {
        const auto made = take(loader.finish(), kBeingMade);
        summary.state_root = made->head().header.state_root;
        const auto writer = take(made->begin_snapshot(), kBeingMade);
        (void)take(writer->write(out, progress.callback()), kBeingMade);
        close_ledger(*made);
    }
    building.clear();
    return summary;
}

}  // namespace heddle::node
