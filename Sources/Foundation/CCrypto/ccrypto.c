#include "ccrypto.h"

#include <openssl/param_build.h>
#include <string.h>

/// Creates a key from the parameters of `builder`, and frees `builder`.
static EVP_PKEY *made(const char *type, OSSL_PARAM_BLD *builder, int is_private) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (!parameters || !context || EVP_PKEY_fromdata_init(context) != 1 ||
      EVP_PKEY_fromdata(context, &key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

/// Returns the key if `check` succeeds; otherwise frees it and returns NULL.
static EVP_PKEY *checked(EVP_PKEY *key, int (*check)(EVP_PKEY_CTX *)) {
  EVP_PKEY_CTX *context = key ? EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL) : NULL;
  int is_good = context && check(context) == 1;
  EVP_PKEY_CTX_free(context);
  if (is_good) return key;
  EVP_PKEY_free(key);
  return NULL;
}

static EVP_PKEY *ec_key(const char *curve, const uint8_t *point, size_t size, const BIGNUM *number) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (!builder) return NULL;
  if (OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, size) != 1 ||
      (number && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) != 1)) {
    OSSL_PARAM_BLD_free(builder);
    return NULL;
  }
  return checked(made("EC", builder, number != NULL), number ? EVP_PKEY_check : EVP_PKEY_public_check);
}

EVP_PKEY *wm_ec_public_key(const char *curve, const uint8_t *point, size_t size) {
  if (size < 1 || point[0] != POINT_CONVERSION_UNCOMPRESSED) return NULL;
  return ec_key(curve, point, size, NULL);
}

EVP_PKEY *wm_ec_private_key(const char *curve, const uint8_t *number, size_t size) {
  // Enough for two coordinates of P-521.
  uint8_t bytes[1 + 2 * 66];
  EVP_PKEY *key = NULL;
  EC_GROUP *group = EC_GROUP_new_by_curve_name(EC_curve_nist2nid(curve));
  EC_POINT *point = group ? EC_POINT_new(group) : NULL;
  BIGNUM *secret = BN_secure_new();
  if (point && secret && BN_bin2bn(number, (int)size, secret) && !BN_is_zero(secret) &&
      BN_cmp(secret, EC_GROUP_get0_order(group)) < 0) {
    BN_set_flags(secret, BN_FLG_CONSTTIME);
    if (EC_POINT_mul(group, point, secret, NULL, NULL, NULL) == 1) {
      size_t written = EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, bytes, sizeof bytes, NULL);
      if (written > 0) key = ec_key(curve, bytes, written, secret);
    }
  }
  BN_clear_free(secret);
  EC_POINT_free(point);
  EC_GROUP_free(group);
  return key;
}

EVP_PKEY *wm_rsa_key(BIGNUM *const *numbers, int count) {
  static const char *const names[] = {
      OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,         OSSL_PKEY_PARAM_RSA_D,
      OSSL_PKEY_PARAM_RSA_FACTOR1,   OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
      OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
  };
  if (count != 2 && count != 8) return NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (!builder) return NULL;
  for (int i = 0; i < count; i++) {
    if (OSSL_PARAM_BLD_push_BN(builder, names[i], numbers[i]) == 1) continue;
    OSSL_PARAM_BLD_free(builder);
    return NULL;
  }
  EVP_PKEY *key = made("RSA", builder, count == 8);
  return count == 8 ? checked(key, EVP_PKEY_check) : key;
}

size_t wm_key_pem(EVP_PKEY *key, int is_private, char *out, size_t capacity) {
  // Secure memory, which is wiped when it is freed.
  BIO *memory = BIO_new(BIO_s_mem());
  if (!memory) return 0;
  char *text = NULL;
  long size = 0;
  int status = is_private ? PEM_write_bio_PKCS8PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL)
                          : PEM_write_bio_PUBKEY(memory, key);
  if (status == 1) size = BIO_get_mem_data(memory, &text);
  if (size > 0 && (size_t)size <= capacity) memcpy(out, text, (size_t)size);
  BIO_free(memory);
  return size > 0 ? (size_t)size : 0;
}
