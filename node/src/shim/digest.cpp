// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/digest.hpp"

#include <algorithm>
#include <cstring>

#include <openssl/evp.h>

#include <types/assert.hpp>
#include <types/transaction_hashes.hpp>

namespace heddle::node {
namespace {

/// Looked up once: OpenSSL searches its providers each time.
const EVP_MD* sha256() {
    static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    HEDDLE_ASSERT(method != nullptr);
    return method;
}

}  // namespace

struct Digester::Context {
    Context() { HEDDLE_ASSERT(evp != nullptr); }
    ~Context() { EVP_MD_CTX_free(evp); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    EVP_MD_CTX* const evp = EVP_MD_CTX_new();
};

Digester::Digester() : context_(std::make_unique<Context>()) {
    HEDDLE_ASSERT(EVP_DigestInit_ex2(context_->evp, sha256(), nullptr) == 1);
}

Digester::~Digester() = default;

std::string to_string(const Digest& digest) {
    return to_hex(BytesView{digest.bytes});
}

void Digester::flush() {
    HEDDLE_ASSERT(EVP_DigestUpdate(context_->evp, buffer_.data(), used_) == 1);
    used_ = 0;
}

/// What does not fit behind what was gathered.
Digester& Digester::add_beyond(BytesView bytes) {
    flush();
    if (bytes.size() <= buffer_.size()) return add(bytes);
    HEDDLE_ASSERT(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()) == 1);
    return *this;
}

Digest Digester::finish() {
    flush();
    std::array<std::uint8_t, EVP_MAX_MD_SIZE> full;
    HEDDLE_ASSERT(EVP_DigestFinal_ex(context_->evp, full.data(), nullptr) == 1);
    HEDDLE_ASSERT(EVP_DigestInit_ex2(context_->evp, nullptr, nullptr) == 1);
    Digest digest;
    std::copy_n(full.begin(), digest.bytes.size(), digest.bytes.begin());
    return digest;
}

namespace {

void add_sets(std::span<const ObjectSet> sets, Digester& digester) {
    digester.add(sets.size());
    for (const ObjectSet& set : sets) {
        digester.add(set.accesses().size());
        for (const Access& access : set.accesses()) {
            digester.add(access.object.address.view());
            digester.add(static_cast<std::uint64_t>(access.object.kind) << 8 |
                         static_cast<std::uint64_t>(access.mode));
            if (access.object.kind != ObjectKind::storage) continue;
            for (const std::uint64_t word : access.object.slot.words)
                digester.add(word);
        }
    }
}

}  // namespace

ProposalOutline outline_of(std::span<const Transaction> transactions,
                           std::span<const ObjectSet> object_sets, BytesView access_list,
                           Digester& digester) {
    ProposalOutline outline;
    outline.transactions = transaction_hashes(transactions);
    add_sets(object_sets, digester);
    outline.object_sets = digester.finish();
    outline.access_list = digester.add(access_list).finish();
    return outline;
}

Digest digest_of(const ProposalOutline& outline, Digester& digester) {
    digester.add(outline.transactions.size());
    for (const Hash& hash : outline.transactions)
        digester.add(hash.view());
    digester.add(BytesView{outline.object_sets.bytes}).add(BytesView{outline.access_list.bytes});
    return digester.finish();
}

Digest digest_of(const consensus_adapter::FinalizedBlock& block, Digester& digester) {
    digester.add(block.wrongly_declared).add(block.has_wrong_list ? 1 : 0);
    digester.add(block.left_out.size());
    for (const consensus_adapter::LeftOut& one : block.left_out)
        digester.add(one.index).add(static_cast<std::uint64_t>(one.error));
    return digester.finish();
}

namespace {

std::uint32_t tag_of(const Receipt& receipt, Digester& digester) {
    digester.add(receipt.success ? 1 : 0).add(receipt.gas_used);
    digester.add(receipt.logs.size());
    for (const Log& log : receipt.logs) {
        digester.add(log.address.view()).add(log.topics.size());
        for (const Hash& topic : log.topics)
            digester.add(topic.view());
        digester.add(log.data.size()).add(BytesView{log.data});
    }
    const Digest digest = digester.finish();
    std::uint32_t tag = 0;
    std::memcpy(&tag, digest.bytes.data(), sizeof tag);
    return tag;
}

}  // namespace

std::vector<std::uint32_t> receipt_tags(std::span<const Receipt> receipts, Digester& digester) {
    std::vector<std::uint32_t> tags;
    tags.reserve(receipts.size());
    // Transfers are many, and have no logs and the same gas: they are hashed once in a row.
    const Receipt* plain = nullptr;
    std::uint32_t plain_tag = 0;
    for (const Receipt& receipt : receipts) {
        if (!receipt.logs.empty()) {
            tags.push_back(tag_of(receipt, digester));
            continue;
        }
        if (plain == nullptr || plain->success != receipt.success ||
            plain->gas_used != receipt.gas_used) {
            plain = &receipt;
            plain_tag = tag_of(receipt, digester);
        }
        tags.push_back(plain_tag);
    }
    return tags;
}

}  // namespace heddle::node
