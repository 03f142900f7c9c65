// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Scenarios of one contract: what they share, the collection of tokens with numbers, and the table
// of YCSB.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/hash.hpp>
#include <vm/native_code.hpp>

#include <workload/generator.hpp>
#include <workload/world.hpp>

#include "abi.hpp"
#include "scenario_sources.hpp"
#include "zipf.hpp"

namespace heddle::workload {
namespace {

constexpr Uint256 kEther{1'000'000'000'000'000'000};
constexpr std::uint64_t kMostGas = 16'777'216;  // of a transaction (EIP-7825)
constexpr std::uint64_t kWordGas = 512;         // of 32 bytes of call data, none of them zero
constexpr std::uint64_t kBaseGas = 60'000;      // of a transaction and what is around its rows
constexpr std::uint64_t kRowGas = 24'000;       // of a slot written for the first time, and found
constexpr std::uint64_t kHashGas = 100;         // of one hash in a loop

Address derived_address(std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
    const std::string text = fmt::format("heddle scenario {} {} {}", purpose, seed, index);
    const Hash hash = keccak256(Bytes(text.begin(), text.end()));
    Address address;
    std::memcpy(address.bytes.data(), hash.bytes.data() + 12, 20);
    return address;
}

/// Tokens change hands once each, between accounts of their own but for what `skew` makes of the
/// recipients; some are minted.
class CollectionSource final : public ContractSource {
public:
    CollectionSource(const ScenarioChoice& choice, const ScenarioOptions& options)
        : ContractSource(kCollection, options),
          mints_ppm_(static_cast<std::uint32_t>(choice.value("mints"))),
          skew_ppm_(static_cast<std::uint32_t>(choice.value("skew"))),
          recipients_(options.transactions, skew_ppm_),
          random_(options.seed) {}

    [[nodiscard]] std::uint64_t average_gas() const noexcept override { return gas_limit(kGas); }

protected:
    /// Token i belongs to sender i.
    [[nodiscard]] std::vector<std::pair<Uint256, Uint256>> storage() override {
        std::vector<std::pair<Uint256, Uint256>> slots;
        const std::uint32_t count = options().transactions;
        slots.reserve(2 * std::size_t{count} + 1);
        slots.emplace_back(collection::kMintedSlot, count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const Uint256 owner = to_word(sender(i));
            slots.emplace_back(mapping_slot(i, collection::kOwnerOfSlot), owner);
            slots.emplace_back(mapping_slot(owner, collection::kBalanceOfSlot), 1);
        }
        return slots;
    }
    [[nodiscard]] ContractCall call(std::uint32_t index) override {
        const Address to = skew_ppm_ != 0 ? sender(recipients_.draw(random_))
                                          : derived_address(options().seed, "collector", index);
        if (random_.chance(mints_ppm_))
            return {encode_call(collection::kMint, {to_word(to)}), gas_limit(kGas)};
        return {
            encode_call(collection::kTransferFrom, {to_word(sender(index)), to_word(to), index}),
            gas_limit(kGas)};
    }

private:
    static constexpr std::uint64_t kGas = 120'000;

    const std::uint32_t mints_ppm_;
    const std::uint32_t skew_ppm_;
    const Zipf recipients_;
    Random random_;
};

/// Rows read and written, with hashes between; see the settings.
class TableSource final : public ContractSource {
public:
    TableSource(const ScenarioChoice& choice, const ScenarioOptions& options)
        : ContractSource(kKeyValue, options,
                         choice.value("native") != 0 ? &native_key_value() : nullptr),
          records_(static_cast<std::uint32_t>(choice.value("records"))),
          keys_(choice.value("keys")),
          reads_ppm_(static_cast<std::uint32_t>(choice.value("reads"))),
          hot_keys_(std::min(choice.value("hot-keys"), keys_)),
          length_(choice.value("length")),
          stragglers_ppm_(static_cast<std::uint32_t>(choice.value("stragglers"))),
          straggler_length_(choice.value("straggler-length")),
          group_(choice.value("group")),
          rows_(records_, static_cast<std::uint32_t>(choice.value("skew"))),
          random_(options.seed) {}

