// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/cometbft/comet_rpc.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <types/counted.hpp>
#include <types/expected.hpp>

#include <consensus_adapter/cometbft/ordering_host.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

/// Of one answer: a thousand results, or some thousand peers.
constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 20;
/// Of an answer, that is kept beside its body: its header and the heads of its chunks.
constexpr std::size_t kMaxAroundBody = std::size_t{64} << 10;
/// Of one request, below the 1,000,000 that CometBFT takes where it was not told otherwise.
constexpr std::size_t kMaxRequestBytes = 900'000;
constexpr std::size_t kMinRequestBytes = 4'096;
/// Calls in one batch, where CometBFT sets no limit.
constexpr std::size_t kMaxBatch = 1'000;
/// What surrounds a transaction in a batch.
constexpr std::size_t kCallBytes = 96;
/// Of what somebody else said, in a sentence of ours.
constexpr std::size_t kMaxQuote = 200;

std::unexpected<CometError> failure(CometErrorCode code, std::string sentence) {
    return std::unexpected(CometError{code, std::move(sentence)});
}

struct Endpoint {
    std::string host;
    std::string port;
};

std::optional<Endpoint> parse_address(std::string_view address) {
    for (const std::string_view scheme : {"http://", "tcp://"}) {
        if (!address.starts_with(scheme)) continue;
        std::string_view rest = address.substr(scheme.size());
        if (rest.ends_with('/')) rest.remove_suffix(1);
        const auto colon = rest.rfind(':');
        if (colon == std::string_view::npos) return std::nullopt;
        std::string_view host = rest.substr(0, colon);
        const std::string_view port = rest.substr(colon + 1);
        std::uint16_t number = 0;
        const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
        if (error != std::errc{} || end != port.data() + port.size() || number == 0)
            return std::nullopt;
        if (host.starts_with('[') && host.ends_with(']')) {
            host = host.substr(1, host.size() - 2);
        } else if (host.find(':') != std::string_view::npos) {
            return std::nullopt;
        }
        if (host.empty() || host.find_first_of("/ @\r\n") != std::string_view::npos)
            return std::nullopt;
        return Endpoint{std::string{host}, std::string{port}};
    }
    return std::nullopt;
}

std::string quote(std::string_view text) {
    std::string quoted{text.substr(0, kMaxQuote)};
    for (char& c : quoted)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return quoted;
}

std::size_t base64_size(std::size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

void append_base64(BytesView bytes, std::string& out) {
    const std::size_t start = out.size();
    out.resize(start + base64_size(bytes.size()) + 1);  // it writes a zero behind
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data() + start), bytes.data(),
                    static_cast<int>(bytes.size()));
    out.pop_back();
}

// Members of somebody else's JSON: absent and of another kind are the same.

const json::value* member(const json::value* value, std::string_view key) {
    if (value == nullptr || !value->is_object()) return nullptr;
    return value->get_object().if_contains(key);
}
std::string_view text_of(const json::value* value) {
    if (value == nullptr || !value->is_string()) return {};
    return value->get_string();
}
/// CometBFT writes numbers of 64 bits as strings, smaller ones as numbers.
std::optional<std::int64_t> number_of(const json::value* value) {
    if (value == nullptr) return std::nullopt;
    if (value->is_int64()) return value->get_int64();
    if (!value->is_string()) return std::nullopt;
    const std::string_view text = value->get_string();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}
std::optional<std::uint64_t> count_of(const json::value* value) {
    const auto number = number_of(value);
    if (!number || *number < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*number);
}

/// What an error object says: its data where there is some, for the message is general.
std::string error_text(const json::value& error) {
    const std::string_view data = text_of(member(&error, "data"));
    if (!data.empty()) return quote(data);
    const std::string_view message = text_of(member(&error, "message"));
    return message.empty() ? "an error without words" : quote(message);
}

/// The answer to one broadcast call. Errors: CometBFT does not know the call.
std::expected<BroadcastResult, std::string> classify(const json::value& answer) {
    constexpr std::int64_t kMethodNotFound = -32'601;
    if (const json::value* const error = member(&answer, "error")) {
        if (number_of(member(error, "code")) == kMethodNotFound)
            return std::unexpected("it has no broadcast_tx_async and broadcast_tx_sync");
        const std::string text = error_text(*error);
        const auto says = [&text](std::string_view part) {
            return text.find(part) != std::string::npos;
        };
        if (says("already exists in cache")) return BroadcastResult::already_there;
        // Full, checking all it has again, or without its application for the moment.
        if (says("mempool is full") || says("mempool is still rechecking") ||
            says("appConn mempool") || says("broadcast confirmation not received"))
            return BroadcastResult::mempool_full;
        return BroadcastResult::refused;
    }
    const json::value* const result = member(&answer, "result");
    const auto code = number_of(member(result, "code"));
    if (!code) return std::unexpected("an answer has neither a code nor an error");
    if (*code == kThereAlready && text_of(member(result, "codespace")) == kOrderingCodespace)
        return BroadcastResult::already_there;
    return *code == 0 ? BroadcastResult::accepted : BroadcastResult::refused;
}

}  // namespace

