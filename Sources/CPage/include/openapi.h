#pragma once
#include <stddef.h>

/// The description of the API: PawlDaemon/API/openapi.yaml.
struct pawl_openapi {
    const unsigned char *bytes;
    size_t count;
};

struct pawl_openapi pawl_openapi(void);
