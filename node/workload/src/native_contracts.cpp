// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <workload/native_contracts.hpp>

#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

#include <types/hash.hpp>
#include <types/uint256.hpp>
#include <vm/native_code.hpp>

#include <workload/bytecode.hpp>

#include "abi.hpp"

namespace heddle::workload {
namespace {

using vm::NativeCall;

constexpr std::size_t kWord = 32;

/// INVALID, and a name behind it.
Bytes marker(std::string_view name) {
    Bytes code{0xfe};
    code.insert(code.end(), name.begin(), name.end());
    return code;
}

/// Call data as Solidity's decoder reads it: selector, words, and at most one array of words, whose
/// offset is the last of the words.
class Arguments {
public:
    explicit Arguments(BytesView input) noexcept
        : has_selector_(input.size() >= 4),
          body_(has_selector_ ? input.subspan(4) : BytesView{}),
          selector_(has_selector_ ? std::uint32_t{input[0]} << 24 | std::uint32_t{input[1]} << 16 |
                                        std::uint32_t{input[2]} << 8 | input[3]
                                  : 0) {}

    [[nodiscard]] bool is_for(std::uint32_t selector) const noexcept {
        return has_selector_ && selector_ == selector;
    }
    [[nodiscard]] bool has_words(std::size_t count) const noexcept {
        return body_.size() >= count * kWord;
    }
    [[nodiscard]] Uint256 word(std::size_t index) const noexcept {
        return load_be(body_.data() + index * kWord);
    }
    /// The elements, 32 bytes each. nullopt: they are not all there.
    [[nodiscard]] std::optional<BytesView> array(std::size_t index) const noexcept {
        const Uint256 offset = word(index);
        if (offset >= Uint256{body_.size()} || body_.size() - offset.low64() < kWord)
            return std::nullopt;
        const BytesView rest = body_.subspan(offset.low64());
        const Uint256 count = load_be(rest.data());
        if (count > Uint256{(rest.size() - kWord) / kWord}) return std::nullopt;
        return rest.subspan(kWord, count.low64() * kWord);
    }

private:
    bool has_selector_;
    BytesView body_;
    std::uint32_t selector_;
};

std::size_t count_of(BytesView array) noexcept {
    return array.size() / kWord;
}
Uint256 element(BytesView array, std::size_t index) noexcept {
    return load_be(array.data() + index * kWord);
}

Hash event_topic(std::string_view signature) {
    return keccak256(Bytes(signature.begin(), signature.end()));
}

/// Slot of `mapping[key]`.
std::optional<Uint256> slot_of(NativeCall& call, const Uint256& key, std::uint64_t mapping) {
    std::array<std::uint8_t, 2 * kWord> preimage{};
    store_be(key, preimage.data());
    store_be(mapping, preimage.data() + kWord);
    const std::optional<Hash> hash = call.keccak(preimage);
    if (!hash) return std::nullopt;
    return to_word(*hash);
}

/// A row and where it is.
struct Row {
    Uint256 slot;
    Uint256 value;
};
std::optional<Row> load_row(NativeCall& call, const Uint256& key, std::uint64_t mapping) {
    const auto slot = slot_of(call, key, mapping);
    if (!slot) return std::nullopt;
    const auto value = call.load(*slot);
    if (!value) return std::nullopt;
    return Row{*slot, *value};
}
bool store_row(NativeCall& call, const Row& row) {
    return call.store(row.slot, row.value);
}

/// Bits of a row, counted from the lowest.
struct Field {
    unsigned first;
    unsigned width;

    [[nodiscard]] Uint256 mask() const noexcept { return (Uint256{1} << width) - Uint256{1}; }
    [[nodiscard]] Uint256 of(const Uint256& row) const noexcept { return row >> first & mask(); }
    /// @param value  Higher bits than the field has are lost.
    void set(Uint256& row, const Uint256& value) const noexcept {
        row = (row & ~(mask() << first)) | (value & mask()) << first;
    }
    /// @return false: the sum does not fit; the row is as before.
    [[nodiscard]] bool add(Uint256& row, const Uint256& amount) const noexcept {
        const Uint256 sum = of(row) + (amount & mask());
        if (sum > mask()) return false;
        set(row, sum);
        return true;
    }
};

/// The lower half's number, with its sign.
Uint256 sign_extended(const Uint256& low) noexcept {
    return arithmetic_shift_right(low << 128, 128);
}

/// Either all of a call is done, or it has ended, or it is to revert.
class NativeContract : public vm::NativeCode {
public:
    explicit NativeContract(std::string_view name) : code_(marker(name)) {}
    [[nodiscard]] BytesView stands_for() const noexcept override { return code_; }

