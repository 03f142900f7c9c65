// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A fork's source that is slow, gone, broken or lies; what is asked of it, and how often.
#include "forking/fork_source.hpp"

#include <atomic>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/json_writer.hpp"
#include "hostile_server.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/codec.hpp"
#include "temporary_folder.hpp"

namespace heddle::node::forking {
namespace {

using follow::test::HostileServer;
using follow::test::http_answer;
using follow::test::PoliteServer;
using rpc::Call;
using testing::HasSubstr;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const Address kAlice = address_from_low64(0xa11ce);
const Address kContract = address_from_low64(0xc0de);
constexpr std::uint64_t kPoint = 5;

/// A source of a few blocks and two accounts, which counts what it is asked.
class FakeSource {
public:
    FakeSource() {
        Hash parent;
        for (std::uint64_t number = 0; number <= kPoint; ++number) {
            Block block;
            block.header.number = number;
            block.header.parent_hash = parent;
            block.header.timestamp = 1'000 + number;
            block.header.gas_limit = 30'000'000;
            block.header.base_fee_per_gas = 7;
            parent = header_hash(block.header);
            blocks.push_back(std::move(block));
        }
        on("eth_chainId", [](const Call&, JsonWriter& out) { out.quantity(std::uint64_t{77}); });
        on("eth_getBlockByNumber", [this](const Call& call, JsonWriter& out) {
            const auto which = call.params.at(0).string();
            const std::uint64_t number =
                which == "latest" ? kPoint : std::stoull(std::string{which}, nullptr, 16);
            if (number > kPoint) return out.null();
            const Block& block = blocks[number];
            rpc::write_block(block, header_hash(block.header), true, 600, out);
        });
        on("eth_getBalance", [this](const Call& call, JsonWriter& out) {
            out.quantity(call.params.at(0).address() == kAlice ? alice_balance : Uint256{});
        });
        on("eth_getTransactionCount", [](const Call& call, JsonWriter& out) {
            out.quantity(std::uint64_t{call.params.at(0).address() == kAlice ? 3U : 0U});
        });
        on("eth_getCode", [](const Call& call, JsonWriter& out) {
            out.hex(call.params.at(0).address() == kContract ? Bytes{0x60, 0x01} : Bytes{});
        });
        on("eth_getStorageAt", [](const Call& call, JsonWriter& out) {
            out.hash(to_hash(call.params.at(1).uint256() + Uint256{100}));
        });
        on("eth_getProof", [](const Call&, JsonWriter&) {
            throw rpc::RpcError(rpc::Code::method_not_found, "no proofs here");
        });
        server_.start();
    }
    void stop() { server_.stop(); }
    void start() { server_.start(); }

    [[nodiscard]] ForkSourceOptions options(const std::string& folder) const {
        ForkSourceOptions options;
        options.source.endpoint = server_.endpoint(false);
        options.source.timeout = 400ms;
        options.cache_folder = folder;
        return options;
    }
    [[nodiscard]] const Hash& hash(std::uint64_t number) {
        hash_ = header_hash(blocks[number].header);
        return hash_;
    }

    std::atomic<int> calls = 0;
    Uint256 alice_balance{50};
    std::vector<Block> blocks;

private:
    void on(std::string method, rpc::Handler handler) {
        server_.on(std::move(method),
                   [this, handler = std::move(handler)](const Call& call, JsonWriter& out) {
                       ++calls;
                       handler(call, out);
                   });
    }
    PoliteServer server_;
    Hash hash_;
};

class ForkSourceTest : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<ForkSource> open(ForkSourceOptions options) {
        auto made = ForkSource::open(std::move(options));
        EXPECT_TRUE(made.has_value()) << made.error();
        return made.has_value() ? *std::move(made) : nullptr;
    }
    [[nodiscard]] std::unique_ptr<ForkSource> open() { return open(source_.options(path())); }
    [[nodiscard]] std::string path() const { return folder_ / "cache"; }

