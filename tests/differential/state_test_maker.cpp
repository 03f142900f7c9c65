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

#include "code.hpp"
#include "formats/networks.hpp"
#include "precompile_inputs.hpp"
#include "program_generator.hpp"
#include "state_test_json.hpp"
#include "wild_programs.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBaseFee = 7;
constexpr std::uint64_t kMostNonce = ~std::uint64_t{0};  // EIP-2681
constexpr std::uint64_t kSlot = 0x5107;
constexpr std::size_t kProgramBytes = 1'500;  // of randomness for all programs of a test
/// An account that is there and empty: nobody can tell but by its existence.
constexpr Address kEmpty = address_from_low64(0xe0);
/// Who may delegate beside the sender, whose secret is the first.
constexpr std::uint64_t kFirstAuthority = 2;
constexpr std::uint32_t kAuthorities = 3;
constexpr Address kBeneficiary = address_from_low64(0xba5e);
constexpr std::uint64_t kGasLimits[] = {30'000'000, 30'000'000, 30'000'000, 5'000'000, 100'000'000};
constexpr std::uint64_t kBlockNumbers[] = {1, 1, 1, 0, 256, 257, 1'000, 9'999'999};
/// Fractions of EIP-4844 are some millions: from free blobs to such that nobody can pay.
constexpr std::uint64_t kExcesses[] = {0, 0, 0, 0, 3'000'000, 20'000'000, 500'000'000};

/// What geth's state tests take for the hashes of blocks.
class DigitHashes final : public BlockHashes {
public:
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override {
        const std::string digits = std::to_string(number);
        return keccak256({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()});
    }
};

Hash secret_number(std::uint64_t number) {
    return keccak256(to_hash(Uint256{number}).view());
}

/// Which variants of the transaction a case has.
struct Indexes {
    std::size_t data = 0;
    std::size_t gas = 0;
    std::size_t value = 0;
};

class Maker {
public:
    explicit Maker(std::uint64_t seed)
        : seed_(seed), random_(seed), bytes_(draw_bytes()), source_(bytes_), generator_(source_) {
        beneficiary_ = random_.below(3) == 0 ? any_neighbour() : kBeneficiary;
        if (one_in(12)) beneficiary_ = address_from_low64(1 + random_.below(0x12));
        gas_limit_ = pick(kGasLimits);
        number_ = pick(kBlockNumbers);
        excess_blob_gas_ = pick(kExcesses);
        make_pre();
        make_authorities();
        make_transaction();
        make_sender();
    }

    StateTest make(const Fork* only) {
        StateTest test;
        std::string post;
        for (const Fork& fork : kForks) {
            if (!fork.revision.has_value() || fork.networks[0].empty()) continue;
            if (only != nullptr && fork.name != only->name) continue;
            if (*fork.revision < since_) continue;
            std::string cases;
            for (std::size_t i = 0; i < 8; ++i)
                cases += (i == 0 ? "" : ",") +
                         make_case(fork.networks[0], {i & 1, i >> 1 & 1, i >> 2}, test);
            fmt::format_to(std::back_inserter(post), R"({}"{}":[{}])", post.empty() ? "" : ",",
                           fork.networks[0], cases);
        }
        test.json = fmt::format(
            R"("seed_{}":{{"env":{},"pre":{},"transaction":{},"post":{{{}}}}})", seed_, env_json(),
            pre_json(pre_), transaction_json({tx_, secret_number(1), data_, gas_, values_}), post);
        return test;
    }

private:
    Bytes draw_bytes() {
        Bytes bytes(kProgramBytes);
        for (std::uint8_t& byte : bytes)
            byte = static_cast<std::uint8_t>(random_.next());
        return bytes;
    }
    template <typename T, std::size_t N>
    const T& pick(const T (&choices)[N]) {
        return choices[random_.below(static_cast<std::uint32_t>(N))];
    }
    [[nodiscard]] bool one_in(std::uint32_t n) { return random_.below(n) == 0; }
    const Address& any_account() {
        return fuzz::kAccounts[random_.below(std::size(fuzz::kAccounts))];
    }

    void add(GenesisAccount account) {
        state_.add(account);
        pre_.push_back(std::move(account));
    }
    /// Whom wild programs name, among them what may be created.
    [[nodiscard]] std::vector<Address> meet_neighbours() const {
        std::vector<Address> met(std::begin(fuzz::kAccounts), std::end(fuzz::kAccounts));
        for (const Address& address : {kEmpty, kBeneficiary, sender_, address_from_low64(0xabc'def),
                                       create_address(sender_, 0)})
            met.push_back(address);
        for (std::uint64_t i = 0; i < kAuthorities; ++i)
            met.push_back(address_from_secret(secret_number(kFirstAuthority + i)).value());
        for (const Address& address : fuzz::kAccounts)
            met.push_back(create_address(address, 1));
        return met;
    }
    const Address& any_neighbour() {
        return neighbours_[random_.below(static_cast<std::uint32_t>(neighbours_.size()))];
    }
    Bytes draw_code(std::uint32_t fragments) {
        if (one_in(32)) return draw_container();
        if (random_.below(2) == 0) return wild_.program(8);
        if (random_.below(6) != 0) return generator_.generate(4 + random_.below(fragments));
        return draw_delegation();
    }
    /// What no fork takes any more (EIP-3541), but may have been there before: code that looks like
    /// EVM Object Format, or begins as a delegation does.
    Bytes draw_container() {
        Bytes code{0xef, static_cast<std::uint8_t>(random_.below(3)),
                   static_cast<std::uint8_t>(random_.below(3))};
        const Bytes body = wild_.program(3);
        code.resize(1 + random_.below(3));
        if (!one_in(4)) code.insert(code.end(), body.begin(), body.end());
        return code;
    }
    /// Only from Prague on is this more than code; and sometimes only nearly one.
    Bytes draw_delegation() {
        Bytes code(std::begin(vm::kDelegationPrefix), std::end(vm::kDelegationPrefix));
        Address target = one_in(3) ? any_neighbour() : any_account();
        if (one_in(12)) target = address_from_low64(random_.below(0x13));
        code.insert(code.end(), target.bytes.begin(), target.bytes.end());
        if (one_in(24)) code.pop_back();
        if (one_in(24)) code.push_back(0);
        if (one_in(24)) code[1 + random_.below(2)] ^= 1;
        return code;
    }
    void make_pre() {
        add({kEmpty, 0, {}, {}, {}});
        for (std::size_t i = 0; i + 1 < std::size(fuzz::kAccounts); ++i) {
            // Nonces as high as they can be and next to it (EIP-2681).
            static constexpr std::uint64_t kNonces[] = {1, 1, 1, 1, 1, 0, ~0ULL, ~0ULL - 1};
            const std::uint64_t nonce = kNonces[random_.below(std::size(kNonces))];
            const Uint256 balance = random_.below(8);
            GenesisAccount account{fuzz::kAccounts[i], nonce, balance, draw_code(40), {}};
            for (std::uint32_t slot = random_.below(4); slot > 0; --slot)
                account.storage.emplace_back(slot - 1, 1 + random_.below(2));
            add(std::move(account));
        }
        // The last of them has no code: empty, rich, or not there.
        const std::uint32_t wealth = random_.below(3);
        if (wealth < 2) add({*std::rbegin(fuzz::kAccounts), 0, Uint256{wealth}, {}, {}});
        // Where something is created, somebody may be.
        for (const Address& address :
             {create_address(sender_, 0), create_address(fuzz::kAccounts[0], 1)})
            if (const std::uint32_t kind = random_.below(8); kind < 3)
                add({address,
                     kind == 1 ? 1u : 0u,
                     Uint256{kind == 0 ? 1u : 0u},
                     kind == 2 ? Bytes{0} : Bytes{},
                     {}});
    }
    /// Those that authorize have something already, a delegation or code that forbids it among it.
    void make_authorities() {
        for (std::size_t i = 0; i < kAuthorities; ++i) {
            const Address who = address_from_secret(secret_number(kFirstAuthority + i)).value();
            const std::uint32_t has = random_.below(3);
            if (has == 2) continue;
            static constexpr std::uint64_t kNonces[] = {0, 0, 0, 1, kMostNonce - 1, kMostNonce};
            GenesisAccount account{who, pick(kNonces), Uint256{has}, {}, {}};
            if (one_in(3)) account.code = one_in(6) ? wild_.program(2) : draw_delegation();
            if (!account.code.empty() && one_in(2)) account.storage.emplace_back(0, 1);
            nonces_[i] = account.nonce;
            add(std::move(account));
        }
    }
    /// Mostly rich; now and then one that has just what one variant may cost, or delegates, or is a
    /// contract, which may not send (EIP-3607). What looks like a delegation before there are any
    /// may send with geth alone, so such tests begin with Prague.
    void make_sender() {
        GenesisAccount account{sender_, tx_.nonce, Uint256{1} << 200, {}, {}};
        if (one_in(10)) {
            const Transaction dear = variant({1, random_.below(2), 1});
            account.balance =
                vm::upfront_cost(dear).value() + Uint256{random_.below(3)} - Uint256{1};
        }
        if (one_in(8)) account.code = draw_delegation();
        since_ = account.code.empty() ? Revision::frontier : Revision::prague;
        if (one_in(48)) account.code = Bytes{0};
        add(std::move(account));
    }

    void make_transaction() {
        Transaction& tx = tx_;
        static constexpr TransactionType kTypes[] = {
            TransactionType::legacy,  TransactionType::legacy,      TransactionType::legacy,
            TransactionType::legacy,  TransactionType::legacy,      TransactionType::access_list,
            TransactionType::blob,    TransactionType::dynamic_fee, TransactionType::set_code,
            TransactionType::set_code};
        tx.type = kTypes[random_.below(std::size(kTypes))];
        static constexpr std::uint64_t kNonces[] = {1, 5, kMostNonce - 1, kMostNonce};
        if (one_in(12)) tx.nonce = pick(kNonces);
        tx.max_fee_per_gas = kBaseFee + random_.below(4);
        if (one_in(32)) tx.max_fee_per_gas = kBaseFee - 1;
        tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
        if (tx.type >= TransactionType::dynamic_fee) tx.max_priority_fee_per_gas = random_.below(4);
        if (tx.type != TransactionType::legacy) tx.chain_id = 1;
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
        tx.sender = sender_;
        if (one_in(2)) tx.data = data_[0];
        std::uint64_t least = 0;
        for (const Revision revision : {Revision::osaka, Revision::amsterdam}) {
            const vm::IntrinsicGas intrinsic = vm::intrinsic_gas(tx, revision);
            least = std::max({least, intrinsic.gas, one_in(2) ? intrinsic.floor : 0});
        }
        gas_ = {draw_ample_gas(), draw_scarce_gas(least)};
        values_ = {Uint256{}, Uint256{1 + random_.below(3)}};
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
            entry.address = random_.below(2) == 0 ? any_account() : any_neighbour();
            if (random_.below(6) == 0) entry.address = address_from_low64(1 + random_.below(0x12));
            for (std::uint32_t keys = random_.below(3); keys > 0; --keys)
                entry.storage_keys.push_back(to_hash(Uint256{random_.below(4)}));
        }
    }
    /// EIP-3860's and EIP-7954's limits are approached by what comes behind the code.
    Bytes draw_init_code() {
        static constexpr std::size_t kSizes[] = {49'152, 49'153, 131'072, 131'073};
        Bytes code = random_.below(2) == 0 ? generator_.generate(20) : wild_.init_code();
        if (random_.below(24) == 0) code.resize(kSizes[random_.below(std::size(kSizes))]);
        return code;
    }
    Address draw_recipient() {
        switch (random_.below(12)) {
            case 0:
                return kEmpty;
            case 1:
                return sender_;
            case 2:  // a precompiled contract that nobody has paid to
                return address_from_low64(1 + random_.below(0x12));
            case 3:
                return address_from_low64(0xabc'def);
            case 4:  // who authorizes, or is paid the fees, among them
                return any_neighbour();
            default:
                return any_account();
        }
    }
    /// What is to be enough: for what older forks charge, for some growth of the state, or with a
    /// reservoir (EIP-8037).
    std::uint64_t draw_ample_gas() {
        switch (random_.below(4)) {
            case 0:
                return (1 << 24) + random_.below(8'000'000);
            case 1:
                return 1'000'000 + random_.below(3'000'000);
            default:
                return 400'000 + random_.below(200'000);
        }
    }
    /// What is often not, or just not.
    std::uint64_t draw_scarce_gas(std::uint64_t least) {
        switch (random_.below(4)) {
            case 0:
                return least + 183'600 - 1'000 + random_.below(20'000);
            case 1:
                return least + draw_due() + random_.below(3) - 1;
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
            authorization.address = random_.below(4) == 0 ? any_neighbour() : any_account();
            if (random_.below(6) == 0) authorization.address = Address{};
            if (random_.below(12) == 0)
                authorization.address = address_from_low64(1 + random_.below(0x12));
            const bool is_own = random_.below(4) == 0;
            const std::uint32_t who = random_.below(kAuthorities);
            // The transaction counts first.
            authorization.nonce = is_own ? tx_.nonce + 1 : nonces_[who];
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
        const auto valid = vm::validate(tx, state_, env, vm::BlockGas::whole(env));
        ++test.cases;
        Hash root;
        std::string rejection;
        std::vector<Log> logs;
        if (valid) {
            root = run(env, *valid, fork, test);
            logs = fast_outcome_.receipt.logs;
        } else {
            ++test.rejected;
            root = ledger::compute_state_root(state_);
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
        vm::transition(state_, hashes, env, valid, fast_, fast_outcome_);
        vm::transition(state_, hashes, env, valid, plain_, plain_outcome_);
        if (fast_outcome_.receipt != plain_outcome_.receipt ||
            fast_outcome_.output != plain_outcome_.output ||
            fast_outcome_.diff != plain_outcome_.diff)
            test.difference = fmt::format("seed {}, {}: the interpreters differ", seed_, fork);
        ledger::MemoryState after = state_;
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
    workload::Random random_;
    const Bytes bytes_;
    fuzz::ByteSource source_;
    fuzz::ProgramGenerator generator_;
    const Address sender_ = address_from_secret(secret_number(1)).value();
    const std::vector<Address> neighbours_ = meet_neighbours();
    WildPrograms wild_{random_, neighbours_, kLatestRevision};
    Address beneficiary_;
    std::uint64_t gas_limit_ = 0;
    std::uint64_t number_ = 0;
    Revision since_ = Revision::frontier;
    std::uint64_t excess_blob_gas_ = 0;
    std::array<std::uint64_t, kAuthorities> nonces_{};
    std::vector<GenesisAccount> pre_;
    ledger::MemoryState state_;
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
    return Maker{seed}.make(only);
}

}  // namespace heddle::test