    void run(NativeCall& call) const noexcept final {
        // None of the functions takes ether.
        if (!call.value().is_zero() || !dispatch(call, Arguments{call.input()})) call.revert();
    }

protected:
    /// @return false: to revert, or ended.
    [[nodiscard]] virtual bool dispatch(NativeCall& call, const Arguments& arguments) const = 0;

private:
    const Bytes code_;
};

class NativeKeyValue final : public NativeContract {
public:
    NativeKeyValue() : NativeContract("heddle native KeyValue") {}

private:
    [[nodiscard]] bool dispatch(NativeCall& call, const Arguments& arguments) const override {
        if (!arguments.is_for(key_value::kRun) || !arguments.has_words(3)) return false;
        const auto keys = arguments.array(2);
        return keys && access(call, arguments.word(0), arguments.word(1), *keys);
    }

    static bool access(NativeCall& call, const Uint256& writes, const Uint256& rounds,
                       BytesView keys) {
        const auto is_written = [&](std::size_t i) { return ((writes >> i).low64() & 1) != 0; };
        Uint256 digest = to_word(call.caller());
        for (std::size_t i = 0; i < count_of(keys); ++i) {
            if (is_written(i)) continue;
            const auto row = load_row(call, element(keys, i), key_value::kRowsSlot);
            if (!row) return false;
            digest += row->value;
        }
        // More than this many can never be paid for.
        const std::uint64_t count =
            rounds.fits_uint64() ? rounds.low64() : std::numeric_limits<std::uint64_t>::max();
        Hash hash = to_hash(digest);
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto next = call.keccak(hash.view());
            if (!next) return false;
            hash = *next;
        }
        digest = to_word(hash);
        for (std::size_t i = 0; i < count_of(keys); ++i) {
            if (!is_written(i)) continue;
            const auto slot = slot_of(call, element(keys, i), key_value::kRowsSlot);
            if (!slot || !call.store(*slot, (digest + Uint256{i}) | Uint256{1})) return false;
        }
        return true;
    }
};

class NativeTpcc final : public NativeContract {
public:
    NativeTpcc() : NativeContract("heddle native Tpcc") {}

private:
    static constexpr Field kTax{0, 64};
    static constexpr Field kWarehousePaid{64, 192};
    static constexpr Field kNextOrder{0, 64};
    static constexpr Field kDistrictPaid{64, 192};
    static constexpr Field kBalance{0, 128};
    static constexpr Field kPayments{128, 32};
    static constexpr Field kCustomerPaid{160, 96};
    static constexpr Field kQuantity{0, 32};
    static constexpr Field kOrders{32, 32};
    static constexpr Field kRemoteOrders{64, 32};
    static constexpr Field kSold{96, 160};
    static constexpr Field kOrderCustomer{0, 64};
    static constexpr Field kLineCount{64, 64};
    static constexpr Field kTotal{128, 128};

    [[nodiscard]] bool dispatch(NativeCall& call, const Arguments& arguments) const override {
        const auto word = [&](std::size_t index) { return arguments.word(index); };
        if (arguments.is_for(tpcc::kNewOrder) || arguments.is_for(tpcc::kNewOrderRest)) {
            if (!arguments.has_words(4)) return false;
            const auto lines = arguments.array(3);
            if (!lines) return false;
            Uint256 tax;
            if (arguments.is_for(tpcc::kNewOrder)) {
                const auto row = load_row(call, word(0), tpcc::kWarehousesSlot);
                if (!row) return false;
                tax = kTax.of(row->value);
            }
            return order(call, {word(0), word(1), word(2), tax}, *lines);
        }
        if (arguments.is_for(tpcc::kQuote)) return arguments.has_words(1) && quote(call, word(0));
        if (arguments.is_for(tpcc::kPay))
            return arguments.has_words(4) && pay_warehouse(call, word(0), word(3)) &&
                   pay_rest(call, word(1), word(2), word(3));
        if (arguments.is_for(tpcc::kPayWarehouse))
            return arguments.has_words(2) && pay_warehouse(call, word(0), word(1));
        if (arguments.is_for(tpcc::kPayRest))
            return arguments.has_words(3) && pay_rest(call, word(0), word(1), word(2));
        return false;
    }

    bool quote(NativeCall& call, const Uint256& warehouse) const {
        const auto row = load_row(call, warehouse, tpcc::kWarehousesSlot);
        if (!row) return false;
        const Uint256 tax = kTax.of(row->value);
        if (!emit(call, quoted_, warehouse, {tax})) return false;
        call.give(tax);
        return true;
    }

