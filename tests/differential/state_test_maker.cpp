// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state_test_maker.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>
#include <types/assert.hpp>
#include <types/fork.hpp>
#include <types/signing.hpp>
#include <types/transaction_error_names.hpp>
#include <vm/block.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>
#include <workload/random.hpp>

#include "formats/networks.hpp"
#include "precompile_inputs.hpp"
#include "state_test_edges.hpp"
#include "state_test_json.hpp"
#include "state_test_world.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBaseFee = 7;
constexpr std::uint64_t kSlot = 0x5107;
constexpr std::uint64_t kGasLimits[] = {30'000'000, 30'000'000, 30'000'000, 5'000'000, 100'000'000};
constexpr std::uint64_t kBlockNumbers[] = {1, 1, 1, 0, 256, 257, 1'000, 9'999'999};
/// Fractions of EIP-4844 are some millions: from free blobs to such that nobody can pay.
constexpr std::uint64_t kExcesses[] = {0, 0, 0, 0, 3'000'000, 20'000'000, 500'000'000};

/// By which the largest number is too large for this or that: 64, 128, 200 and 256 bits are left.
constexpr std::uint64_t kShifts[] = {0, 56, 128, 192};
constexpr std::uint64_t kExtremeGas[] = {0,           1,          20'999,     21'000,
                                         21'001,      ~0ULL,      ~0ULL >> 1, ~0ULL << 63,
                                         ~0ULL >> 32, 30'000'000, 16'777'216, 16'777'217};

/// What geth's state tests take for the hashes of blocks.
class DigitHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        const std::string digits = std::to_string(number);
        return keccak256({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()});
    }
};

/// Which variants of the transaction a case has.
struct Indexes {
    std::size_t data = 0;
    std::size_t gas = 0;
    std::size_t value = 0;
};

class Maker {
public:
    /// @param only  As make_state_test() has it.
    Maker(std::uint64_t seed, const Fork* only)
        : seed_(seed), only_(only), world_(seed, only != nullptr ? only->revision : std::nullopt) {
        beneficiary_ = random_.below(3) == 0 ? world_.any_neighbour() : kBeneficiary;
        if (one_in(12)) beneficiary_ = address_from_low64(1 + random_.below(0x12));
        gas_limit_ = pick(kGasLimits);
        number_ = pick(kBlockNumbers);
        excess_blob_gas_ = pick(kExcesses);
        descends_ = one_in(24);
        world_.make(descends_);
        make_transaction();
        if (descends_) descend();
        make_sender();
    }

    StateTest make() {
        if (!descends_ && one_in(3)) approach_border();
        StateTest test;
        std::string post;
        for (const Fork& fork : kForks) {
            if (!is_tried(fork)) continue;
            std::string cases;
            for (std::size_t i = 0; i < 8; ++i)
                cases += (i == 0 ? "" : ",") +
                         make_case(fork.networks[0], {i & 1, i >> 1 & 1, i >> 2}, test);
            fmt::format_to(std::back_inserter(post), R"({}"{}":[{}])", post.empty() ? "" : ",",
                           fork.networks[0], cases);
        }
        test.json =
            fmt::format(R"("seed_{}":{{"env":{},"pre":{},"transaction":{},"post":{{{}}}}})", seed_,
                        env_json(), pre_json(world_.pre()),
                        transaction_json({tx_, secret_number(1), data_, gas_, values_}), post);
        return test;
    }

private:
    [[nodiscard]] bool is_tried(const Fork& fork) const {
        return fork.revision.has_value() && !fork.networks[0].empty() && *fork.revision >= since_ &&
               (only_ == nullptr || only_->name == fork.name);
    }
    template <typename T, std::size_t N>
    const T& pick(const T (&choices)[N]) {
        return world_.pick(choices);
    }
    [[nodiscard]] bool one_in(std::uint32_t n) { return world_.one_in(n); }

