// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks in a stream from a server that sends what a test says: also other blocks, other streams
// and nothing.
#include "follow/stream_origin.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/object_codec.hpp>
#include <types/signing.hpp>

#include "hostile_server.hpp"
#include "rpc/envelope/arguments.hpp"

namespace heddle::node::follow {
namespace {

using consensus_adapter::follow::FetchedBlock;
using consensus_adapter::follow::FollowFault;
using test::PoliteServer;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr ConnectionLimits kLimits{.timeout = 1s, .max_answer_bytes = 1 << 20};

Bytes encoded_block(std::uint64_t number) {
    Block block;
    block.header.number = number;
    Transaction& tx = block.transactions.emplace_back();
    tx.chain_id = 1;
    tx.nonce = number;
    EXPECT_TRUE(sign_transaction(tx, to_hash(Uint256{7})));
    Bytes encoded;
    encode_block(block, encoded);
    return encoded;
}

/// Sends blocks from the one asked for on, up to `last`.
class StreamingServer {
public:
    StreamingServer() {
        server.on("heddle_subscribe", [this](const rpc::Call& call, JsonWriter& out) {
            const std::scoped_lock lock{mutex_};
            const JsonView request = call.params.at(1);
            session_ = call.session;
            requests_.push_back(request.find("parentHash") ? "resumed" : "begun");
            const std::uint64_t from =
                std::stoull(std::string{request.at("fromBlock").string()}, nullptr, 16);
            id_ = "0x" + std::to_string(requests_.size());
            out.string(id_);
            for (std::uint64_t number = from; number <= last; ++number)
                call.session->send(message(number));
        });
        server.on("heddle_acknowledge", [this](const rpc::Call& call, JsonWriter& out) {
            const std::scoped_lock lock{mutex_};
            acknowledged_ = std::stoull(std::string{call.params.at(1).string()}, nullptr, 16);
            changed_.notify_all();
            out.boolean(knows_stream);
        });
        server.on("debug_getRawBlock",
                  [](const rpc::Call&, JsonWriter&) { FAIL() << "blocks come in the stream"; });
    }
    ~StreamingServer() {
        const std::scoped_lock lock{mutex_};
        session_.reset();
    }

    std::string message(std::uint64_t number) {
        return R"({"jsonrpc":"2.0","method":"heddle_subscription","params":{"subscription":")" +
               id_ + R"(","result":{"number":")" + to_quantity(number) + R"(","block":")" +
               to_hex(encoded_block(number)) + '"' + advice + "}}}";
    }
    void send(const std::string& text) {
        const std::scoped_lock lock{mutex_};
        session_->send(text);
    }
    std::vector<std::string> requests() {
        const std::scoped_lock lock{mutex_};
        return requests_;
    }
    bool wait_for_acknowledgement(std::uint64_t number) {
        std::unique_lock lock{mutex_};
        return changed_.wait_for(lock, 4min, [&] { return acknowledged_ >= number; });
    }
    void restart() {
        {
            const std::scoped_lock lock{mutex_};
            session_.reset();
        }
        server.stop();
        server.start();
    }

    PoliteServer server;
    std::atomic<std::uint64_t> last = 0;
    std::atomic<bool> knows_stream = true;
    std::string advice;  // further members of each result

private:
    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::shared_ptr<rpc::Session> session_;
    std::string id_;
    std::vector<std::string> requests_;
    std::uint64_t acknowledged_ = 0;
};

/// Takes `count` blocks from `first` on.
void take(StreamOrigin& origin, std::uint64_t first, std::size_t count) {
    const std::uint64_t end = first + count;
    while (first < end) {
        const auto blocks = origin.blocks(first, static_cast<std::size_t>(end - first), {});
        ASSERT_TRUE(blocks.has_value()) << blocks.error().sentence;
        for (const FetchedBlock& fetched : *blocks)
            ASSERT_EQ(fetched.block.start.header.number, first++);
    }
}

TEST(StreamOrigin, takes_blocks_as_they_are_sent_and_acknowledges_them) {
    StreamingServer server;
    server.last = 40;
    server.server.start();
    StreamOrigin origin(server.server.endpoint(true), kLimits, {});
    take(origin, 1, 16);
    take(origin, 17, 24);
    EXPECT_EQ(server.requests(), std::vector<std::string>{"begun"});
    EXPECT_TRUE(server.wait_for_acknowledgement(16));
    server.send(server.message(41));
    take(origin, 41, 1);
    EXPECT_TRUE(server.wait_for_acknowledgement(40));
}

TEST(StreamOrigin, gives_what_is_known_of_accesses_to_the_executor) {
    StreamingServer server;
    server.last = 1;
    Bytes sets;
    const std::vector<ObjectSet> declared(1);
    encode_object_sets(declared, sets);
    server.advice = R"(,"objectSets":")" + to_hex(sets) + R"(","accessList":"0xc0")";
    server.server.start();
    StreamOrigin origin(server.server.endpoint(true), kLimits, {});
    const auto blocks = origin.blocks(1, 1, {});
    ASSERT_TRUE(blocks.has_value()) << blocks.error().sentence;
    EXPECT_EQ(blocks->front().block.object_sets, declared);
    EXPECT_EQ(blocks->front().block.start.access_list, Bytes{0xc0});
}

TEST(StreamOrigin, gives_no_large_blocks_together) {
    StreamingServer server;
    server.last = 3;  // what a server lets wait for a client
    server.advice = R"(,"accessList":"0x)" + std::string(std::size_t{9} << 18, '0') + '"';
    server.server.start();
    StreamOrigin origin(server.server.endpoint(true), {.timeout = 60s}, {});

