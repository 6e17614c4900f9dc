// OpenSSL for Swift: digests in PawlStorage, TLS in PawlDaemon and in the test origin of PawlTesting.
#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
