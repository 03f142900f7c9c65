// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The RPC of a lane's CometBFT inside the test, and what its validators sign: headers about the
// blocks of a lane (test_lane.hpp), as a test wants them signed, or not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <consensus_adapter/cometbft/signed_header.hpp>
#include <consensus_adapter/lanes/lane_application.hpp>
#include <consensus_adapter/lanes/lane_store.hpp>

#include "follow/endpoint.hpp"
#include "network/comet_home.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/transport/server.hpp"

namespace heddle::node::test {

namespace cometbft = consensus_adapter::cometbft;

inline Bytes signature_of(const Ed25519Key& key, BytesView message) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> secret{
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, key.secret.bytes.data(),
                                     key.secret.bytes.size()),
        &EVP_PKEY_free};
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                          &EVP_MD_CTX_free};
    Bytes signature(64);
    std::size_t size = signature.size();
    EXPECT_EQ(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, secret.get()), 1);
    EXPECT_EQ(
        EVP_DigestSign(context.get(), signature.data(), &size, message.data(), message.size()), 1);
    return signature;
}

inline Bytes bytes_of(const Hash& hash) {
    return {hash.bytes.begin(), hash.bytes.end()};
}

using KeyRing = std::vector<Ed25519Key>;

/// Keys that anybody can make again, one for each name.
inline KeyRing keys_of(const std::vector<std::string>& names) {
    KeyRing keys;
    for (const std::string& name : names)
        keys.push_back(make_ed25519_key(derived_secret(name)));
    return keys;
}

inline cometbft::TrustedValidators validators_of(const KeyRing& keys, std::string network) {
    cometbft::TrustedValidators result;
    result.chain_id = std::move(network);
    for (const Ed25519Key& key : keys)
        result.validators.push_back({key.public_key, 10});
    return result;
}

