// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <openssl/evp.h>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <vm/block.hpp>
#include <vm/system_call.hpp>

#include "reject.hpp"
#include "system_contracts.hpp"

namespace heddle::vm {

std::span<const Address> end_block_contracts(Revision revision) noexcept {
    static constexpr Address kContracts[] = {kWithdrawalRequestAddress,
                                             kConsolidationRequestAddress};
    return std::span{kContracts}.first(revision >= Revision::prague ? 2 : 0);
}

namespace {

// Request types (EIP-6110, 7002, 7251).
constexpr std::uint8_t kDepositRequest = 0;
constexpr std::uint8_t kWithdrawalRequest = 1;
constexpr std::uint8_t kConsolidationRequest = 2;

/// DepositEvent(bytes,bytes,bytes,bytes,bytes).
constexpr Hash kDepositEvent = heddle::detail::hash_literal(
    "649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5");

/// Fields of the event in order: where the ABI puts them and how long they are (EIP-6110).
struct DepositField {
    std::size_t offset;
    std::size_t size;
};
constexpr std::array<DepositField, 5> kDepositFields{{
    {160, 48},  // public key
    {256, 32},  // withdrawal credentials
    {320, 8},   // amount
    {384, 96},  // signature
    {512, 8},   // index
}};
constexpr std::size_t kDepositEventBytes = 576;
constexpr std::size_t kWordBytes = 32;

/// Appends the deposit that `data` tells of. @return false when it is laid out otherwise.
bool append_deposit(BytesView data, Bytes& out) {
    if (data.size() != kDepositEventBytes) return false;
    for (std::size_t i = 0; i < kDepositFields.size(); ++i) {
        const auto& [offset, size] = kDepositFields[i];
        if (load_be(data.data() + i * kWordBytes) != Uint256{offset} ||
            load_be(data.data() + offset) != Uint256{size})
            return false;
    }
    for (const auto& [offset, size] : kDepositFields) {
        const BytesView field = data.subspan(offset + kWordBytes, size);
        out.insert(out.end(), field.begin(), field.end());
    }
    return true;
}

std::expected<Bytes, BlockError> collect_deposits(std::span<const Receipt> receipts,
                                                  const BlockEnv& env, const ChainConfig& config) {
    Bytes request{kDepositRequest};
    for (std::size_t i = 0; i < receipts.size(); ++i)
        for (const Log& log : receipts[i].logs) {
            if (log.address != config.deposit_contract_address || log.topics.empty() ||
                log.topics.front() != kDepositEvent)
                continue;
            if (!append_deposit(log.data, request)) {
                auto rejected = reject(BlockErrorCode::invalid_deposit_layout, env.number,
                                       std::to_string(log.data.size()) + " bytes");
                rejected.error().index = i;
                return rejected;
            }
        }
    return request;
}

std::expected<Bytes, BlockError> call_for_requests(const Address& contract, std::uint8_t type,
                                                   const BlockEnv& env,
                                                   const BlockHashes& block_hashes, Evm& evm,
                                                   MutableState& state) {
    const std::optional<Account> account = state.account(contract);
    if (!account.has_value() || !account->has_code())
        return reject(BlockErrorCode::system_contract_missing, env.number, {}, {},
                      to_string(contract));
    SystemCallOutcome outcome;
    system_call(state, block_hashes, env, contract, {}, evm, outcome);
    if (outcome.status != Status::success)
        return reject(BlockErrorCode::system_call_failed, env.number,
                      std::string{to_string(outcome.status)}, {}, to_string(contract));
    state.apply(outcome.diff);
    Bytes request{type};
    request.insert(request.end(), outcome.output.begin(), outcome.output.end());
    return request;
}

Hash sha256(BytesView data) {
    Hash hash;
    const int ok =
        EVP_Digest(data.data(), data.size(), hash.bytes.data(), nullptr, EVP_sha256(), nullptr);
    HEDDLE_ASSERT(ok == 1);
    return hash;
}

}  // namespace

std::expected<std::vector<Bytes>, BlockError> collect_requests(std::span<const Receipt> receipts,
                                                               const BlockEnv& env,
                                                               const ChainConfig& config,
                                                               const BlockHashes& block_hashes,
                                                               Evm& evm, MutableState& state) {
    std::vector<Bytes> requests;
    const auto keep = [&](Bytes&& request) {
        if (request.size() > 1) requests.push_back(std::move(request));
    };
    HEDDLE_TRY(Bytes deposits, collect_deposits(receipts, env, config));
    keep(std::move(deposits));
    HEDDLE_TRY(Bytes withdrawals, call_for_requests(kWithdrawalRequestAddress, kWithdrawalRequest,
                                                    env, block_hashes, evm, state));
    keep(std::move(withdrawals));
    HEDDLE_TRY(Bytes consolidations,
               call_for_requests(kConsolidationRequestAddress, kConsolidationRequest, env,
                                 block_hashes, evm, state));
    keep(std::move(consolidations));
    return requests;
}

Hash requests_hash(std::span<const Bytes> requests) {
    Bytes digests;
    for (const Bytes& request : requests) {
        const Hash digest = sha256(request);
        digests.insert(digests.end(), digest.bytes.begin(), digest.bytes.end());
    }
    return sha256(digests);
}

}  // namespace heddle::vm
