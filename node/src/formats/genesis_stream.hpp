// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// geth's genesis format as a stream: the allocation goes account by account to whoever keeps it,
// and only the rest is held. For first blocks of any size; parse_genesis() of genesis_json.hpp is
// the plain way, with the same results and errors for names as this program spells them: here they
// are known in any case, as geth has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/genesis.hpp>
#include <types/uint256.hpp>

#include "formats/chain_config_json.hpp"
#include "formats/json_stream.hpp"

namespace heddle::node {

/// Takes an allocation in the order of the file. May throw.
class AllocSink {
public:
    virtual ~AllocSink() = default;
    virtual void begin_account(const Address& address) = 0;
    /// Any number of times, each slot as often as the file names it.
    virtual void slot(const Uint256& slot, const Uint256& value) = 0;
    virtual void end_account(std::uint64_t nonce, const Uint256& balance, BytesView code) = 0;
};

/// What a genesis file says besides.
struct GenesisRest {
    Genesis genesis;  // without its allocation
    std::optional<ValidatorContractConfig> validators;
};

/// Members of accounts that nobody knows are skipped, as everywhere. Whether an address or a slot
/// occurs twice is the sink's to find out: it sorts them.
/// Errors: InputError as parse_genesis(); also for a member of an account that occurs twice, and
/// for more than 16 MiB besides the allocation. Those of `sink`.
[[nodiscard]] GenesisRest stream_genesis(const NextPiece& next, const std::string& name,
                                         AllocSink& sink);
/// The same for a file. Errors: also InputError where it cannot be read.
[[nodiscard]] GenesisRest stream_genesis_file(const std::string& path, AllocSink& sink,
                                              const FileProgress& on_read);

/// A slot of storage or its value in an allocation: hexadecimal with `0x` and without, as in geth.
[[nodiscard]] std::optional<Uint256> storage_word_from_text(std::string_view text);
inline constexpr std::string_view kStorageWordExpected =
    "expected a hexadecimal number below 2^256";

}  // namespace heddle::node
