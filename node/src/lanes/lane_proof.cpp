// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_proof.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include <consensus_adapter/lanes/lane_application.hpp>
#include <types/expected.hpp>

#include "formats/json.hpp"
#include "lanes/lane_client.hpp"
#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

namespace cometbft = consensus_adapter::cometbft;
using cometbft::CometBlockId;
using cometbft::CometTime;
using cometbft::CommitVote;
using cometbft::SignedHeader;
using cometbft::TrustedValidators;

constexpr std::string_view kEd25519 = "tendermint/PubKeyEd25519";
constexpr std::int32_t kNanosPerMs = 1'000'000;

/// Bytes in base64, of which there are `size` or none.
Bytes base64_at(const JsonView& json, std::string_view name, std::size_t size) {
    const auto value = json.find(name);
    if (!value.has_value() || value->string().empty()) return {};
    const std::string_view text = value->string();
    if (text.size() != (size + 2) / 3 * 4) value->fail("not base64 of so many bytes");
    Bytes bytes(text.size() / 4 * 3);
    // OpenSSL reads bytes as characters, and counts the zeros at the end as bytes.
    const int decoded = EVP_DecodeBlock(
        bytes.data(), reinterpret_cast<const unsigned char*>(text.data()),  // NOLINT
        static_cast<int>(text.size()));
    if (decoded < 0) value->fail("not base64");
    bytes.resize(size);
    return bytes;
}

/// Bytes in hexadecimal digits, of which there are `size` or none.
Bytes hex_at(const JsonView& json, std::string_view name, std::size_t size) {
    const auto value = json.find(name);
    if (!value.has_value()) return {};
    Bytes bytes = value->bytes();
    if (!bytes.empty() && bytes.size() != size) value->fail("a hash of another size");
    return bytes;
}

std::int64_t height_at(const JsonView& json, std::string_view name) {
    const JsonView value = json.at(name);
    const std::uint64_t number = value.uint64();
    if (number >> 63 != 0) value.fail("too large");
    return static_cast<std::int64_t>(number);
}

std::uint32_t small_at(const JsonView& json, std::string_view name) {
    const JsonView value = json.at(name);
    const std::uint64_t number = value.uint64();
    if (number >> 31 != 0) value.fail("too large");
    return static_cast<std::uint32_t>(number);
}

/// So many digits from `place` on.
std::optional<unsigned> digits(std::string_view text, std::size_t place, std::size_t count) {
    if (place + count > text.size()) return std::nullopt;
    unsigned number = 0;
    const char* const first = text.data() + place;
    const auto [end, error] = std::from_chars(first, first + count, number);
    if (error != std::errc{} || end != first + count) return std::nullopt;
    return number;
}

/// `2026-01-02T03:04:05.123456789Z`, with as many digits behind the point as are needed, or none.
std::optional<CometTime> parse_time(std::string_view text) {
    const auto year = digits(text, 0, 4);
    const auto month = digits(text, 5, 2);
    const auto day = digits(text, 8, 2);
    const auto hour = digits(text, 11, 2);
    const auto minute = digits(text, 14, 2);
    const auto second = digits(text, 17, 2);
    if (!year || !month || !day || !hour || !minute || !second || !text.ends_with('Z'))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)},
                                           std::chrono::month{*month}, std::chrono::day{*day}};
    if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
    CometTime time;
    time.seconds = std::chrono::sys_seconds{std::chrono::sys_days{date}}.time_since_epoch().count();
    time.seconds += *hour * 3'600 + *minute * 60 + *second;
    constexpr std::size_t kPoint = 19;
    constexpr std::size_t kMostDigits = 9;
    const std::string_view rest = text.substr(kPoint, text.size() - 1 - kPoint);
    if (rest.empty()) return time;
    if (rest.front() != '.' || rest.size() < 2 || rest.size() > 1 + kMostDigits)
        return std::nullopt;
    std::string nanos{rest.substr(1)};
    nanos.resize(kMostDigits, '0');
    const auto number = digits(nanos, 0, kMostDigits);
    if (!number) return std::nullopt;
    time.nanos = static_cast<std::int32_t>(*number);
    return time;
}

