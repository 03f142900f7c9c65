// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "fault_plan.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <span>
#include <system_error>

#include "system_calls.hpp"

namespace heddle::fault {
namespace {

constexpr std::array<std::string_view, kFileClassCount> kFileClassNames = {
    "wal", "manifest", "table", "current", "options", "lock", "temporary", "folder", "other"};
constexpr std::array<std::string_view, kOperationKindCount> kOperationKindNames = {
    "append", "sync",   "range_sync", "allocate",   "truncate",
    "create", "rename", "unlink",     "folder_sync"};
constexpr std::array<std::string_view, 4> kActionNames = {"none", "kill", "power", "error"};
constexpr std::array<std::string_view, 3> kMomentNames = {"before", "middle", "after"};
constexpr std::array<std::string_view, 3> kSpanNames = {"once", "on", "short"};

std::string_view variable(const char* name) noexcept {
    const char* text = std::getenv(name);
    return text == nullptr ? std::string_view{} : std::string_view{text};
}

[[noreturn]] void refuse(const char* name, std::string_view text) {
    const std::string message =
        std::string("fault shim: ") + name + "=" + std::string(text) + " means nothing\n";
    kernel::write(STDERR_FILENO, message.data(), message.size());
    // Not _exit(), which is the shim's, and the shim is being made.
    for (;;)
        ::syscall(SYS_exit_group, 125);
}

/// The place of the variable's text among `names`; none where it is not set.
std::optional<std::size_t> choice(const char* name, std::span<const std::string_view> names) {
    const std::string_view text = variable(name);
    if (text.empty()) return std::nullopt;
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) refuse(name, text);
    return static_cast<std::size_t>(found - names.begin());
}

std::uint64_t number(const char* name) {
    const std::string_view text = variable(name);
    std::uint64_t value = 0;
    if (text.empty()) return value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) refuse(name, text);
    return value;
}

}  // namespace

std::string_view to_string(FileClass file_class) noexcept {
    return kFileClassNames.at(static_cast<std::size_t>(file_class));
}

std::string_view to_string(OperationKind kind) noexcept {
    return kOperationKindNames.at(static_cast<std::size_t>(kind));
}

FileClass classify(std::string_view path, bool is_folder) noexcept {
    if (is_folder) return FileClass::folder;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (name.ends_with(".log")) return FileClass::wal;
    if (name.starts_with("MANIFEST-")) return FileClass::manifest;
    if (name.ends_with(".sst") || name.ends_with(".blob")) return FileClass::table;
    if (name.ends_with(".dbtmp") || name.ends_with(".tmp")) return FileClass::temporary;
    if (name.starts_with("OPTIONS-")) return FileClass::options;
    if (name == "CURRENT") return FileClass::current;
    if (name == "LOCK") return FileClass::lock;
    return FileClass::other;
}

Options options_from_environment() {
    Options options;
    options.folder = variable("HEDDLE_FAULT_DIR");
    while (options.folder.size() > 1 && options.folder.ends_with('/'))
        options.folder.pop_back();
    if (options.folder.empty()) return options;
    if (options.folder.front() != '/') refuse("HEDDLE_FAULT_DIR", options.folder);
    if (const auto found = choice("HEDDLE_FAULT_ACTION", kActionNames))
        options.action = static_cast<Action>(*found);
    if (const auto found = choice("HEDDLE_FAULT_WHEN", kMomentNames))
        options.moment = static_cast<Moment>(*found);
    if (const auto found = choice("HEDDLE_FAULT_SPAN", kSpanNames))
        options.span = static_cast<Span>(*found);
    if (const auto found = choice("HEDDLE_FAULT_CLASS", kFileClassNames))
        options.file_class = static_cast<FileClass>(*found);
    if (const auto found = choice("HEDDLE_FAULT_OPERATION", kOperationKindNames))
        options.kind = static_cast<OperationKind>(*found);
    constexpr std::array<std::string_view, 3> kErrorNames = {"ENOSPC", "EIO", "EDQUOT"};
    constexpr std::array<int, kErrorNames.size()> kErrors = {ENOSPC, EIO, EDQUOT};
    const auto error = choice("HEDDLE_FAULT_ERROR", kErrorNames);
    options.error = kErrors.at(error.value_or(0));
    constexpr std::array<std::string_view, 1> kExitNames = {"power"};
    options.loses_power_at_exit = choice("HEDDLE_FAULT_AT_EXIT", kExitNames).has_value();
    options.position = number("HEDDLE_FAULT_AT");
    options.seed = number("HEDDLE_FAULT_SEED");
    options.report = variable("HEDDLE_FAULT_REPORT");
    options.carry = variable("HEDDLE_FAULT_CARRY");
    return options;
}

bool FaultPlan::fails_from_now_on(OperationKind kind) const noexcept {
    if (options_.span == Span::once) return false;
    if (options_.error == EIO) return true;
    // A full disk still removes, renames and makes durable what it already has room for.
    return kind == OperationKind::append || kind == OperationKind::create ||
           kind == OperationKind::allocate;
}

Verdict FaultPlan::next(FileClass file_class, OperationKind kind) {
    ++counts_.at(static_cast<std::size_t>(file_class)).at(static_cast<std::size_t>(kind));
    if (options_.action == Action::none) return {};
    // A hint that promises nothing and, on a file without unwritten pages, cannot fail: RocksDB
    // asks once per file whether it is there at all, and asserts that the answer is yes or no.
    if (options_.action == Action::error && kind == OperationKind::range_sync) return {};
    if (has_struck_) {
        if (options_.action == Action::error && fails_from_now_on(kind))
            return {.kind = Verdict::Kind::fail, .error = options_.error};
        return {};
    }
    if (options_.file_class && *options_.file_class != file_class) return {};
    if (options_.kind && *options_.kind != kind) return {};
    if (++matching_ != options_.position) return {};
    has_struck_ = true;
    if (options_.action != Action::error) return {.kind = Verdict::Kind::strike};
    const bool is_short = options_.span == Span::half && kind == OperationKind::append;
    return {.kind = is_short ? Verdict::Kind::half : Verdict::Kind::fail, .error = options_.error};
}

std::string FaultPlan::counts() const {
    std::string text;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < kFileClassCount; ++i) {
        for (std::size_t j = 0; j < kOperationKindCount; ++j) {
            const std::uint64_t count = counts_[i][j];
            if (count == 0) continue;
            total += count;
            text.append("count ").append(kFileClassNames[i]).append(" ");
            text.append(kOperationKindNames[j]).append(" ");
            text.append(std::to_string(count)).append("\n");
        }
    }
    return text + "total " + std::to_string(total) + "\n";
}

}  // namespace heddle::fault