struct CometRpc::Impl {
    struct Answer {
        unsigned status = 0;
        json::value body;
    };

    std::expected<Answer, CometError> exchange(const std::string& body);
    std::expected<json::value, CometError> call(std::string_view method);
    /// How many of the transactions one request takes: at least one. `fits` is false where even
    /// that one is too much.
    std::size_t take(std::span<const Bytes> transactions, bool& fits) const;
    std::expected<std::vector<BroadcastResult>, CometError> broadcast(
        std::span<const Bytes> transactions);
    /// The results of one request; empty: a limit was lower than thought, and is known now.
    std::expected<std::vector<BroadcastResult>, CometError> broadcast_once(
        std::span<const Bytes> transactions);
    bool learn_limit(const Answer& answer, std::size_t calls, std::size_t bytes);

    std::string address;
    Endpoint endpoint;
    std::chrono::milliseconds timeout{};
    std::size_t max_batch = kMaxBatch;
    std::size_t max_request_bytes = kMaxRequestBytes;

private:
    template <typename Start>
    error_code run(Clock::time_point deadline, Start start);
    error_code connect(Clock::time_point deadline);
    std::expected<std::string, error_code> post(const std::string& body, Clock::time_point deadline,
                                                unsigned& status);
    void close();
    std::string unreachable(const error_code& error) const;

    asio::io_context context_{1};
    tcp::socket socket_{context_};
    boost::beast::flat_buffer buffer_{kMaxAroundBody};
};

/// One operation to its end, or to the deadline.
template <typename Start>
error_code CometRpc::Impl::run(Clock::time_point deadline, Start start) {
    std::optional<error_code> result;
    start([&result](const error_code& error, auto&&...) { result = error; });
    context_.restart();
    context_.run_until(deadline);
    if (result) return *result;
    close();
    context_.run();  // the handler is called, for the socket is closed
    return asio::error::timed_out;
}

void CometRpc::Impl::close() {
    error_code ignored;
    (void)socket_.close(ignored);
    buffer_.clear();
}

error_code CometRpc::Impl::connect(Clock::time_point deadline) {
    close();
    error_code error;
    tcp::resolver resolver{context_};
    const auto places = resolver.resolve(endpoint.host, endpoint.port, error);
    if (error) return error;
    error =
        run(deadline, [&](auto done) { asio::async_connect(socket_, places, std::move(done)); });
    if (error) {
        close();
        return error;
    }
    error_code ignored;
    (void)socket_.set_option(tcp::no_delay(true), ignored);
    return {};
}

std::expected<std::string, error_code> CometRpc::Impl::post(const std::string& body,
                                                            Clock::time_point deadline,
                                                            unsigned& status) {
    const std::string head = fmt::format(
        "POST / HTTP/1.1\r\nHost: {}:{}\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n",
        endpoint.host, endpoint.port, body.size());
    const std::array<asio::const_buffer, 2> request{asio::buffer(head), asio::buffer(body)};
    const error_code unwritten =
        run(deadline, [&](auto done) { asio::async_write(socket_, request, std::move(done)); });
    if (unwritten == asio::error::timed_out) return std::unexpected(unwritten);
    // Whoever refuses a request early says why before closing.
    http::response_parser<http::string_body> parser;
    parser.body_limit(kMaxAnswerBytes);
    const error_code unread = run(
        deadline, [&](auto done) { http::async_read(socket_, buffer_, parser, std::move(done)); });
    if (unread) {
        close();
        return std::unexpected(unwritten ? unwritten : unread);
    }
    const bool keeps = parser.get().keep_alive() && !unwritten;
    status = parser.get().result_int();
    if (!keeps) close();
    return parser.release().body();
}

std::string CometRpc::Impl::unreachable(const error_code& error) const {
    if (error == asio::error::timed_out)
        return fmt::format("CometBFT at {} did not answer within {} ms", address, timeout.count());
    if (error == http::error::body_limit)
        return fmt::format("CometBFT at {} gave an answer above {} MiB", address,
                           kMaxAnswerBytes >> 20);
    if (error == http::error::end_of_stream || error == http::error::partial_message ||
        error == asio::error::eof)
        return fmt::format("CometBFT at {} closed the connection before it answered", address);
    if (error.category() == http::make_error_code(http::error::bad_version).category())
        return fmt::format("{} does not speak HTTP: {}; is it CometBFT's RPC address?", address,
                           error.message());
    return fmt::format("CometBFT at {} cannot be reached: {}; is it running?", address,
                       error.message());
}