    /// Mostly rich; now and then one that has just what one variant may cost, or delegates, or is a
    /// contract, which may not send (EIP-3607). What looks like a delegation before there are any
    /// may send with geth alone, so such tests begin with Prague.
    void make_sender() {
        GenesisAccount account{world_.sender(), tx_.nonce, Uint256{1} << 200, {}, {}};
        if (one_in(10)) {
            const Transaction dear = variant({1, random_.below(2), 1});
            account.balance = vm::upfront_cost(dear).value_or(Uint256::max()) +
                              Uint256{random_.below(3)} - Uint256{1};
        }
        if (one_in(8)) account.code = world_.draw_delegation();
        since_ = account.code.empty() ? Revision::frontier : Revision::prague;
        if (one_in(48)) account.code = Bytes{0};
        world_.add(std::move(account));
    }

    void make_transaction() {
        Transaction& tx = tx_;
        static constexpr TransactionType kTypes[] = {
            TransactionType::legacy,  TransactionType::legacy,      TransactionType::legacy,
            TransactionType::legacy,  TransactionType::legacy,      TransactionType::access_list,
            TransactionType::blob,    TransactionType::dynamic_fee, TransactionType::set_code,
            TransactionType::set_code};
        tx.type = kTypes[random_.below(std::size(kTypes))];
        if (world_.revision() < vm::first_revision(tx.type) && !one_in(8))
            tx.type = TransactionType::legacy;
        static constexpr std::uint64_t kNonces[] = {1, 5, kMostNonce - 1, kMostNonce};
        if (one_in(12)) tx.nonce = pick(kNonces);
        tx.max_fee_per_gas = kBaseFee + random_.below(4);
        if (one_in(32)) tx.max_fee_per_gas = kBaseFee - 1;
        if (one_in(48)) tx.max_fee_per_gas = Uint256::max() >> pick(kShifts);
        tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
        if (tx.type >= TransactionType::dynamic_fee) tx.max_priority_fee_per_gas = random_.below(4);
        if (tx.type >= TransactionType::dynamic_fee && one_in(48))
            tx.max_priority_fee_per_gas = tx.max_fee_per_gas + Uint256{random_.below(2)};
        if (tx.type != TransactionType::legacy || one_in(6)) tx.chain_id = one_in(48) ? 2 : 1;
        const bool may_create = tx.type < TransactionType::blob;
        if (!may_create || random_.below(5) != 0) tx.to = draw_recipient();
        if (tx.type != TransactionType::legacy) draw_access_list();
        if (tx.type == TransactionType::blob) draw_blobs();
        if (tx.type == TransactionType::set_code) draw_authorizations();
        for (Bytes& data : data_)
            data = tx.to ? draw_data() : draw_init_code();
        if (tx.to && random_.below(8) == 0) {
            PrecompileInput input = draw_precompile_input(random_);
            tx.to = input.contract;
            data_[0] = std::move(input.data);
        }
        // Forks before Amsterdam charge more for a plain transfer, it more for lists and who is
        // sent to.
        tx.sender = world_.sender();
        if (one_in(2)) tx.data = data_[0];
        std::uint64_t least = 0;
        for (const Revision revision : {Revision::osaka, Revision::amsterdam}) {
            const vm::IntrinsicGas intrinsic = vm::intrinsic_gas(tx, revision);
            least = std::max({least, intrinsic.gas, one_in(2) ? intrinsic.floor : 0});
        }
        gas_ = {draw_ample_gas(), draw_scarce_gas(least)};
        if (one_in(48)) gas_[1] = pick(kExtremeGas);
        values_ = {Uint256{}, Uint256{1 + random_.below(3)}};
        if (one_in(48)) values_[1] = Uint256::max() >> pick(kShifts);
    }
    /// Both variants of the transaction go down from the first account.
    void descend() {
        gas_limit_ = std::uint64_t{1} << 50;
        tx_.to = fuzz::kAccounts[0];
        for (Bytes& data : data_) {
            data.assign(sizeof(Hash), 0);
            data.back() = static_cast<std::uint8_t>(random_.below(4));
        }
        gas_ = {kDescentGas, kDescentGas / (1 + random_.below(8))};
    }
    /// Scarce is now what one of the instructions has just enough of.
    void approach_border() {
        std::vector<const Fork*> forks;
        for (const Fork& fork : kForks)
            if (is_tried(fork)) forks.push_back(&fork);
        if (forks.empty()) return;
        const auto count = static_cast<std::uint32_t>(forks.size());
        const node::Network network =
            node::find_network(forks[random_.below(count)]->networks[0]).value();
        const bool is_merged = network.config.terminal_total_difficulty.has_value();
        const BlockEnv env = vm::make_block_env(header(network.config), network.config, is_merged);
        const Transaction tx = variant({random_.below(2), 0, random_.below(2)});
        const auto valid = vm::validate(tx, world_.state(), env, vm::BlockGas::whole(env));
        if (!valid) return;
        BorderTracer tracer;
        vm::Evm traced{vm::EvmOptions{.engine = vm::Engine::plain, .tracer = &tracer}};
        vm::transition(world_.state(), DigitHashes{}, env, *valid, traced, plain_outcome_);
        if (const std::uint64_t limit = draw_border(random_, tracer, gas_[0]); limit != 0)
            gas_[1] = limit;
    }
    /// As many as any fork takes, or one more; with some that are none.
    void draw_blobs() {
        static constexpr std::uint32_t kCounts[] = {1, 1, 1, 1, 2, 6, 7, 9, 10};
        tx_.max_fee_per_blob_gas = one_in(2) ? Uint256{1 + random_.below(3)} : Uint256{1} << 100;
        for (std::uint32_t count = pick(kCounts); count > 0; --count)
            tx_.blob_versioned_hashes.push_back(
                to_hash((Uint256{1} << 248) + Uint256{random_.below(3)}));
        if (one_in(24)) tx_.blob_versioned_hashes.back().bytes[0] = 2;
        if (one_in(48)) tx_.blob_versioned_hashes.clear();
    }
    void draw_access_list() {
        for (std::uint32_t count = one_in(12) ? random_.below(60) : random_.below(4); count > 0;
             --count) {
            AccessListEntry& entry = tx_.access_list.emplace_back();
            entry.address = random_.below(2) == 0 ? world_.any_account() : world_.any_neighbour();
            if (random_.below(6) == 0) entry.address = address_from_low64(1 + random_.below(0x12));
            for (std::uint32_t keys = random_.below(3); keys > 0; --keys)
                entry.storage_keys.push_back(to_hash(Uint256{random_.below(4)}));
        }
    }
    /// EIP-3860's and EIP-7954's limits are approached by what comes behind the code.
    Bytes draw_init_code() {
        static constexpr std::size_t kSizes[] = {49'152, 49'153, 131'072, 131'073};
        Bytes code = world_.draw_init_program();
        if (random_.below(24) == 0) code.resize(kSizes[random_.below(std::size(kSizes))]);
        return code;
    }
    Address draw_recipient() {
        switch (random_.below(12)) {
            case 0:
                return kEmpty;
            case 1:
                return world_.sender();
            case 2:  // a precompiled contract that nobody has paid to
                return address_from_low64(1 + random_.below(0x12));
            case 3:
                return address_from_low64(0xabc'def);
            case 4:  // who authorizes, or is paid the fees, among them
                return world_.any_neighbour();
            default:
                return world_.any_account();
        }
    }
    /// What is to be enough: for what older forks charge, for some growth of the state, or with a
    /// reservoir (EIP-8037).
    std::uint64_t draw_ample_gas() {
        switch (random_.below(4)) {
            case 0:
                return (1 << 24) + draw_reservoir();
            case 1:
                return 1'000'000 + random_.below(3'000'000);
            default:
                return 400'000 + random_.below(200'000);
        }
    }
    /// For much, or for a few slots, accounts and bytes of code, by one more or less.
    std::uint64_t draw_reservoir() {
        if (one_in(2)) return random_.below(8'000'000);
        static constexpr std::uint64_t kGrowth[] = {97'920, 97'920, 183'600, 35'190, 1'530, 48'960};
        std::uint64_t reservoir = 0;
        for (std::uint32_t count = 1 + random_.below(5); count > 0; --count)
            reservoir += pick(kGrowth);
        return reservoir + random_.below(3) - 1;
    }
    /// What is often not, or just not.
    std::uint64_t draw_scarce_gas(std::uint64_t least) {
        switch (random_.below(4)) {
            case 0:
                return least + 183'600 - 1'000 + random_.below(20'000);
            case 1: {
                const std::uint64_t due = draw_due();
                return least + due + random_.below(3) - 1;
            }
            default:
                return least + random_.below(60'000);
        }
    }
    /// What Amsterdam charges before the message, for each authorization, for the account that is
    /// paid, and for whose code runs (EIP-2780, 8037, 8038).
    std::uint64_t draw_due() {
        static constexpr std::uint64_t kDues[] = {100,    3'000,  9'000,  9'000,
                                                  35'190, 35'190, 183'600};
        std::uint64_t due = 0;
        for (std::uint32_t count = 1 + random_.below(4); count > 0; --count)
            due += pick(kDues);
        return due;
    }
    Bytes draw_data() {
        Bytes data(one_in(8) ? random_.below(4'000) : random_.below(70));
        for (std::uint8_t& byte : data)
            byte = random_.below(3) == 0 ? 0 : static_cast<std::uint8_t>(random_.next());
        return data;
    }
    void draw_authorizations() {
        static constexpr std::uint32_t kCounts[] = {1, 1, 1, 2, 2, 3, 3, 9};
        for (std::uint32_t count = one_in(48) ? 0 : pick(kCounts); count > 0; --count) {
            Authorization authorization;
            authorization.chain_id = random_.below(8) == 0 ? 2 : random_.below(2);
            authorization.address =
                random_.below(4) == 0 ? world_.any_neighbour() : world_.any_account();
            if (random_.below(6) == 0) authorization.address = Address{};
            if (random_.below(12) == 0)
                authorization.address = address_from_low64(1 + random_.below(0x12));
            const bool is_own = random_.below(4) == 0;
            const std::uint32_t who = random_.below(kAuthorities);
            // The transaction counts first.
            authorization.nonce = is_own ? tx_.nonce + 1 : world_.nonce(who);
            if (one_in(5)) ++authorization.nonce;
            HEDDLE_ASSERT(sign_authorization(authorization,
                                             secret_number(is_own ? 1 : kFirstAuthority + who)));
            // Nobody has signed that, or somebody whom nobody knows.
            if (random_.below(12) == 0) authorization.y_parity = Uint256{random_.below(256)};
            if (random_.below(24) == 0) authorization.s = Uint256::max() - authorization.s;
            if (random_.below(24) == 0) authorization.r = Uint256{random_.below(2)};
            tx_.authorization_list.push_back(authorization);
        }
    }

    [[nodiscard]] Transaction variant(const Indexes& indexes) const {
        Transaction tx = tx_;
        tx.data = data_[indexes.data];
        tx.gas_limit = gas_[indexes.gas];
        tx.value = values_[indexes.value];
        HEDDLE_ASSERT(sign_transaction(tx, secret_number(1)));
        return tx;
    }

    [[nodiscard]] BlockHeader header(const ChainConfig& config) const {
        BlockHeader header;
        header.beneficiary = beneficiary_;
        header.gas_limit = gas_limit_;
        header.number = number_;
        header.timestamp = 1'000;
        header.difficulty = 0x20000;
        header.prev_randao = to_hash(Uint256{0x20000});
        if (config.london_block) header.base_fee_per_gas = kBaseFee;
        if (config.cancun_time) header.excess_blob_gas = excess_blob_gas_;
        if (config.amsterdam_time) header.slot_number = kSlot;
        return header;
    }

    std::string make_case(std::string_view fork, const Indexes& indexes, StateTest& test) {
        const node::Network network = node::find_network(fork).value();
        const bool is_merged = network.config.terminal_total_difficulty.has_value();
        const BlockEnv env = vm::make_block_env(header(network.config), network.config, is_merged);
        const Transaction tx = variant(indexes);
        const auto valid = vm::validate(tx, world_.state(), env, vm::BlockGas::whole(env));
        ++test.cases;
        Hash root;
        std::string rejection;
        std::vector<Log> logs;
        if (valid) {
            root = run(env, *valid, fork, test);
            logs = fast_outcome_.receipt.logs;
        } else {
            ++test.rejected;
            root = ledger::compute_state_root(world_.state());
            const std::string_view names = fixture_names(valid.error());
            rejection = fmt::format(R"("expectException":"TransactionException.{}",)",
                                    names.substr(0, names.find(' ')));
        }
        Bytes encoded;
        encode_transaction(tx, encoded);
        return fmt::format(R"({{{}"hash":"{}","logs":"{}","txbytes":"{}",)"
                           R"("indexes":{{"data":{},"gas":{},"value":{}}}}})",
                           rejection, to_string(root), to_string(logs_hash(logs)), to_hex(encoded),
                           indexes.data, indexes.gas, indexes.value);
    }

    /// @return the root of what the transaction leaves.
    Hash run(const BlockEnv& env, const vm::ValidTransaction& valid, std::string_view fork,
             StateTest& test) {
        const DigitHashes hashes;
        vm::transition(world_.state(), hashes, env, valid, fast_, fast_outcome_);
        vm::transition(world_.state(), hashes, env, valid, plain_, plain_outcome_);
        if (fast_outcome_.receipt != plain_outcome_.receipt ||
            fast_outcome_.output != plain_outcome_.output ||
            fast_outcome_.diff != plain_outcome_.diff)
            test.difference = fmt::format("seed {}, {}: the interpreters differ", seed_, fork);
        ledger::MemoryState after = world_.state();
        after.apply(fast_outcome_.diff);
        return ledger::compute_state_root(after);
    }

    [[nodiscard]] std::string env_json() const {
        return fmt::format(
            R"({{"currentCoinbase":"{}","currentDifficulty":"0x20000","currentGasLimit":"{:#x}",)"
            R"("currentNumber":"{:#x}","currentTimestamp":"0x3e8","currentBaseFee":"{:#x}",)"
            R"("currentRandom":"{}","currentExcessBlobGas":"{:#x}","slotNumber":"{:#x}"}})",
            to_string(beneficiary_), gas_limit_, number_, kBaseFee,
            to_string(to_hash(Uint256{0x20000})), excess_blob_gas_, kSlot);
    }

    const std::uint64_t seed_;
    const Fork* const only_;
    StateTestWorld world_;
    workload::Random& random_ = world_.random();
    Address beneficiary_;
    bool descends_ = false;
    std::uint64_t gas_limit_ = 0;
    std::uint64_t number_ = 0;
    Revision since_ = Revision::frontier;
    std::uint64_t excess_blob_gas_ = 0;
    Transaction tx_;
    std::array<Bytes, 2> data_;
    std::array<std::uint64_t, 2> gas_{};
    std::array<Uint256, 2> values_;
    vm::Evm fast_{vm::EvmOptions{}};
    vm::Evm plain_{vm::EvmOptions{.engine = vm::Engine::plain}};
    vm::Outcome fast_outcome_;
    vm::Outcome plain_outcome_;
};

}  // namespace

StateTest make_state_test(std::uint64_t seed, const Fork* only) {
    return Maker{seed, only}.make();
}

}  // namespace heddle::test
