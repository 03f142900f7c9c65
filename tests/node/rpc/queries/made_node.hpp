// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The methods on a chain whose blocks say what a test wants them to.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "formats/json.hpp"
#include "mempool/mempool.hpp"
#include "program/error.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/methods/all_methods.hpp"
#include "test_chain.hpp"

namespace heddle::test {

class MadeNode {
public:
    explicit MadeNode(Revision revision = Revision::osaka) : made_(revision) {
        node::rpc::add_all_methods(methods_, services_);
    }

    [[nodiscard]] TestChain& made() { return made_; }
    [[nodiscard]] node::Chain& chain() { return made_.chain(); }
    [[nodiscard]] node::Mempool& mempool() { return mempool_; }

    [[nodiscard]] const node::rpc::MethodTable& methods() const { return methods_; }

    /// The result as JSON text. Throws RpcError.
    [[nodiscard]] std::string call(std::string_view name, std::string_view params = "[]") const {
        const node::rpc::Method* method = methods_.find(name);
        HEDDLE_ASSERT(method != nullptr);
        node::JsonParser parser;
        std::string result;
        node::JsonWriter out(result, node::JsonWriter::Style::compact);
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{10};
        method->handler({.params = node::rpc::Params{parser.parse(params, "params")},
                         .deadline = deadline,
                         .max_result_bytes = std::size_t{1} << 30,
                         .session = nullptr},
                        out);
        return result;
    }
    /// `code: message` of a call that must fail.
    [[nodiscard]] std::string failure(std::string_view name, std::string_view params) const {
        try {
            return "accepted: " + call(name, params);
        } catch (const node::rpc::RpcError& error) {
            return std::to_string(error.code()) + ": " + error.what();
        }
    }

private:
    TestChain made_;
    node::Mempool mempool_{node::MempoolOptions{}, made_.chain()};
    const node::rpc::Services services_{made_.chain(), mempool_, "heddle/test", {}};
    node::rpc::MethodTable methods_;
};

}  // namespace heddle::test
