// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Root after some updates of a large trie in memory, per updated leaf: the resident trie with keys
// and values at hand, the same from a state diff (hashing of keys, encoding and sorting included),
// the storage trie of one contract from a state diff, and the plain trie.
// bench/rivals/geth-trie does the same to geth's trie.

#include <algorithm>
#include <ctime>
#include <unordered_set>

#include <ledger/state_root.hpp>
#include <measure/statistics.hpp>
#include <types/keccak_batch.hpp>
#include <types/rlp.hpp>

#include "arguments.hpp"
#include "table.hpp"
#include "trie/merkle_patricia_trie.hpp"
#include "trie/resident_state_trie.hpp"

namespace heddle::bench {
namespace {

using measure::median;

/// For --help.
constexpr const char* kPurpose =
    "The root after some updates of a large trie in memory, per updated leaf.";

/// The generator of both programs (splitmix64).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

private:
    std::uint64_t state_;
};

Account account_of(std::uint64_t index, std::uint64_t nonce) {
    return {.nonce = nonce, .balance = 1'000'000'000'000'000'000 + index};
}

Bytes value_of(std::uint64_t index, std::uint64_t nonce) {
    const Account account = account_of(index, nonce);
    Bytes value;
    rlp::encode_uint64(account.nonce, value);
    rlp::encode_uint256(account.balance, value);
    rlp::encode_hash(kEmptyTrieRoot, value);
    rlp::encode_hash(account.code_hash, value);
    rlp::wrap_list(0, value);
    return value;
}

std::vector<std::uint64_t> draw(Random& random, std::uint64_t leaves, std::size_t count) {
    std::unordered_set<std::uint64_t> taken;
    std::vector<std::uint64_t> drawn;
    while (drawn.size() < count) {
        const std::uint64_t index = random.next() % leaves;
        if (taken.insert(index).second) drawn.push_back(index);
    }
    return drawn;
}

/// Keys and values of one update, as every contender gets them.
struct Update {
    std::vector<std::uint64_t> indexes;
    std::vector<Hash> keys;
    std::vector<Bytes> values;

