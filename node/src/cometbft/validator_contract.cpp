// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/validator_contract.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>
#include <types/uint256.hpp>
#include <vm/simulate.hpp>
#include <vm/transition.hpp>

namespace heddle::node {
namespace {

using consensus_adapter::cometbft::NoValidators;
using consensus_adapter::cometbft::Validator;

/// The first four bytes of KEC("validators()").
constexpr std::array<std::uint8_t, 4> kSelector{0xca, 0x1e, 0x78, 0x19};
constexpr std::size_t kWord = 32;

/// The word at `offset`; nullopt beyond the end.
std::optional<Uint256> word_at(BytesView data, std::uint64_t offset) {
    if (offset > data.size() || data.size() - offset < kWord) return std::nullopt;
    return load_be(data.data() + offset);
}

/// The elements of the array whose offset is word `position`, each a word; nullopt where they are
/// not all there.
std::optional<BytesView> array_at(BytesView data, std::size_t position) {
    const auto offset = word_at(data, position * kWord);
    if (!offset.has_value() || *offset > Uint256{data.size()}) return std::nullopt;
    const std::uint64_t begin = offset->low64();
    const auto length = word_at(data, begin);
    if (!length.has_value() || *length > Uint256{data.size() / kWord}) return std::nullopt;
    const BytesView rest = data.subspan(begin + kWord);
    const std::size_t bytes = length->low64() * kWord;
    if (bytes > rest.size()) return std::nullopt;
    return rest.first(bytes);
}

Transaction make_call(const Address& contract) {
    Transaction call;
    call.to = contract;
    call.gas_limit = kValidatorsCallGas;
    call.data.assign(kSelector.begin(), kSelector.end());
    call.sender = Address{};
    return call;
}

}  // namespace

std::optional<ValidatorContractConfig> validator_contract_of(const ledger::DurableLedger& ledger) {
    if (ledger.chain().empty()) return std::nullopt;
    return parse_stored_validator_contract(ledger.chain(),
                                           "the data directory's chain configuration");
}

std::expected<std::vector<Validator>, std::string> decode_validators(BytesView returned) {
    const auto keys = array_at(returned, 0);
    const auto powers = array_at(returned, 1);
    if (!keys.has_value() || !powers.has_value())
        return std::unexpected(fmt::format("what is returned, {}, is not two arrays",
                                           counted(returned.size(), "byte")));
    const std::size_t count = keys->size() / kWord;
    if (powers->size() != keys->size())
        return std::unexpected(fmt::format("{}, but {}", counted(count, "key"),
                                           counted(powers->size() / kWord, "power")));
    if (count > kMaxValidators)
        return std::unexpected(fmt::format("{} validators, more than {}", count, kMaxValidators));
    std::vector<Validator> validators;
    validators.reserve(count);
    std::unordered_set<Hash, HashHasher> seen;
    for (std::size_t i = 0; i < count; ++i) {
        const BytesView bytes = keys->subspan(i * kWord, kWord);
        Hash key;
        std::copy(bytes.begin(), bytes.end(), key.bytes.begin());
        const Uint256 power = load_be(powers->data() + i * kWord);
        if (key == Hash{}) return std::unexpected(fmt::format("key {} is zero", i));
        if (!seen.insert(key).second)
            return std::unexpected(fmt::format("the key {} is there twice", to_string(key)));
        if (power > Uint256{kMaxVotingPower})
            return std::unexpected(fmt::format("the power of {} is {}, more than {}",
                                               to_string(key), to_decimal(power), kMaxVotingPower));
        validators.push_back(
            {Bytes(bytes.begin(), bytes.end()), static_cast<std::int64_t>(power.low64())});
    }
    return validators;
}

ValidatorContract::ValidatorContract(const Chain& chain, const ValidatorContractConfig& config)
    : chain_(chain), config_(config) {}

std::expected<std::vector<Validator>, NoValidators> ValidatorContract::read() {
    const auto failure = [this](std::string_view why, bool is_own_fault = false) {
        return std::unexpected(NoValidators{
            fmt::format("the validator contract {}: {}", to_string(config_.address), why),
            is_own_fault});
    };
    const ledger::StoredHeader head = chain_.head();
    const auto state = chain_.shared_state_at(head.header.number);
    if (!state.has_value()) return failure(ledger::to_string(state.error()), true);
    const auto account = (*state)->account(config_.address);
    if (!account.has_value() || !account->has_code()) return failure("there is no such contract");

    BlockEnv env = chain_.env_of_next(chain_.next_header(head, head.header.timestamp), head);
    env.base_fee_per_gas = 0;         // the call pays nothing
    env.strict_access_lists = false;  // and declares nothing
    const Transaction call = make_call(config_.address);
    const auto valid = vm::validate_call(call, **state, env);
    if (!valid.has_value()) return failure(to_string(valid.error()));
    vm::EvmOptions options;
    options.code_cache = chain_.code_cache();
    vm::Evm evm(std::move(options));
    vm::Outcome outcome;
    vm::transition(**state, chain_.block_hashes(), env, *valid, evm, outcome);
    if (outcome.status != vm::Status::success)
        return failure(fmt::format("validators() fails: {}", vm::to_string(outcome.status)));
    auto validators = decode_validators(outcome.output);
    if (!validators.has_value()) return failure(validators.error());
    return *std::move(validators);
}

}  // namespace heddle::node
