// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "wire_methods.hpp"

#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace heddle::node::rpc {

void Gate::wait() {
    std::unique_lock lock(mutex_);
    ++arrivals_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
}

void Gate::open() {
    const std::scoped_lock lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
}

void Gate::wait_for_arrivals(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return arrivals_ >= count; });
}

std::size_t Gate::arrivals() {
    const std::scoped_lock lock(mutex_);
    return arrivals_;
}

void Subscribers::add(const std::shared_ptr<Session>& session) {
    {
        const std::scoped_lock lock(mutex_);
        sessions_.push_back(session);
    }
    session->on_close([this] {
        const std::scoped_lock lock(mutex_);
        ++closed_;
        changed_.notify_all();
    });
}

std::shared_ptr<Session> Subscribers::first() {
    const std::scoped_lock lock(mutex_);
    return sessions_.at(0);
}

void Subscribers::wait_for_closed(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return closed_ >= count; });
}

bool Once::add(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    return known_.insert(text).second;
}

void Once::note_group(std::size_t calls) {
    const std::scoped_lock lock(mutex_);
    groups_.push_back(calls);
}

std::vector<std::size_t> Once::groups() {
    const std::scoped_lock lock(mutex_);
    return groups_;
}

namespace {

/// Calls of test_once that are done together.
class OnceTogether final : public Gathering {
public:
    explicit OnceTogether(Once& once) : once_(once) {}

    void take(const Call& call) override { texts_.emplace_back(call.params.at(0).string()); }
    void run() override {
        once_.note_group(texts_.size());
        for (const std::string& text : texts_) {
            if (text == "crash") throw std::runtime_error("secret");
            is_new_.push_back(once_.add(text));
        }
    }
    void write(std::size_t index, JsonWriter& out) override {
        if (!is_new_.at(index)) throw RpcError(Code::server_error, "known: " + texts_.at(index));
        out.string(texts_.at(index));
    }

private:
    Once& once_;
    std::vector<std::string> texts_;
    std::vector<bool> is_new_;
};

Method once_method(std::string name, Once& once, bool gathers) {
    Method method{.name = std::move(name), .handler = [&once](const Call& call, JsonWriter& out) {
                      const std::string text(call.params.at(0).string());
                      once.note_group(1);
                      if (!once.add(text)) throw RpcError(Code::server_error, "known: " + text);
                      out.string(text);
                  }};
    if (gathers) method.gather = [&once] { return std::make_unique<OnceTogether>(once); };
    return method;
}

/// Those that answer with what they are asked with, or with what they know of the caller.
void add_echoing(MethodTable& table) {
    const auto echo = [](const Call& call, JsonWriter& out) {
        out.string(call.params.at(0).string());
    };
    table.add({.name = "test_echo", .handler = echo});
    table.add({.name = "test_echoHeavy", .handler = echo, .weight = Weight::heavy});
    table.add({.name = "test_address", .handler = [](const Call& call, JsonWriter& out) {
                   const JsonView view = call.params.at(0);
                   out.address(view.is_object() ? view.at("to").address() : view.address());
               }});
    table.add({.name = "test_bytes", .handler = [](const Call& call, JsonWriter& out) {
                   out.string(std::string(call.params.at(0).uint64(), 'x'));
               }});
    table.add({.name = "test_read",
               .handler =
                   [](const Call& call, JsonWriter& out) {
                       out.string(std::string(call.params.at(0).uint64(), 'x'));
                   },
               .weight = Weight::reading});
    table.add({.name = "test_admin",
               .handler = [](const Call&, JsonWriter& out) { out.string("admin"); },
               .access = Access::authenticated});
    table.add({.name = "test_isLoopback", .handler = [](const Call& call, JsonWriter& out) {
                   out.boolean(call.is_loopback);
               }});
}

/// Those that answer with the thread that they run on.
void add_thread_naming(MethodTable& table) {
    const auto name_thread = [](const Call& call, JsonWriter& out) {
        call.note_gas(1'000'000);
        std::ostringstream text;
        text << std::this_thread::get_id();
        out.string(text.str());
    };
    table.add({.name = "test_thread", .handler = name_thread});
    Method block{.name = "test_threadOfBlock", .handler = name_thread, .weight = Weight::executing};
    block.lasts_a_block = true;
    table.add(std::move(block));
}

/// Those that do not answer, or not always.
void add_failing(MethodTable& table) {
    table.add({.name = "test_nothing", .handler = [](const Call&, JsonWriter&) {}});
    table.add({.name = "test_fail", .handler = [](const Call&, JsonWriter& out) {
                   out.begin_array();  // what was written so far is dropped
                   throw RpcError(Code::reverted, "execution reverted: \"no\"", R"("0x08c379a0")");
               }});
    table.add({.name = "test_crash",
               .handler = [](const Call&, JsonWriter&) { throw std::runtime_error("secret"); }});
    table.add({.name = "test_required", .handler = [](const Call& call, JsonWriter& out) {
                   (void)call.params.at(1);
                   out.boolean(true);
               }});
    table.add({.name = "test_late", .handler = [](const Call& call, JsonWriter& out) {
                   std::this_thread::sleep_until(call.deadline);
                   while (true)
                       call.check_deadline();
                   out.null();
               }});
}

/// Those that wait at the gate.
void add_waiting(MethodTable& table, Gate& gate) {
    table.add({.name = "test_hold", .handler = [&gate](const Call&, JsonWriter& out) {
                   gate.wait();
                   out.string("held");
               }});
    table.add({.name = "test_wait",
               .handler =
                   [&gate](const Call&, JsonWriter& out) {
                       gate.wait();
                       out.string("waited");
                   },
               .weight = Weight::heavy});
    table.add({.name = "test_execute",
               .handler =
                   [&gate](const Call& call, JsonWriter& out) {
                       gate.wait();
                       call.note_gas(1'000'000);
                       out.string("executed");
                   },
               .weight = Weight::executing});
    table.add({.name = "test_sleep",
               .handler =
                   [&gate](const Call&, JsonWriter& out) {
                       gate.wait();
                       out.string("slept");
                   },
               .weight = Weight::waiting});
}

}  // namespace

WireMethods::WireMethods(bool gathers) {
    add_echoing(table);
    add_thread_naming(table);
    add_failing(table);
    add_waiting(table, gate);
    table.add(once_method("test_once", once, gathers));
    table.add(once_method("test_onceMore", once, gathers));
    table.add({.name = "test_subscribe", .handler = [this](const Call& call, JsonWriter& out) {
                   if (!call.session)
                       throw RpcError(Code::server_error, "notifications not supported");
                   subscribers.add(call.session);
                   (void)call.session->send(R"("first notification")");
                   out.string("subscribed");
               }});
}

}  // namespace heddle::node::rpc
