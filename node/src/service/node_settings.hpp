// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every option of the node with what it is for, in the order of the printed configuration. Who
// reads, sets or prints options visits them: `visitor.section()` begins one, `visitor.option()` is
// called for each of its options. What the values mean is in node_config.hpp.
#pragma once

#include <string>

#include <fmt/format.h>

#include <executor/schedulers.hpp>

namespace heddle::node::settings {

/// "`serial` or `dag`."
inline std::string scheduler_text() {
    std::string text;
    for (const std::string& name : executor::scheduler_names())
        text += fmt::format("{}`{}`", text.empty() ? "" : " or ", name);
    return text + ".";
}

template <typename Section, typename Visitor>
void visit_chain(Section& chain, Visitor& visitor) {
    visitor.section("chain", "Which chain, and where it is kept.");
    visitor.option("datadir", chain.datadir,
                   "Folder of the ledger. Made from the genesis file where it does not exist.");
    visitor.option("genesis", chain.genesis,
                   "Genesis file in geth's format; needed for a new data directory only.");
    visitor.option("fork", chain.fork, "With --dev: the rules, from the first block on.");
    visitor.option("id", chain.id, "With --dev: the chain id of a new chain.");
    visitor.option("timestamps", chain.timestamps,
                   "With --dev: `equal` (blocks of one second have the same) or `distinct` (each "
                   "is at least one second after the one before).");
    visitor.option("any_code_size", chain.any_code_size,
                   "With --dev: contracts may be larger than EIP-170 allows.");
}

template <typename Section, typename Visitor>
void visit_ledger(Section& ledger, Visitor& visitor) {
    visitor.section("ledger", "How blocks and state are kept.");
    visitor.option(
        "sync", ledger.sync,
        "When blocks are forced to the disk: `block`, a number of blocks, or a time (`5s`). Blocks "
        "are acknowledged when they are durable (`block`), else when they are written.");
    visitor.option("memory", ledger.memory,
                   "For everything that the node keeps in memory, in MiB; what has which part of "
                   "it is in docs/operating.md and in the log.");
    visitor.option("history", ledger.history, "Blocks below the head whose state is kept.");
    visitor.option("access_lists", ledger.access_lists,
                   "Blocks below the head whose access lists are kept (EIP-7928).");
    visitor.option("store_lists", ledger.store_lists,
                   "Makes and keeps access lists of blocks before Amsterdam, too.");
    visitor.option("archive", ledger.archive,
                   "Keeps the state of every block, and every access list.");
}

template <typename Section, typename Visitor>
void visit_executor(Section& executor, Visitor& visitor) {
    visitor.section("executor", "How blocks are executed. Nothing here changes a result.");
    visitor.option("scheduler", executor.scheduler, scheduler_text());
    visitor.option("workers", executor.workers, "Threads that execute; 0: one per processor.");
}

template <typename Section, typename Visitor>
void visit_consensus(Section& consensus, Visitor& visitor) {
    visitor.section("consensus",
                    "Who decides which blocks there are, and what this node proposes.");
    visitor.option("engine", consensus.engine,
                   "`solo`: this process alone; `cometbft`: the validators of a network; `follow`: "
                   "another node; `lanes`: several logs, merged.");
    visitor.option(
        "seal", consensus.seal,
        "With `solo`: `demand` (when transactions arrive), `automine` (the same, and who sends one "
        "is answered when its block is there), `interval`, or `command` (evm_mine).");
    visitor.option("block_time", consensus.block_time, "Distance of blocks with `interval`.");
    visitor.option("least_distance", consensus.least_distance,
                   "Least distance of blocks with `demand`.");
    visitor.option("beneficiary", consensus.beneficiary,
                   "Who gets the fees of blocks proposed here.");
    visitor.option("gas_limit", consensus.gas_limit,
                   "Gas limit that blocks move to; 0: that of the parent.");
    visitor.option("extra_data", consensus.extra_data,
                   "With `solo`: text in each header, up to 32 bytes.");
}

template <typename Section, typename Visitor>
void visit_building(Section& building, Visitor& visitor) {
    visitor.section("building", "How blocks proposed here are put together.");
    visitor.option("builder", building.builder,
                   "`aria`: in batches on `executor.workers` threads, in an order that few of them "
                   "mind; `serial`: one transaction after the other, the best paying first.");
    visitor.option("fee_tolerance", building.fee_tolerance,
                   "With `aria`: by how many percent less those may pay the proposer per gas that "
                   "stand before a transaction; 0 to 100.");
}

template <typename Section, typename Visitor>
void visit_cometbft(Section& cometbft, Visitor& visitor) {
    visitor.section("cometbft", "With `consensus.engine = \"cometbft\"`.");
    visitor.option(
        "abci", cometbft.abci,
        "Where CometBFT finds this node: its `proxy_app`; `tcp://ADDRESS:PORT` or `unix://PATH`.");
    visitor.option("rpc", cometbft.rpc, "CometBFT's own RPC: its `rpc.laddr`.");
    visitor.option("access_lists", cometbft.access_lists,
                   "Whether blocks proposed here carry their access lists. Not before every "
                   "validator runs a version that knows them; else they carry object sets.");
    visitor.option("state_sync", cometbft.state_sync,
                   "Whether a new data directory is filled with a snapshot of peers, as CometBFT's "
                   "`statesync.enable` says; else by executing the chain from its beginning.");
    visitor.option("snapshot_interval", cometbft.snapshot_interval,
                   "Blocks between two snapshots for others to start from; 0: none are made.");
    visitor.option("snapshots_kept", cometbft.snapshots_kept, "Most snapshots kept.");
    visitor.option("retain_blocks", cometbft.retain_blocks,
                   "Blocks that CometBFT keeps below the head for others to replay; 0: all.");
}

template <typename Section, typename Visitor>
void visit_follow(Section& follow, Visitor& visitor) {
    visitor.section("follow", "With `consensus.engine = \"follow\"`, which `--follow` sets.");
    visitor.option("origin", follow.origin,
                   "JSON-RPC of the node whose blocks are executed here: `ws://HOST:PORT` or "
                   "`http://HOST:PORT`, over TLS `wss://HOST` or `https://HOST`. Transactions that "
                   "are sent to this node go there.");
    visitor.option("ca", follow.ca,
                   "Over TLS: file of certificates in PEM that are believed beside the system's.");
    visitor.option("depth", follow.depth,
                   "When a block is taken: `finalized` (once the origin calls it so; 64 blocks "
                   "deep where it calls none so), or the number of blocks on top of it.");
    visitor.option("connections", follow.connections, "Connections that fetch blocks, 1 to 64.");
    visitor.option("timeout", follow.timeout, "Most time for an answer of the origin.");
    visitor.option("max_answer_megabytes", follow.max_answer_megabytes,
                   "Largest answer of the origin, in MiB; 1 to 1,024.");
}

template <typename Section, typename Visitor>
void visit_forking(Section& forking, Visitor& visitor) {
    visitor.section("forking",
                    "With --dev: the chain goes on from a block of another node's chain.");
    visitor.option("url", forking.url,
                   "JSON-RPC of that node: `http://HOST:PORT` or `ws://HOST:PORT`, over TLS "
                   "`https://HOST` or `wss://HOST`; empty: the chain begins by itself.");
    visitor.option("ca", forking.ca,
                   "Over TLS: file of certificates in PEM that are believed beside the system's.");
    visitor.option("block", forking.block, "Number of the block, or `latest`.");
    visitor.option("cache", forking.cache,
                   "Folder where what was read is kept; empty: heddle/fork in the user's folder "
                   "for caches; `none`: nothing is kept.");
    visitor.option("verify", forking.verify,
                   "Whether every value is proven against the block's state root (eth_getProof).");
    visitor.option("offline", forking.offline, "Nobody is asked: what is there is in the cache.");
    visitor.option("timeout", forking.timeout,
                   "Most time for one question to that node, with all its attempts.");
    visitor.option("connections", forking.connections, "Most connections to it, 1 to 64.");
    visitor.option("calls_per_second", forking.calls_per_second,
                   "Most questions a second; 0: any number.");
    visitor.option("max_answer_megabytes", forking.max_answer_megabytes,
                   "Largest answer, in MiB; 1 to 1,024.");
}

template <typename Section, typename Visitor>
void visit_lanes(Section& lanes, Visitor& visitor) {
    visitor.section("lanes",
                    "With `consensus.engine = \"lanes\"`: docs/lanes.md. The first four are the "
                    "same at every node.");
    visitor.option("addresses", lanes.addresses,
                   "JSON-RPC of a validator of each lane, in the order of the lanes: "
                   "`http://HOST:PORT`, over TLS `https://HOST`.");
    visitor.option("comets", lanes.comets,
                   "The RPC of a CometBFT of each lane, where entries are sent to.");
    visitor.option(
        "genesis", lanes.genesis,
        "CometBFT's genesis file of each lane, whose validators, and those whom they name after "
        "them, must have signed its blocks; empty: the validators that are asked are believed.");
    visitor.option("ca", lanes.ca,
                   "Of `addresses` and `join` over TLS: file of certificates in PEM that are "
                   "believed beside the system's.");
    visitor.option("leading", lanes.leading, "The lane whose blocks name the cuts, from 0.");
    visitor.option("mover", lanes.mover,
                   "Account that may move homes that are not its own; empty: nobody may.");
    visitor.option("opportunistic", lanes.opportunistic,
                   "Asks lanes to insert transactions of several homes at one time.");
    visitor.option("overshoot", lanes.overshoot, "Added to the time that the farthest lane needs.");
    visitor.option("retain_blocks", lanes.retain_blocks,
                   "Blocks of each lane's log that are kept below what a start needs; 0: all, with "
                   "which `heddle lanes merge` makes the chain again.");
    visitor.option("join", lanes.join,
                   "JSON-RPC of a running node over these lanes, whose state a new data directory "
                   "begins with; empty: it begins with height 1 of each lane.");
    visitor.option("trust_number", lanes.trust_number,
                   "Number of a block that this chain has, above the snapshot that is joined by.");
    visitor.option("trust_hash", lanes.trust_hash,
                   "Its hash, from somebody who is believed: another one is refused. Empty: no "
                   "block is known.");
    visitor.option(
        "snapshot_interval", lanes.snapshot_interval,
        "Merged blocks from one snapshot for nodes that join to the next; 0: none are made.");
    visitor.option("snapshots_kept", lanes.snapshots_kept, "How many of the newest stay.");
}

template <typename Section, typename Visitor>
void visit_replication(Section& replication, Visitor& visitor) {
    visitor.section("replication",
                    "A primary and its backups: docs/replication.md. The same at every member, but "
                    "for the name.");
    visitor.option("mode", replication.mode,
                   "`off`; `sync`: a block is shown once `acks` backups have it on their disks; "
                   "`async`: at once.");
    visitor.option("name", replication.name, "Of this member.");
    visitor.option("members", replication.members,
                   "All of them, as \"NAME=ws://HOST:PORT\": their JSON-RPC.");
    visitor.option(
        "primary", replication.primary,
        "Who leads as long as nobody was promoted; afterwards members know by themselves.");
    visitor.option("acks", replication.acks, "With `sync`: backups that must have a block.");
    visitor.option("timeout", replication.timeout,
                   "How long a block waits for them, and a backup may say nothing.");
    visitor.option(
        "on_timeout", replication.on_timeout,
        "Then: `stop` (no more blocks are made and no transactions taken until they have it) or "
        "`degrade` (blocks are shown without, until enough have caught up).");
    visitor.option("window", replication.window,
                   "Most blocks that are made and wait to be shown, 1 to 100.");
}

template <typename Section, typename Visitor>
void visit_mempool(Section& mempool, Visitor& visitor) {
    visitor.section("mempool", "Transactions that wait for a block.");
    visitor.option("max_transactions", mempool.max_transactions, "Most transactions kept.");
    visitor.option("max_megabytes", mempool.max_megabytes,
                   "Most memory for them, in MiB; an eighth of ledger.memory where that is less.");
    visitor.option("max_per_sender", mempool.max_per_sender, "Most of one sender.");
    visitor.option("price_bump", mempool.price_bump,
                   "By how many percent a replacement must pay more.");
    visitor.option("min_priority_fee", mempool.min_priority_fee,
                   "Least tip of transactions that are not local, in wei.");
    visitor.option("local", mempool.local,
                   "Whose transactions are local (kept longest and for ever, without a least tip): "
                   "`none`, `loopback` (programs on this machine) or `all`; empty: `loopback` with "
                   "--dev, else `none`.");
    visitor.option("journal", mempool.journal,
                   "Whether transactions that came to this node first survive a restart "
                   "(`mempool.rlp` in the data directory).");
    visitor.option("allow_unprotected", mempool.allow_unprotected,
                   "Whether JSON-RPC takes transactions without a chain id (EIP-155), which are "
                   "valid on every chain; with --dev it always does.");
}

/// What callers may take of the node.
template <typename Section, typename Visitor>
void visit_rpc_bounds(Section& rpc, Visitor& visitor) {
    visitor.option("threads", rpc.threads, "Threads for the network; 0: by the machine.");
    visitor.option("heavy_calls", rpc.heavy_calls,
                   "Calls that execute code (eth_call, estimates, traces) and may run at once; 0: "
                   "by the machine.");
    visitor.option("scans", rpc.scans,
                   "Calls that read much (logs, proofs, large batches) and may run at once, beside "
                   "those that execute; 0: by the machine.");
    visitor.option(
        "queue", rpc.queue,
        "Calls of each of these kinds that may wait. One address has at most what is left.");
    visitor.option("max_connections", rpc.max_connections, "Most open connections.");
    visitor.option(
        "max_connections_per_address", rpc.max_connections_per_address,
        "Most of one IPv4 address or IPv6 network (/64); 0: any number, for a proxy in front.");
    visitor.option("max_request_kilobytes", rpc.max_request_kilobytes, "Largest request, in KiB.");
    visitor.option("max_response_kilobytes", rpc.max_response_kilobytes,
                   "Largest response, in KiB.");
    visitor.option("batch_items", rpc.batch_items, "Most calls of a batch.");
    visitor.option("call_timeout", rpc.call_timeout, "Most time for one call.");
    visitor.option("idle_timeout", rpc.idle_timeout, "How long an unused connection stays open.");
    visitor.option("header_timeout", rpc.header_timeout,
                   "How long a client may take for the header of a request; a body must come at 16 "
                   "KiB a second from then on.");
    visitor.option("read_timeout", rpc.read_timeout,
                   "How long a client may take for a request at most.");
    visitor.option("call_gas", rpc.call_gas, "Most gas of eth_call and its like.");
    visitor.option("gas_per_second", rpc.gas_per_second,
                   "Gas that calls of one address may use each second, and ten times as much at "
                   "once; 0: any amount.");
    visitor.option("logs_blocks", rpc.logs_blocks, "Most blocks of one eth_getLogs.");
    visitor.option("logs_results", rpc.logs_results, "Most logs of one eth_getLogs.");
    visitor.option("trace_blocks", rpc.trace_blocks,
                   "Most blocks of one trace_filter, which executes them again.");
}

template <typename Section, typename Visitor>
void visit_rpc(Section& rpc, Visitor& visitor) {
    visitor.section("rpc", "JSON-RPC over HTTP and WebSocket, /metrics and /health.");
    visitor.option("address", rpc.address, "Address to listen on; 0.0.0.0 or :: for all.");
    visitor.option("port", rpc.port, "Port to listen on; 0: any free one.");
    visitor.option("ipc_path", rpc.ipc_path,
                   "File of a local socket that answers, too, with every method: only the user of "
                   "the node may open it. Empty: none.");
    visit_rpc_bounds(rpc, visitor);
    visitor.option("allowed_origins", rpc.allowed_origins,
                   "Origins of web pages that may call (CORS, WebSocket); \"*\": any. With --dev "
                   "pages that this machine serves may, too.");
    visitor.option("allowed_hosts", rpc.allowed_hosts,
                   "Host names under which the node may be called, besides addresses; \"*\": any.");
    visitor.option("client_name", rpc.client_name,
                   "What web3_clientVersion begins with, for tools that look for a name: `anvil` "
                   "or `HardhatNetwork` lets hardhat's helpers use the methods of --dev.");
    visitor.option("throw_on_failure", rpc.throw_on_failure,
                   "With `seal = \"automine\"`: who sends a transaction that fails is answered an "
                   "error with the reason, as by hardhat's network, in place of the hash; the "
                   "transaction is in its block either way.");
    visitor.option("artifacts", rpc.artifacts,
                   "Folder of what a compiler of contracts leaves behind (hardhat, foundry, solc), "
                   "by which the page at / reads calls, events and errors.");
    visitor.option("executions", rpc.executions,
                   "Blocks of which is kept how they ran, for the page; 0: nobody watches.");
    visitor.option("jwt_secret", rpc.jwt_secret,
                   "File with 32 bytes in hexadecimal. Administrative methods (evm_*, debug_* that "
                   "change something) answer to holders of a token signed with it.");
    visitor.option("expose_admin", rpc.expose_admin,
                   "Whether administrative methods answer to everybody.");
}

template <typename Section, typename Visitor>
void visit_record(Section& record, Visitor& visitor) {
    visitor.section("record", "What decides what this node does, written down for `heddle rerun`.");
    visitor.option("folder", record.folder, "Folder of the recording; empty: there is none.");
    visitor.option("limit", record.limit,
                   "Most of it, in MiB; 0: any. The oldest parts are removed: what is left begins "
                   "at a later block.");
}

template <typename Section, typename Visitor>
void visit_log(Section& log, Visitor& visitor) {
    visitor.section("log", "What the node says on standard error.");
    visitor.option("format", log.format, "`text` or `json`.");
    visitor.option("level", log.level, "`trace`, `debug`, `info`, `warning`, `error` or `off`.");
    visitor.option(
        "levels", log.levels,
        "By component (node, chain, consensus, mempool, rpc), e.g. { rpc = \"debug\" }.");
}

/// Of a NodeConfig.
template <typename Config, typename Visitor>
void visit_all(Config& config, Visitor& visitor) {
    auto& [chain, ledger, executor, consensus, building, cometbft, follow, forking, lanes,
           replication, mempool, rpc, record, log] = config;  // no section is left out
    visit_chain(chain, visitor);
    visit_ledger(ledger, visitor);
    visit_executor(executor, visitor);
    visit_consensus(consensus, visitor);
    visit_building(building, visitor);
    visit_cometbft(cometbft, visitor);
    visit_follow(follow, visitor);
    visit_forking(forking, visitor);
    visit_lanes(lanes, visitor);
    visit_replication(replication, visitor);
    visit_mempool(mempool, visitor);
    visit_rpc(rpc, visitor);
    visit_record(record, visitor);
    visit_log(log, visitor);
}

}  // namespace heddle::node::settings
