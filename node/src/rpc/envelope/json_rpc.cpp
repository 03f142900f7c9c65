// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/envelope/json_rpc.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>

#include "chain/passed_by.hpp"
#include "chain/read_scope.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"

namespace heddle::node::rpc {

namespace {

using Clock = std::chrono::steady_clock;

/// Longer names cannot be those of methods, and would fill the logs and the responses.
constexpr std::size_t kMaxNameLength = 2'048;
/// Parameters after which the thread's parser goes, with all that it has grown to: any of dozens of
/// threads may be sent megabytes, and then be asked nothing for long.
constexpr std::size_t kLargeParams = 64 << 10;
/// An error has so much room in any case, or a small limit would keep errors from being told.
constexpr std::size_t kLeastErrorRoom = 4 << 10;

constexpr std::string_view kParamsName = "params";

/// The parser of this thread. Its memory is what makes parsing fast. A member whose name is in
/// another case is taken as by geth: without it the call would be another one than was meant.
std::optional<JsonParser>& thread_parser() {
    thread_local std::optional<JsonParser> parser;
    return parser;
}

/// The parameters of one call as a tree, while it is answered.
class ParsedParams {
public:
    explicit ParsedParams(std::string_view text) : large_(text.size() > kLargeParams) {
        if (text.empty() || text == "[]") return;
        if (text[0] != '[') throw RpcError(Code::invalid_params, "non-array args");
        std::optional<JsonParser>& parser = thread_parser();
        if (!parser.has_value()) parser.emplace(MemberNames::any_case);
        params_ = Params(parser->parse(text, std::string(kParamsName)));
    }
    ~ParsedParams() = default;
    ParsedParams(const ParsedParams&) = delete;
    ParsedParams& operator=(const ParsedParams&) = delete;

    [[nodiscard]] const Params& get() const noexcept { return params_; }

private:
    /// Also where parsing fails.
    struct Large {
        explicit Large(bool is_large) : is_large_(is_large) {}
        ~Large() {
            if (is_large_) thread_parser().reset();
        }
        Large(const Large&) = delete;
        Large& operator=(const Large&) = delete;

