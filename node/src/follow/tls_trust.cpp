// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/tls_trust.hpp"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <fmt/format.h>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>

#include "program/error.hpp"

namespace heddle::node::follow {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

std::expected<std::unique_ptr<ssl::context>, std::string> make_trust(const std::string& ca_file) {
    auto trust = std::make_unique<ssl::context>(ssl::context::tls_client);
    (void)SSL_CTX_set_min_proto_version(trust->native_handle(), TLS1_2_VERSION);
    error_code error;
    (void)trust->set_verify_mode(ssl::verify_peer, error);
    if (!error) (void)trust->set_default_verify_paths(error);
    if (error)
        return std::unexpected(
            fmt::format("the certificates of the system cannot be used: {}; "
                        "install the package ca-certificates",
                        error.message()));
    if (ca_file.empty()) return trust;
    (void)trust->load_verify_file(ca_file, error);
    if (error)
        return std::unexpected(fmt::format("{}: {}; expected a file of certificates in PEM",
                                           ca_file, error.message()));
    return trust;
}

void check_trust(const std::string& ca_file, std::string_view option) {
    if (ca_file.empty()) return;
    if (const auto trust = make_trust(ca_file); !trust.has_value())
        fail_input("{}: {}", option, trust.error());
}

bool expect_host(const std::string& host, SSL* connection) noexcept {
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(connection);
    // `*` in a certificate stands for a whole label.
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    error_code no_address;
    (void)boost::asio::ip::make_address(host, no_address);
    // Addresses are not told (RFC 6066 §3).
    if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
    return X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) == 1 &&
           SSL_set_tlsext_host_name(connection, host.c_str()) == 1;  // NOLINT: OpenSSL's macro
}

std::string distrust(const error_code& error, const SSL* connection) {
    if (error.category() != boost::asio::error::get_ssl_category()) return {};
    const long verdict = SSL_get_verify_result(connection);
    return verdict == X509_V_OK ? "" : X509_verify_cert_error_string(verdict);
}

}  // namespace heddle::node::follow
