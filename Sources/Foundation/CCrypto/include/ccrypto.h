#pragma once
// libcrypto of OpenSSL 3 without its deprecated functions, and functions that create keys from numbers. They are in C because libcrypto keeps
// pointers to the names and numbers until a key is complete.

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

/// Creates a public key of a NIST curve, such as "P-256", from an uncompressed point: 0x04, then x and y at full length. NULL if the point is
/// not on the curve, is the point at infinity, or has another encoding.
EVP_PKEY *wm_ec_public_key(const char *curve, const uint8_t *point, size_t size);

/// Creates a private key of a NIST curve from a big-endian number, and computes its public point. NULL for 0, and for the
/// order of the curve or more.
EVP_PKEY *wm_ec_private_key(const char *curve, const uint8_t *number, size_t size);

/// Creates an RSA key from `count` numbers: 2 (modulus, public exponent) for a public key; 8 (then d, p, q, d mod p-1, d mod q-1 and 1/q mod
/// p) for a private key. NULL if the private numbers are inconsistent. Their size is not checked.
EVP_PKEY *wm_rsa_key(BIGNUM *const *numbers, int count);

/// Writes a private key (PKCS #8) or its public half (SubjectPublicKeyInfo) as PEM to `out`, if `capacity` suffices. Returns the size of the
/// text; 0 on failure.
size_t wm_key_pem(EVP_PKEY *key, int is_private, char *out, size_t capacity);
