// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The scenarios of TPC-C and of linked lists.
#include <algorithm>
#include <limits>

#include "abi.hpp"
#include "scenario_sources.hpp"
#include "zipf.hpp"

namespace heddle::workload {
namespace {

/// New-Order and Payment in turn (Aria §8.1), by the rules of TPC-C §2.4.1 and §2.5.1 as far as
/// they decide what rows are touched; customers and items are drawn uniformly.
class OrderSource final : public ContractSource {
public:
    OrderSource(const ScenarioChoice& choice, const ScenarioOptions& options)
        : ContractSource(kTpcc, options, choice.value("native") != 0 ? &native_tpcc() : nullptr),
          warehouses_(static_cast<std::uint32_t>(choice.value("warehouses"))),
          remote_orders_ppm_(static_cast<std::uint32_t>(choice.value("remote-orders"))),
          remote_payments_ppm_(static_cast<std::uint32_t>(choice.value("remote-payments"))),
          is_split_(choice.value("split") != 0),
          homes_(warehouses_, static_cast<std::uint32_t>(choice.value("skew"))),
          random_(options.seed) {}

    [[nodiscard]] std::uint64_t average_gas() const noexcept override {
        return gas_limit(kMostLines * kLineGas / 2 + kRestGas);
    }

protected:
    /// The taxes of the warehouses; other rows begin empty.
    [[nodiscard]] std::vector<std::pair<Uint256, Uint256>> storage() override {
        std::vector<std::pair<Uint256, Uint256>> slots;
        slots.reserve(warehouses_);
        for (std::uint32_t warehouse = 0; warehouse < warehouses_; ++warehouse)
            slots.emplace_back(mapping_slot(warehouse, tpcc::kWarehousesSlot), 1 + warehouse % 200);
        return slots;
    }
    [[nodiscard]] ContractCall call(std::uint32_t index) override {
        if (!is_split_) {
            const std::uint32_t home = homes_.draw(random_);
            return index % 2 == 0 ? order(home, tpcc::kNewOrder) : payment(home, true);
        }
        switch (index % 4) {
            case 0:
                home_ = homes_.draw(random_);
                return {encode_call(tpcc::kQuote, {home_}), gas_limit(kRestGas)};
            case 1:
                return order(home_, tpcc::kNewOrderRest);
            case 2:
                home_ = homes_.draw(random_);
                return {encode_call(tpcc::kPayWarehouse, {home_, kAmount}), gas_limit(kRestGas)};
            default:
                return payment(home_, false);
        }
    }

private:
    static constexpr std::uint32_t kDistricts = 10;    // of a warehouse
    static constexpr std::uint32_t kCustomers = 3000;  // of a district
    static constexpr std::uint32_t kItems = 100'000;
    static constexpr std::uint32_t kLeastLines = 5;
    static constexpr std::uint32_t kMostLines = 15;
    static constexpr std::uint64_t kLineGas = 60'000;
    static constexpr std::uint64_t kRestGas = 150'000;
    static constexpr std::uint64_t kAmount = 1234;

    [[nodiscard]] std::uint32_t other_than(std::uint32_t home) {
        if (warehouses_ == 1) return home;
        const std::uint32_t drawn = random_.below(warehouses_ - 1);
        return drawn < home ? drawn : drawn + 1;
    }

    [[nodiscard]] ContractCall order(std::uint32_t home, std::uint32_t selector) {
        const std::uint32_t district = home * kDistricts + random_.below(kDistricts);
        const std::uint64_t customer =
            std::uint64_t{district} * kCustomers + random_.below(kCustomers);
        const std::uint32_t count = kLeastLines + random_.below(kMostLines - kLeastLines + 1);
        const bool is_remote = random_.chance(remote_orders_ppm_);
        Bytes data =
            encode_call(selector, {home, district, customer, std::uint64_t{4} * 32, count});
        for (std::uint32_t line = 0; line < count; ++line) {
            const std::uint64_t supplier = is_remote && line == 0 ? other_than(home) : home;
            const std::uint64_t item = random_.below(kItems);
            append_word(Uint256{supplier} << 64 | Uint256{item << 32 | (1 + random_.below(10))},
                        data);
        }
        return {std::move(data), gas_limit(count * kLineGas + kRestGas)};
    }

