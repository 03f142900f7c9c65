// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node {

OutputFile::OutputFile(std::string command, const std::string& path)
    : command_(std::move(command)),
      path_(path),
      is_standard_(is_standard_output(path)),
      is_renamed_(!is_standard_ && is_replaceable(path)),
      opened_(is_renamed_ ? path + ".unfinished" : path) {
    file_ = is_standard_ ? stdout : open();
    if (file_ != nullptr) return;
    if (is_renamed_ && errno == EWOULDBLOCK)
        fail_input("{}: cannot make {}: another process is writing it", command_, opened_);
    fail("cannot make", opened_);
}

OutputFile::~OutputFile() {
    if (file_ == nullptr || is_standard_) return;
    if (is_renamed_ && !is_published_) std::remove(opened_.c_str());
    std::fclose(file_);
}

void OutputFile::write(BytesView bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
        fail("cannot write to", path_);
    size_ += bytes.size();
}

void OutputFile::complete() {
    if (std::fflush(file_) != 0) fail("cannot write to", path_);
    if (is_renamed_ && ::fsync(::fileno(file_)) != 0) fail("cannot write to", path_);
}

void OutputFile::publish() {
    if (is_renamed_ && std::rename(opened_.c_str(), path_.c_str()) != 0)
        fail("cannot write", path_);
    is_published_ = true;
}

std::FILE* OutputFile::open() const {
    if (!is_renamed_) return std::fopen(opened_.c_str(), "wb");
    const int file = open_unfinished(opened_);
    return file < 0 ? nullptr : ::fdopen(file, "wb");
}

void OutputFile::fail(const char* doing, const std::string& path) const {
    fail_input("{}: {} {}: {}", command_, doing, path, std::strerror(errno));
}

}  // namespace heddle::node
