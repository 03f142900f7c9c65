// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/transaction.hpp>
#include <types/transaction_hashes.hpp>

#include <gtest/gtest.h>

namespace heddle {
namespace {

Address address(std::string_view text) {
    return address_from_hex(text).value();
}
Uint256 number(std::string_view text) {
    return uint256_from_string(text).value();
}
Bytes encoded(const Transaction& tx) {
    Bytes out;
    encode_transaction(tx, out);
    return out;
}

struct Known {
    Transaction tx;
    std::string_view hash;
    std::string_view sender;
};

// EIP-155's example.
Known legacy_example() {
    Transaction tx;
    tx.chain_id = 1;
    tx.nonce = 9;
    tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{20'000'000'000};
    tx.gas_limit = 21'000;
    tx.to = address("0x3535353535353535353535353535353535353535");
    tx.value = Uint256{1'000'000'000'000'000'000};
    tx.r = number("0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276");
    tx.s = number("0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83");
    return {tx, "0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788",
            "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f"};
}

// Types 0 without replay protection, 1, 2 and 3 are of Ethereum mainnet.
Known unprotected_example() {
    Transaction tx;
    tx.nonce = 8;
    tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{0xee6b2800};
    tx.gas_limit = 0xfde8;
    tx.to = address("0x4a98b1435fc7791da0028c30c7fb24a356a17f84");
    tx.value = Uint256{0x3a352944000};
    tx.r = number("0x93870937d500a1cf250974d231f4a546aa197f0ed5228e0c3de637fe5a237a40");
    tx.s = number("0x49d6c68ce824908c196854af2e8e85847ab0e54e0589e59b500f7064d1f995df");
    return {tx, "0xca69586ece837a7154086676afe41c710b027e8fcf41c4f272fbebacd39c0138",
            "0xf2c2d1e8641f7bd1380410d6e04c1f8729292503"};
}

Known access_list_example() {
    Transaction tx;
    tx.type = TransactionType::access_list;
    tx.chain_id = 1;
    tx.nonce = 0xe3f89;
    tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{0x2540be400};
    tx.gas_limit = 0x7a120;
    tx.to = address("0x3c6a8affbf1cf72afabb58921209aef5960e18ef");
    tx.value = Uint256{0x4c931cc4cac400};
    // One of the rare r with a leading zero byte.
    tx.r = number("0x1d69cc6655ce46d023461571f485f7b3b389609c93ce7e9fc368fea3547669");
    tx.s = number("0x66b5b6501547f141538772174f856ab9ed4a4c65638793eaf68191ddf54fc2c6");
    return {tx, "0x19f18b2fff42a37e6fc17862a8e8f99721112356860654e0f8440032e78a51c2",
            "0x264bd8291fae1d75db2c5f573b07faa6715997b5"};
}

Known dynamic_fee_example() {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1;
    tx.nonce = 0xb7;
    tx.max_priority_fee_per_gas = Uint256{0xfb881700};
    tx.max_fee_per_gas = Uint256{0x620e9d880};
    tx.gas_limit = 0x5208;
    tx.to = address("0x0d7dc1a86474369b81bc0b02c5529c94c1709fe8");
    tx.r = number("0xed61bf46147ceed1da8994778d20c6343e1f65bad2b44aafc8363a4040068a58");
    tx.s = number("0x3da74128e63ec6385d2068441f52f7456768a917b4e40441f1889e74868a286e");
    return {tx, "0x922277e033949919e643e1698077d3a6a6b64b29fb99d8f43c4b86622b7bda6b",
            "0x0d7dc1a86474369b81bc0b02c5529c94c1709fe8"};
}

Known blob_example() {
    Transaction tx;
    tx.type = TransactionType::blob;
    tx.chain_id = 1;
    tx.nonce = 0x112589;
    tx.max_priority_fee_per_gas = Uint256{0x77359400};
    tx.max_fee_per_gas = Uint256{0x37cd43c24};
    tx.gas_limit = 0x5208;
    tx.to = address("0xff00000000000000000000000000000000000010");
    tx.max_fee_per_blob_gas = Uint256{0x3b9aca00};
    for (const char* hash : {"01e7cd1f18bf4a316b80f5a96e1fd9cb4ed2a1499b2c9b12e57df418a942009c",
                             "01e20ea677d7f953b93eae7d33ff513a1d651927f56f92d50c09a694ca8a7c0e",
                             "0193c97687d154456c333847a2a91a5c9249cb56a2431c046cd930936c5344b3",
                             "013707d15e70ba641d8ffacee5f73be5f0e7165a5e6bfe5d9fe01a796c8a876b",
                             "01a42b8383168b4b48107b838d9e11e042220dd3492e7689740303086178479e",
                             "016f9434cca9f775435f16263a66aba42230c126726d5b70be2924d0ae8d4aac"})
        tx.blob_versioned_hashes.push_back(hash_from_hex(hash).value());
    tx.r = number("0xb50ab4a7ce351cb3216f6a3b311b2bb9492d4e7089ada08f7813ecc549ab7951");
    tx.s = number("0x73f23ae4b2a28d48912dd87bf9059ca770af6e7b63dbc1d058797c82bea316a5");
    return {tx, "0x1fccc2b87ec6f65b6b58d01d6027daaf5066d4062cdda4c7417b573c893502db",
            "0x6887246668a3b87f54deb3b94ba47a6f63f32985"};
}

// From the chain of ethereum/execution-apis.
Known set_code_example() {
    Transaction tx;
    tx.type = TransactionType::set_code;
    tx.chain_id = 0xc72dd9d5e883e;
    tx.nonce = 0xd3;
    tx.max_priority_fee_per_gas = Uint256{1};
    tx.max_fee_per_gas = Uint256{0x56a9214};
    tx.gas_limit = 0xb3b0;
    tx.to = Address{};
    tx.authorization_list.push_back(
        {Uint256{0xc72dd9d5e883e}, address("0x8c2319620d7c348bb4e2b2a0b230c81f310e9561"), 0,
         Uint256{0}, number("0xf17d59102e9ebed035d1bd77bc668b170eb1d38edef6e7d971857d85781d68fe"),
         number("0x193dbdc8dea2fc194da75febbd4de9689b625eecd1e4ca30e27b45339af22572")});
    tx.r = number("0x333946e8b98c5b7eff15da75e7264e9e16728f06436e86611c82fd14eaee2256");
    tx.s = number("0x3b268e5c9bb29a77f6976ae0f580f781ad765de3f9163b528ea9230ac02c996c");
    return {tx, "0x99f7e58af4dd2735931a3262705fbe57ea2fcc79497668f74309cdeaf37cc223",
            "0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f"};
}

std::vector<Known> examples() {
    return {legacy_example(),      unprotected_example(), access_list_example(),
            dynamic_fee_example(), blob_example(),        set_code_example()};
}

TEST(Transaction, known_transactions_of_every_type_have_their_hash) {
    for (const Known& known : examples())
        EXPECT_EQ(to_string(transaction_hash(known.tx)), known.hash);
}

TEST(Transaction, known_transactions_of_every_type_recover_their_sender) {
    for (const Known& known : examples()) {
        const auto sender = recover_sender(known.tx);
        ASSERT_TRUE(sender.has_value());
        EXPECT_EQ(to_string(*sender), known.sender);
    }
}

TEST(Transaction, a_remembered_hash_is_given_and_makes_no_difference) {
    Transaction tx = dynamic_fee_example().tx;
    const Transaction plain = tx;
    remember_hash(tx);

    EXPECT_EQ(tx.hash.value, transaction_hash(plain));
    EXPECT_EQ(tx, plain);
    tx.hash.value = Hash{{0x01}};
    EXPECT_EQ(transaction_hash(tx), (Hash{{0x01}}));
}

TEST(Transaction, many_hashed_together_have_the_hash_of_each) {
    std::vector<Transaction> many;
    KeccakBatch kept;
    for (std::size_t i = 0; i < 300; ++i) {
        Transaction tx = examples()[i % 6].tx;
        tx.nonce = i;
        tx.data.resize(i * i % 1'000, 0x5a);
        if (i % 7 == 0) tx.hash.value = Hash{{0x01}};  // remembered: given as it is
        many.push_back(std::move(tx));
        if (i > 3 && i % 50 != 0 && i % 64 > 1) continue;
        std::vector<Hash> alone;
        for (const Transaction& each : many)
            alone.push_back(transaction_hash(each));
        ASSERT_EQ(transaction_hashes(many), alone) << many.size();
        ASSERT_EQ(transaction_hashes(many, kept), alone) << many.size();
    }
    EXPECT_TRUE(transaction_hashes({}).empty());
}

TEST(Transaction, canonical_form_round_trips) {
    for (const Known& known : examples())
        EXPECT_EQ(decode_transaction(encoded(known.tx)), known.tx);
}

TEST(Transaction, form_inside_a_block_round_trips) {
    Bytes body;
    for (const Known& known : examples())
        encode_transaction_item(known.tx, body);

    rlp::Reader reader(body);

    for (const Known& known : examples())
        EXPECT_EQ(decode_transaction_item(reader), known.tx);
    EXPECT_TRUE(reader.at_end());
}

TEST(Transaction, access_lists_round_trip) {
    Transaction tx = access_list_example().tx;
    tx.access_list = {{address_from_low64(1), {}},
                      {address_from_low64(2), {to_hash(Uint256{3}), to_hash(Uint256{4})}}};

    EXPECT_EQ(decode_transaction(encoded(tx)), tx);
}

// From EIP-155.
TEST(Transaction, signing_hash_equals_the_example_of_eip_155) {
    EXPECT_EQ(to_string(signing_hash(legacy_example().tx)),
              "0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53");
    EXPECT_EQ(to_hex(encoded(legacy_example().tx)),
              "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764"
              "00008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8"
              "997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83");
}

TEST(Transaction, largest_chain_id_round_trips_through_v) {
    Transaction tx = legacy_example().tx;
    tx.chain_id = ~std::uint64_t{0};
    tx.y_parity = 1;

    EXPECT_EQ(decode_transaction(encoded(tx)), tx);
}

TEST(Transaction, every_cut_is_refused) {
    for (const Known& known : examples()) {
        const Bytes bytes = encoded(known.tx);
        for (std::size_t size = 0; size < bytes.size(); ++size)
            ASSERT_FALSE(decode_transaction({bytes.data(), size}).has_value()) << size;
        Bytes longer = bytes;
        longer.push_back(0);
        EXPECT_EQ(decode_transaction(longer), std::unexpected(TransactionDecodeError::rlp));
    }
}

TEST(Transaction, unknown_types_are_refused) {
    Bytes bytes = encoded(dynamic_fee_example().tx);
    for (const int type : {0x00, 0x05, 0x06, 0x7e, 0x7f}) {
        bytes[0] = static_cast<std::uint8_t>(type);
        EXPECT_EQ(decode_transaction(bytes), std::unexpected(TransactionDecodeError::unknown_type));
    }
    bytes[0] = 0x80;
    EXPECT_EQ(decode_transaction(bytes), std::unexpected(TransactionDecodeError::rlp));
}

TEST(Transaction, values_out_of_range_are_refused) {
    const auto decode_changed = [](Known known, auto change) {
        change(known.tx);
        const auto tx = decode_transaction(encoded(known.tx));
        return tx.has_value() ? std::nullopt : std::optional(tx.error());
    };
    using enum TransactionDecodeError;

    EXPECT_EQ(decode_changed(dynamic_fee_example(), [](Transaction& tx) { tx.r = Uint256{}; }),
              invalid_signature);
    EXPECT_EQ(decode_changed(legacy_example(), [](Transaction& tx) { tx.s = Uint256::max(); }),
              invalid_signature);
    const Uint256 order =
        uint256_from_string("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
            .value();
    EXPECT_EQ(decode_changed(legacy_example(), [&](Transaction& tx) { tx.r = order; }),
              invalid_signature);
    EXPECT_EQ(decode_changed(legacy_example(), [&](Transaction& tx) { tx.s = order; }),
              invalid_signature);
    EXPECT_EQ(decode_changed(dynamic_fee_example(), [](Transaction& tx) { tx.y_parity = 2; }),
              invalid_y_parity);
    EXPECT_EQ(decode_changed(unprotected_example(), [](Transaction& tx) { tx.y_parity = 2; }),
              invalid_chain_id);
    EXPECT_EQ(decode_changed(blob_example(), [](Transaction& tx) { tx.to.reset(); }),
              creation_forbidden);
    EXPECT_EQ(decode_changed(set_code_example(), [](Transaction& tx) { tx.to.reset(); }),
              creation_forbidden);
    EXPECT_EQ(
        decode_changed(set_code_example(),
                       [](Transaction& tx) { tx.authorization_list[0].y_parity = Uint256{256}; }),
        rlp);
    EXPECT_EQ(decode_changed(dynamic_fee_example(), [](Transaction& tx) { tx.to.reset(); }),
              std::nullopt);
}

// EIP-4844: the form with a sidecar belongs to the network, never to a block.
TEST(Transaction, blob_transaction_with_its_blobs_is_told_apart) {
    const Bytes inner = encoded(blob_example().tx);
    Bytes wrapped{0x03};
    wrapped.insert(wrapped.end(), inner.begin() + 1, inner.end());
    for (int i = 0; i < 3; ++i)
        wrapped.push_back(0xc0);  // blobs, commitments, proofs
    rlp::wrap_list(1, wrapped);

    EXPECT_EQ(decode_transaction(wrapped), std::unexpected(TransactionDecodeError::with_blobs));
}

// EIP-2718: only typed transactions are strings in a block's body.
TEST(Transaction, legacy_transaction_inside_a_string_is_refused) {
    Bytes item;
    rlp::encode_string(encoded(legacy_example().tx), item);
    rlp::Reader reader(item);

    EXPECT_EQ(decode_transaction_item(reader), std::unexpected(TransactionDecodeError::rlp));
}

TEST(Transaction, low_s_ends_at_half_the_curve_order) {
    const Uint256 half =
        number("0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");

    EXPECT_TRUE(has_low_s(Uint256{1}));
    EXPECT_TRUE(has_low_s(half));
    EXPECT_FALSE(has_low_s(half + Uint256{1}));
}

}  // namespace
}  // namespace heddle
