// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state_test_maker.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
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
#include "wild_programs.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBaseFee = 7;
constexpr std::uint64_t kSlot = 0x5107;
constexpr std::size_t kProgramBytes = 1'500;  // of randomness for all programs of a test
/// An account that is there and empty: nobody can tell but by its existence.
constexpr Address kEmpty = address_from_low64(0xe0);
/// Who may delegate beside the sender, whose secret is the first.
constexpr std::uint64_t kFirstAuthority = 2;
constexpr std::uint32_t kAuthorities = 3;
constexpr Address kBeneficiary = address_from_low64(0xba5e);

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
        make_pre();
        make_transaction();
    }

    StateTest make(const Fork* only) {
        StateTest test;
        std::string post;
        for (const Fork& fork : kForks) {
            if (!fork.revision.has_value() || fork.networks[0].empty()) continue;
            if (only != nullptr && fork.name != only->name) continue;
            std::string cases;
            for (std::size_t i = 0; i < 8; ++i)
                cases += (i == 0 ? "" : ",") +
                         make_case(fork.networks[0], {i & 1, i >> 1 & 1, i >> 2}, test);
            fmt::format_to(std::back_inserter(post), R"({}"{}":[{}])", post.empty() ? "" : ",",
                           fork.networks[0], cases);
        }
        test.json = fmt::format(R"("seed_{}":{{"env":{},"pre":{},"transaction":{},"post":{{{}}}}})",
                                seed_, env_json(), pre_json(), transaction_json(), post);
        return test;
    }