    Update(std::vector<std::uint64_t> drawn, std::uint64_t nonce) : indexes(std::move(drawn)) {
        for (const std::uint64_t index : indexes) {
            keys.push_back(keccak256(address_from_low64(index).view()));
            values.push_back(value_of(index, nonce));
        }
    }
};

class ResidentTrie {
public:
    explicit ResidentTrie(KeccakPath path) : forest_(nullptr, {.keccak = path}) {}
    Hash apply(const Update& update) {
        updates_.clear();
        for (std::size_t i = 0; i < update.keys.size(); ++i)
            updates_.push_back({update.keys[i], update.values[i], nullptr});
        ledger::sort_by_key(updates_, nullptr, space_);
        const ledger::TrieJob job{&tree_, updates_};
        HEDDLE_ASSERT(forest_.update({&job, 1}).has_value());
        return tree_.root;
    }
    [[nodiscard]] std::size_t memory_bytes() const { return forest_.live_bytes(); }

private:
    ledger::TrieForest forest_;
    ledger::Tree tree_;
    std::vector<ledger::TrieUpdate> updates_;
    std::vector<ledger::TrieUpdate> space_;
};

class PlainTrie {
public:
    Hash apply(const Update& update) {
        for (std::size_t i = 0; i < update.keys.size(); ++i)
            trie_.insert(update.keys[i].view(), update.values[i]);
        return trie_.root();
    }
    [[nodiscard]] static std::size_t memory_bytes() { return 0; }  // nobody counts

private:
    ledger::MerklePatriciaTrie trie_;
};

class StateTrie {
public:
    StateTrie(KeccakPath path, unsigned threads)
        : trie_({.thread_count = threads, .trie = {.keccak = path}}) {}
    /// The diff is what a block leaves: it is there before the clock starts.
    static StateDiff prepare(const std::vector<std::uint64_t>& indexes, std::uint64_t nonce) {
        StateDiff diff;
        for (const std::uint64_t index : indexes)
            diff.accounts.push_back(
                {address_from_low64(index), account_of(index, nonce), false, {}});
        return diff;
    }
    /// All leaves are slots of one contract.
    static StateDiff prepare_slots(const std::vector<std::uint64_t>& indexes, std::uint64_t nonce) {
        StateDiff diff;
        diff.accounts.push_back({address_from_low64(1), account_of(1, nonce), false, {}});
        for (const std::uint64_t index : indexes)
            diff.accounts[0].storage.push_back({Uint256{index}, Uint256{nonce}});
        return diff;
    }
    Hash apply(const StateDiff& diff) { return trie_.apply(diff).value(); }
    [[nodiscard]] std::size_t memory_bytes() const { return trie_.memory_bytes(); }

private:
    ledger::ResidentStateTrie trie_;
};

double microseconds(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

struct Result {
    double median_us = 0;
    double best_us = 0;
    double caller_us = 0;  // processor time of the calling thread, the least
    double all_us = 0;     // of all threads
    Hash root;
};

/// Microseconds per updated leaf. `prepare(indexes, nonce)` is not timed, the trie's apply() is.
template <typename Trie, typename Prepare>
Result measure(Trie& trie, Prepare prepare, std::uint64_t leaves, std::size_t count,
               std::size_t repetitions) {
    Random random(count);
    std::vector<double> times;
    std::vector<double> caller;
    std::vector<double> all;
    Result result;
    const auto leaf_count = static_cast<double>(count);
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
        const auto update = prepare(draw(random, leaves, count), 2 + repetition);
        const double caller_before = microseconds(CLOCK_THREAD_CPUTIME_ID);
        const double all_before = microseconds(CLOCK_PROCESS_CPUTIME_ID);
        const double begin = microseconds(CLOCK_MONOTONIC);
        result.root = trie.apply(update);
        times.push_back((microseconds(CLOCK_MONOTONIC) - begin) / leaf_count);
        caller.push_back((microseconds(CLOCK_THREAD_CPUTIME_ID) - caller_before) / leaf_count);
        all.push_back((microseconds(CLOCK_PROCESS_CPUTIME_ID) - all_before) / leaf_count);
    }
    result.best_us = *std::ranges::min_element(times);
    result.caller_us = *std::ranges::min_element(caller);
    result.all_us = *std::ranges::min_element(all);
    result.median_us = median(times);
    return result;
}

/// Adds the leaves in portions, so that not all updates lie in memory at once.
template <typename Trie, typename Prepare>
void fill(Trie& trie, Prepare prepare, std::uint64_t leaves) {
    constexpr std::uint64_t kPortion = 1'000'000;
    for (std::uint64_t begin = 0; begin < leaves; begin += kPortion) {
        std::vector<std::uint64_t> indexes;
        for (std::uint64_t i = begin; i < std::min(leaves, begin + kPortion); ++i)
            indexes.push_back(i);
        trie.apply(prepare(indexes, 1));
    }
}

struct Plan {
    std::uint64_t leaves;
    std::vector<std::uint64_t> updates;
    std::size_t repetitions;
    std::vector<std::string> subjects;
    std::vector<std::uint64_t> threads;
    KeccakPath path;
};

template <typename Trie, typename Prepare>
void run(Table& table, const std::string& name, std::uint64_t threads, Trie& trie, Prepare prepare,
         const Plan& plan) {
    fill(trie, prepare, plan.leaves);
    const auto count_of_leaves = static_cast<double>(plan.leaves);
    const double bytes = static_cast<double>(trie.memory_bytes()) / count_of_leaves;
    for (const std::uint64_t count : plan.updates) {
        const Result result = measure(trie, prepare, plan.leaves, count, plan.repetitions);
        table.add({name, std::to_string(threads), count_of_leaves, static_cast<double>(count),
                   result.median_us, result.best_us, result.caller_us, result.all_us, bytes,
                   to_string(result.root).substr(0, 18)});
    }
}

Update prepare_update(std::vector<std::uint64_t> indexes, std::uint64_t nonce) {
    return {std::move(indexes), nonce};
}

void run(Table& table, const Plan& plan) {
    const auto wants = [&](const char* subject) {
        return std::ranges::find(plan.subjects, subject) != plan.subjects.end();
    };
    if (wants("resident")) {
        ResidentTrie trie(plan.path);
        run(table, "resident", 1, trie, prepare_update, plan);
    }
    for (const std::uint64_t threads : plan.threads) {
        if (wants("state")) {
            StateTrie trie(plan.path, static_cast<unsigned>(threads));
            run(table, "state", threads, trie, StateTrie::prepare, plan);
        }
        if (wants("slots")) {
            StateTrie trie(plan.path, static_cast<unsigned>(threads));
            run(table, "slots", threads, trie, StateTrie::prepare_slots, plan);
        }
    }
    if (wants("plain")) {
        PlainTrie trie;
        run(table, "plain", 1, trie, prepare_update, plan);
    }
}

KeccakPath path_of(const std::string& name) {
    for (const KeccakPath path : {KeccakPath::scalar, KeccakPath::avx2, KeccakPath::avx512})
        if (to_string(path) == name && is_supported(path)) return path;
    return best_keccak_path();
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
    using namespace heddle::bench;
    Arguments arguments(argc, argv, kPurpose);
    const auto leaves = arguments.numbers("leaves", {1'000'000}, "leaves of the trie");
    Plan plan;
    plan.updates = arguments.numbers("updates", {100, 1'000, 10'000}, "leaves that are updated");
    plan.repetitions =
        arguments.number("repetitions", 31, "runs of each, of which the median counts");
    plan.subjects = arguments.texts("subjects", {"resident", "state", "plain"},
                                    "which tries; `slots` is another one");
    plan.threads = arguments.numbers("threads", {1}, "threads of the tries that share their work");
    plan.path = path_of(
        arguments.text("keccak", "best", "scalar, avx2, avx512 or best: which hash function"));
    const std::string json =
        arguments.text("json", "", "also write the tables to this file, as JSON");
    arguments.finish();

    Tables tables;
    Table& table = tables.add("Microseconds per updated leaf", {{"trie"},
                                                                {"threads"},
                                                                {"leaves", 0},
                                                                {"updates", 0},
                                                                {"median_us", 3},
                                                                {"best_us", 3},
                                                                {"caller_us", 3},
                                                                {"all_us", 3},
                                                                {"bytes_per_leaf", 0},
                                                                {"root"}});
    for (const std::uint64_t count : leaves) {
        plan.leaves = count;
        run(table, plan);
    }
    tables.write_json(json);
    return 0;
}