    const heddle::test::TemporaryFolder folder_;
    FakeSource source_;
};

TEST_F(ForkSourceTest, reads_what_somebody_asks_for_once) {
    const auto fork = open();
    ASSERT_NE(fork, nullptr);
    EXPECT_EQ(fork->number(), kPoint);
    EXPECT_EQ(fork->point().hash, source_.hash(kPoint));
    const ReadScope scope;
    const int before = source_.calls;
    EXPECT_EQ(fork->state().account(kAlice)->balance, Uint256{50});
    EXPECT_EQ(fork->state().account(kAlice)->nonce, 3U);
    EXPECT_EQ(source_.calls - before, 3);
    EXPECT_EQ(fork->state().account(kContract)->code_hash, keccak256(Bytes{0x60, 0x01}));
    EXPECT_EQ(fork->state().storage(kContract, 7), Uint256{107});
    EXPECT_EQ(fork->state().storage(kContract, 7), Uint256{107});
    // Nothing is stored where nobody has ever been.
    const Address nobody = address_from_low64(0x0b0d);
    EXPECT_FALSE(fork->state().account(nobody).has_value());
    EXPECT_EQ(fork->state().storage(nobody, 7), Uint256{});
    EXPECT_EQ(source_.calls - before, 10);
    EXPECT_FALSE(scope.has_failed()) << scope.failure();
}

// Delegated once, stored, delegation taken back - forked - its slots were zero once it was known.
TEST_F(ForkSourceTest, reads_what_an_account_without_code_has_stored) {
    const auto fork = open();
    ASSERT_NE(fork, nullptr);
    ASSERT_FALSE(fork->state().account(kAlice)->has_code());
    EXPECT_EQ(fork->state().storage(kAlice, 1), Uint256{101});
}

TEST_F(ForkSourceTest, fetches_together_what_is_missing_together) {
    const auto fork = open();
    ASSERT_NE(fork, nullptr);
    const std::uint64_t before = fork->client().counts().requests;
    unsigned runs = 0;
    EXPECT_TRUE(read_ahead(*fork, [&] {
        ++runs;
        for (std::uint64_t slot = 0; slot < 30; ++slot)
            (void)fork->state().storage(kContract, slot);
        if (!fork->state().account(kContract).has_value()) return;
        (void)fork->state().account(kAlice);
    }));
    EXPECT_EQ(runs, 3U);
    EXPECT_EQ(fork->client().counts().requests - before, 2U);
}

TEST_F(ForkSourceTest, goes_on_out_of_the_cache_when_the_source_is_gone_and_comes_back) {
    const auto fork = open();
    ASSERT_NE(fork, nullptr);
    (void)fork->state().account(kAlice);
    source_.stop();
    {
        const ReadScope scope;
        EXPECT_EQ(fork->state().account(kAlice)->balance, Uint256{50});
        EXPECT_FALSE(scope.has_failed());
        EXPECT_FALSE(fork->state().account(kContract).has_value());
        EXPECT_THAT(scope.failure(), HasSubstr("account " + to_string(kContract)));
        EXPECT_THAT(scope.failure(), HasSubstr("cannot be had from the source of the fork"));
    }
    source_.start();
    for (;;) {
        const ReadScope scope;
        const auto account = fork->state().account(kContract);
        if (!scope.has_failed()) {
            EXPECT_TRUE(account.has_value());
            break;
        }
        std::this_thread::sleep_for(20ms);
    }
}

TEST_F(ForkSourceTest, needs_nobody_for_what_an_earlier_run_has_read) {
    (void)open()->state().storage(kContract, 9);
    (void)open()->state().account(kContract);
    source_.stop();
    ForkSourceOptions options = source_.options(path());
    options.source.is_offline = true;
    options.block = kPoint;
    const auto fork = open(options);
    ASSERT_NE(fork, nullptr);
    EXPECT_EQ(fork->chain_id(), 77U);
    EXPECT_EQ(fork->point().header, source_.blocks[kPoint].header);
    const ReadScope scope;
    EXPECT_EQ(fork->state().storage(kContract, 9), Uint256{109});
    EXPECT_TRUE(
        equal(fork->state().code(fork->state().account(kContract)->code_hash), Bytes{0x60, 0x01}));
    EXPECT_FALSE(scope.has_failed()) << scope.failure();
    (void)fork->state().account(kAlice);
    EXPECT_THAT(scope.failure(), HasSubstr("--fork-offline"));
    EXPECT_THAT(scope.failure(), HasSubstr(to_string(kAlice)));
}

/// A source may have blocks of any size: their number alone bounds nothing.
TEST_F(ForkSourceTest, keeps_as_many_blocks_at_hand_as_there_is_memory_for) {
    ForkSourceOptions options = source_.options("");  // no file
    options.block_bytes = 1;
    for (const bool is_small : {true, false}) {
        const auto fork = open(options);
        ASSERT_NE(fork, nullptr);
        EXPECT_TRUE(fork->block(2).value().has_value());
        EXPECT_TRUE(fork->block(3).value().has_value());
        int before = source_.calls;
        EXPECT_TRUE(fork->block(3).value().has_value());
        EXPECT_EQ(source_.calls, before) << "the last one";
        before = source_.calls;
        EXPECT_TRUE(fork->block(2).value().has_value());
        EXPECT_EQ(source_.calls != before, is_small);
        options.block_bytes = std::size_t{1} << 20;
    }
}

TEST_F(ForkSourceTest, says_which_block_is_not_in_the_cache) {
    (void)open();
    ForkSourceOptions options = source_.options(path());
    options.source.is_offline = true;
    options.block = 3;
    const auto made = ForkSource::open(options);
    ASSERT_FALSE(made.has_value());
    EXPECT_THAT(made.error(), HasSubstr("block 3 of chain 77 is not in the cache"));
}

TEST_F(ForkSourceTest, checks_that_the_source_gives_proofs_where_they_are_wanted) {
    ForkSourceOptions options = source_.options(path());
    options.proves = true;
    const auto made = ForkSource::open(options);
    ASSERT_FALSE(made.has_value());
    EXPECT_THAT(made.error(), HasSubstr("--fork-verify"));
}

TEST_F(ForkSourceTest, proves_hashes_by_the_blocks_above_them) {
    const auto fork = open();
    ASSERT_NE(fork, nullptr);
    const ReadScope scope;
    EXPECT_EQ(fork->block_hash(1), source_.hash(1));
    EXPECT_EQ(fork->block_hash(4), source_.hash(4));
    EXPECT_EQ(fork->block_hash(0), source_.hash(0));
    EXPECT_FALSE(scope.has_failed()) << scope.failure();
}

TEST_F(ForkSourceTest, believes_no_block_that_is_not_the_parent_of_the_next_one) {
    const auto fork = open();
    ASSERT_NE(fork, nullptr);
    source_.blocks[2].header.gas_used = 1;  // another block with a hash of its own
    const ReadScope scope;
    EXPECT_EQ(fork->block_hash(1), Hash{});
    EXPECT_THAT(scope.failure(), HasSubstr("is not the parent"));
}

TEST_F(ForkSourceTest, gives_blocks_as_they_are) {
    const auto fork = open();
    ASSERT_NE(fork, nullptr);
    const auto block = fork->block(3);
    ASSERT_TRUE(block.has_value() && block->has_value());
    EXPECT_EQ((*block)->hash, source_.hash(3));
    EXPECT_FALSE(fork->block(kPoint + 1).value().has_value());
    const int before = source_.calls;
    EXPECT_EQ(fork->block(3).value()->hash, source_.hash(3));
    EXPECT_EQ(source_.calls, before);
}

TEST_F(ForkSourceTest, asks_no_faster_than_it_may) {
    ForkSourceOptions options = source_.options(path());
    options.source.calls_per_second = 1'000;
    options.source.timeout = 20s;
    const auto fork = open(options);
    ASSERT_NE(fork, nullptr);
    const auto begin = Clock::now();
    std::vector<MissingRead> reads;
    for (std::uint64_t slot = 0; slot < 2'000; ++slot)
        reads.push_back({kPoint, kContract, Uint256{slot}});
    EXPECT_TRUE(fork->fetch(reads));
    // What is saved up is a second's.
    EXPECT_GE(Clock::now() - begin, 500ms);
}

// Providers take 3, 10 or 100 questions at once, and say so in their own words.
TEST(SourceClient, asks_for_less_at_once_where_the_source_refuses_so_much) {
    const auto count = [](const std::string& body) {
        std::size_t found = 0;
        for (auto at = body.find("eth_x"); at != std::string::npos; at = body.find("eth_x", at + 1))
            ++found;
        return found;
    };
    const std::string error = R"("error":{"code":-32600,"message":"3 at most"}})";
    for (const std::string& refusal :
         {http_answer(R"({"id":null,)" + error), http_answer(R"([{"id":1,)" + error + "]"),
          http_answer("batch", "413 Content Too Large")}) {
        std::atomic<int> refused = 0;
        HostileServer server([&](HostileServer::Peer& peer, const std::string& body) {
            const std::size_t questions = count(body);
            if (questions > 3) {
                ++refused;
                return peer.send(refusal);
            }
            std::string text = R"({"id":1,"result":"0x1"})";
            for (std::size_t i = 2; i <= questions; ++i)
                text += fmt::format(R"(,{{"id":{},"result":"0x1"}})", i);
            return peer.send(http_answer(questions > 1 ? "[" + text + "]" : text));
        });
        SourceOptions options;
        options.endpoint = server.endpoint();
        options.timeout = 60s;
        SourceClient client(options);
        const std::vector<follow::Question> questions(40, {"eth_x", "[]"});
        for (int round = 0; round < 2; ++round) {
            std::size_t taken = 0;
            const auto asked =
                client.ask("all", questions, [&](std::size_t i, const follow::Answer& answer) {
                    EXPECT_EQ(i, taken++);
                    EXPECT_TRUE(answer.has_value());
                });
            ASSERT_TRUE(asked.has_value()) << asked.error();
            EXPECT_EQ(taken, 40u);
        }
        EXPECT_EQ(refused, 4) << "40, 20, 10, 5, and not once more";
    }
}

// A refusal of all questions may have been of the moment: because they came too fast, perhaps.
TEST(SourceClient, asks_for_more_at_once_again_after_a_while) {
    std::atomic<bool> refuses = true;
    std::atomic<bool> was_long = false;
    HostileServer server([&](HostileServer::Peer& peer, const std::string& body) {
        if (refuses.exchange(false))
            return peer.send(
                http_answer(R"({"id":null,"error":{"code":-32005,"message":"too fast"}})"));
        was_long = body.starts_with('[');
        return peer.send(http_answer(was_long
                                         ? R"([{"id":1,"result":"0x1"},{"id":2,"result":"0x1"}])"
                                         : R"({"id":1,"result":"0x1"})"));
    });
    SourceOptions options;
    options.endpoint = server.endpoint();
    options.timeout = 60s;
    SourceClient client(options);
    const std::vector<follow::Question> questions(2, {"eth_x", "[]"});
    const auto ask = [&] {
        const auto asked = client.ask("all", questions, [](std::size_t, const follow::Answer&) {});
        ASSERT_TRUE(asked.has_value()) << asked.error();
    };
    const auto begin = Clock::now();
    for (int i = 0; i < 50; ++i) {
        ask();
        EXPECT_FALSE(was_long) << i;
        EXPECT_GE(Clock::now() - begin, 50ms) << "too fast is not asked again at once";
    }
    ask();
    EXPECT_TRUE(was_long);
}

// --- Hostile ones --------------------------------------------------------------------------------

std::string why_not(HostileServer& server) {
    ForkSourceOptions options;
    options.source.endpoint = server.endpoint();
    options.source.timeout = 400ms;
    options.source.max_answer_bytes = 64 * 1024;
    const auto made = ForkSource::open(options);
    return made.has_value() ? "" : made.error();
}

TEST(HostileForkSource, gets_no_more_time_than_it_is_given) {
    HostileServer silent([](HostileServer::Peer& peer, const std::string&) {
        peer.wait_for_end();
        return false;
    });
    EXPECT_THAT(why_not(silent), HasSubstr("did not answer"));
    HostileServer dripping([](HostileServer::Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while (peer.send(" "))
            std::this_thread::sleep_for(5ms);
        return false;
    });
    EXPECT_THAT(why_not(dripping), HasSubstr("did not answer"));
}

TEST(HostileForkSource, gets_no_more_memory_than_it_is_given) {
    HostileServer endless([](HostileServer::Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        while (peer.send(std::string(4'096, '7'))) {
        }
        return false;
    });
    EXPECT_THAT(why_not(endless), HasSubstr("above"));
}

TEST(HostileForkSource, is_not_followed_elsewhere) {
    HostileServer redirecting([](HostileServer::Peer& peer, const std::string&) {
        return peer.send(http_answer("", "302 Found\r\nLocation: http://127.0.0.1:1/"));
    });
    EXPECT_THAT(why_not(redirecting), HasSubstr("HTTP status 302"));
    EXPECT_EQ(redirecting.connections(), 1);
}

TEST(HostileForkSource, is_tried_again_where_it_is_only_busy) {
    std::atomic<int> asked = 0;
    HostileServer busy([&](HostileServer::Peer& peer, const std::string&) {
        ++asked;
        return peer.send(http_answer("", "429 Too Many Requests"));
    });
    EXPECT_THAT(why_not(busy), HasSubstr("HTTP status 429"));
    EXPECT_GE(asked, 2);
}

TEST(HostileForkSource, is_left_alone_for_as_long_as_it_wants) {
    std::vector<Clock::time_point> asked;
    HostileServer server([&](HostileServer::Peer& peer, const std::string&) {
        asked.push_back(Clock::now());
        if (asked.size() > 1) return peer.send(http_answer(R"({"id":1,"result":"0x1"})"));
        return peer.send(
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n");
    });
    SourceOptions options;
    options.endpoint = server.endpoint();
    options.timeout = 60s;
    SourceClient client(options);
    const auto done = client.ask_one("it", {"eth_x", "[]"}, [](const JsonView&) {});
    ASSERT_TRUE(done.has_value()) << done.error();
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_GE(asked[1] - asked[0], 900ms);
}

TEST(HostileForkSource, is_asked_for_no_part_sooner_than_it_wants) {
    std::vector<Clock::time_point> asked;
    HostileServer server([&](HostileServer::Peer& peer, const std::string& body) {
        asked.push_back(Clock::now());
        if (!body.starts_with('[')) return peer.send(http_answer(R"({"id":1,"result":"0x1"})"));
        return peer.send(
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n");
    });
    SourceOptions options;
    options.endpoint = server.endpoint();
    options.timeout = 60s;
    SourceClient client(options);
    const std::vector<follow::Question> questions(2, {"eth_x", "[]"});
    const auto done = client.ask("all", questions, [](std::size_t, const follow::Answer&) {});
    ASSERT_TRUE(done.has_value()) << done.error();
    ASSERT_EQ(asked.size(), 3u);
    EXPECT_GE(asked[1] - asked[0], 900ms);
}

TEST(HostileForkSource, writes_nothing_to_the_terminal_but_a_line) {
    HostileServer server([](HostileServer::Peer& peer, const std::string&) {
        return peer.send(http_answer(R"({"id":1,"error":{"code":-32000,"message":"\u001b[31m\n)" +
                                     std::string(10'000, 'A') + R"("}})"));
    });
    const std::string sentence = why_not(server);
    EXPECT_THAT(sentence, HasSubstr("?[31m?AAA"));
    EXPECT_LT(sentence.size(), 1'000u);
}

TEST(HostileForkSource, makes_nothing_up_in_other_shapes) {
    for (const char* nonsense :
         {"", "hello", "{", "[]", "[[[[[[", "7", "null", R"({"jsonrpc":"2.0","id":1})",
          R"({"id":1,"result":{}})", R"({"id":1,"result":null})", R"({"id":1,"error":7})"}) {
        HostileServer server([&](HostileServer::Peer& peer, const std::string&) {
            return peer.send(http_answer(nonsense));
        });
        EXPECT_THAT(why_not(server), HasSubstr("the chain id")) << nonsense;
    }
}

}  // namespace
}  // namespace heddle::node::forking
