// The parts of OpenSSL's TLS that are macros or need callbacks, for the daemon's listener.
#pragma once
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Counts the KeyUpdate messages that a client sends (RFC 8446 §4.6.3); `count` is an int.
static inline void pawl_tls_count_key_update(
    int is_sent, int version, int type, const void *message, size_t size, SSL *session, void *count
) {
    (void)version;
    (void)session;
    if (!is_sent && type == SSL3_RT_HANDSHAKE && size > 0 && count &&
        *(const unsigned char *)message == SSL3_MT_KEY_UPDATE)
        ++*(int *)count;
}

// Lets a session count the client's KeyUpdate messages in `count`, which must outlive the session.
static inline void pawl_tls_count_key_updates(SSL *session, int *count) {
    SSL_set_msg_callback(session, pawl_tls_count_key_update);
    SSL_set_msg_callback_arg(session, count);
}

// Selects `http/1.1`, or refuses a client that offers only other protocols (RFC 7301 §3.2).
static inline int pawl_tls_select_http(
    SSL *session, const unsigned char **chosen, unsigned char *chosen_size,
    const unsigned char *offered, unsigned int offered_size, void *unused
) {
    static const unsigned char http[] = "\x08http/1.1";
    unsigned char *found = NULL;
    (void)session;
    (void)unused;
    if (SSL_select_next_proto(
            &found, chosen_size, http, sizeof http - 1, offered, offered_size
        ) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

// Returns a context for servers: TLS 1.2 or later, without compression and renegotiation. NULL if
// there is no memory.
static inline SSL_CTX *pawl_tls_server_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context) return NULL;
    if (!SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)) {
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE
    );
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    // One call handles one record, so that a client cannot occupy the loop with records without data.
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    // Tickets resume sessions, so the server stores none.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, pawl_tls_select_http, NULL);
    return context;
}

// Adds a certificate to the chain that is sent after the server's own. Returns 1 on success.
static inline int pawl_tls_add_to_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

// Records that a password is needed, in place of asking for it on the terminal.
static inline int pawl_tls_no_password(char *buffer, int size, int writing, void *is_asked) {
    (void)buffer;
    (void)size;
    (void)writing;
    *(int *)is_asked = 1;
    return -1;
}

// Reads a private key. `is_encrypted` becomes 1 if the key has a password.
static inline EVP_PKEY *pawl_tls_read_key(BIO *input, int *is_encrypted) {
    *is_encrypted = 0;
    return PEM_read_bio_PrivateKey(input, NULL, pawl_tls_no_password, is_encrypted);
}

// Whether the end of the input is why no further PEM object was found. Clears the errors.
static inline int pawl_tls_is_end_of_pem(void) {
    unsigned long error = ERR_peek_last_error();
    int is_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    return is_end;
}
