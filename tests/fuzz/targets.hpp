// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions under fuzz: each takes any bytes, and ends the process when a promise is broken.
// libFuzzer drives them one by one; the replay test drives them all over their corpora.
#pragma once

#include <string_view>

#include <types/bytes.hpp>

namespace heddle::fuzz {

/// Every item that the reader accepts is canonical: encoding it again gives the same bytes.
void rlp(BytesView input);
/// What decodes encodes to the same bytes, alone and as an element of a body.
void transaction(BytesView input);
/// The same for headers and blocks.
void block(BytesView input);
/// Any text is a genesis or an InputError, the same read whole and as a stream.
void genesis(BytesView input);
/// Whatever another node says is a block with its hashes, a message, or an InputError.
void follow(BytesView input);
/// Any text is answered with nothing or with well-formed responses, at most one for each call.
void json_rpc(BytesView input);
/// Any stream of requests is answered, each in its kind or by an Exception; proposals fit, and
/// decided blocks give one result for each item, the same every time.
void abci(BytesView input);
/// What decodes as an access list encodes to the same bytes; whoever executes from lists takes just
/// those in good form, in whatever parts, and makes of them what they say.
void access_list(BytesView input);
/// Any file of blocks, RLP, era1 or ere, is read to its end or to an error inside it, and so are
/// frames of snappy; also behind checksums.
void history(BytesView input);
/// The same for files of object sets, and for sets in a record without fault.
void sidecar(BytesView input);
/// Any blocks of lanes are merged, each transaction at most once.
void lanes(BytesView input);
/// Any bytes are a feed that goes on, and is saved as it was, or none.
void lane_feed(BytesView input);
/// Any text is a parameter of a call, or refused in words.
void parameters(BytesView input);
/// Any input of a precompiled contract is refused or answered, and answers keep the laws of groups.
void precompile(BytesView input);
/// Any trie nodes prove the same to every reader, and have a root after any change or none.
void proof(BytesView input);
/// Any record is events or an error.
void recording(BytesView input);
/// A stream of a snapshot says the same in whatever pieces it comes.
void snapshot(BytesView input);
/// Any head of a request is judged, and messages end where they end in whatever pieces they come.
void transport(BytesView input);
/// The fast interpreter does what the plain one does, on programs made from the input.
void interpreter(BytesView input);

/// Many signatures at once have the signers that they have one by one.
void signatures(BytesView input);

struct Target {
    std::string_view name;
    void (*run)(BytesView);
};
inline constexpr Target kTargets[] = {{"abci", abci},
                                      {"access_list", access_list},
                                      {"block", block},
                                      {"follow", follow},
                                      {"genesis", genesis},
                                      {"history", history},
                                      {"interpreter", interpreter},
                                      {"json_rpc", json_rpc},
                                      {"lane_feed", lane_feed},
                                      {"lanes", lanes},
                                      {"parameters", parameters},
                                      {"precompile", precompile},
                                      {"proof", proof},
                                      {"recording", recording},
                                      {"rlp", rlp},
                                      {"sidecar", sidecar},
                                      {"signatures", signatures},
                                      {"snapshot", snapshot},
                                      {"transaction", transaction},
                                      {"transport", transport}};

/// Says what is wrong and aborts, which is how fuzzers learn of it.
[[noreturn]] void fail(std::string_view what);
inline void require(bool holds, std::string_view what) {
    if (!holds) fail(what);
}

}  // namespace heddle::fuzz