/// As its validators would sign it: each of these, once.
inline cometbft::SignedHeader sign(cometbft::SignedHeader result,
                                   std::span<const Ed25519Key> keys) {
    result.height = result.header.height;
    result.block = {bytes_of(cometbft::hash_of(result.header)), 1, Bytes(32, 4)};
    result.votes.clear();
    for (const Ed25519Key& key : keys) {
        cometbft::CommitVote vote{true,
                                  from_hex(key.address()).value(),
                                  {1'700'000'001, static_cast<std::int32_t>(result.votes.size())},
                                  {}};
        vote.signature = signature_of(key, cometbft::sign_bytes(result, vote));
        result.votes.push_back(std::move(vote));
    }
    return result;
}

/// Answers `commit` and `validators`, about the blocks of a lane's log.
/// Thread safety: any, once it answers; what a test changes it changes under the lock.
class TestComet {
public:
    using Change = std::function<void(cometbft::SignedHeader&)>;

    /// @param store  Of the lane, when it is asked: null, it does not answer.
    TestComet(std::function<const consensus_adapter::lanes::LaneStore*()> store,
              std::string network, KeyRing keys)
        : store_(std::move(store)), network_(std::move(network)) {
        sets_[0] = std::move(keys);
        methods_.add({"commit", [this](const rpc::Call& call, JsonWriter& out) {
                          write(header(number(call, 0)), out);
                      }});
        methods_.add({"validators", [this](const rpc::Call& call, JsonWriter& out) {
                          write_validators(number(call, 0), number(call, 1), out);
                      }});
        responder_ = std::make_unique<rpc::Responder>(methods_);
        rpc::ServerOptions options;
        options.port = 0;
        server_ = std::make_unique<rpc::Server>(*responder_, options);
        server_->start();
    }

    [[nodiscard]] std::string address() const {
        return "http://127.0.0.1:" + std::to_string(server_->port());
    }
    [[nodiscard]] follow::Endpoint endpoint() const {
        return follow::parse_endpoint(address(), "comet");
    }
    /// Those of the genesis file.
    [[nodiscard]] cometbft::TrustedValidators first() const {
        return validators_of(sets_.at(0), network_);
    }
    /// Other validators sign what is above this height.
    void change_after(std::uint64_t height, KeyRing keys) {
        const std::scoped_lock lock{mutex_};
        sets_[height] = std::move(keys);
    }
    /// These sign a height, whoever should.
    void sign_by(std::uint64_t height, KeyRing keys) {
        const std::scoped_lock lock{mutex_};
        signers_[height] = std::move(keys);
    }
    /// The header of a height says something else, before it is signed.
    void change(std::uint64_t height, Change change) {
        const std::scoped_lock lock{mutex_};
        changes_[height] = std::move(change);
    }
    /// It says that these are the validators of a height.
    void lie_about(std::uint64_t height, KeyRing keys) {
        const std::scoped_lock lock{mutex_};
        lies_[height] = std::move(keys);
    }
    /// How often it was asked for a commit.
    [[nodiscard]] std::size_t asked() const {
        const std::scoped_lock lock{mutex_};
        return asked_;
    }
    /// Headers below it are not there any more.
    void forget_below(std::uint64_t height) {
        const std::scoped_lock lock{mutex_};
        first_there_ = height;
    }

    [[nodiscard]] cometbft::SignedHeader header(std::uint64_t height) const {
        namespace lanes = consensus_adapter::lanes;
        const std::scoped_lock lock{mutex_};
        ++asked_;
        const lanes::LaneStore* const store = store_();
        if (store == nullptr || height == 0 || height < first_there_ || height > store->height())
            throw rpc::RpcError(rpc::Code::internal_error, "height is not available");
        Hash before;
        for (std::uint64_t below = 1; below < height; ++below)
            before = lanes::next_digest(before, store->read(below).value());
        const lanes::LaneBlock block =
            lanes::decode_lane_block(store->read(height).value()).value();
        cometbft::SignedHeader result;
        cometbft::CometHeader& header = result.header;
        header.block_version = 11;
        header.chain_id = network_;
        header.height = static_cast<std::int64_t>(height);
        header.time = {static_cast<std::int64_t>(block.time_ms / 1'000),
                       static_cast<std::int32_t>(block.time_ms % 1'000) * 1'000'000};
        const Bytes cut = block.cut.has_value() ? lanes::encode_cut(*block.cut) : Bytes{};
        std::vector<BytesView> items(block.items.begin(), block.items.end());
        if (block.cut.has_value()) items.insert(items.begin(), cut);
        header.data_hash = bytes_of(cometbft::data_hash(items));
        header.app_hash = height > 1 ? bytes_of(before) : Bytes{};
        header.validators_hash = hash_of_set(height);
        header.next_validators_hash = hash_of_set(height + 1);
        if (const auto change = changes_.find(height); change != changes_.end())
            change->second(result);
        const auto signers = signers_.find(height);
        return sign(std::move(result), signers == signers_.end() ? set(height) : signers->second);
    }

private:
    static std::uint64_t number(const rpc::Call& call, std::size_t index) {
        return rpc::argument(call.params, index,
                             [](const JsonView& value) { return value.uint64(); });
    }
    /// With mutex_, as what follows.
    [[nodiscard]] const KeyRing& set(std::uint64_t height) const {
        return std::prev(sets_.lower_bound(height))->second;
    }
    [[nodiscard]] Bytes hash_of_set(std::uint64_t height) const {
        return bytes_of(cometbft::validators_hash(validators_of(set(height), network_)));
    }

    static std::string upper_hex(BytesView bytes) {
        std::string text;
        for (const std::uint8_t byte : bytes)
            text += fmt::format("{:02X}", byte);
        return text;
    }
    static std::string base64(BytesView bytes) {
        std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
        text.resize(static_cast<std::size_t>(
            EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(),  // NOLINT
                            static_cast<int>(bytes.size()))));
        return text;
    }
    static std::string written(const cometbft::CometTime& time) {
        return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(time.seconds), time.nanos);
    }
    static std::string written(const cometbft::CometBlockId& id) {
        return fmt::format(R"({{"hash":"{}","parts":{{"total":{},"hash":"{}"}}}})",
                           upper_hex(id.hash), id.parts, upper_hex(id.parts_hash));
    }
    /// As CometBFT writes it.
    static void write(const cometbft::SignedHeader& signed_header, JsonWriter& out) {
        const cometbft::CometHeader& header = signed_header.header;
        std::string votes;
        for (const cometbft::CommitVote& vote : signed_header.votes)
            votes += fmt::format(R"({}{{"block_id_flag":2,"validator_address":"{}",)"
                                 R"("timestamp":"{}","signature":"{}"}})",
                                 votes.empty() ? "" : ",", upper_hex(vote.address),
                                 written(vote.time), base64(vote.signature));
        out.raw(fmt::format(
            R"({{"signed_header":{{"header":{{"version":{{"block":"{}"}},"chain_id":"{}",)"
            R"("height":"{}","time":"{}","last_block_id":{},"last_commit_hash":"",)"
            R"("data_hash":"{}","validators_hash":"{}","next_validators_hash":"{}",)"
            R"("consensus_hash":"","app_hash":"{}","last_results_hash":"","evidence_hash":"",)"
            R"("proposer_address":""}},"commit":{{"height":"{}","round":0,"block_id":{},)"
            R"("signatures":[{}]}}}},"canonical":true}})",
            header.block_version, header.chain_id, header.height, written(header.time),
            written(header.last_block), upper_hex(header.data_hash),
            upper_hex(header.validators_hash), upper_hex(header.next_validators_hash),
            upper_hex(header.app_hash), signed_header.height, written(signed_header.block), votes));
    }
    /// Two a page, so that there are several.
    void write_validators(std::uint64_t height, std::uint64_t page, JsonWriter& out) const {
        const std::scoped_lock lock{mutex_};
        constexpr std::size_t kOfPage = 2;
        const auto lie = lies_.find(height);
        const KeyRing& keys = lie == lies_.end() ? set(height) : lie->second;
        std::string list;
        for (std::size_t i = (page - 1) * kOfPage; i < std::min(keys.size(), page * kOfPage); ++i)
            list +=
                fmt::format(R"({}{{"address":"{}","pub_key":{{"type":"tendermint/PubKeyEd25519",)"
                            R"("value":"{}"}},"voting_power":"10","proposer_priority":"0"}})",
                            list.empty() ? "" : ",", keys[i].address(), base64(keys[i].public_key));
        out.raw(fmt::format(R"({{"block_height":"{}","validators":[{}],"count":"2","total":"{}"}})",
                            height, list, keys.size()));
    }

    const std::function<const consensus_adapter::lanes::LaneStore*()> store_;
    const std::string network_;
    mutable std::mutex mutex_;
    // Guarded by mutex_.
    std::map<std::uint64_t, KeyRing> sets_;  // by the height that they sign above
    std::map<std::uint64_t, KeyRing> signers_;
    std::map<std::uint64_t, KeyRing> lies_;
    std::map<std::uint64_t, Change> changes_;
    mutable std::size_t asked_ = 0;
    std::uint64_t first_there_ = 1;

    rpc::MethodTable methods_;
    std::unique_ptr<rpc::Responder> responder_;
    std::unique_ptr<rpc::Server> server_;
};

}  // namespace heddle::node::test
