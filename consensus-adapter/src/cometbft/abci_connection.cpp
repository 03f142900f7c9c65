// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/abci_connection.hpp"

#include <algorithm>
#include <utility>

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <google/protobuf/arena.h>

namespace heddle::consensus_adapter::cometbft {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Answers are held back no longer than until they are so many bytes.
constexpr std::size_t kWriteBytes = std::size_t{256} << 10;
/// What a connection keeps between answers.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
/// New transactions that are looked at together.
constexpr std::size_t kMostAtOnce = 64;
/// Of an arena's first block: enough for CheckTx, on the stack.
constexpr std::size_t kArenaBytes = 4'096;

}  // namespace

AbciConnection::AbciConnection(Socket socket, AbciAnswers& application,
                               const AbciServerOptions& options)
    : application_(application),
      options_(options),
      socket_(std::move(socket)),
      reader_(std::min<std::size_t>(options.max_message_bytes, INT32_MAX)),
      thread_([this] { serve(); }) {}

AbciConnection::~AbciConnection() {
    if (thread_.joinable()) thread_.join();
}

bool AbciConnection::has_ended() const {
    const std::scoped_lock lock{mutex_};
    return state_ == State::ended;
}

void AbciConnection::stop() {
    const std::scoped_lock lock{mutex_};
    is_stopping_ = true;
    if (state_ != State::ended) ::shutdown(socket_.native_handle(), SHUT_RD);
}

void AbciConnection::wait(std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return state_ != State::executing; });
    if (!changed_.wait_for(lock, patience, [this] { return state_ == State::ended; }))
        ::shutdown(socket_.native_handle(), SHUT_RDWR);
    changed_.wait(lock, [this] { return state_ == State::ended; });
}

bool AbciConnection::enter(State state) {
    const std::scoped_lock lock{mutex_};
    // What was executed is still told.
    if (is_stopping_ && state != State::writing) return false;
    state_ = state;
    changed_.notify_all();
    return true;
}

void AbciConnection::serve() {
    while (enter(State::waiting)) {
        error_code error;
        const auto room = reader_.room();
        const std::size_t count = socket_.read_some(asio::buffer(room.data(), room.size()), error);
        if (error) break;
        reader_.received(count);
        const bool goes_on = answer_all();
        if (!write() || !goes_on) break;
    }
    const std::scoped_lock lock{mutex_};
    error_code ignored;
    ignored = socket_.close(ignored);
    state_ = State::ended;
    changed_.notify_all();
}

/// Whole requests, as many as have come. false: the connection is to end.
bool AbciConnection::answer_all() {
    while (enter(State::executing)) {
        const auto message = next_message();
        if (!message.has_value()) {
            refuse(message.error());
            return false;
        }
        if (!message->has_value()) return true;
        if (!answer_one(**message)) return false;
        if (out_.size() >= kWriteBytes && !write()) return false;
    }
    return false;
}

bool AbciConnection::answer_one(BytesView message) {
    alignas(std::max_align_t) std::array<char, kArenaBytes> first_block;
    google::protobuf::ArenaOptions arena_options;
    arena_options.initial_block = first_block.data();
    arena_options.initial_block_size = first_block.size();
    google::protobuf::Arena arena{arena_options};
    auto& request = *google::protobuf::Arena::CreateMessage<abci::Request>(&arena);
    auto& response = *google::protobuf::Arena::CreateMessage<abci::Response>(&arena);
    if (!request.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
        refuse("a request that cannot be decoded");
        return false;
    }
    if (AbciAnswers::is_new_transaction(request)) {
        answer_new(request);
        return true;
    }
    const std::optional<std::string> failure = application_.answer(request, response);
    append(response);
    if (!request.has_flush() && !failure.has_value()) return true;
    const bool goes_on = write();
    if (failure.has_value() && options_.on_failure) options_.on_failure(*failure);
    return goes_on;
}

std::expected<std::optional<BytesView>, std::string> AbciConnection::next_message() {
    if (ahead_.has_value()) return std::exchange(ahead_, std::nullopt);
    return reader_.next();
}

void AbciConnection::answer_new(const abci::Request& first) {
    google::protobuf::Arena arena;
    std::vector<const abci::Request*> requests{&first};
    while (requests.size() < kMostAtOnce) {
        // What is wrong with the stream is found, and told, when everything before it is answered.
        const auto message = reader_.next();
        if (!message.has_value() || !message->has_value()) break;
        auto& request = *google::protobuf::Arena::CreateMessage<abci::Request>(&arena);
        const BytesView bytes = **message;
        if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
            !AbciAnswers::is_new_transaction(request)) {
            ahead_ = bytes;
            break;
        }
        requests.push_back(&request);
    }
    std::vector<abci::Response*> responses;
    responses.reserve(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i)
        responses.push_back(google::protobuf::Arena::CreateMessage<abci::Response>(&arena));
    application_.answer_new(requests, responses);
    for (const abci::Response* const response : responses)
        append(*response);
}

void AbciConnection::append(const abci::Response& response) {
    const std::size_t size = response.ByteSizeLong();
    if (size > INT32_MAX) return refuse("an answer that is too large for one message");
    append_length(size, out_);
    const std::size_t begin = out_.size();
    out_.resize(begin + size);
    response.SerializeWithCachedSizesToArray(out_.data() + begin);
}

bool AbciConnection::write() {
    if (out_.empty()) return true;
    if (!enter(State::writing)) return false;
    error_code error;
    asio::write(socket_, asio::buffer(out_), error);
    out_.clear();
    if (out_.capacity() > kKeptBytes) Bytes{}.swap(out_);
    return !error;
}

void AbciConnection::refuse(const std::string& reason) {
    abci::Response response;
    response.mutable_exception()->set_error(reason);
    append(response);
    if (options_.on_warning) options_.on_warning("a connection of CometBFT is closed: " + reason);
}

}  // namespace heddle::consensus_adapter::cometbft