    [[nodiscard]] std::uint64_t average_gas() const noexcept override {
        return gas_limit(kBaseGas + keys_ * (kRowGas + kWordGas) + length_ * kHashGas +
                         straggler_length_ * kHashGas * stragglers_ppm_ / kMillion);
    }

protected:
    [[nodiscard]] std::vector<std::pair<Uint256, Uint256>> storage() override {
        std::vector<std::pair<Uint256, Uint256>> slots;
        slots.reserve(records_);
        for (std::uint32_t row = 0; row < records_; ++row)
            slots.emplace_back(mapping_slot(row, key_value::kRowsSlot), row + 1);
        return slots;
    }
    [[nodiscard]] ContractCall call(std::uint32_t index) override {
        const std::vector<std::uint32_t> rows = draw_rows(index);
        std::uint64_t writes = 0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!random_.chance(reads_ppm_)) writes |= std::uint64_t{1} << i;
        if (group_ != 0) writes |= 1;  // the row that the group shares
        const bool is_straggler = random_.chance(stragglers_ppm_);
        const std::uint64_t rounds = is_straggler ? straggler_length_ : length_;
        Bytes data =
            encode_call(key_value::kRun, {writes, rounds, 3 * std::uint64_t{32}, rows.size()});
        for (const std::uint32_t row : rows)
            append_word(row, data);
        return {std::move(data),
                gas_limit(kBaseGas + rows.size() * (kRowGas + kWordGas) + rounds * kHashGas)};
    }

private:
    /// Different ones, the hot ones first. Hot rows lie evenly in the table, as DORADD §5.1 has
    /// them.
    std::vector<std::uint32_t> draw_rows(std::uint32_t index) {
        constexpr std::uint32_t kHotRows = 77;
        std::vector<std::uint32_t> rows;
        if (group_ != 0) rows.push_back(static_cast<std::uint32_t>(index / group_ % records_));
        const std::uint64_t wanted = std::min<std::uint64_t>(keys_, records_);
        const std::uint32_t hot_rows = std::min(kHotRows, records_);
        const std::uint64_t hot = std::min<std::uint64_t>(hot_keys_, hot_rows);
        const std::uint32_t stride = records_ / hot_rows;
        const auto add = [&rows](std::uint32_t row) {
            if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
        };
        while (rows.size() < hot)
            add(random_.below(hot_rows) * stride);
        // Steep distributions may not have so many ranks that ever come up.
        for (std::uint64_t tries = 0; rows.size() < wanted && tries < 64 * wanted; ++tries)
            add(rows_.draw(random_));
        return rows;
    }

    const std::uint32_t records_;
    const std::uint64_t keys_;
    const std::uint32_t reads_ppm_;
    const std::uint64_t hot_keys_;
    const std::uint64_t length_;
    const std::uint32_t stragglers_ppm_;
    const std::uint64_t straggler_length_;
    const std::uint64_t group_;
    const Zipf rows_;
    Random random_;
};

}  // namespace

GenesisAccount funded_account(const Address& address) {
    return {address, 0, Uint256{1'000'000} * kEther, {}, {}};
}

ContractSource::ContractSource(const CompiledContract& code, const ScenarioOptions& options,
                               const vm::NativeCode* native)
    : code_(code),
      native_(native),
      options_(options),
      contract_(derived_address(options.seed, code.name, 0)) {
    senders_.reserve(options.transactions);
    for (std::uint32_t i = 0; i < options.transactions; ++i)
        senders_.push_back(derive_key(options.seed, "sender", i));
}

std::vector<GenesisAccount> ContractSource::take_alloc() {
    std::vector<GenesisAccount> alloc = system_contracts(options_.revision);
    for (const Key& key : senders_)
        alloc.push_back(funded_account(key.address));
    auto code = from_hex(code_.runtime_hex);
    HEDDLE_ASSERT(code.has_value());
    if (native_ != nullptr) {
        const BytesView marker = native_->stands_for();
        code.emplace(marker.begin(), marker.end());
    }
    alloc.push_back({contract_, 1, {}, *std::move(code), storage()});
    return alloc;
}

std::vector<Address> ContractSource::beneficiaries() const {
    std::vector<Address> addresses;
    addresses.reserve(kBeneficiaryCount);
    for (std::uint32_t i = 0; i < kBeneficiaryCount; ++i)
        addresses.push_back(derived_address(options_.seed, "beneficiary", i));
    return addresses;
}

Transaction ContractSource::next(const Uint256& base_fee_per_gas, std::uint64_t) {
    const std::uint32_t index = next_++;
    HEDDLE_ASSERT(index < senders_.size());
    ContractCall what = call(index);
    Transaction tx = plain_transaction(base_fee_per_gas);
    tx.gas_limit = what.gas_limit;
    tx.to = contract_;
    tx.data = std::move(what.data);
    sign(tx, senders_[index]);
    return tx;
}

std::uint64_t ContractSource::gas_limit(std::uint64_t before_amsterdam) const noexcept {
    return std::min(before_amsterdam * gas_factor(options_.revision), kMostGas);
}

std::unique_ptr<ScenarioSource> make_collection(const ScenarioChoice& choice,
                                                const ScenarioOptions& options) {
    return std::make_unique<CollectionSource>(choice, options);
}

std::unique_ptr<ScenarioSource> make_table(const ScenarioChoice& choice,
                                           const ScenarioOptions& options) {
    return std::make_unique<TableSource>(choice, options);
}

}  // namespace heddle::workload