private:
    Bytes draw_bytes() {
        Bytes bytes(kProgramBytes);
        for (std::uint8_t& byte : bytes)
            byte = static_cast<std::uint8_t>(random_.next());
        return bytes;
    }
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
        if (random_.below(2) == 0) return wild_.program(8);
        if (random_.below(6) != 0) return generator_.generate(4 + random_.below(fragments));
        // Only from Prague on is this more than code.
        Bytes code(std::begin(vm::kDelegationPrefix), std::end(vm::kDelegationPrefix));
        const Address& target = any_account();
        code.insert(code.end(), target.bytes.begin(), target.bytes.end());
        return code;
    }
    void make_pre() {
        add({sender_, 0, Uint256{1} << 90, {}, {}});
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
        // So have those that authorize.
        for (std::uint64_t i = 0; i < kAuthorities; ++i)
            if (const std::uint32_t has = random_.below(3); has < 2)
                add({address_from_secret(secret_number(kFirstAuthority + i)).value(),
                     0,
                     Uint256{has},
                     {},
                     {}});
    }

    void make_transaction() {
        Transaction& tx = tx_;
        static constexpr TransactionType kTypes[] = {
            TransactionType::legacy,  TransactionType::legacy,      TransactionType::legacy,
            TransactionType::legacy,  TransactionType::legacy,      TransactionType::access_list,
            TransactionType::blob,    TransactionType::dynamic_fee, TransactionType::set_code,
            TransactionType::set_code};
        tx.type = kTypes[random_.below(std::size(kTypes))];
        tx.max_fee_per_gas = kBaseFee + random_.below(4);
        tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
        if (tx.type >= TransactionType::dynamic_fee) tx.max_priority_fee_per_gas = random_.below(4);
        if (tx.type != TransactionType::legacy) tx.chain_id = 1;
        const bool may_create = tx.type < TransactionType::blob;
        if (!may_create || random_.below(5) != 0) tx.to = draw_recipient();
        if (tx.type != TransactionType::legacy) draw_access_list();
        if (tx.type == TransactionType::blob) {
            tx.max_fee_per_blob_gas = 1 + random_.below(3);
            tx.blob_versioned_hashes.push_back(to_hash(Uint256{1} << 248));
        }
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
        const std::uint64_t least = std::max(vm::intrinsic_gas(tx, Revision::osaka).gas,
                                             vm::intrinsic_gas(tx, Revision::amsterdam).gas);
        gas_ = {draw_ample_gas(), draw_scarce_gas(least)};
        values_ = {Uint256{}, Uint256{1 + random_.below(3)}};
    }
    void draw_access_list() {
        for (std::uint32_t count = random_.below(4); count > 0; --count) {
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
        return random_.below(3) == 0 ? least + 183'600 - 1'000 + random_.below(20'000)
                                     : least + random_.below(60'000);
    }
    Bytes draw_data() {
        Bytes data(random_.below(70));
        for (std::uint8_t& byte : data)
            byte = random_.below(3) == 0 ? 0 : static_cast<std::uint8_t>(random_.next());
        return data;
    }
    void draw_authorizations() {
        for (std::uint32_t count = 1 + random_.below(3); count > 0; --count) {
            Authorization authorization;
            authorization.chain_id = random_.below(8) == 0 ? 2 : random_.below(2);
            authorization.address = random_.below(4) == 0 ? any_neighbour() : any_account();
            if (random_.below(6) == 0) authorization.address = Address{};
            if (random_.below(12) == 0)
                authorization.address = address_from_low64(1 + random_.below(0x12));
            authorization.nonce = random_.below(5) == 0 ? 1 : 0;
            const bool is_own = random_.below(4) == 0;
            if (is_own) authorization.nonce = 1;  // the transaction counts first
            HEDDLE_ASSERT(sign_authorization(
                authorization,
                secret_number(is_own ? 1 : kFirstAuthority + random_.below(kAuthorities))));
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
        header.gas_limit = 30'000'000;
        header.number = 1;
        header.timestamp = 1'000;
        header.difficulty = 0x20000;
        header.prev_randao = to_hash(Uint256{0x20000});
        if (config.london_block) header.base_fee_per_gas = kBaseFee;
        if (config.cancun_time) header.excess_blob_gas = 0;
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
            R"("currentNumber":"0x1","currentTimestamp":"0x3e8","currentBaseFee":"{:#x}",)"
            R"("currentRandom":"{}","currentExcessBlobGas":"0x0","slotNumber":"{:#x}"}})",
            to_string(beneficiary_), 30'000'000, kBaseFee, to_string(to_hash(Uint256{0x20000})),
            kSlot);
    }
    [[nodiscard]] std::string pre_json() const {
        std::string text;
        for (const GenesisAccount& account : pre_) {
            std::string storage;
            for (const auto& [slot, value] : account.storage)
                fmt::format_to(std::back_inserter(storage), R"({}"{}":"{}")",
                               storage.empty() ? "" : ",", to_string(to_hash(slot)),
                               to_string(to_hash(value)));
            fmt::format_to(
                std::back_inserter(text),
                R"({}"{}":{{"balance":"{}","nonce":"{:#x}","code":"{}","storage":{{{}}}}})",
                text.empty() ? "" : ",", to_string(account.address), to_hex(account.balance),
                account.nonce, to_hex(account.code), storage);
        }
        return "{" + text + "}";
    }
    [[nodiscard]] std::string transaction_json() const {
        std::string text = fmt::format(
            R"({{"nonce":"0x0","sender":"{}","secretKey":"{}","to":"{}","data":["{}","{}"],)"
            R"("gasLimit":["{:#x}","{:#x}"],"value":["{}","{}"])",
            to_string(sender_), to_string(secret_number(1)), tx_.to ? to_string(*tx_.to) : "",
            to_hex(data_[0]), to_hex(data_[1]), gas_[0], gas_[1], to_hex(values_[0]),
            to_hex(values_[1]));
        if (tx_.type >= TransactionType::dynamic_fee)
            fmt::format_to(std::back_inserter(text),
                           R"(,"maxFeePerGas":"{}","maxPriorityFeePerGas":"{}")",
                           to_hex(tx_.max_fee_per_gas), to_hex(tx_.max_priority_fee_per_gas));
        else
            fmt::format_to(std::back_inserter(text), R"(,"gasPrice":"{}")",
                           to_hex(tx_.max_fee_per_gas));
        if (tx_.type != TransactionType::legacy) {
            const std::string list = access_list_json();
            fmt::format_to(std::back_inserter(text), R"(,"accessLists":[{},{}])", list, list);
        }
        if (tx_.type == TransactionType::blob)
            fmt::format_to(std::back_inserter(text),
                           R"(,"maxFeePerBlobGas":"{}","blobVersionedHashes":["{}"])",
                           to_hex(tx_.max_fee_per_blob_gas),
                           to_string(tx_.blob_versioned_hashes[0]));
        if (tx_.type == TransactionType::set_code)
            fmt::format_to(std::back_inserter(text), R"(,"authorizationList":[{}])",
                           authorizations_json());
        return text + "}";
    }
    [[nodiscard]] std::string access_list_json() const {
        std::string text;
        for (const AccessListEntry& entry : tx_.access_list) {
            std::string keys;
            for (const Hash& key : entry.storage_keys)
                fmt::format_to(std::back_inserter(keys), R"({}"{}")", keys.empty() ? "" : ",",
                               to_string(key));
            fmt::format_to(std::back_inserter(text), R"({}{{"address":"{}","storageKeys":[{}]}})",
                           text.empty() ? "" : ",", to_string(entry.address), keys);
        }
        return "[" + text + "]";
    }
    [[nodiscard]] std::string authorizations_json() const {
        std::string text;
        for (const Authorization& entry : tx_.authorization_list) {
            fmt::format_to(
                std::back_inserter(text),
                R"({}{{"chainId":"{}","address":"{}","nonce":"{:#x}","v":"{}","r":"{}","s":"{}")",
                text.empty() ? "" : ",", to_hex(entry.chain_id), to_string(entry.address),
                entry.nonce, to_hex(entry.y_parity), to_hex(entry.r), to_hex(entry.s));
            if (const auto signer = recover_authority(entry))
                fmt::format_to(std::back_inserter(text), R"(,"signer":"{}")", to_string(*signer));
            text += "}";
        }
        return text;
    }

    const std::uint64_t seed_;
    workload::Random random_;
    const Bytes bytes_;
    fuzz::ByteSource source_;
    fuzz::ProgramGenerator generator_;
    const Address sender_ = address_from_secret(secret_number(1)).value();
    const std::vector<Address> neighbours_ = meet_neighbours();
    WildPrograms wild_{random_, neighbours_, Revision::cancun};
    Address beneficiary_;
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
