#pragma once
#include <stddef.h>

/// A file of the daemon's web page, from the folder Page.
struct pawl_page_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// The file at an index. After the last file, the name is NULL.
struct pawl_page_file pawl_page_file(size_t index);
