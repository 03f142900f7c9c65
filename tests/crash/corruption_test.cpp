// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Files of a finished data directory are damaged at random. Whatever is damaged, no command ends
// with a wrong result or by a signal; what cannot be used is said to be damaged, by name.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recovery.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

enum class Damage : std::uint8_t { flip, overwrite, truncate, empty, extend, remove, foreign };
constexpr std::array kDamages = {Damage::flip,  Damage::flip,   Damage::overwrite, Damage::truncate,
                                 Damage::empty, Damage::extend, Damage::remove,    Damage::foreign};

/// A directory that the chain was replayed into: closed in order, or killed with a long log.
struct Original {
    explicit Original(const TestChain& chain, bool is_killed) : ledger(chain) {
        if (is_killed) {
            const Fault kill{{"HEDDLE_FAULT_ACTION", "kill"},
                             {"HEDDLE_FAULT_CLASS", "wal"},
                             {"HEDDLE_FAULT_OPERATION", "append"},
                             {"HEDDLE_FAULT_AT", std::to_string(chain.blocks * 2 / 3)}};
            ledger.replay({"--delay-seed", "1"}, &kill);
        } else {
            ledger.replay();
        }
    }
    FaultedLedger ledger;
};

const Original& original(const TestChain& chain, bool is_killed) {
    static std::map<std::pair<std::string, bool>, Original> made;
    return made.try_emplace({chain.name, is_killed}, chain, is_killed).first->second;
}

std::vector<fs::path> files_of(const std::string& directory) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::string random_bytes(std::size_t size, Dice& dice) {
    std::string bytes(size, '\0');
    for (char& byte : bytes)
        byte = static_cast<char>(dice.next());
    return bytes;
}

std::string damaged(std::string content, Damage damage, Dice& dice) {
    const auto place = [&] { return content.empty() ? 0 : dice.below(content.size()); };
    switch (damage) {
        case Damage::flip:
            for (std::uint64_t i = 1 + dice.below(3); i > 0 && !content.empty(); --i) {
                char& byte = content[place()];
                byte = static_cast<char>(byte ^ 1 << dice.below(8));
            }
            break;
        case Damage::overwrite: {
            const std::uint64_t from = place();
            const std::uint64_t size = std::min<std::uint64_t>(content.size() - from, 512);
            content.replace(from, size, random_bytes(size, dice));
            break;
        }
        case Damage::truncate:
            content.resize(place());
            break;
        case Damage::empty:
            content.clear();
            break;
        case Damage::extend:
            content += random_bytes(1 + dice.below(5000), dice);
            break;
        case Damage::remove:
        case Damage::foreign:
            break;
    }
    return content;
}

/// Damages one file and says what was done.
std::string damage_one_file(const FaultedLedger& ledger, Dice& dice) {
    const std::vector<fs::path> files = files_of(ledger.directory());
    // By kind first: there are many more tables than manifests.
    std::map<std::string, std::vector<fs::path>> kinds;
    for (const fs::path& file : files) {
        const std::string name = file.filename().native();
        const std::string kind =
            file.has_extension() ? file.extension().native() : name.substr(0, name.find('-'));
        kinds[kind].push_back(file);
    }
    const fs::path file = dice.pick(dice.pick(kinds).second);
    const Damage damage = dice.pick(kDamages);
    std::string what = fs::relative(file, ledger.directory()).native();
    if (damage == Damage::remove) {
        fs::remove(file);
        return "deleted " + what;
    }
    const std::string content = read_file(file);
    std::string after;
    if (damage == Damage::foreign) {
        // Another file of the same directory, or one that RocksDB never wrote.
        after = dice.one_in(2) ? read_file(dice.pick(files)) : random_bytes(content.size(), dice);
        what = "foreign content in " + what;
    } else {
        after = damaged(content, damage, dice);
        what = "damage " + std::to_string(static_cast<int>(damage)) + " in " + what;
    }
    write_file(file, after);
    return what + ", " + std::to_string(content.size()) + " bytes, now " +
           std::to_string(after.size()) + (content == after ? ", the same" : "");
}

void expect_named(const LedgerRun& run) {
    EXPECT_EQ(run.process.signal, 0) << run.process.ending();
    EXPECT_THAT(run.process.exit_code, testing::AnyOf(1, 2, 3)) << run.process.ending();
    EXPECT_THAT(run.process.error, HasSubstr("heddle: "));
    // Verification names what it finds among its results.
    EXPECT_THAT(
        run.process.out + run.process.error,
        ContainsRegex("\\.sst|[Ll]og|WAL|MANIFEST|CURRENT|OPTIONS|IDENTITY|[Bb]lock|account|slot|"
                      "code|trie|format|meta|head|table"));
}

TEST(Corruption, is_named_and_never_becomes_a_wrong_result) {
    std::map<std::string, int> outcomes;
    for_each_seed("HEDDLE_CRASH_CORRUPTIONS", 40, [&](std::uint64_t seed) {
        Dice dice(seed);
        const TestChain& chain = choose_chain(dice);
        const Original& intact = original(chain, dice.one_in(3));
        FaultedLedger ledger(chain);
        ledger.copy_disk(intact.ledger);
        const std::string what = damage_one_file(ledger, dice);

        const LedgerRun verified = ledger.verify();
        if (verified.process.exit_code != 0) expect_named(verified);
        const LedgerRun replayed = ledger.replay();
        if (replayed.process.exit_code == 0) {
            EXPECT_EQ(replayed.head, chain.head);
        } else {
            expect_named(replayed);
        }
        if (verified.process.exit_code == 0) {
            EXPECT_EQ(replayed.process.exit_code, 0) << "verify found nothing wrong";
            EXPECT_EQ(ledger.verify().number, chain.blocks);
        }
        ++outcomes[verified.process.exit_code == 0 ? "proven right" : "named"];
        return what + "\n" + ledger.history();
    });
    for (const auto& [outcome, count] : outcomes)
        std::cout << outcome << ": " << count << "\n";
}

}  // namespace
}  // namespace heddle::test
