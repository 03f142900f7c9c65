// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whom an encrypted connection believes: TLS of version 1.2 or newer, a certificate that leads to
// an authority of the system or of a file, made for the host that was asked for.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

namespace heddle::node::follow {

/// @param ca_file  Certificates in PEM that are believed beside those of the system; empty: none.
/// Errors: one sentence that names the file.
/// Thread safety: any; the result is for connections of one thread.
[[nodiscard]] std::expected<std::unique_ptr<boost::asio::ssl::context>, std::string> make_trust(
    const std::string& ca_file);

/// For option checks. Errors: InputError that names `option`, where the file is of no use.
void check_trust(const std::string& ca_file, std::string_view option);

/// Before the handshake: the certificate must be for `host`, a name or an address, and the server
/// is told which name is meant (SNI). @return false: `host` cannot be one.
[[nodiscard]] bool expect_host(const std::string& host, SSL* connection) noexcept;

/// Why the certificate of the other side was not believed; empty: that was not it.
[[nodiscard]] std::string distrust(const boost::system::error_code& error, const SSL* connection);

}  // namespace heddle::node::follow
