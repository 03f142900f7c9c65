// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tls_server.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <stdexcept>
#include <utility>

#include <boost/asio/buffer.hpp>

namespace heddle::node::follow::test {
namespace {

namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;

template <auto Free>
struct Freed {
    template <typename T>
    void operator()(T* thing) const {
        Free(thing);
    }
};
using Bio = std::unique_ptr<BIO, Freed<&BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<&EVP_PKEY_free>>;
using X509Certificate = std::unique_ptr<X509, Freed<&X509_free>>;

void check(bool is_good, const char* what) {
    if (!is_good) throw std::runtime_error(std::string{"OpenSSL: "} + what);
}

template <typename Write>
std::string pem(Write write) {
    const Bio out(BIO_new(BIO_s_mem()));
    check(write(out.get()) == 1, "PEM");
    char* text = nullptr;
    const long length = BIO_get_mem_data(out.get(), &text);
    return {text, static_cast<std::size_t>(length)};
}

Bio reading(const std::string& text) {
    return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

void extend(X509* certificate, int what, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, nullptr, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, Freed<&X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
    check(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, "extension");
}

void name(X509_NAME* subject, const std::string& text) {
    check(
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(text.c_str()),  // NOLINT
                                   -1, -1, 0) == 1,
        "name");
}

}  // namespace

Certificate make_certificate(const CertificateOptions& options, const Certificate* issuer) {
    static long serial = 1;
    const Key key(EVP_EC_gen("P-256"));
    check(key != nullptr, "key");
    const X509Certificate made(X509_new());
    X509* const certificate = made.get();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate), options.begins);
    X509_gmtime_adj(X509_getm_notAfter(certificate), options.ends);
    X509_set_pubkey(certificate, key.get());
    name(X509_get_subject_name(certificate), options.name);
    if (options.is_authority) extend(certificate, NID_basic_constraints, "critical,CA:TRUE");
    if (!options.hosts.empty()) extend(certificate, NID_subject_alt_name, options.hosts);
    if (issuer == nullptr) {
        X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
        check(X509_sign(certificate, key.get(), EVP_sha256()) != 0, "signature");
    } else {
        const X509Certificate above(
            PEM_read_bio_X509(reading(issuer->text).get(), nullptr, nullptr, nullptr));
        const Key its_key(
            PEM_read_bio_PrivateKey(reading(issuer->key).get(), nullptr, nullptr, nullptr));
        X509_set_issuer_name(certificate, X509_get_subject_name(above.get()));
        check(X509_sign(certificate, its_key.get(), EVP_sha256()) != 0, "signature");
    }
    return {pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); }), pem([&](BIO* out) {
                return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr,
                                                nullptr);
            })};
}

TlsServer::TlsServer(const Certificate& certificate, Serve serve)
    : serve_(std::move(serve)),
      acceptor_(context_, {boost::asio::ip::make_address("127.0.0.1"), 0}) {
    tls_.use_certificate_chain(boost::asio::buffer(certificate.text));
    tls_.use_private_key(boost::asio::buffer(certificate.key), ssl::context::pem);
    thread_ = std::thread([this] { accept(); });
}

TlsServer::~TlsServer() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // accept() comes back
    thread_.join();
    {
        const std::scoped_lock lock{mutex_};
        for (const auto& stream : streams_)
            ::shutdown(stream->next_layer().native_handle(), SHUT_RDWR);
    }
    threads_.clear();
}

Endpoint TlsServer::endpoint(const std::string& host, const std::string& ca_file) const {
    Endpoint endpoint;
    endpoint.host = host;
    endpoint.port = acceptor_.local_endpoint().port();
    endpoint.is_encrypted = true;
    endpoint.ca_file = ca_file;
    return endpoint;
}

std::string TlsServer::told_name() const {
    const std::scoped_lock lock{mutex_};
    return told_name_;
}

void TlsServer::accept() {
    for (;;) {
        boost::system::error_code error;
        boost::asio::ip::tcp::socket socket{context_};
        (void)acceptor_.accept(socket, error);
        if (error) return;
        // Only now: what was set of context() before the connection counts for it.
        auto stream = std::make_shared<Stream>(std::move(socket), tls_);
        const std::scoped_lock lock{mutex_};
        streams_.push_back(stream);
        threads_.emplace_back([this, stream] {
            serve(*stream);
            ::shutdown(stream->next_layer().native_handle(), SHUT_RDWR);
        });
    }
}

void TlsServer::serve(Stream& stream) {
    boost::system::error_code error;
    (void)stream.handshake(ssl::stream_base::server, error);
    if (error) return;
    {
        const char* const told =
            SSL_get_servername(stream.native_handle(), TLSEXT_NAMETYPE_host_name);
        const std::scoped_lock lock{mutex_};
        told_name_ = told == nullptr ? "" : told;
    }
    try {
        serve_(stream);
    } catch (const std::exception&) {  // the client is gone
        return;
    }
}

}  // namespace heddle::node::follow::test
