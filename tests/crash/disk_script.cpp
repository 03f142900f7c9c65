// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Runs disk operations given as arguments, for the tests of the fault shim. Each operation prints
// `ok` or the name of its error. The names of files are relative to the working folder:
//
//   cd FOLDER | append FILE SIZE LETTER | at FILE OFFSET SIZE LETTER | sync FILE | truncate FILE
//   SIZE allocate FILE SIZE | rename FROM TO | unlink FILE | mkdir FOLDER | rmdir FOLDER syncdir
//   FOLDER | stream FILE TEXT | close FILE
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

/// Files stay open until `close`, as RocksDB keeps its log open.
class Script {
public:
    explicit Script(std::vector<std::string> words) : words_(std::move(words)) {}

    int run() {
        while (place_ < words_.size()) {
            const std::string verb = take();
            errno = 0;
            const bool is_done = step(verb);
            std::printf("%s\n", is_done ? "ok" : ::strerrorname_np(errno));
            std::fflush(stdout);
        }
        return 0;
    }

private:
    std::string take() { return place_ < words_.size() ? words_[place_++] : std::string{}; }
    off_t take_number() { return std::strtol(take().c_str(), nullptr, 10); }

    int file(const std::string& name) {
        if (!files_.contains(name)) {
            const int fd = ::open(name.c_str(), O_CREAT | O_RDWR, 0644);
            if (fd < 0) return fd;
            ::lseek(fd, 0, SEEK_END);
            files_[name] = fd;
        }
        return files_[name];
    }

    /// A short write is no error; what is missing after it is.
    static bool write_all(int fd, const std::string& bytes, off_t offset) {
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t put = offset < 0 ? ::write(fd, bytes.data() + done, bytes.size() - done)
                                           : ::pwrite(fd, bytes.data() + done, bytes.size() - done,
                                                      offset + static_cast<off_t>(done));
            if (put < 0) return false;
            done += static_cast<std::size_t>(put);
        }
        return true;
    }

    bool step(const std::string& verb) {
        const std::string name = take();
        if (verb == "cd") return ::chdir(name.c_str()) == 0;
        if (verb == "append" || verb == "at") {
            const off_t offset = verb == "at" ? take_number() : -1;
            const auto size = static_cast<std::size_t>(take_number());
            const std::string bytes(size, take().front());
            const int fd = file(name);
            return fd >= 0 && write_all(fd, bytes, offset);
        }
        if (verb == "sync") return ::fdatasync(file(name)) == 0;
        if (verb == "truncate") return ::ftruncate(file(name), take_number()) == 0;
        if (verb == "allocate") return ::fallocate(file(name), 0, 0, take_number()) == 0;
        if (verb == "rename") return std::rename(name.c_str(), take().c_str()) == 0;
        if (verb == "unlink") return ::unlink(name.c_str()) == 0;
        if (verb == "mkdir") return ::mkdir(name.c_str(), 0755) == 0;
        if (verb == "rmdir") return ::rmdir(name.c_str()) == 0;
        if (verb == "syncdir") return sync_folder(name);
        if (verb == "stream") return write_stream(name, take());
        if (verb == "close") {
            const int fd = file(name);
            files_.erase(name);
            return ::close(fd) == 0;
        }
        std::fprintf(stderr, "no such operation: %s\n", verb.c_str());
        std::exit(2);
    }

    static bool sync_folder(const std::string& name) {
        const int fd = ::open(name.c_str(), O_RDONLY | O_DIRECTORY);
        if (fd < 0) return false;
        const bool is_done = ::fsync(fd) == 0;
        const int error = errno;
        ::close(fd);
        errno = error;
        return is_done;
    }

    static bool write_stream(const std::string& name, const std::string& text) {
        std::FILE* const stream = std::fopen(name.c_str(), "w");
        if (stream == nullptr) return false;
        std::fputs(text.c_str(), stream);
        return std::fclose(stream) == 0;
    }

    std::vector<std::string> words_;
    std::size_t place_ = 0;
    std::map<std::string, int> files_;
};

}  // namespace

int main(int count, char** arguments) {
    return Script({arguments + 1, arguments + count}).run();
}
