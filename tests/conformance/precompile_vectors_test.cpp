// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// go-ethereum's precompile vectors: every input with its output and gas, and inputs that must fail.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <types/bytes.hpp>
#include <vm/precompile.hpp>

#include "fixtures.hpp"

namespace heddle::vm {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::int64_t kPlentyOfGas = 1'000'000'000;
constexpr std::size_t kFileCount = 29;
constexpr std::size_t kCaseCount = 1883;

struct Subject {
    std::uint32_t index;
    Revision revision;
};

/// Which contract a file is about, and the revision whose prices it states. Multiplications by one
/// scalar are multi-scalar ones of a single pair in the final EIP-2537.
const std::map<std::string, Subject>& subjects() {
    static const std::map<std::string, Subject> table{
        {"blake2F", {0x09, Revision::istanbul}},
        {"blsG1Add", {0x0b, Revision::prague}},
        {"blsG1Mul", {0x0c, Revision::prague}},
        {"blsG1MultiExp", {0x0c, Revision::prague}},
        {"blsG2Add", {0x0d, Revision::prague}},
        {"blsG2Mul", {0x0e, Revision::prague}},
        {"blsG2MultiExp", {0x0e, Revision::prague}},
        {"blsMapG1", {0x10, Revision::prague}},
        {"blsMapG2", {0x11, Revision::prague}},
        {"blsPairing", {0x0f, Revision::prague}},
        {"bn256Add", {0x06, Revision::istanbul}},
        {"bn256Pairing", {0x08, Revision::istanbul}},
        {"bn256ScalarMul", {0x07, Revision::istanbul}},
        {"ecRecover", {0x01, Revision::frontier}},
        {"modexp", {0x05, Revision::byzantium}},
        {"modexp_eip2565", {0x05, Revision::berlin}},
        {"modexp_eip7883", {0x05, Revision::osaka}},
        {"p256Verify", {kP256VerifyIndex, Revision::osaka}},
        {"pointEvaluation", {0x0a, Revision::cancun}},
    };
    return table;
}

Subject subject_of(std::string stem) {
    if (stem.starts_with("fail-")) stem.erase(0, 5);
    // The failing vectors spell one name in lower case.
    if (stem == "blake2f") stem = "blake2F";
    return subjects().at(stem);
}

json::array load_cases(const fs::path& path) {
    std::ifstream file{path};
    std::stringstream text;
    text << file.rdbuf();
    return json::parse(text.str()).as_array();
}

Bytes decode(const json::value& text) {
    return from_hex(std::string_view{text.as_string()}).value();
}

void check_case(const json::object& vector, Subject subject, Bytes& output) {
    const Bytes input = decode(vector.at("Input"));
    const auto result =
        run_precompile(subject.index, subject.revision, input, kPlentyOfGas, output);

    if (vector.contains("ExpectedError")) {
        EXPECT_FALSE(result.ok);
        EXPECT_EQ(result.gas_left, 0);
        EXPECT_TRUE(output.empty());
        return;
    }
    EXPECT_TRUE(result.ok);
    EXPECT_EQ(to_hex(output), to_hex(decode(vector.at("Expected"))));
    const std::int64_t gas = vector.at("Gas").as_int64();
    EXPECT_EQ(kPlentyOfGas - result.gas_left, gas);

    // Exactly enough gas suffices, one less does not.
    const auto exact = run_precompile(subject.index, subject.revision, input, gas, output);
    EXPECT_TRUE(exact.ok);
    EXPECT_EQ(exact.gas_left, 0);
    if (gas > 0) {
        EXPECT_FALSE(run_precompile(subject.index, subject.revision, input, gas - 1, output).ok);
    }
}

TEST(PrecompileVectors, every_vector_has_its_output_and_gas) {
    const auto folder = test::fixture_archive("precompiles");
    if (!folder) GTEST_SKIP() << test::missing_fixture_message("precompiles");
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator{*folder}) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);

    std::size_t cases = 0;
    Bytes output;
    for (const fs::path& path : files) {
        const Subject subject = subject_of(path.stem().string());
        for (const json::value& vector : load_cases(path)) {
            SCOPED_TRACE(path.filename().string() + ": " +
                         std::string{vector.at("Name").as_string()});
            check_case(vector.as_object(), subject, output);
            ++cases;
        }
    }

    EXPECT_GE(files.size(), kFileCount);
    EXPECT_GE(cases, kCaseCount);
    std::printf("%zu precompile vectors in %zu files\n", cases, files.size());
}

}  // namespace
}  // namespace heddle::vm
