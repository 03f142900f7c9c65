// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A client that may also behave badly: connections of which every byte is in the hands of the test,
// and transactions of the accounts of `node --dev`. Not for tests that only ask and are answered:
// see RunningNode.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

namespace heddle::test {

/// A TCP connection to this machine. Thread safety: one thread at a time.
class Connection {
public:
    /// @param from  Number of the client: it comes from 127.0.0.FROM.
    explicit Connection(std::uint16_t port, std::uint8_t from = 1)
        : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffU) | from);
        (void)::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address),  // NOLINT
                     sizeof address);
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address),  // NOLINT
                      sizeof address) != 0)
            close();
    }
    ~Connection() { close(); }
    Connection(Connection&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), unread_(std::move(other.unread_)) {}
    Connection& operator=(Connection&& other) noexcept {
        close();
        descriptor_ = std::exchange(other.descriptor_, -1);
        unread_ = std::move(other.unread_);
        return *this;
    }

    /// False after a failure too.
    [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
    void close() noexcept {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }
    /// Says that nothing more comes.
    void finish_sending() const noexcept { ::shutdown(descriptor_, SHUT_WR); }

    /// Waits until everything is taken. @return false: the other side does not listen.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t size = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (size <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(size));
        }
        return true;
    }
    /// Sends what is taken at once. @return how much that is.
    std::size_t send_at_once(std::string_view bytes) const {
        const ssize_t size =
            ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        return size > 0 ? static_cast<std::size_t>(size) : 0;
    }

    /// One HTTP response, with its head; empty: closed before there was a whole one.
    std::string receive_response() {
        std::size_t head = 0;
        while ((head = unread_.find("\r\n\r\n")) == std::string::npos)
            if (!receive_more()) return {};
        const std::size_t whole = head + 4 + content_length(unread_.substr(0, head));
        while (unread_.size() < whole)
            if (!receive_more()) return {};
        std::string response = unread_.substr(0, whole);
        unread_.erase(0, whole);
        return response;
    }
    /// Everything until the other side closes.
    std::string receive_rest() {
        while (receive_more()) {
        }
        return std::exchange(unread_, {});
    }

private:
    static std::size_t content_length(std::string_view head) {
        constexpr std::string_view kName = "Content-Length: ";
        const auto found = head.find(kName);
        std::size_t size = 0;
        if (found != std::string_view::npos)
            (void)std::from_chars(head.data() + found + kName.size(), head.data() + head.size(),
                                  size);
        return size;
    }
    bool receive_more() {
        std::array<char, 65'536> buffer;  // NOLINT(*-member-init): filled below
        const ssize_t size = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
        if (size <= 0) return false;
        unread_.append(buffer.data(), static_cast<std::size_t>(size));
        return true;
    }

    int descriptor_ = -1;
    std::string unread_;
};

/// A POST as a well-behaved client sends it.
inline std::string post_request(std::string_view body) {
    return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           "Content-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}
inline std::string rpc_body(std::string_view method, std::string_view params = "[]") {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string{method} + R"(","params":)" +
           std::string{params} + "}";
}
/// What follows the head; empty where there is no head.
inline std::string body_of(const std::string& response) {
    const auto end = response.find("\r\n\r\n");
    return end == std::string::npos ? "" : response.substr(end + 4);
}
/// The text of the first member `name` that is a string; empty: there is none.
inline std::string text_member(std::string_view json, std::string_view name) {
    const std::string before = '"' + std::string{name} + R"(":")";
    const auto found = json.find(before);
    if (found == std::string_view::npos) return {};
    const auto from = found + before.size();
    return std::string{json.substr(from, json.find('"', from) - from)};
}

/// An account that `node --dev` gives money to.
struct DevAccount {
    std::string_view address;
    std::string_view secret;
};
inline constexpr std::array<DevAccount, 3> kDevAccounts{{
    {"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
     "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"},
    {"0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
     "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"},
    {"0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
     "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"},
}};

struct SignedTransaction {
    std::string raw;   // hexadecimal
    std::string hash;  // hexadecimal
};

/// `tx` on the development chain, signed; without `to` it creates a contract from `data`.
inline SignedTransaction sign_for_dev(Transaction tx, const DevAccount& account) {
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1337;
    tx.max_fee_per_gas = Uint256{100'000'000'000};
    tx.max_priority_fee_per_gas = Uint256{1'000'000'000};
    // A wrong signature is refused by the node, and the test fails there.
    (void)sign_transaction(tx, hash_from_hex(account.secret).value());
    Bytes encoded;
    encode_transaction(tx, encoded);
    return {.raw = to_hex(encoded), .hash = to_string(transaction_hash(tx))};
}
/// One wei to the account 0x1234.
inline SignedTransaction sign_dev_transfer(std::uint64_t nonce, const DevAccount& account) {
    Transaction tx;
    tx.nonce = nonce;
    tx.gas_limit = 21'000;
    tx.to = address_from_low64(0x1234);
    tx.value = Uint256{1};
    return sign_for_dev(std::move(tx), account);
}

}  // namespace heddle::test
