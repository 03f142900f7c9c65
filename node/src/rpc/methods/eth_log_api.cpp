// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_log_api.hpp"

#include <memory>
#include <string>

#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/filters.hpp"
#include "rpc/queries/log_search.hpp"

namespace heddle::node::rpc {
namespace {

// Both with the methods that use them.
using SharedSearch = std::shared_ptr<LogSearch>;
using SharedFilters = std::shared_ptr<Filters>;

std::string id_argument(const Call& call) {
    return argument(call.params, 0, [](const JsonView& value) {
        if (!value.is_string()) fail_input("expected a filter's id");
        return std::string{value.string()};
    });
}

Handler get_logs(const Services& services, const SharedSearch& search) {
    return at_most(1, [services, search](const Call& call, JsonWriter& out) {
        const LogCriteria criteria = log_criteria_argument(call.params, 0);
        const BlockRange range = range_of(criteria, services.chain, services.limits);
        LogWriter writer{call, services.limits, range, out};
        search->search(criteria.filter, range.from, range.to, call,
                       [&](const BlockLogs::Entry& entry) {
                           writer.write(entry);
                           return true;
                       });
        writer.finish();
    });
}

Handler new_filter(const SharedFilters& filters) {
    return at_most(1, [filters](const Call& call, JsonWriter& out) {
        out.string(filters->add_logs(log_criteria_argument(call.params, 0), call.client));
    });
}

Handler new_block_filter(const SharedFilters& filters) {
    return at_most(0, [filters](const Call& call, JsonWriter& out) {
        out.string(filters->add_blocks(call.client));
    });
}

Handler new_transaction_filter(const SharedFilters& filters) {
    return at_most(1, [filters](const Call& call, JsonWriter& out) {
        const bool in_full = find_argument(call.params, 0, to_bool).value_or(false);
        out.string(filters->add_transactions(in_full, call.client));
    });
}

Handler get_filter_changes(const SharedFilters& filters) {
    return at_most(1, [filters](const Call& call, JsonWriter& out) {
        filters->write_changes(id_argument(call), call, out);
    });
}

Handler get_filter_logs(const SharedFilters& filters) {
    return at_most(1, [filters](const Call& call, JsonWriter& out) {
        filters->write_logs(id_argument(call), call, out);
    });
}

Handler uninstall_filter(const SharedFilters& filters) {
    return at_most(1, [filters](const Call& call, JsonWriter& out) {
        out.boolean(filters->remove(id_argument(call)));
    });
}

}  // namespace

void add_eth_log_methods(MethodTable& table, const Services& services) {
    const auto search = std::make_shared<LogSearch>(services.chain, services.limits.kept_log_bytes,
                                                    services.limits.kept_bloom_bytes);
    if (services.kept != nullptr) {
        services.kept->set("logs", [search] { return search->kept_bytes(); });
        services.kept->set("blooms", [search] { return search->bloom_bytes(); });
    }
    const auto filters = std::make_shared<Filters>(services, search);
    table.add({"eth_getLogs", get_logs(services, search), Weight::heavy});
    table.add({"eth_newFilter", new_filter(filters)});
    table.add({"eth_newBlockFilter", new_block_filter(filters)});
    table.add({"eth_newPendingTransactionFilter", new_transaction_filter(filters)});
    table.add({"eth_getFilterChanges", get_filter_changes(filters), Weight::heavy});
    table.add({"eth_getFilterLogs", get_filter_logs(filters), Weight::heavy});
    table.add({"eth_uninstallFilter", uninstall_filter(filters)});
}

}  // namespace heddle::node::rpc