    private:
        const bool is_large_;
    };
    const Large large_;
    Params params_;
};

/// `params: $[1].to: expected an address` becomes `invalid argument 1: to: expected an address`.
std::string argument_error(std::string_view text) {
    const std::string prefix = fmt::format("{}: $[", kParamsName);
    const std::size_t bracket = text.find(']');
    if (!text.starts_with(prefix) || bracket == std::string_view::npos) return std::string(text);
    const std::string_view index = text.substr(prefix.size(), bracket - prefix.size());
    std::string_view rest = text.substr(bracket + 1);
    if (rest.starts_with(": ")) return fmt::format("invalid argument {}{}", index, rest);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    return fmt::format("invalid argument {}: {}", index, rest);
}

void append_head(std::string_view id, std::string& out) {
    out += R"({"jsonrpc":"2.0","id":)";
    out += id.empty() ? std::string_view("null") : id;
}

RpcError timed_out() {
    return {Code::timed_out, "request timed out"};
}

RpcError response_too_large() {
    return {Code::response_too_large, "response too large"};
}

RpcError internal_error() {
    return {Code::internal_error, "internal error"};
}

/// The name as it was sent, for the text of an error, which ends at a NUL and may be printed: but
/// for control characters.
std::string name_of(const RequestItem& item) {
    std::string name = unescape_json_string(item.name);
    std::ranges::replace_if(
        name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
    return name;
}

/// What a method throws becomes an RpcError.
template <typename Action>
void guard(std::string_view method, Action&& action) {
    try {
        std::forward<Action>(action)();
    } catch (const RpcError&) {
        throw;
    } catch (const InputError& error) {
        throw RpcError(Code::invalid_params, argument_error(error.what()));
    } catch (const JsonTooLong&) {
        throw response_too_large();
    } catch (const std::bad_alloc&) {
        logger(Component::rpc).error("{} ran out of memory", method);
        throw internal_error();
    } catch (const std::exception& error) {
        logger(Component::rpc).error("{} failed: {}", method, error.what());
        throw internal_error();
    }
}

/// A call that was to be short turns out to be long.
class Postponed : public std::exception {};

bool is_too_long(const RpcError& error) {
    return error.code() == static_cast<int>(Code::response_too_large);
}

bool can_be_gathered(const RequestItem& item) noexcept {
    using Kind = RequestItem::Kind;
    return (item.kind == Kind::call || item.kind == Kind::notification) && item.method != nullptr &&
           item.method->gather;
}

/// Appends what a call failed with, or, where that is larger than an answer may be, that it is:
/// who reverts chooses what the error says, megabytes, of which JSON may make six times as many:
/// that is known before it is done.
/// @return the code that is told.
int append_bounded(std::string_view id, const RpcError& error, std::size_t most, std::string& out) {
    const std::size_t room = std::max(most, kLeastErrorRoom);
    const std::size_t begin = out.size();
    if (least_json_size(error.message()) + error.data().size() <= room) {
        append_error(id, error, out);
        if (out.size() - begin - id.size() <= room) return error.code();
        out.resize(begin);
    }
    const RpcError larger = response_too_large();
    append_error(id, larger, out);
    return larger.code();
}

/// How many calls from there on are of one method that gathers; at most kMostGathered.
std::size_t gathered_run(const std::vector<RequestItem>& items, std::size_t begin) noexcept {
    if (!can_be_gathered(items[begin])) return 0;
    std::size_t end = begin + 1;
    while (end < items.size() && end - begin < kMostGathered && can_be_gathered(items[end]) &&
           items[end].method == items[begin].method)
        ++end;
    return end - begin;
}

}  // namespace

void append_error(std::string_view id, const RpcError& error, std::string& out) {
    append_head(id, out);
    out += R"(,"error":{"code":)";
    out += std::to_string(error.code());
    out += R"(,"message":)";
    append_json_string(error.message(), out);
    if (!error.data().empty()) {
        out += R"(,"data":)";
        out += error.data();
    }
    out += "}}";
}

Responder::Responder(const MethodTable& methods, ResponderLimits limits, CallObserver observer)
    : fixed_(&methods), limits_(limits), observer_(std::move(observer)) {}

Responder::Responder(std::shared_ptr<const MethodTable> methods, ResponderLimits limits,
                     CallObserver observer)
    : fixed_(nullptr),
      methods_(std::move(methods)),
      limits_(limits),
      observer_(std::move(observer)) {}

void Responder::replace(std::shared_ptr<const MethodTable> methods) {
    HEDDLE_ASSERT(fixed_ == nullptr);
    const std::scoped_lock lock{mutex_};
    methods_.swap(methods);
}

void Responder::read(std::string_view text, Request& request) const {
    if (fixed_ != nullptr) return request.read(text, *fixed_, limits_.request);
    std::shared_ptr<const MethodTable> methods;
    {
        const std::scoped_lock lock{mutex_};
        methods = methods_;
    }
    request.read(text, *methods, limits_.request);
    request.keep(std::move(methods));
}

void Responder::answer(const Request& request, const Caller& caller, Deadline deadline,
                       std::string& out) const {
    if (!request.parse_error().empty()) {
        append_error({}, RpcError(Code::parse_error, std::string(request.parse_error())), out);
    } else if (request.is_batch()) {
        answer_batch(request, caller, deadline, out);
    } else {
        answer_item({&request.items().front(), &caller, deadline, limits_.response_bytes}, nullptr,
                    out);
    }
}

bool Responder::answer_shortly(const Request& request, const Caller& caller, Deadline deadline,
                               std::string& out) const {
    if (!request.may_be_long()) {
        answer(request, caller, deadline, out);
        return true;
    }
    const std::size_t begin = out.size();
    const std::size_t most = std::min(limits_.short_bytes, limits_.response_bytes);
    try {
        answer_item({&request.items().front(), &caller, deadline, most, true}, nullptr, out);
        return true;
    } catch (const Postponed&) {
        out.resize(begin);
        return false;
    }
}

bool Responder::can_share(const Request& request) noexcept {
    return request.parse_error().empty() && !request.is_batch() && !request.is_heavy() &&
           can_be_gathered(request.items().front());
}

void Responder::answer_together(std::span<const SharingRequest> requests) const {
    while (!requests.empty()) {
        std::vector<Asked> calls;
        for (const SharingRequest& sharing : requests) {
            const RequestItem& item = sharing.request->items().front();
            const bool is_other = !calls.empty() && item.method != calls.front().item->method;
            if (is_other || calls.size() == kMostGathered) break;
            calls.push_back({&item, &sharing.caller, sharing.deadline, limits_.response_bytes});
        }
        const bool is_alone = calls.size() == 1;
        const Gathered gathered = is_alone ? Gathered{} : gather(calls);
        for (std::size_t i = 0; i < calls.size(); ++i)
            answer_item(calls[i], is_alone ? nullptr : &gathered.calls[i], *requests[i].out);
        requests = requests.subspan(calls.size());
    }
}

std::string Responder::answer(std::string_view text, const Caller& caller,
                              Deadline deadline) const {
    Request request;
    read(text, request);
    std::string out;
    answer(request, caller, deadline, out);
    return out;
}

void Responder::refuse(const Request& request, const RpcError& error, std::string& out) const {
    const std::size_t begin = out.size();
    for (const RequestItem& item : request.items()) {
        if (item.kind != RequestItem::Kind::call) continue;
        if (request.is_batch()) out += out.size() == begin ? '[' : ',';
        append_error(item.id, error, out);
    }
    if (request.is_batch() && out.size() != begin) out += ']';
}

void Responder::answer_batch(const Request& request, const Caller& caller, Deadline deadline,
                             std::string& out) const {
    const auto& items = request.items();
    if (items.empty()) return append_error({}, {Code::invalid_request, "empty batch"}, out);
    if (request.is_batch_too_large()) {
        std::string_view id;
        for (const RequestItem& item : items) {
            if (item.kind != RequestItem::Kind::call) continue;
            id = item.id;
            break;
        }
        out += '[';
        append_error(id, {Code::invalid_request, "batch too large"}, out);
        out += ']';
        return;
    }
    const std::size_t begin = out.size();
    out += '[';
    std::optional<RpcError> stop;  // what the rest fails with, unless it has been done
    Gathered gathered;
    std::size_t gathered_begin = 0;
    std::size_t gathered_end = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const RequestItem& item = items[i];
        const std::size_t before = out.size();
        if (before != begin + 1) out += ',';
        const std::size_t item_begin = out.size();
        if (!stop && Clock::now() > deadline) stop = timed_out();
        if (const std::size_t run = stop || i < gathered_end ? 0 : gathered_run(items, i);
            run > 1) {
            std::vector<Asked> calls;
            for (const RequestItem& one : std::span(items).subspan(i, run))
                calls.push_back({&one, &caller, deadline, limits_.response_bytes});
            gathered = gather(calls);
            gathered_begin = i;
            gathered_end = i + run;
        }
        const Done* const done = i < gathered_end ? &gathered.calls[i - gathered_begin] : nullptr;
        if (stop && done == nullptr && item.kind == RequestItem::Kind::call)
            append_error(item.id, *stop, out);
        else if (!stop || done != nullptr)
            answer_item({&item, &caller, deadline, limits_.response_bytes}, done, out);
        if (out.size() == item_begin) out.resize(before);  // nothing to say to that one
        // The one that goes beyond is sent; it is bounded as well.
        if (!stop && out.size() - begin > limits_.response_bytes) stop = response_too_large();
    }
    if (out.size() == begin + 1)
        out.resize(begin);
    else
        out += ']';
}

void Responder::answer_item(const Asked& asked, const Done* done, std::string& out) const {
    using Kind = RequestItem::Kind;
    const RequestItem& item = *asked.item;
    if (item.kind == Kind::response) return;
    if (item.kind == Kind::invalid)
        return append_error(item.id, {Code::invalid_request, "invalid request"}, out);

    const std::size_t begin = out.size();
    const auto started = Clock::now();
    int code = 0;
    try {
        append_head(item.id, out);
        out += R"(,"result":)";
        // What has been done is told, however late it is.
        if (done == nullptr && started > asked.deadline) throw timed_out();
        call(asked, done, out);
        out += '}';
    } catch (const RpcError& error) {
        out.resize(begin);
        code = append_bounded(item.id, error, asked.max_result_bytes, out);
        if (asked.is_hurried && code == static_cast<int>(Code::response_too_large))
            throw Postponed{};
    }
    if (item.kind == Kind::notification) out.resize(begin);
    if (observer_) {
        const std::string_view name =
            item.method != nullptr ? std::string_view(item.method->name) : "unknown";
        const auto before = done != nullptr ? done->elapsed : std::chrono::nanoseconds{0};
        observer_({.method = name, .elapsed = before + (Clock::now() - started), .code = code});
    }
}

Call Responder::call_of(const Asked& asked, const Params& params) {
    return {.params = params,
            .deadline = asked.deadline,
            .max_result_bytes = asked.max_result_bytes,
            .session = asked.caller->session,
            .is_loopback = asked.caller->is_loopback,
            .cost = asked.caller->cost,
            .client = asked.caller->client};
}

void Responder::check_callable(const Asked& asked) const {
    const RequestItem& item = *asked.item;
    const std::size_t name_length = item.name.size() - 2;  // without the quotes
    if (name_length > kMaxNameLength)
        throw RpcError(Code::invalid_request,
                       fmt::format("method name too long: {} > {}", name_length, kMaxNameLength));
    if (item.method == nullptr ||
        (item.method->access == Access::authenticated && !asked.caller->is_authenticated &&
         !limits_.exposes_authenticated))
        throw RpcError(Code::method_not_found,
                       fmt::format("the method {} does not exist/is not available", name_of(item)));
}

void Responder::call(const Asked& asked, const Done* done, std::string& out) const {
    if (done != nullptr && done->failure != nullptr) std::rethrow_exception(done->failure);
    check_callable(asked);
    const RequestItem& item = *asked.item;
    const std::size_t begin = out.size();
    const ReadScope reads{asked.is_hurried ? ReadScope::Mode::hurry : ReadScope::Mode::wait,
                          asked.deadline};
    const PassedBy passed_by{asked.caller->passed_by};
    try {
        guard(item.method->name, [&] {
            JsonWriter writer(out, JsonWriter::Style::compact, begin + asked.max_result_bytes);
            if (done != nullptr) return done->gathering->write(done->index, writer);
            const ParsedParams params(item.params);
            item.method->handler(call_of(asked, params.get()), writer);
        });
    } catch (const RpcError& error) {
        if (reads.is_postponed() || (asked.is_hurried && is_too_long(error))) throw Postponed{};
        // What failed came from values that could not be read: that is what is to be told.
        if (!reads.has_failed()) throw;
    }
    if (reads.is_postponed()) throw Postponed{};
    if (reads.has_failed()) throw RpcError(Code::server_error, reads.failure());
    if (out.size() == begin) out += "null";
    if (out.size() - begin <= asked.max_result_bytes) return;
    if (asked.is_hurried) throw Postponed{};
    throw response_too_large();
}

Responder::Gathered Responder::gather(std::span<const Asked> calls) const {
    const auto started = Clock::now();
    const Method& method = *calls.front().item->method;
    Gathered gathered{method.gather(), {}};
    gathered.calls.reserve(calls.size());
    std::size_t taken = 0;
    for (const Asked& asked : calls) {
        Done& done = gathered.calls.emplace_back();
        done.gathering = gathered.gathering.get();
        try {
            if (started > asked.deadline) throw timed_out();
            check_callable(asked);
            guard(method.name, [&] {
                const ParsedParams params(asked.item->params);
                done.gathering->take(call_of(asked, params.get()));
            });
            done.index = taken++;
        } catch (const RpcError&) {
            done.failure = std::current_exception();
        }
    }
    try {
        if (taken != 0) guard(method.name, [&] { gathered.gathering->run(); });
    } catch (const RpcError&) {
        for (Done& done : gathered.calls)
            if (done.failure == nullptr) done.failure = std::current_exception();
    }
    const auto share = (Clock::now() - started) / static_cast<std::int64_t>(calls.size());
    for (Done& done : gathered.calls)
        done.elapsed = share;
    return gathered;
}

}  // namespace heddle::node::rpc
