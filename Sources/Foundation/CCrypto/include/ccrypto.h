#pragma once
// libcrypto of OpenSSL 3 without what it calls deprecated, and keys made of their numbers: while they are made, libcrypto keeps pointers
// to the names and numbers that it is given.

#define OPENSSL_NO_DEPRECATED
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stddef.h>
#include <stdint.h>

/// The public key of a point: 0x04, then x and y at full length. NULL where the point is not on that curve, is the point at infinity,
/// or is encoded in another way.
EVP_PKEY *wm_ec_public_key(const char *curve, const uint8_t *point, size_t size);

/// The private key of a number, with the point that belongs to it. NULL for 0, and for the order of the curve or more.
EVP_PKEY *wm_ec_private_key(const char *curve, const uint8_t *number, size_t size);

/// The RSA key of a modulus and exponent, and for a private one of d, p, q, d mod p-1, d mod q-1 and 1/q mod p as well: `count` is 2 or 8.
/// NULL where private numbers do not belong together. Whether they are large enough is not looked at.
EVP_PKEY *wm_rsa_key(BIGNUM *const *numbers, int count);

/// A private key in PEM (PKCS #8), or its public half (SubjectPublicKeyInfo). Returns the size, which is written where `capacity` holds it;
/// 0 when it cannot be told.
size_t wm_key_pem(EVP_PKEY *key, int is_private, char *out, size_t capacity);
