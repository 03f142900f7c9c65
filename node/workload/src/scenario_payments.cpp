// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Payments between accounts, in ether and in tokens, and what the generator of chains makes.
#include <algorithm>

#include <types/assert.hpp>

#include <workload/generator.hpp>
#include <workload/world.hpp>

#include "abi.hpp"
#include "scenario_sources.hpp"
#include "zipf.hpp"

namespace heddle::workload {
namespace {

constexpr Uint256 kGwei{1'000'000'000};
constexpr std::uint64_t kTransferGas = 21'000;
constexpr std::uint64_t kTokenGas = 120'000;
constexpr std::uint64_t kFirstNeighbour = 0x1000'0000;  // of addresses that follow each other

Workload kind_of(std::string_view name) {
    if (name == "erc20" || name == "hot-slot") return Workload::erc20;
    if (name == "amm") return Workload::swaps;
    if (name == "storage") return Workload::storage;
    return name == "mixed" ? Workload::mixed : Workload::transfers;
}

Options world_options(const ScenarioChoice& choice, const ScenarioOptions& options) {
    Options result;
    result.seed = options.seed;
    result.revision = options.revision;
    result.workload = kind_of(choice.info->name);
    result.accounts = std::clamp(2 * options.transactions, kMinAccounts, kMaxAccounts);
    return result;
}

/// What both kinds take from the generator's world.
class WorldSource : public ScenarioSource {
public:
    explicit WorldSource(const Options& options) : generator_(options) {}

    [[nodiscard]] std::vector<GenesisAccount> take_alloc() override {
        return generator_.take_alloc();
    }
    [[nodiscard]] std::vector<Address> beneficiaries() const override {
        return generator_.world().beneficiaries;
    }
    [[nodiscard]] std::uint64_t average_gas() const noexcept override {
        const std::uint64_t gas =
            generator_.options().workload == Workload::storage ? 500'000 : 150'000;
        return gas * gas_factor(generator_.options().revision);
    }

protected:
    Generator generator_;
};

class GeneratedSource final : public WorldSource {
public:
    using WorldSource::WorldSource;

    [[nodiscard]] Transaction next(const Uint256& base_fee_per_gas,
                                   std::uint64_t blobs_left) override {
        return generator_.next(base_fee_per_gas, blobs_left);
    }
};

/// Every account pays or is paid once, but for what `hot` and `skew` make of the recipients; or
/// each passes on what it has got.
class PaymentSource final : public WorldSource {
public:
    PaymentSource(const ScenarioChoice& choice, const Options& options)
        : WorldSource(options),
          name_(choice.info->name),
          hot_ppm_(has_settings(choice) ? choice.value("hot") : 0),
          skew_ppm_(has_settings(choice) ? choice.value("skew") : 0),
          recipients_(options.accounts, static_cast<std::uint32_t>(skew_ppm_)),
          random_(~options.seed) {}

    [[nodiscard]] Transaction next(const Uint256& base_fee_per_gas, std::uint64_t) override {
        const std::uint32_t index = next_++;
        return name_ == "chain" ? pass_on(base_fee_per_gas, index) : pay(base_fee_per_gas, index);
    }

private:
    static bool has_settings(const ScenarioChoice& choice) {
        return !choice.info->settings.empty();
    }

    [[nodiscard]] Address recipient(std::uint32_t sender) {
        const World& world = generator_.world();
        if (name_ == "neighbours") return address_from_low64(kFirstNeighbour + sender);
        if (random_.chance(static_cast<std::uint32_t>(hot_ppm_))) return world.hot_recipient;
        if (skew_ppm_ != 0) return world.accounts[recipients_.draw(random_)].address;
        return world.accounts[sender + 1].address;
    }

    [[nodiscard]] Transaction pay(const Uint256& base_fee_per_gas, std::uint32_t index) {
        const World& world = generator_.world();
        const std::uint32_t sender = 2 * index;
        HEDDLE_ASSERT(sender + 1 < world.accounts.size());
        const bool is_token = name_ == "erc20";
        Transaction tx = plain_transaction(base_fee_per_gas);
        tx.gas_limit =
            (is_token ? kTokenGas : kTransferGas) * gas_factor(generator_.options().revision);
        if (is_token) {
            tx.to = world.tokens[index % world.tokens.size()];
            tx.data = encode_call(token::kTransfer, {to_word(recipient(sender)), kGwei});
        } else {
            tx.to = recipient(sender);
            tx.value = kGwei;
        }
        sign(tx, world.accounts[sender]);
        return tx;
    }

    /// Everything goes on to an account that did not exist, less the fees.
    [[nodiscard]] Transaction pass_on(const Uint256& base_fee_per_gas, std::uint32_t index) {
        const Options& options = generator_.options();
        const auto key = [&](std::uint64_t at) {
            return at == 0 ? generator_.world().accounts[0] : derive_key(options.seed, "chain", at);
        };
        Transaction tx = plain_transaction(base_fee_per_gas);
        tx.gas_limit = kTransferGas * gas_factor(options.revision);
        // Falls faster than fees can eat it.
        const std::uint64_t fee = 200'000 * gas_factor(options.revision);
        tx.value = Uint256{100'000'000'000'000 - index * fee} * kGwei;
        tx.to = key(index + 1).address;
        sign(tx, key(index));
        return tx;
    }

    const std::string_view name_;
    const std::uint64_t hot_ppm_;
    const std::uint64_t skew_ppm_;
    const Zipf recipients_;
    Random random_;
    std::uint32_t next_ = 0;
};

}  // namespace

Transaction plain_transaction(const Uint256& base_fee_per_gas) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = Options{}.chain_id;
    tx.max_priority_fee_per_gas = kGwei;
    tx.max_fee_per_gas = base_fee_per_gas + base_fee_per_gas + kGwei;
    return tx;
}

std::unique_ptr<ScenarioSource> make_payments(const ScenarioChoice& choice,
                                              const ScenarioOptions& options) {
    return std::make_unique<PaymentSource>(choice, world_options(choice, options));
}

std::unique_ptr<ScenarioSource> make_generated(const ScenarioChoice& choice,
                                               const ScenarioOptions& options) {
    Options world = world_options(choice, options);
    if (choice.info->name == "hot-slot") {
        world.contention_ppm = kMillion;
    } else {
        world.contention_ppm = static_cast<std::uint32_t>(choice.value("hot"));
        const auto accounts = static_cast<std::uint32_t>(choice.value("accounts"));
        if (accounts != 0) world.accounts = std::max(accounts, kMinAccounts);
    }
    return std::make_unique<GeneratedSource>(world);
}

}  // namespace heddle::workload
