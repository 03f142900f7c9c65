// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// RocksDB is not built with ThreadSanitizer, which therefore misses how its threads hand bytes to
// each other and reports the copying of them. Only what has RocksDB, or a library by which it
// compresses, in one of its two stacks is left out.

#if defined(__SANITIZE_THREAD__)
#define HEDDLE_HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_HAS_THREAD_SANITIZER 1
#endif
#endif

#if defined(HEDDLE_HAS_THREAD_SANITIZER)
// Asked for by the sanitizer before main().
extern "C" const char* __tsan_default_suppressions();   // NOLINT: the sanitizer's name
extern "C" const char* __tsan_default_suppressions() {  // NOLINT
    return "called_from_lib:librocksdb.so\n"
           "called_from_lib:liblz4.so\n"
           "called_from_lib:libsnappy.so\n"
           "called_from_lib:libzstd.so\n"
           "race:librocksdb.so\n"
           "race:liblz4.so\n"
           "race:libsnappy.so\n"
           "race:libzstd.so\n"
           "race:rocksdb::FSWritableFile\n";
}
#endif
