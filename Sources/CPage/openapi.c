#include "openapi.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi_yaml[] = {
#embed "../PawlDaemon/API/openapi.yaml"
};

struct pawl_openapi pawl_openapi(void) {
    return (struct pawl_openapi){openapi_yaml, sizeof openapi_yaml};
}
