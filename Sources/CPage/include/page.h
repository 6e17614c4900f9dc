#pragma once
#include <stddef.h>

/// A file of the daemon's web page, as it lies in Page/.
struct pawl_page_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// The files one by one; the name of the one behind the last is NULL.
struct pawl_page_file pawl_page_file(size_t index);
