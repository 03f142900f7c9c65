// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/load_run.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/counted.hpp>
#include <types/signing.hpp>
#include <workload/bytecode.hpp>

#include "chain/dev_chain.hpp"
#include "formats/json_writer.hpp"
#include "program/error.hpp"
#include "program/say.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node::load {

namespace {

constexpr Uint256 kGwei{1'000'000'000};
/// Above the base fee at the start: it may grow so much while blocks are full.
constexpr std::uint64_t kFeeHeadroom = 1'000;
constexpr std::uint64_t kLeastFeeHeadroom = 4;
/// geth takes no transaction that could cost more than an ether; these are below, for the load and
/// for deployments, which have the most gas.
constexpr Uint256 kMaxFee{2'500'000'000'000};
constexpr Uint256 kMaxSetupFee{400'000'000'000};
constexpr std::chrono::milliseconds kPollPeriod{2};
constexpr std::chrono::seconds kPatience{30};
constexpr std::uint64_t kSetupGasPerAccount = 300'000;
constexpr std::size_t kSetupBatch = 100;
constexpr std::size_t kSetupInFlight = 1'000;
// The developer account of `geth --dev`.
constexpr std::string_view kGethSecret =
    "b71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291";

/// What is known of the chain before anything is sent.
struct Surroundings {
    std::string client;
    std::uint64_t chain_id = 0;
    Uint256 base_fee;
    workload::Key key;  // of the account that pays
    Uint256 funds;
    std::uint64_t nonce = 0;
};

double processor_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double milliseconds(Time::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

std::string latest_of(const Address& address) {
    return fmt::format(R"(["{}","latest"])", to_string(address));
}

std::vector<workload::Key> candidate_keys(const LoadOptions& options) {
    std::vector<Hash> secrets;
    if (!options.key.empty()) {
        const auto secret = hash_from_hex(options.key);
        if (!secret.has_value()) fail_input("--key: expected 64 hexadecimal digits");
        secrets.push_back(*secret);
    } else {
        secrets.push_back(dev_accounts()[0].secret);
        secrets.push_back(hash_from_hex(kGethSecret).value_or(Hash{}));
    }
    std::vector<workload::Key> keys;
    for (const Hash& secret : secrets) {
        const auto address = address_from_secret(secret);
        if (!address.has_value()) fail_input("--key: is not a key");
        keys.push_back({secret, *address});
    }
    return keys;
}

Uint256 latest_base_fee(RpcClient& rpc) {
    return rpc.call("eth_getBlockByNumber", R"(["latest",false])").at("baseFeePerGas").uint256();
}

Surroundings look_around(RpcClient& rpc, const LoadOptions& options) {
    Surroundings result;
    result.client = rpc.call("web3_clientVersion", "[]").string();
    result.chain_id = rpc.call("eth_chainId", "[]").uint64();
    result.base_fee = latest_base_fee(rpc);
    const std::vector<workload::Key> candidates = candidate_keys(options);
    for (const workload::Key& key : candidates) {
        const Uint256 funds = rpc.call("eth_getBalance", latest_of(key.address)).uint256();
        if (funds <= result.funds) continue;
        result.funds = funds;
        result.key = key;
    }
    if (result.funds.is_zero() && !options.key.empty())
        fail_input("--key: its account, {}, has no ether on this chain",
                   to_string(candidates.front().address));
    if (result.funds.is_zero())
        fail_input(
            "no development account has funds on this chain: name the key of one with --key");
    result.nonce = rpc.call("eth_getTransactionCount", latest_of(result.key.address)).uint64();
    return result;
}

/// As high as the funds allow, within reason: full blocks raise the base fee.
Fees choose_fees(const Surroundings& around, Kind kind, std::uint64_t transactions,
                 std::uint64_t accounts) {
    // Half is left for what the transactions move and for the set-up.
    const Uint256 gas{2 * transactions * generous_average_gas(kind) + 10'000'000 +
                      accounts * kSetupGasPerAccount};
    const Uint256 affordable = around.funds / gas;
    const Uint256 wanted = std::min(kMaxFee, (around.base_fee + kGwei) * Uint256{kFeeHeadroom});
    Fees fees{std::min(wanted, affordable), kGwei};
    if (fees.max_fee < (around.base_fee + kGwei) * Uint256{kLeastFeeHeadroom})
        fail_input(
            "{} has {} wei, too little for {} transactions: send fewer, or name a richer "
            "account with --key",
            to_string(around.key.address), to_decimal(around.funds), transactions);
    return fees;
}

void read_accounts(RpcClient& rpc, std::vector<Account>& accounts) {
    std::vector<std::string> params;
    params.reserve(accounts.size());
    for (const Account& account : accounts)
        params.push_back(latest_of(account.key.address));
    rpc.call_all("eth_getBalance", params, [&](std::size_t index, const JsonView& balance) {
        accounts[index].balance = balance.uint256();
    });
    rpc.call_all("eth_getTransactionCount", params, [&](std::size_t index, const JsonView& nonce) {
        accounts[index].nonce = nonce.uint64();
    });
}

std::uint64_t next_block(RpcClient& rpc) {
    return rpc.call("eth_blockNumber", "[]").uint64() + 1;
}

Contracts deploy_contracts(Treasurer& treasurer, Kind kind, const Uint256& supply) {
    Contracts contracts;
    if (kind == Kind::transfers) return contracts;
    contracts.token = treasurer.deploy(workload::kToken.creation_hex, to_hash(supply).view());
    if (kind == Kind::erc20) return contracts;
    contracts.store = treasurer.deploy(workload::kStorageHeavy.creation_hex, {});
    contracts.factory = treasurer.deploy(workload::kFactory.creation_hex, {});
    return contracts;
}

/// Errors: InputError unless all of them succeed.
void send_setup(RpcClient& rpc, std::span<const Endpoint> endpoints, const Treasurer& treasurer) {
    const auto& transactions = treasurer.transactions();
    if (transactions.empty()) return;
    SubmissionOptions options;
    options.batch = kSetupBatch;
    options.in_flight = kSetupInFlight;
    options.poll_period = kPollPeriod;
    options.patience = kPatience;
    Submission submission{endpoints.first(1), options, transactions, next_block(rpc)};
    const SubmissionResult result = submission.run();
    if (!result.rejections.empty())
        fail_input("the set-up was refused: {}", result.rejections.front());
    const CheckResult check = check_receipts(rpc, transactions, result, {});
    if (check.problem_count != 0 || check.succeeded != transactions.size())
        fail_input("the set-up failed: {}",
                   check.problems.empty() ? "it was interrupted" : check.problems.front());
    // The other nodes may be behind.
    for (const Endpoint& endpoint : endpoints.subspan(1)) {
        RpcClient other{endpoint};
        while (next_block(other) < next_block(rpc) && !StopSignal::is_raised())
            std::this_thread::sleep_for(kPollPeriod);
    }
}

std::vector<Endpoint> parse_endpoints(const LoadOptions& options) {
    std::vector<Endpoint> endpoints;
    endpoints.reserve(options.rpc.size());
    for (const std::string& url : options.rpc)
        endpoints.push_back(parse_endpoint(url));
    HEDDLE_ASSERT(!endpoints.empty());
    return endpoints;
}

SubmissionOptions submission_options(const LoadOptions& options) {
    SubmissionOptions result;
    result.connections = std::min<std::size_t>(options.connections, options.accounts);
    result.batch = options.batch;
    result.in_flight = options.in_flight;
    result.rate = options.rate;
    result.time_limit = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>{options.seconds});
    result.poll_period = kPollPeriod;
    result.patience = kPatience;
    return result;
}

void summarize(LoadReport& report) {
    const SubmissionResult& result = report.submission;
    report.seconds = milliseconds(result.last_committed - result.first_sent) / 1'000;
    std::vector<double> latencies;
    for (const Fate& fate : result.fates)
        if (fate.phase == Phase::committed)
            latencies.push_back(milliseconds(fate.committed - fate.sent));
    std::vector<double> distances;
    const SeenBlock* last = nullptr;
    for (const SeenBlock& block : result.blocks) {
        if (block.ours == 0) continue;
        ++report.blocks;
        report.gas_used += block.gas_used;
        if (last != nullptr) distances.push_back(milliseconds(block.seen - last->seen));
        last = &block;
    }
    report.latency = percentiles(std::move(latencies));
    report.distance = percentiles(std::move(distances));
}

std::uint64_t planned_count(const LoadOptions& options) {
    if (options.seconds > 0 && options.rate > 0)
        return static_cast<std::uint64_t>(options.seconds * options.rate);
    return options.transactions;
}

/// A load that can be sent: on the chain is what it needs.
struct PreparedLoad {
    PlanOptions plan;
    std::vector<Account> accounts;  // as they must be after all transactions, fees aside
    std::vector<SignedTransaction> transactions;
};

/// Signs everything, deploys contracts, hands out ether and tokens.
PreparedLoad prepare_load(RpcClient& rpc, std::span<const Endpoint> endpoints,
                          const LoadOptions& options, const Surroundings& around, Kind kind) {
    PlanOptions plan;
    plan.kind = kind;
    plan.transactions = planned_count(options);
    plan.seed = options.seed;
    plan.chain_id = around.chain_id;
    plan.fees = choose_fees(around, kind, plan.transactions, options.accounts);
    std::vector<Account> accounts = make_accounts(options.seed, options.accounts);
    read_accounts(rpc, accounts);
    const Uint256 tokens{kMaxValue * (plan.transactions / accounts.size() + 1)};
    Treasurer treasurer{around.key,
                        around.nonce,
                        around.chain_id,
                        {std::min(plan.fees.max_fee, kMaxSetupFee), plan.fees.tip}};
    plan.contracts = deploy_contracts(treasurer, kind, tokens * Uint256{accounts.size()});

    say("signing {} of {}\n", counted(plan.transactions, "transaction"),
        counted(accounts.size(), "account"));
    std::vector<Uint256> held;
    for (Account& account : accounts) {
        held.push_back(account.balance);
        if (kind != Kind::transfers) {
            account.tokens = tokens;
            treasurer.send_tokens(plan.contracts.token, account.key.address, tokens);
        }
    }
    std::vector<SignedTransaction> transactions = plan_transactions(plan, accounts);
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        if (held[i] >= accounts[i].needs) continue;
        const Uint256 missing = accounts[i].needs - held[i];
        treasurer.pay(accounts[i].key.address, missing);
        accounts[i].balance += missing;
    }
    say("setting up: {}\n", counted(treasurer.transactions().size(), "transaction"));
    send_setup(rpc, endpoints, treasurer);
    return {plan, std::move(accounts), std::move(transactions)};
}

/// Takes what each account has paid off what it must have.
CheckResult check_load(const Endpoint& endpoint, PreparedLoad& load,
                       const SubmissionResult& result) {
    // The other connection was idle so long that the node may have closed it.
    RpcClient rpc{endpoint};
    CheckResult check = check_receipts(rpc, load.transactions, result, load.accounts);
    const Uint256 base_fee = latest_base_fee(rpc);
    if (result.lost != 0 && base_fee > load.plan.fees.max_fee)
        check.problems.insert(
            check.problems.begin(),
            fmt::format("full blocks raised the base fee to {} wei, above the {} that the "
                        "transactions offer: send fewer, or fewer a second with --rate",
                        to_decimal(base_fee), to_decimal(load.plan.fees.max_fee)));
    // What was not sent changed nothing, so the plan does not hold.
    if (result.not_sent == 0 && result.rejected == 0)
        check_accounts(rpc, load.accounts, load.plan.contracts.token, check);
    return check;
}

}  // namespace

LoadReport run_load(const LoadOptions& options) {
    const std::vector<Endpoint> endpoints = parse_endpoints(options);
    const auto kind = kind_from_string(options.kind);
    if (!kind.has_value())
        fail_input("--kind: {}: expected transfers, erc20 or mixed", options.kind);
    RpcClient rpc{endpoints.front()};
    const Surroundings around = look_around(rpc, options);
    PreparedLoad load = prepare_load(rpc, endpoints, options, around, *kind);

    say("sending\n");
    LoadReport report;
    report.client = around.client;
    report.kind = options.kind;
    Submission submission{endpoints, submission_options(options), load.transactions,
                          next_block(rpc)};
    const double cpu_before = processor_seconds();
    report.submission = submission.run();
    report.cpu_seconds = processor_seconds() - cpu_before;
    summarize(report);

    say("checking\n");
    report.check = check_load(endpoints.front(), load, report.submission);
    return report;
}

namespace {

std::string describe_json(const LoadReport& report) {
    const SubmissionResult& result = report.submission;
    std::string text;
    JsonWriter out{text};
    const auto real = [&out](std::string_view name, double value) {
        out.key(name);
        out.raw(fmt::format("{:.3f}", value));
    };
    const auto number = [&out](std::string_view name, std::uint64_t value) {
        out.key(name);
        out.number(value);
    };
    const auto spread = [&](std::string_view name, const Percentiles& values) {
        out.key(name);
        out.begin_object();
        real("p50", values.p50);
        real("p90", values.p90);
        real("p99", values.p99);
        real("max", values.max);
        out.end_object();
    };
    const double per_second = report.seconds > 0 ? 1 / report.seconds : 0;
    out.begin_object();
    out.key("client");
    out.string(report.client);
    out.key("kind");
    out.string(report.kind);
    number("accepted", result.accepted);
    number("succeeded", report.check.succeeded);
    number("rejected", result.rejected);
    number("notSent", result.not_sent);
    number("lost", result.lost);
    number("problems", report.check.problem_count);
    real("seconds", report.seconds);
    real("transactionsPerSecond", static_cast<double>(report.check.succeeded) * per_second);
    real("gasPerSecond", static_cast<double>(report.gas_used) * per_second);
    number("blocks", report.blocks);
    number("gasUsed", report.gas_used);
    spread("latencyMilliseconds", report.latency);
    spread("blockDistanceMilliseconds", report.distance);
    real("loadGeneratorCpuSeconds", report.cpu_seconds);
    out.end_object();
    return text + "\n";
}

std::string describe_text(const LoadReport& report) {
    const SubmissionResult& result = report.submission;
    const double per_second = report.seconds > 0 ? 1 / report.seconds : 0;
    const auto spread = [](const Percentiles& values) {
        return fmt::format("{:.1f} ms (p50), {:.1f} (p90), {:.1f} (p99), {:.1f} at most",
                           values.p50, values.p90, values.p99, values.max);
    };
    std::string text = fmt::format("{}\n", report.client);
    text += fmt::format("{:<14}{:.0f} per second: {} in {:.2f} s\n", report.kind,
                        static_cast<double>(report.check.succeeded) * per_second,
                        report.check.succeeded, report.seconds);
    text += fmt::format("{:<14}{}\n", "latency", spread(report.latency));
    text += fmt::format("{:<14}{} with {:.0f} transactions on the average; distance {}\n", "blocks",
                        report.blocks,
                        static_cast<double>(report.check.succeeded) /
                            static_cast<double>(std::max<std::uint64_t>(report.blocks, 1)),
                        spread(report.distance));
    text += fmt::format("{:<14}{:.1f} million per second\n", "gas",
                        1e-6 * static_cast<double>(report.gas_used) * per_second);
    text += fmt::format("{:<14}{:.2f} s of processor time\n", "load itself", report.cpu_seconds);
    text += fmt::format("{:<14}{} accepted, {} rejected, {} not sent, {} lost, {}\n", "checked",
                        result.accepted, result.rejected, result.not_sent, result.lost,
                        counted(report.check.problem_count, "problem"));
    for (const std::string& reason : result.rejections)
        text += fmt::format("  rejected: {}\n", reason);
    for (const std::string& problem : report.check.problems)
        text += fmt::format("  {}\n", problem);
    return text;
}

}  // namespace

std::string describe(const LoadReport& report, bool as_json) {
    return as_json ? describe_json(report) : describe_text(report);
}

}  // namespace heddle::node::load