/// Sends the request over the connection there is; where it turns out to be broken, over a new one.
std::expected<CometRpc::Impl::Answer, CometError> CometRpc::Impl::exchange(
    const std::string& body) {
    const auto deadline = Clock::now() + timeout;
    Answer answer;
    std::expected<std::string, error_code> text = std::unexpected(error_code{});
    bool is_answered = false;
    if (socket_.is_open()) {
        text = post(body, deadline, answer.status);
        // An idle connection is closed by the other side after some seconds.
        is_answered = text.has_value() || text.error() == asio::error::timed_out;
    }
    if (!is_answered) {
        if (const error_code error = connect(deadline))
            return failure(CometErrorCode::unreachable, unreachable(error));
        text = post(body, deadline, answer.status);
    }
    if (!text.has_value()) return failure(CometErrorCode::unreachable, unreachable(text.error()));
    error_code error;
    answer.body = json::parse(*text, error);
    if (error)
        return failure(CometErrorCode::misunderstood,
                       fmt::format("{} gave an answer (HTTP {}) that is no JSON: {}; is it "
                                   "CometBFT's RPC address?",
                                   address, answer.status, quote(*text)));
    return answer;
}

std::expected<json::value, CometError> CometRpc::Impl::call(std::string_view method) {
    HEDDLE_TRY(Answer answer,
               exchange(fmt::format(R"({{"jsonrpc":"2.0","id":0,"method":"{}"}})", method)));
    if (const json::value* const error = member(&answer.body, "error"))
        return failure(CometErrorCode::refused, fmt::format("CometBFT at {} refused {}: {}",
                                                            address, method, error_text(*error)));
    const json::value* const result = member(&answer.body, "result");
    if (result == nullptr || !result->is_object())
        return failure(
            CometErrorCode::misunderstood,
            fmt::format(
                "{} answered {} with something else than a result; is it CometBFT's RPC address?",
                address, method));
    return *result;
}

std::size_t CometRpc::Impl::take(std::span<const Bytes> transactions, bool& fits) const {
    std::size_t bytes = 2;
    std::size_t count = 0;
    for (const Bytes& transaction : transactions) {
        bytes += kCallBytes + base64_size(transaction.size());
        if (bytes > max_request_bytes || count == max_batch) break;
        ++count;
    }
    fits = count > 0;
    return std::max<std::size_t>(count, 1);
}

/// Whether the whole request was refused for its size, which is a size less next time.
bool CometRpc::Impl::learn_limit(const Answer& answer, std::size_t calls, std::size_t bytes) {
    const json::value* const error = member(&answer.body, "error");
    if (error == nullptr || number_of(member(&answer.body, "id"))) return false;
    const std::string text = error_text(*error);
    if (text.find("request body too large") != std::string::npos) {
        max_request_bytes = std::min(max_request_bytes, bytes) / 2;
        return true;
    }
    constexpr std::string_view kBefore = "batch request exceeds maximum (";
    const auto found = text.find(kBefore);
    if (found == std::string::npos || calls < 2) return false;
    std::size_t limit = 0;
    std::from_chars(text.data() + found + kBefore.size(), text.data() + text.size(), limit);
    // Less than was sent in any case, so that this comes to an end.
    max_batch = limit > 0 && limit < calls ? limit : calls / 2;
    return true;
}

std::expected<std::vector<BroadcastResult>, CometError> CometRpc::Impl::broadcast_once(
    std::span<const Bytes> transactions) {
    std::string body = "[";
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        const std::string_view kind = i + 1 == transactions.size() ? "sync" : "async";
        fmt::format_to(
            std::back_inserter(body),
            R"({}{{"jsonrpc":"2.0","id":{},"method":"broadcast_tx_{}","params":{{"tx":")",
            i == 0 ? "" : ",", i, kind);
        append_base64(transactions[i], body);
        body += R"("}})";
    }
    body += ']';
    HEDDLE_TRY(Answer answer, exchange(body));
    if (learn_limit(answer, transactions.size(), body.size()))
        return std::vector<BroadcastResult>{};

    // A batch of one is answered without brackets.
    std::span<const json::value> answers{&answer.body, 1};
    if (answer.body.is_array())
        answers = {answer.body.get_array().data(), answer.body.get_array().size()};
    std::vector<std::optional<BroadcastResult>> results(transactions.size());
    for (const json::value& one : answers) {
        const auto id = count_of(member(&one, "id"));
        if (!id || *id >= results.size()) {
            const json::value* const error = member(&one, "error");
            return failure(CometErrorCode::refused,
                           fmt::format("CometBFT at {} refused a batch of {}: {}", address,
                                       counted(transactions.size(), "transaction"),
                                       error != nullptr ? error_text(*error)
                                                        : "an answer belongs to no call"));
        }
        const auto result = classify(one);
        if (!result.has_value())
            return failure(CometErrorCode::refused,
                           fmt::format("CometBFT at {} does not take transactions: {}", address,
                                       result.error()));
        results[*id] = *result;
    }
    std::vector<BroadcastResult> complete;
    complete.reserve(results.size());
    for (const auto& result : results) {
        if (!result)
            return failure(CometErrorCode::misunderstood,
                           fmt::format("CometBFT at {} left calls of a batch unanswered", address));
        complete.push_back(*result);
    }
    return complete;
}

