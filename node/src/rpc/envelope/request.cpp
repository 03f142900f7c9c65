// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/envelope/request.hpp"

#include "rpc/envelope/json_scanner.hpp"

namespace heddle::node::rpc {

namespace {

/// Slots that a batch may leave behind for the next request.
constexpr std::size_t kKeptItems = 64;

/// Members of an object as they were written; the last of a name counts.
struct Members {
    std::string_view version;
    std::string_view id;
    std::string_view name;
    std::string_view params;
    bool has_outcome = false;
};

bool read_members(JsonScanner& scanner, Members& members) {
    if (!scanner.take('{')) return false;
    if (scanner.take('}')) return true;
    do {
        const auto key = scanner.string();
        if (!key || !scanner.take(':')) return false;
        const auto value = scanner.value();
        if (!value) return false;
        if (*key == R"("jsonrpc")")
            members.version = *value;
        else if (*key == R"("id")")
            members.id = *value;
        else if (*key == R"("method")")
            members.name = *value;
        else if (*key == R"("params")")
            members.params = *value;
        else if (*key == R"("result")" || *key == R"("error")")
            members.has_outcome = true;
    } while (scanner.take(','));
    return scanner.take('}');
}

RequestItem classify(const Members& members, const MethodTable& methods) {
    using Kind = RequestItem::Kind;
    RequestItem item;
    if (!members.id.empty() && members.id[0] != '{' && members.id[0] != '[') item.id = members.id;
    if (members.version != R"("2.0")") return item;
    if (members.name.size() > 2 && members.name[0] == '"') {
        item.name = members.name;
        if (members.params != "null") item.params = members.params;
        const bool is_escaped = item.name.find('\\') != std::string_view::npos;
        item.method = is_escaped ? methods.find(unescape_json_string(item.name))
                                 : methods.find(item.name.substr(1, item.name.size() - 2));
        item.kind = !item.id.empty()     ? Kind::call
                    : members.id.empty() ? Kind::notification
                                         : Kind::invalid;
    } else if (!item.id.empty() && members.params.empty() && members.has_outcome) {
        item.kind = Kind::response;
    }
    return item;
}

/// One element of a batch, or the only one.
bool read_item(JsonScanner& scanner, const MethodTable& methods, RequestItem& item) {
    if (scanner.peek() != '{') return scanner.value().has_value();
    Members members;
    if (!read_members(scanner, members)) return false;
    item = classify(members, methods);
    return true;
}

std::string_view text_of(JsonScanner::Error error) {
    switch (error) {
        case JsonScanner::Error::too_deep:
            return "parse error: nested too deeply";
        case JsonScanner::Error::too_many_values:
            return "parse error: too many values";
        case JsonScanner::Error::none:
        case JsonScanner::Error::malformed:
            break;
    }
    return "parse error";
}

void append_utf8(std::uint32_t c, std::string& out) {
    const auto unit = [&out](std::uint32_t bits) { out.push_back(static_cast<char>(bits)); };
    if (c < 0x80) return unit(c);
    if (c < 0x800) {
        unit(0xc0 | (c >> 6));
    } else {
        if (c < 0x10000) {
            unit(0xe0 | (c >> 12));
        } else {
            unit(0xf0 | (c >> 18));
            unit(0x80 | ((c >> 12) & 0x3f));
        }
        unit(0x80 | ((c >> 6) & 0x3f));
    }
    unit(0x80 | (c & 0x3f));
}

std::uint32_t hex4(std::string_view digits) {
    std::uint32_t value = 0;
    for (const char c : digits.substr(0, 4))
        value = value * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    return value;
}

Weight weight_of(const RequestItem& item) {
    if (item.method == nullptr) return Weight::light;
    return item.method->weigh != nullptr ? item.method->weigh(item.params) : item.method->weight;
}

}  // namespace

void Request::read(std::string_view text, const MethodTable& methods, const RequestLimits& limits) {
    items_.clear();
    if (items_.capacity() > kKeptItems) items_.shrink_to_fit();
    parse_error_ = {};
    is_batch_too_large_ = false;
    const bool is_large = text.size() > limits.light_bytes;
    is_heavy_ = is_large;
    may_be_long_ = false;
    is_executing_ = false;
    is_waiting_ = false;
    lasts_a_block_ = false;

    JsonScanner scanner(text, limits.values);
    is_batch_ = scanner.peek() == '[';
    bool is_well_formed = true;
    std::size_t count = 0;
    const auto read_one = [&] {
        RequestItem item;
        is_well_formed = read_item(scanner, methods, item);
        if (!is_well_formed || ++count > limits.batch_items) return;
        const Weight weight = weight_of(item);
        may_be_long_ = weight == Weight::reading && !is_batch_ && !is_large;
        is_heavy_ |= weight != Weight::light && !may_be_long_;
        is_executing_ |= weight == Weight::executing;
        // In a batch there may be work beside the waiting.
        is_waiting_ = weight == Weight::waiting && !is_batch_;
        lasts_a_block_ =
            weight == Weight::executing && item.method->lasts_a_block && !is_batch_ && !is_large;
        items_.push_back(item);
    };
    if (!is_batch_) {
        read_one();
    } else if (scanner.take('[') && !scanner.take(']')) {
        do
            read_one();
        while (is_well_formed && scanner.take(','));
        is_well_formed = is_well_formed && scanner.take(']');
    }
    if (!is_well_formed || !scanner.is_at_end()) {
        items_.clear();
        parse_error_ = text_of(scanner.error());
        is_heavy_ = false;
        may_be_long_ = false;
        lasts_a_block_ = false;
        return;
    }
    is_batch_too_large_ = count > limits.batch_items;
    is_heavy_ = !is_batch_too_large_ && (is_heavy_ || count > limits.light_batch_items);
}

std::string unescape_json_string(std::string_view json) {
    std::string text;
    json = json.substr(1, json.size() - 2);
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (json[i] != '\\') {
            text.push_back(json[i]);
            continue;
        }
        constexpr std::string_view kKinds = "bfnrt";
        constexpr std::string_view kMeanings = "\b\f\n\r\t";
        const char kind = json[++i];
        if (kind != 'u') {
            const std::size_t found = kKinds.find(kind);
            text.push_back(found == std::string_view::npos ? kind : kMeanings[found]);
            continue;
        }
        std::uint32_t c = hex4(json.substr(i + 1));
        i += 4;
        if (c >= 0xd800 && c < 0xe000) {
            const std::string_view next = json.substr(i + 1);
            const std::uint32_t low = next.starts_with("\\u") ? hex4(next.substr(2)) : 0;
            const bool is_pair = c < 0xdc00 && low >= 0xdc00 && low < 0xe000;
            c = is_pair ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
            if (is_pair) i += 6;
        }
        append_utf8(c, text);
    }
    return text;
}

}  // namespace heddle::node::rpc
