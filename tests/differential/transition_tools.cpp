// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "transition_tools.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <types/assert.hpp>
#include <types/fork.hpp>
#include <types/rlp.hpp>
#include <workload/random.hpp>

#include "chain_files.hpp"
#include "program.hpp"

namespace heddle::test {
namespace {

/// Starting the tools takes longer than what they do.
constexpr std::size_t kMostBlocks = 3;

std::string_view fork_of(const ChainConfig& config, const BlockHeader& header) {
    const Revision revision =
        config.revision(header.number, header.timestamp, header.difficulty.is_zero());
    const auto* const fork = std::ranges::find_if(kForks, [&](const Fork& one) {
        return one.revision == revision && !one.networks[0].empty();
    });
    HEDDLE_ASSERT(fork != std::end(kForks));
    return fork->networks[0];
}

std::string withdrawals_json(const std::vector<Withdrawal>& withdrawals) {
    std::string text;
    for (const Withdrawal& one : withdrawals)
        fmt::format_to(
            std::back_inserter(text),
            R"({}{{"index":"{:#x}","validatorIndex":"{:#x}","address":"{}","amount":"{:#x}"}})",
            text.empty() ? "" : ",", one.index, one.validator_index, to_string(one.address),
            one.amount);
    return text;
}

std::string env_json(const Block& block, const std::vector<Hash>& hashes) {
    const BlockHeader& header = block.header;
    std::string text = fmt::format(
        R"({{"currentCoinbase":"{}","currentGasLimit":"{:#x}","currentNumber":"{:#x}",)"
        R"("currentTimestamp":"{:#x}")",
        to_string(header.beneficiary), header.gas_limit, header.number, header.timestamp);
    const auto add = [&text](std::string_view name, const std::string& value) {
        fmt::format_to(std::back_inserter(text), R"(,"{}":{})", name, value);
    };
    const auto quoted = [](const std::string& value) { return "\"" + value + "\""; };
    if (header.difficulty.is_zero())
        add("currentRandom", quoted(to_string(header.prev_randao)));
    else
        add("currentDifficulty", quoted(to_hex(header.difficulty)));
    if (header.base_fee_per_gas) add("currentBaseFee", quoted(to_hex(*header.base_fee_per_gas)));
    if (block.withdrawals) add("withdrawals", "[" + withdrawals_json(*block.withdrawals) + "]");
    if (header.excess_blob_gas)
        add("currentExcessBlobGas", fmt::format("\"{:#x}\"", *header.excess_blob_gas));
    if (header.parent_beacon_block_root)
        add("parentBeaconBlockRoot", quoted(to_string(*header.parent_beacon_block_root)));
    if (header.slot_number) add("slotNumber", fmt::format("\"{:#x}\"", *header.slot_number));
    std::string known;
    for (std::size_t number = 0; number < hashes.size(); ++number)
        fmt::format_to(std::back_inserter(known), R"({}"{}":"{}")", number == 0 ? "" : ",", number,
                       to_string(hashes[number]));
    add("blockHashes", "{" + known + "}");
    std::string ommers;
    for (const BlockHeader& ommer : block.ommers)
        fmt::format_to(std::back_inserter(ommers), R"({}{{"delta":{},"address":"{}"}})",
                       ommers.empty() ? "" : ",", header.number - ommer.number,
                       to_string(ommer.beneficiary));
    if (!ommers.empty()) add("ommers", "[" + ommers + "]");
    return text + "}";
}

/// The block's, and some of them once more somewhere.
std::string transactions_json(const Block& block, workload::Random& random) {
    std::vector<const Transaction*> list;
    for (const Transaction& tx : block.transactions)
        list.push_back(&tx);
    for (std::uint32_t more = list.empty() ? 0 : random.below(4); more > 0; --more) {
        const auto count = static_cast<std::uint32_t>(list.size());
        const Transaction* const again = list[random.below(count)];
        list.insert(list.begin() + random.below(count + 1), again);
    }
    Bytes encoded;
    for (const Transaction* const tx : list)
        encode_transaction_item(*tx, encoded);
    rlp::wrap_list(0, encoded);
    return "\"" + to_hex(encoded) + "\"";
}

/// Without white space, and without why transactions were rejected.
std::string essence(std::string_view json) {
    static constexpr std::string_view kError = R"("error":)";
    std::string text;
    for (const char c : json)
        if (std::isspace(static_cast<unsigned char>(c)) == 0) text += c;
    for (auto at = text.find(kError); at != std::string::npos; at = text.find(kError, at + 1))
        text.erase(at + kError.size(), text.find_first_of("}]", at) - at - kError.size());
    return text;
}

/// The members of an object, each in its line, in an order that both tools can have.
std::string in_order(std::string_view object) {
    if (object.empty()) return {};
    std::vector<std::string> members(1);
    int depth = 0;
    for (const char c : object.substr(1, object.size() - 2)) {  // without its braces
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c == ',' && depth == 0)
            members.emplace_back();
        else
            members.back() += c;
    }
    std::ranges::sort(members);
    return fmt::format("{}", fmt::join(members, "\n"));
}

std::string first_difference_of(const std::string& ours, const std::string& theirs) {
    constexpr std::size_t kShown = 120;
    const auto at =
        static_cast<std::size_t>(std::ranges::mismatch(ours, theirs).in1 - ours.begin());
    const std::size_t from = at - std::min(at, kShown);
    return fmt::format("heddle: {} evm: {}", ours.substr(from, 2 * kShown),
                       theirs.substr(from, 2 * kShown));
}

class Tools {
public:
    Tools(const std::string& evm, const AdversarialChain& chain)
        : evm_(evm), chain_(chain), random_(chain.plan.seed) {
        alloc_ = folder_.write("alloc.json", alloc_json(chain.genesis.alloc));
        hashes_.push_back(header_hash(chain.genesis.header));
    }

    std::string judge() {
        const std::size_t count = std::min(chain_.blocks.size(), kMostBlocks);
        for (std::size_t i = 0; i < count; ++i) {
            const Block& block = chain_.blocks[i];
            if (const std::string what = judge(block); !what.empty())
                return fmt::format("t8n, block {}, {}: {}", block.header.number,
                                   fork_of(chain_.genesis.config, block.header), what);
            hashes_.push_back(header_hash(block.header));
        }
        return {};
    }

private:
    struct Made {
        int exit_code = 0;
        std::string result;
        std::string body;
    };

    std::string judge(const Block& block) {
        env_ = folder_.write("env.json", env_json(block, hashes_));
        transactions_ = folder_.write("txs.rlp", transactions_json(block, random_));
        fork_ = fork_of(chain_.genesis.config, block.header);
        const std::string number = std::to_string(block.header.number);
        const Made ours = run(HEDDLE_PROGRAM, "ours-" + number);
        const Made theirs = run(evm_, "theirs-" + number);
        alloc_ = (folder_.path() / ("ours-" + number) / "alloc.json").native();
        if (ours.exit_code != theirs.exit_code)
            return fmt::format("exit code {}, evm has {}", ours.exit_code, theirs.exit_code);
        if (ours.result.empty()) return "no result";
        if (ours.result != theirs.result) return first_difference_of(ours.result, theirs.result);
        if (ours.body != theirs.body) return first_difference_of(ours.body, theirs.body);
        return {};
    }
    [[nodiscard]] Made run(const std::string& program, const std::string& name) const {
        const auto out = folder_.path() / name;
        std::filesystem::create_directories(out);
        const ProgramResult result = run_program_at(
            program,
            {"t8n", "--state.fork", fork_, "--state.chainid",
             std::to_string(chain_.genesis.config.chain_id), "--input.alloc", alloc_, "--input.env",
             env_, "--input.txs", transactions_, "--output.basedir", out.native(), "--output.alloc",
             "alloc.json", "--output.result", "result.json", "--output.body", "body.rlp"});
        return {result.exit_code, in_order(essence(read_text(out / "result.json"))),
                essence(read_text(out / "body.rlp"))};
    }

    const std::string& evm_;
    const AdversarialChain& chain_;
    workload::Random random_;
    const TemporaryFolder folder_;
    std::vector<Hash> hashes_;
    std::string alloc_;
    std::string env_;
    std::string transactions_;
    std::string fork_;
};

}  // namespace

std::string judge_by_t8n(const std::string& evm, const AdversarialChain& chain) {
    return Tools{evm, chain}.judge();
}

}  // namespace heddle::test