    for (std::uint64_t number = 1; number <= 3; ++number) {
        const auto blocks = origin.blocks(number, 16, {});

        ASSERT_TRUE(blocks.has_value()) << blocks.error().sentence;
        EXPECT_EQ(blocks->size(), 1u);
        if (number == 1) std::this_thread::sleep_for(200ms);  // the others are there by now
    }
}

TEST(StreamOrigin, resumes_behind_the_last_block_that_came) {
    StreamingServer server;
    server.last = 5;
    server.server.start();
    StreamOrigin origin(server.server.endpoint(true), kLimits, {});
    take(origin, 1, 5);
    server.last = 8;
    server.restart();
    // The first answer after it may be that the connection is gone.
    auto blocks = origin.blocks(6, 1, {});
    for (int i = 0; i < 10 && !blocks.has_value(); ++i)
        blocks = origin.blocks(6, 1, {});
    ASSERT_TRUE(blocks.has_value()) << blocks.error().sentence;
    take(origin, 7, 2);
    EXPECT_EQ(server.requests(), (std::vector<std::string>{"begun", "resumed"}));
    take(origin, 3, 2);  // not where it stands
    EXPECT_EQ(server.requests().back(), "begun");
}

TEST(StreamOrigin, does_not_wait_for_a_block_without_end) {
    StreamingServer server;
    server.server.start();
    StreamOrigin origin(server.server.endpoint(true), kLimits, {});
    const auto blocks = origin.blocks(1, 1, {});
    ASSERT_FALSE(blocks.has_value());
    EXPECT_EQ(blocks.error().fault, FollowFault::timed_out);
    EXPECT_THAT(blocks.error().sentence, HasSubstr("block 1 did not come within 1000 ms"));
}

TEST(StreamOrigin, names_what_is_not_the_next_block) {
    const auto fault_of = [](const std::function<void(StreamingServer&)>& send) {
        StreamingServer server;
        server.last = 1;
        server.server.start();
        StreamOrigin origin(server.server.endpoint(true), kLimits, {});
        take(origin, 1, 1);
        send(server);
        const auto blocks = origin.blocks(2, 1, {});
        EXPECT_FALSE(blocks.has_value());
        return blocks.error().fault;
    };
    EXPECT_EQ(fault_of([](auto& server) { server.send(server.message(3)); }),
              FollowFault::wrong_block);
    EXPECT_EQ(fault_of([](auto& server) {
                  server.advice = R"(,"objectSets":"0x0102")";
                  server.send(server.message(2));
              }),
              FollowFault::wrong_block);
    EXPECT_EQ(fault_of([](auto& server) { server.send("nonsense"); }), FollowFault::misunderstood);
    EXPECT_EQ(fault_of([](auto& server) {
                  std::string other = server.message(2);
                  other.replace(other.find("0x1"), 3, "0x9");
                  server.send(other);
              }),
              FollowFault::misunderstood);
    EXPECT_EQ(fault_of([](auto& server) { server.knows_stream = false; }), FollowFault::refused);
}

TEST(StreamOrigin, takes_nothing_more_of_a_stream_with_a_wrong_block) {
    StreamingServer server;
    server.last = 1;
    server.server.start();
    StreamOrigin origin(server.server.endpoint(true), kLimits, {});
    take(origin, 1, 1);
    server.last = 2;
    server.send(server.message(3));
    server.send(server.message(2));

    EXPECT_FALSE(origin.blocks(2, 1, {}).has_value());
    take(origin, 2, 1);

    EXPECT_EQ(server.requests(), (std::vector<std::string>{"begun", "resumed"}));
}

TEST(StreamOrigin, asks_for_blocks_where_there_is_no_stream) {
    PoliteServer server;
    server.on("debug_getRawBlock", [](const rpc::Call& call, JsonWriter& out) {
        out.hex(encoded_block(std::stoull(std::string{call.params.at(0).string()}, nullptr, 16)));
    });
    server.start();
    StreamOrigin origin(server.endpoint(true), kLimits, {});
    take(origin, 1, 20);
}

}  // namespace
}  // namespace heddle::node::follow