CometTime time_at(const JsonView& json, std::string_view name) {
    const JsonView value = json.at(name);
    const auto time = parse_time(value.string());
    if (!time.has_value()) value.fail("not a time");
    return *time;
}

CometBlockId block_id_at(const JsonView& json, std::string_view name) {
    const JsonView value = json.at(name);
    CometBlockId id;
    id.hash = hex_at(value, "hash", 32);
    const JsonView parts = value.at("parts");
    id.parts = small_at(parts, "total");
    id.parts_hash = hex_at(parts, "hash", 32);
    return id;
}

cometbft::CometHeader read_header(const JsonView& json) {
    cometbft::CometHeader header;
    const JsonView version = json.at("version");
    if (const auto block = version.find("block")) header.block_version = block->uint64();
    if (const auto app = version.find("app")) header.app_version = app->uint64();
    header.chain_id = json.at("chain_id").string();
    header.height = height_at(json, "height");
    header.time = time_at(json, "time");
    header.last_block = block_id_at(json, "last_block_id");
    header.last_commit_hash = hex_at(json, "last_commit_hash", 32);
    header.data_hash = hex_at(json, "data_hash", 32);
    header.validators_hash = hex_at(json, "validators_hash", 32);
    header.next_validators_hash = hex_at(json, "next_validators_hash", 32);
    header.consensus_hash = hex_at(json, "consensus_hash", 32);
    header.app_hash = hex_at(json, "app_hash", 32);
    header.last_results_hash = hex_at(json, "last_results_hash", 32);
    header.evidence_hash = hex_at(json, "evidence_hash", 32);
    header.proposer_address = hex_at(json, "proposer_address", 20);
    return header;
}

SignedHeader read_signed_header(const JsonView& json) {
    SignedHeader result;
    result.header = read_header(json.at("header"));
    const JsonView commit = json.at("commit");
    result.height = height_at(commit, "height");
    result.round = static_cast<std::int32_t>(small_at(commit, "round"));
    result.block = block_id_at(commit, "block_id");
    const JsonView votes = commit.at("signatures");
    if (votes.size() > cometbft::kMostValidators) votes.fail("more than validators can be");
    for (std::size_t i = 0; i < votes.size(); ++i) {
        constexpr std::uint64_t kForBlock = 2;
        const JsonView vote = votes.element(i);
        CommitVote read;
        read.is_for_block = vote.at("block_id_flag").uint64() == kForBlock;
        if (read.is_for_block) {
            read.address = hex_at(vote, "validator_address", 20);
            read.time = time_at(vote, "timestamp");
            read.signature = base64_at(vote, "signature", 64);
        }
        result.votes.push_back(std::move(read));
    }
    return result;
}

/// Reads validators one by one, of which there are at most as many, with as much power, as there
/// can be. In a genesis file and in an answer of CometBFT the power has another name.
class ValidatorList {
public:
    explicit ValidatorList(std::string_view power_name) : power_name_(power_name) {}

    void add(const JsonView& json) {
        if (list_.size() == cometbft::kMostValidators) json.fail("more than validators can be");
        const JsonView key = json.at("pub_key");
        if (key.at("type").string() != kEd25519) key.fail("expected a key of Ed25519");
        TrustedValidators::Validator read;
        const Bytes bytes = base64_at(key, "value", read.public_key.size());
        if (bytes.empty() || !keys_.insert(bytes).second) key.fail("no key, or there already");
        std::ranges::copy(bytes, read.public_key.begin());
        read.power = json.at(power_name_).uint64();
        if (read.power == 0 || read.power > cometbft::kMostPower - total_)
            json.fail("a power that cannot be");
        total_ += read.power;
        list_.push_back(read);
    }
    [[nodiscard]] std::size_t size() const { return list_.size(); }
    [[nodiscard]] std::vector<TrustedValidators::Validator> take() { return std::move(list_); }

private:
    const std::string_view power_name_;
    std::set<Bytes> keys_;
    std::uint64_t total_ = 0;
    std::vector<TrustedValidators::Validator> list_;
};

follow::ConnectionLimits commit_limits() {
    follow::ConnectionLimits limits = lane_limits();
    limits.max_answer_bytes = std::size_t{8} << 20;  // of 10,000 votes
    return limits;
}

}  // namespace