    [[nodiscard]] ContractCall payment(std::uint32_t home, bool with_warehouse) {
        const std::uint32_t district = home * kDistricts + random_.below(kDistricts);
        std::uint64_t customer_district = district;
        if (random_.chance(remote_payments_ppm_))
            customer_district = other_than(home) * kDistricts + random_.below(kDistricts);
        const std::uint64_t customer = customer_district * kCustomers + random_.below(kCustomers);
        return {with_warehouse ? encode_call(tpcc::kPay, {home, district, customer, kAmount})
                               : encode_call(tpcc::kPayRest, {district, customer, kAmount}),
                gas_limit(kRestGas)};
    }

    const std::uint32_t warehouses_;
    const std::uint32_t remote_orders_ppm_;
    const std::uint32_t remote_payments_ppm_;
    const bool is_split_;
    const Zipf homes_;
    Random random_;
    std::uint32_t home_ = 0;  // of the transaction whose other half comes next
};

/// Searches and additions, local to one list or global (Early Scheduling §5.2, 5.3).
class ListSource final : public ContractSource {
public:
    ListSource(const ScenarioChoice& choice, const ScenarioOptions& options)
        : ContractSource(kLinkedLists, options),
          shards_(static_cast<std::uint32_t>(choice.value("shards"))),
          length_(choice.value("length")),
          writes_ppm_(static_cast<std::uint32_t>(choice.value("writes"))),
          global_ppm_(static_cast<std::uint32_t>(choice.value("global"))),
          lists_(shards_, static_cast<std::uint32_t>(choice.value("skew"))),
          random_(options.seed) {}

    [[nodiscard]] std::uint64_t average_gas() const noexcept override {
        const std::uint64_t most = (length_ + growth()) * kNodeGas + kAppendGas;
        return gas_limit(most + most * (shards_ - 1) * global_ppm_ / kMillion);
    }

protected:
    /// Values 1 up to the length, in this order.
    [[nodiscard]] std::vector<std::pair<Uint256, Uint256>> storage() override {
        std::vector<std::pair<Uint256, Uint256>> slots;
        for (std::uint64_t shard = 0; shard < shards_; ++shard) {
            const Uint256 list = Uint256{shard} * step();
            slots.emplace_back(list, Uint256{1} | Uint256{length_} << 64 | Uint256{length_} << 128);
            for (std::uint64_t node = 1; node <= length_; ++node)
                slots.emplace_back(list + Uint256{node},
                                   Uint256{node} | Uint256{node == length_ ? 0 : node + 1} << 192);
        }
        return slots;
    }
    [[nodiscard]] ContractCall call(std::uint32_t index) override {
        const bool is_write = random_.chance(writes_ppm_);
        const bool is_global = random_.chance(global_ppm_);
        const std::uint64_t shard = is_global ? 0 : lists_.draw(random_);
        // What is added is new, so that a write passes the whole list.
        const std::uint64_t value =
            is_write ? length_ + 1 + index : 1 + random_.below(static_cast<std::uint32_t>(length_));
        const std::uint32_t selector =
            is_global ? (is_write ? linked_lists::kAddToAll : linked_lists::kContainsAny)
                      : (is_write ? linked_lists::kAdd : linked_lists::kContains);
        const std::uint64_t each = (length_ + growth()) * kNodeGas + kAppendGas;
        Bytes data = is_global ? encode_call(selector, {shards_, step(), value})
                               : encode_call(selector, {Uint256{shard} * step(), value});
        return {std::move(data), gas_limit(kAppendGas + each * (is_global ? shards_ : 1))};
    }

private:
    static constexpr std::uint64_t kNodeGas = 3'000;
    static constexpr std::uint64_t kAppendGas = 120'000;

    /// Between the first slots of lists: each begins one of as many equal ranges of all slots.
    [[nodiscard]] Uint256 step() const noexcept {
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
        return (Uint256{kMost / shards_} + Uint256{1}) << 192;
    }
    /// More than the elements that are added to one list.
    [[nodiscard]] std::uint64_t growth() const noexcept {
        return 16 +
               std::uint64_t{options().transactions} * (writes_ppm_ + global_ppm_) / kMillion * 2;
    }

    const std::uint32_t shards_;
    const std::uint64_t length_;
    const std::uint32_t writes_ppm_;
    const std::uint32_t global_ppm_;
    const Zipf lists_;
    Random random_;
};

}  // namespace

std::unique_ptr<ScenarioSource> make_orders(const ScenarioChoice& choice,
                                            const ScenarioOptions& options) {
    return std::make_unique<OrderSource>(choice, options);
}

std::unique_ptr<ScenarioSource> make_lists(const ScenarioChoice& choice,
                                           const ScenarioOptions& options) {
    return std::make_unique<ListSource>(choice, options);
}

}  // namespace heddle::workload
