// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/ledger_error.hpp>

#include <cerrno>
#include <system_error>

namespace heddle::ledger {

namespace {

std::string_view advice(LedgerErrorCode code) noexcept {
    switch (code) {
        case LedgerErrorCode::not_found:
            return "make one with `heddle init`, or name another folder";
        case LedgerErrorCode::already_exists:
            return "use it as it is, or name another folder";
        case LedgerErrorCode::not_a_ledger:
            return "name another folder; nothing was changed in this one";
        case LedgerErrorCode::unfinished:
            return "run the command that was interrupted again";
        case LedgerErrorCode::newer_format:
            return "use the version that wrote it, or a later one";
        case LedgerErrorCode::wrong_genesis:
            return "name the genesis it was made with, or another folder";
        case LedgerErrorCode::locked:
            return "stop the other process first";
        case LedgerErrorCode::denied:
            return "run this as the user that it belongs to, or let this one read and write it; "
                   "nothing was changed";
        case LedgerErrorCode::bad_path:
            return "name another folder";
        case LedgerErrorCode::no_space:
            return "free some space and start again";
        case LedgerErrorCode::io_error:
            return "see to the disk and start again";
        case LedgerErrorCode::removed:
            return "put a copy of it there, or name another folder, and start again";
        case LedgerErrorCode::corrupt:
            return "restore the folder from a backup or a snapshot, or replay the chain into a new "
                   "one";
        case LedgerErrorCode::archive:
            return "--archive keeps it one; --history N drops all but the last N states (of a "
                   "node: ledger.archive, ledger.history)";
        case LedgerErrorCode::bad_snapshot:
            return "make or fetch it again";
        case LedgerErrorCode::unavailable:
        case LedgerErrorCode::invalid:
            return {};
    }
    return {};
}

}  // namespace

std::string_view to_string(LedgerErrorCode code) noexcept {
    switch (code) {
        case LedgerErrorCode::not_found:
            return "there is no ledger";
        case LedgerErrorCode::already_exists:
            return "there is a ledger already";
        case LedgerErrorCode::not_a_ledger:
            return "this is not a ledger";
        case LedgerErrorCode::unfinished:
            return "the ledger is unfinished";
        case LedgerErrorCode::newer_format:
            return "the ledger was written by a later version";
        case LedgerErrorCode::wrong_genesis:
            return "the ledger is of another chain";
        case LedgerErrorCode::locked:
            return "the ledger is in use by another process";
        case LedgerErrorCode::denied:
            return "no access to the ledger";
        case LedgerErrorCode::bad_path:
            return "there can be no such folder";
        case LedgerErrorCode::no_space:
            return "the disk is full";
        case LedgerErrorCode::io_error:
            return "the disk failed";
        case LedgerErrorCode::removed:
            return "the folder was removed while it was in use";
        case LedgerErrorCode::corrupt:
            return "the ledger is damaged";
        case LedgerErrorCode::archive:
            return "the ledger is an archive";
        case LedgerErrorCode::unavailable:
            return "not available";
        case LedgerErrorCode::bad_snapshot:
            return "the snapshot is damaged";
        case LedgerErrorCode::invalid:
            return "not possible";
    }
    return "unknown error";
}

namespace {

/// What the system has answered that is no fault of a disk.
struct Answer {
    int error;
    std::string_view problem;
    std::string_view what_to_do;
    bool is_end;  // of work on blocks that goes on later
};

/// In the order in which they are looked for: the words of the first contain those of the second.
constexpr Answer kAnswers[] = {
    {ENFILE, "no more files can be opened",
     "raise the system's limit of open files and start again", true},
    {EMFILE, "no more files can be opened",
     "raise the limit of open files (ulimit -n) and start again", true},
    {EROFS, "the file system is read-only",
     "mount it for writing, or copy the folder to another one; some systems make a disk read-only "
     "when it fails",
     false},
    {ENAMETOOLONG, "the name is too long", "name another folder", false},
    {ENOTDIR, "what should be a folder is none", "name another folder", false},
    {ELOOP, "links lead to each other", "name another folder", false},
};

/// nullptr: none of these. Of what a database says there is no more than the words.
const Answer* answer_in(const LedgerError& error) {
    if (error.code != LedgerErrorCode::io_error && error.code != LedgerErrorCode::bad_path)
        return nullptr;
    for (const Answer& answer : kAnswers)
        if (error.detail.find(std::generic_category().message(answer.error)) != std::string::npos)
            return &answer;
    return nullptr;
}

}  // namespace

std::string describe(const LedgerError& error) {
    const Answer* const answer = answer_in(error);
    std::string text{answer != nullptr ? answer->problem : to_string(error.code)};
    if (!error.detail.empty()) text.append(": ").append(error.detail);
    return text;
}

std::string to_string(const LedgerError& error, LedgerStage stage) {
    std::string text = describe(error);
    const Answer* const answer = answer_in(error);
    const std::string_view what = answer != nullptr ? answer->what_to_do : advice(error.code);
    if (what.empty()) return text;
    const bool is_end = answer != nullptr ? answer->is_end
                                          : error.code == LedgerErrorCode::no_space ||
                                                error.code == LedgerErrorCode::io_error;
    text.append(" (").append(what);
    if (is_end && stage == LedgerStage::kept) text.append("; acknowledged blocks are safe");
    return text.append(")");
}

}  // namespace heddle::ledger
