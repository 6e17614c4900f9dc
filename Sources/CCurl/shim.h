// libcurl for Swift: what Swift cannot import is wrapped here, and nothing else.
// curl_easy_setopt, curl_easy_getinfo, curl_multi_setopt and curl_share_setopt are variadic.
#pragma once
#include <curl/curl.h>

static inline CURLcode pawl_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode pawl_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode pawl_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode pawl_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode pawl_curl_set_list(
    CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

// Macros with casts, and a code that headers before 8.6 lack.
static const long pawl_curl_auth_basic = (long)CURLAUTH_BASIC;
static const long pawl_curl_auth_digest = (long)CURLAUTH_DIGEST;
static const long pawl_curl_auth_negotiate = (long)CURLAUTH_NEGOTIATE;
// The schemes that need a name and password.
static const long pawl_curl_auth_password = (long)(CURLAUTH_ANY & ~CURLAUTH_NEGOTIATE);
static const CURLcode pawl_curl_too_large = (CURLcode)100;

// The optional parts of the library that is in use: CURL_VERSION_LIBZ and others.
static inline int pawl_curl_features(void) {
    return curl_version_info(CURLVERSION_NOW)->features;
}

typedef size_t (*pawl_curl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode pawl_curl_set_data_function(
    CURL *handle, CURLoption option, pawl_curl_data_function function) {
    return curl_easy_setopt(handle, option, function);
}

static inline CURLcode pawl_curl_set_progress_function(
    CURL *handle, curl_xferinfo_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    return code;
}

static inline CURLcode pawl_curl_set_prerequest_function(
    CURL *handle, curl_prereq_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
    return code;
}

static inline CURLcode pawl_curl_set_seek_function(
    CURL *handle, curl_seek_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
    return code;
}

static inline CURLcode pawl_curl_set_trailer_function(
    CURL *handle, curl_trailer_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_TRAILERFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_TRAILERDATA, context);
    return code;
}

static inline CURLcode pawl_curl_set_open_socket_function(
    CURL *handle, curl_opensocket_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
    return code;
}

static inline CURLcode pawl_curl_set_host_key_function(
    CURL *handle, curl_sshkeycallback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SSH_KEYFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SSH_KEYDATA, context);
    return code;
}

static inline CURLcode pawl_curl_get_socket(CURL *handle, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode pawl_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode pawl_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode pawl_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode pawl_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLSHcode pawl_curl_share_set_long(CURLSH *share, CURLSHoption option, long value) {
    return curl_share_setopt(share, option, value);
}

static inline CURLSHcode pawl_curl_share_set_lock(
    CURLSH *share, curl_lock_function lock, curl_unlock_function unlock, void *context) {
    CURLSHcode code = curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock);
    if (code == CURLSHE_OK) code = curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock);
    if (code == CURLSHE_OK) code = curl_share_setopt(share, CURLSHOPT_USERDATA, context);
    return code;
}

// The result and the handle of a finished transfer: Swift does not import the union in CURLMsg.
static inline CURL *pawl_curl_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}
