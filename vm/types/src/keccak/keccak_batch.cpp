// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <types/keccak_batch.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <types/assert.hpp>

#include "keccak/keccak_kernels.hpp"

namespace heddle {
namespace {

constexpr std::size_t kRate = 136;
/// Messages hashed together by the functions for inputs that are all there: few enough that what is
/// written for them stays in the fastest cache.
constexpr std::size_t kChunk = 64;
/// Room of a batch at first: blocks of few transactions hash little, and more grows by doubling.
constexpr std::size_t kFirstBlocks = 8;

std::size_t block_count(std::size_t size) noexcept {
    return size / kRate + 1;
}

/// Permuting all lanes takes less than this many times as long as permuting one.
constexpr std::size_t kLanesCost = 2;

detail::LaneKernel* kernel_of(KeccakPath path) noexcept {
#ifdef __x86_64__
    if (path == KeccakPath::avx512) return detail::keccak_avx512;
    if (path == KeccakPath::avx2) return detail::keccak_avx2;
#endif
    static_cast<void>(path);
    return nullptr;
}

KeccakPath choose() noexcept {
    for (const KeccakPath path : {KeccakPath::avx512, KeccakPath::avx2})
        if (is_supported(path)) return path;
    return KeccakPath::scalar;
}

template <typename Input, typename Write>
void hash_in_chunks(std::span<const Input> inputs, std::span<Hash> hashes, KeccakPath path,
                    Write write) {
    HEDDLE_ASSERT(inputs.size() == hashes.size());
    KeccakBatch batch(path);
    for (std::size_t begin = 0; begin < inputs.size(); begin += kChunk) {
        const std::size_t count = std::min(kChunk, inputs.size() - begin);
        for (const Input& input : inputs.subspan(begin, count))
            write(input, batch);
        batch.run(hashes.subspan(begin, count));
    }
}

}  // namespace

std::string_view to_string(KeccakPath path) noexcept {
    switch (path) {
        case KeccakPath::scalar:
            return "scalar";
        case KeccakPath::avx2:
            return "avx2";
        case KeccakPath::avx512:
            return "avx512";
    }
    return "unknown";
}

bool is_supported(KeccakPath path) noexcept {
    if (path == KeccakPath::scalar) return true;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (path == KeccakPath::avx2) return __builtin_cpu_supports("avx2") != 0;
    return __builtin_cpu_supports("avx512f") != 0;
#else
    return false;
#endif
}

KeccakPath best_keccak_path() noexcept {
    static const KeccakPath best = choose();
    return best;
}

KeccakBatch::KeccakBatch(KeccakPath path) : path_(path) {
    HEDDLE_ASSERT(is_supported(path));
}

std::uint8_t* KeccakBatch::begin(std::size_t max_size) {
    const std::size_t end = used_ + block_count(max_size) * kRate;
    if (buffer_.size() < end) buffer_.resize(std::max(2 * end, kFirstBlocks * kRate));
    return buffer_.data() + used_;
}

void KeccakBatch::end(std::size_t size) {
    // Keccak's own padding: 0x01 after the message and 0x80 at the end of the last block.
    const std::size_t padded = block_count(size) * kRate;
    HEDDLE_ASSERT(used_ + padded <= buffer_.size());
    std::uint8_t* const message = buffer_.data() + used_;
    std::memset(message + size, 0, padded - size);
    message[size] = 0x01;
    message[padded - 1] |= 0x80;
    messages_.push_back({used_, size});
    used_ += padded;
}

void KeccakBatch::add(BytesView message) {
    std::uint8_t* const place = begin(message.size());
    if (!message.empty()) std::memcpy(place, message.data(), message.size());
    end(message.size());
}

std::size_t KeccakBatch::held_bytes() const noexcept {
    return buffer_.capacity() + messages_.capacity() * sizeof(Message) +
           order_.capacity() * sizeof(std::uint32_t);
}

Hash KeccakBatch::hash_alone(std::uint32_t index) const noexcept {
    return keccak256({buffer_.data() + messages_[index].offset, messages_[index].size});
}

void KeccakBatch::run(std::span<Hash> hashes) {
    HEDDLE_ASSERT(hashes.size() == messages_.size());
    if (kernel_of(path_) != nullptr) {
        run_kernel(hashes);
    } else {
        for (std::uint32_t i = 0; i < messages_.size(); ++i)
            hashes[i] = hash_alone(i);
    }
    messages_.clear();
    used_ = 0;
}

void KeccakBatch::run_kernel(std::span<Hash> hashes) {
    detail::LaneKernel* const kernel = kernel_of(path_);
    order_.resize(messages_.size());
    std::size_t blocks_left = 0;
    for (std::uint32_t i = 0; i < messages_.size(); ++i) {
        order_[i] = i;
        blocks_left += block_count(messages_[i].size);
    }
    const auto blocks_of = [this](std::uint32_t i) { return block_count(messages_[i].size); };
    if (!std::ranges::is_sorted(order_, std::ranges::greater{}, blocks_of))
        std::ranges::sort(order_, std::ranges::greater{}, blocks_of);

    // What is much longer than the rest would keep one lane busy while the others have nothing.
    std::size_t begin = 0;
    for (; begin < order_.size(); ++begin) {
        const std::size_t blocks = blocks_of(order_[begin]);
        if (blocks * kLanesCost <= blocks_left) break;
        hashes[order_[begin]] = hash_alone(order_[begin]);
        blocks_left -= blocks;
    }
    while (begin < order_.size()) {
        const std::size_t count = std::min(kChunk, order_.size() - begin);
        std::array<detail::PaddedMessage, kChunk> messages;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t index = order_[begin + i];
            const Message& message = messages_[index];
            messages[i] = {buffer_.data() + message.offset, block_count(message.size),
                           hashes[index].bytes.data()};
        }
        kernel(messages.data(), count);
        begin += count;
    }
}

void keccak256_batch(std::span<const BytesView> inputs, std::span<Hash> hashes, KeccakPath path) {
    hash_in_chunks(inputs, hashes, path,
                   [](const BytesView& input, KeccakBatch& batch) { batch.add(input); });
}

void keccak256_batch(std::span<const Address> addresses, std::span<Hash> hashes, KeccakPath path) {
    hash_in_chunks(addresses, hashes, path,
                   [](const Address& address, KeccakBatch& batch) { batch.add(address.view()); });
}

void keccak256_batch(std::span<const Uint256> slots, std::span<Hash> hashes, KeccakPath path) {
    hash_in_chunks(slots, hashes, path, [](const Uint256& slot, KeccakBatch& batch) {
        store_be(slot, batch.begin(32));
        batch.end(32);
    });
}

}  // namespace heddle
