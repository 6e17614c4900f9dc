// OpenSSL for Swift: digests in PawlStorage, the test origin's TLS in PawlTesting.
#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
