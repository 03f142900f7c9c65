// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include <sstream>

#include <unistd.h>

#include "process.hpp"

namespace heddle::test {
namespace {

bool ip(const std::string& arguments) {
    std::vector<std::string> command{"ip"};
    std::stringstream words{arguments};
    for (std::string word; words >> word;)
        command.push_back(word);
    return run_command(command, "/dev/null") == 0;
}

constexpr unsigned kNearAddresses = 8;

}  // namespace

std::unique_ptr<Cable> Cable::create() {
    const auto process = static_cast<unsigned>(::getpid());
    std::unique_ptr<Cable> cable{new Cable{"hdl" + std::to_string(process)}};
    cable->subnet_ = "10." + std::to_string(64 + process / 200 % 128) + "." +
                     std::to_string(process % 200) + ".";
    const std::string& name = cable->name_;
    bool is_made = ip("netns add " + name) &&
                   ip("link add " + name + " type veth peer name far netns " + name) &&
                   ip("link set " + name + " up") && ip("-n " + name + " link set lo up") &&
                   ip("-n " + name + " address add " + cable->far_address() + "/24 dev far") &&
                   ip("-n " + name + " link set far up");
    for (const std::string& address : cable->near_addresses(kNearAddresses))
        is_made = is_made && ip("address add " + address + "/24 dev " + name);
    if (!is_made) return nullptr;
    return cable;
}

Cable::~Cable() {
    (void)ip("link delete " + name_);
    (void)ip("netns delete " + name_);
}

std::vector<std::string> Cable::near_addresses(unsigned count) const {
    std::vector<std::string> addresses;
    for (unsigned i = 1; i <= count; ++i)
        addresses.push_back(subnet_ + std::to_string(i));
    return addresses;
}

std::string Cable::far_address() const {
    return subnet_ + "100";
}

// The far end goes down: the near one keeps its addresses, at which others listen.
void Cable::cut() {
    (void)ip("-n " + name_ + " link set far down");
}

void Cable::join() {
    (void)ip("-n " + name_ + " link set far up");
}

}  // namespace heddle::test