TrustedValidators load_lane_validators(const std::filesystem::path& genesis) {
    JsonParser parser;
    const JsonView json = parser.parse_file(genesis.string());
    TrustedValidators trusted;
    trusted.chain_id = json.at("chain_id").string();
    const JsonView validators = json.at("validators");
    if (validators.size() == 0 || validators.size() > cometbft::kMostValidators)
        validators.fail("expected from 1 to 10000 validators");
    ValidatorList list{"power"};
    for (std::size_t i = 0; i < validators.size(); ++i)
        list.add(validators.element(i));
    trusted.validators = list.take();
    return trusted;
}

std::expected<void, std::string> check_signed(const TrustedValidators& validators,
                                              const consensus_adapter::lanes::LaneLogHead& lane,
                                              const SignedHeader& signed_header,
                                              const consensus_adapter::lanes::LaneBlock& block,
                                              const std::optional<Hash>& log_before) {
    HEDDLE_CHECK(cometbft::check_commit(validators, signed_header));
    return check_block(lane, signed_header, block, log_before);
}

std::expected<void, std::string> check_block(const consensus_adapter::lanes::LaneLogHead& lane,
                                             const SignedHeader& signed_header,
                                             const consensus_adapter::lanes::LaneBlock& block,
                                             const std::optional<Hash>& log_before) {
    const cometbft::CometHeader& header = signed_header.header;
    if (static_cast<std::uint64_t>(header.height) != block.height)
        return std::unexpected(fmt::format("the header is that of height {}", header.height));
    const auto time_ms = static_cast<std::uint64_t>(header.time.seconds) * 1'000 +
                         static_cast<std::uint64_t>(header.time.nanos / kNanosPerMs);
    if (time_ms != block.time_ms) return std::unexpected("its validators have signed another time");
    std::vector<BytesView> items;
    Bytes cut;
    if (block.cut.has_value()) {
        cut = consensus_adapter::lanes::encode_cut(*block.cut);
        items.emplace_back(cut);
    }
    items.insert(items.end(), block.items.begin(), block.items.end());
    if (!equal(header.data_hash, cometbft::data_hash(items).view()))
        return std::unexpected("its validators have signed other items");
    // The same items can be written as another block, e.g. with the cut among the items.
    if (consensus_adapter::lanes::lane_block_of(lane, {block.height, block.time_ms}, items) !=
        block)
        return std::unexpected("its validators have made another block of the same items");
    if (log_before.has_value() && block.height > 1 && !equal(header.app_hash, log_before->view()))
        return std::unexpected("its validators have signed another log before it");
    return {};
}

CommitClient::CommitClient(follow::Endpoint endpoint, std::stop_token stop)
    : caller_(std::move(endpoint), commit_limits(), std::move(stop)) {}

std::expected<SignedHeader, std::string> CommitClient::commit(std::uint64_t height) try {
    const auto answer = caller_.call({"commit", fmt::format(R"(["{}"])", height)});
    if (!answer.has_value()) return std::unexpected(answer.error().sentence);
    return read_signed_header(answer->at("signed_header"));
} catch (const InputError& problem) {
    return std::unexpected(fmt::format("{} gave no signed header of height {}: {}",
                                       caller_.connection().endpoint().name(), height,
                                       problem.what()));
}

std::expected<std::vector<TrustedValidators::Validator>, std::string> CommitClient::validators(
    std::uint64_t height) try {
    constexpr std::size_t kOfPage = 100;  // CometBFT gives no more at once
    ValidatorList list{"voting_power"};
    for (std::size_t page = 1;; ++page) {
        const auto answer =
            caller_.call({"validators", fmt::format(R"(["{}","{}","{}"])", height, page, kOfPage)});
        if (!answer.has_value()) return std::unexpected(answer.error().sentence);
        const JsonView some = answer->at("validators");
        for (std::size_t i = 0; i < some.size(); ++i)
            list.add(some.element(i));
        if (list.size() >= answer->at("total").uint64()) return list.take();
        if (some.size() == 0) some.fail("fewer validators than it says that there are");
    }
} catch (const InputError& problem) {
    return std::unexpected(fmt::format("{} gave no validators of height {}: {}",
                                       caller_.connection().endpoint().name(), height,
                                       problem.what()));
}

}  // namespace heddle::node::lanes