std::expected<std::vector<BroadcastResult>, CometError> CometRpc::Impl::broadcast(
    std::span<const Bytes> transactions) {
    std::vector<BroadcastResult> results;
    results.reserve(transactions.size());
    while (results.size() < transactions.size()) {
        bool fits = true;
        const auto rest = transactions.subspan(results.size());
        const auto part = rest.first(take(rest, fits));
        if (!fits) {
            results.push_back(BroadcastResult::refused);
            continue;
        }
        HEDDLE_TRY(const std::vector<BroadcastResult> of_part, broadcast_once(part));
        if (of_part.empty() && max_request_bytes < kMinRequestBytes)
            return failure(
                CometErrorCode::refused,
                fmt::format(
                    "CometBFT at {} takes no requests of {} bytes; raise rpc.max_body_bytes in its "
                    "config.toml to 1000000",
                    address, kMinRequestBytes));
        results.insert(results.end(), of_part.begin(), of_part.end());
    }
    return results;
}

CometRpc::CometRpc(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CometRpc::CometRpc(CometRpc&&) noexcept = default;
CometRpc& CometRpc::operator=(CometRpc&&) noexcept = default;
CometRpc::~CometRpc() = default;

std::expected<CometRpc, CometError> CometRpc::create(const std::string& address,
                                                     std::chrono::milliseconds timeout) {
    auto endpoint = parse_address(address);
    if (!endpoint)
        return failure(
            CometErrorCode::bad_address,
            fmt::format("{}: expected CometBFT's RPC address, like http://127.0.0.1:26657",
                        address));
    auto impl = std::make_unique<Impl>();
    impl->address = fmt::format("http://{}", address.substr(address.find("://") + 3));
    if (impl->address.ends_with('/')) impl->address.pop_back();
    impl->endpoint = *std::move(endpoint);
    impl->timeout = timeout;
    return CometRpc{std::move(impl)};
}

std::expected<CometStatus, CometError> CometRpc::status() try {
    HEDDLE_TRY(const json::value answer, impl_->call("status"));
    HEDDLE_TRY(const json::value network, impl_->call("net_info"));
    const json::value* const node = member(&answer, "node_info");
    const json::value* const sync = member(&answer, "sync_info");
    const auto latest = count_of(member(sync, "latest_block_height"));
    const auto earliest = count_of(member(sync, "earliest_block_height"));
    const json::value* const catching_up = member(sync, "catching_up");
    const auto peers = count_of(member(&network, "n_peers"));
    CometStatus status;
    status.network = text_of(member(node, "network"));
    status.version = text_of(member(node, "version"));
    status.moniker = text_of(member(node, "moniker"));
    if (status.network.empty() || status.version.empty() || !latest || !earliest || !peers ||
        catching_up == nullptr || !catching_up->is_bool())
        return failure(CometErrorCode::misunderstood,
                       fmt::format("{} answered status or net_info without what CometBFT 0.38 to "
                                   "0.40 has there; is it CometBFT's RPC address?",
                                   impl_->address));
    status.latest_height = *latest;
    status.earliest_height = *earliest;
    status.is_catching_up = catching_up->get_bool();
    // Absent where it is no validator.
    status.voting_power =
        number_of(member(member(&answer, "validator_info"), "voting_power")).value_or(0);
    status.peers = *peers;
    return status;
} catch (const std::exception& error) {
    return failure(CometErrorCode::misunderstood,
                   fmt::format("CometBFT at {}: {}", impl_->address, error.what()));
}

std::expected<std::vector<BroadcastResult>, CometError> CometRpc::broadcast(
    std::span<const Bytes> transactions) try {
    return impl_->broadcast(transactions);
} catch (const std::exception& error) {
    return failure(CometErrorCode::misunderstood,
                   fmt::format("CometBFT at {}: {}", impl_->address, error.what()));
}

}  // namespace heddle::consensus_adapter::cometbft
