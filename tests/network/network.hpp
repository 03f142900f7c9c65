// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A network of validators on this machine, as `heddle testnet` writes it: each a node and a
// CometBFT on an address of their own. What is done to them is the test's business.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/hash.hpp>

#include "process.hpp"
#include "program.hpp"

namespace heddle::test {

/// The program; nullopt: it is not there, and the test is to be skipped.
[[nodiscard]] std::optional<std::string> find_cometbft();

struct NetworkOptions {
    unsigned validators = 4;
    std::string block_interval = "500ms";
    /// Further arguments of `heddle testnet`.
    std::vector<std::string> arguments{};
    /// Options of every node: `section.option=value`.
    std::vector<std::string> node_options{"ledger.memory=64", "executor.workers=2"};
    /// Addresses, one for each validator; empty: loopback addresses that no other test has.
    std::vector<std::string> addresses{};
};

/// A node with its CometBFT. Thread safety: calls over the network from any thread; the rest one at
/// a time.
class Validator {
public:
    Validator(std::filesystem::path home, std::string address, std::string network,
              std::vector<std::string> node_options);

    void start_node();
    void start_comet();
    /// Starts what does not run: the node, then CometBFT.
    void start();
    /// Starts again what has ended, as a supervisor would. @return whether anything had.
    bool tend();
    /// Ends CometBFT, then the node, in order.
    void stop();

    [[nodiscard]] Process& node() { return *node_; }
    [[nodiscard]] Process& comet() { return *comet_; }
    [[nodiscard]] const std::filesystem::path& home() const noexcept { return home_; }
    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    /// More options of the node, from its next start on.
    void set_node_options(std::vector<std::string> options) { node_options_ = std::move(options); }
    [[nodiscard]] const std::vector<std::string>& node_options() const { return node_options_; }

    /// One JSON-RPC call of the node: the whole response; empty: nobody answered.
    [[nodiscard]] std::string call(std::string_view method, std::string_view params = "[]") const;
    /// A result that is a string; nullopt: there was none.
    [[nodiscard]] std::optional<std::string> text(std::string_view method,
                                                  std::string_view params = "[]") const;
    /// The last block the node shows; nullopt: it does not answer.
    [[nodiscard]] std::optional<std::uint64_t> head() const;
    /// Of a block that the node shows; nullopt: there is none.
    [[nodiscard]] std::optional<Hash> block_hash(std::uint64_t number) const;
    /// A GET of CometBFT's RPC, e.g. `/status`; empty: nobody answered.
    [[nodiscard]] std::string ask_comet(const std::string& path) const;

    [[nodiscard]] std::string node_log() const { return read_text(home_ / "node.log"); }
    [[nodiscard]] std::string comet_log() const { return read_text(home_ / "comet.log"); }

private:
    const std::filesystem::path home_;
    const std::string address_;
    const std::string network_;  // namespace
    std::vector<std::string> node_options_;
    std::unique_ptr<Process> node_;
    std::unique_ptr<Process> comet_;
};

/// Thread safety: as Validator.
class Network {
public:
    /// Writes it; nothing runs yet. Throws where that fails.
    /// @param namespaces  The network namespace of each validator; empty: all in that of the test.
    explicit Network(const NetworkOptions& options, std::vector<std::string> namespaces = {});

    [[nodiscard]] std::size_t size() const noexcept { return validators_.size(); }
    [[nodiscard]] Validator& at(std::size_t index) { return *validators_.at(index); }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return network_; }
    /// Adds a node that is no validator, as `heddle testnet --add` writes it; not started.
    Validator& add(const std::vector<std::string>& arguments);

    void start();
    void stop();
    /// Waits until every validator shows this block. What has ended is started again meanwhile.
    void wait_for_block(std::uint64_t number);
    /// Waits until the chain has grown by `blocks` everywhere. @return the new least head.
    std::uint64_t wait_for_more(std::uint64_t blocks);
    /// The least head of all that answer; 0: none does.
    [[nodiscard]] std::uint64_t least_head() const;
    /// The greatest one.
    [[nodiscard]] std::uint64_t greatest_head() const;
    /// Blocks 1 to the least head are the same everywhere. @return what is not; empty: they are.
    [[nodiscard]] std::string disagreement(std::uint64_t from = 1) const;
    /// What no log may say: panics, failed handshakes, failed consensus. Empty: none does.
    [[nodiscard]] std::string complaints() const;

private:
    const TemporaryFolder folder_;
    const std::filesystem::path network_;
    std::vector<std::string> node_options_;
    std::vector<std::unique_ptr<Validator>> validators_;
};

/// Waits, however long it takes, until it is so; looks every 20 ms.
void wait_until(const std::function<bool()>& is_so);

/// Loopback addresses (127.x.y.1 on) that only this process uses.
[[nodiscard]] std::vector<std::string> private_addresses(unsigned count);

}  // namespace heddle::test