    static bool pay_warehouse(NativeCall& call, const Uint256& warehouse, const Uint256& amount) {
        auto row = load_row(call, warehouse, tpcc::kWarehousesSlot);
        return row && kWarehousePaid.add(row->value, amount) && store_row(call, *row);
    }

    bool pay_rest(NativeCall& call, const Uint256& district, const Uint256& customer,
                  const Uint256& amount) const {
        auto of_district = load_row(call, district, tpcc::kDistrictsSlot);
        if (!of_district || !kDistrictPaid.add(of_district->value, amount) ||
            !store_row(call, *of_district))
            return false;
        auto row = load_row(call, customer, tpcc::kCustomersSlot);
        if (!row) return false;
        const Uint256 balance = sign_extended(kBalance.of(row->value)) - sign_extended(amount);
        if (sign_extended(balance) != balance) return false;
        kBalance.set(row->value, balance);
        return kPayments.add(row->value, 1) && kCustomerPaid.add(row->value, amount) &&
               store_row(call, *row) && emit(call, paid_, customer, {amount});
    }

    struct OrderHead {
        Uint256 warehouse;
        Uint256 district;
        Uint256 customer;
        Uint256 tax;  // in thousandths
    };
    bool order(NativeCall& call, const OrderHead& head, BytesView lines) const {
        if (lines.empty()) return false;
        auto row = load_row(call, head.district, tpcc::kDistrictsSlot);
        if (!row) return false;
        const Uint256 number = kNextOrder.of(row->value);
        if (!kNextOrder.add(row->value, 1) || !store_row(call, *row)) return false;
        const Uint256 key = head.district << 64 | number;
        Uint256 total;
        for (std::size_t i = 0; i < count_of(lines); ++i) {
            const Uint256 line = element(lines, i);
            const auto price = take(call, head.warehouse, line);
            if (!price) return false;
            total += *price;
            const auto slot = slot_of(call, key << 8 | Uint256{i}, tpcc::kOrderLinesSlot);
            if (!slot || !call.store(*slot, line)) return false;
        }
        total = total * (Uint256{1000} + head.tax) / Uint256{1000};
        const auto slot = slot_of(call, key, tpcc::kOrdersSlot);
        if (!slot) return false;
        Uint256 entry;
        kOrderCustomer.set(entry, head.customer);
        kLineCount.set(entry, count_of(lines));
        kTotal.set(entry, total);
        return call.store(*slot, entry) && emit(call, ordered_, head.district, {number, total});
    }

    /// A line's quantity out of the stock. @return its price.
    static std::optional<Uint256> take(NativeCall& call, const Uint256& warehouse,
                                       const Uint256& line) {
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
        const Uint256 supplier = line >> 64;
        const std::uint64_t item = line.low64() >> 32;
        const std::uint64_t quantity = line.low64() & kMost;
        auto row = load_row(call, supplier * Uint256{100'000} + Uint256{item}, tpcc::kStocksSlot);
        if (!row) return std::nullopt;
        const std::uint64_t left = kQuantity.of(row->value).low64();
        // Solidity's sums of 32 bits fail where they overflow.
        if (quantity + 10 > kMost) return std::nullopt;
        const bool is_enough = left >= quantity + 10;
        if (!is_enough && (left + 91 > kMost || left + 91 < quantity)) return std::nullopt;
        kQuantity.set(row->value, is_enough ? left - quantity : left + 91 - quantity);
        if (!kOrders.add(row->value, 1)) return std::nullopt;
        if (supplier != warehouse && !kRemoteOrders.add(row->value, 1)) return std::nullopt;
        if (!kSold.add(row->value, quantity) || !store_row(call, *row)) return std::nullopt;
        return Uint256{quantity * (100 + item % 9'900)};
    }

    bool emit(NativeCall& call, const Hash& event, const Uint256& indexed,
              std::initializer_list<Uint256> rest) const {
        Bytes data;
        data.reserve(rest.size() * kWord);
        for (const Uint256& word : rest)
            append_word(word, data);
        return call.log({event, to_hash(indexed)}, data);
    }

    const Hash ordered_ = event_topic("Ordered(uint256,uint256,uint256)");
    const Hash quoted_ = event_topic("Quoted(uint256,uint256)");
    const Hash paid_ = event_topic("Paid(uint256,uint256)");
};

}  // namespace

const vm::NativeCode& native_key_value() noexcept {
    static const NativeKeyValue contract;
    return contract;
}

const vm::NativeCode& native_tpcc() noexcept {
    static const NativeTpcc contract;
    return contract;
}

std::span<const vm::NativeCode* const> native_contracts() noexcept {
    static const std::array contracts = {&native_key_value(), &native_tpcc()};
    return contracts;
}

}  // namespace heddle::workload
