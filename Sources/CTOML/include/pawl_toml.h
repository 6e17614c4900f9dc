#ifndef PAWL_TOML_H
#define PAWL_TOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// UTF-8, without an end mark.
struct pawl_toml_text {
    const char *bytes;
    size_t length;
};

enum pawl_toml_kind {
    /// A text, number or boolean, as text.
    PAWL_TOML_SCALAR,
    /// A date, a time, or a list or table within a list.
    PAWL_TOML_OTHER,
    /// A list or a table without values.
    PAWL_TOML_EMPTY,
    /// The document is not valid: `text` says why. Nothing else is passed on.
    PAWL_TOML_ERROR
};

/// A value of a document. An element of a list has the keys of the list.
struct pawl_toml_value {
    enum pawl_toml_kind kind;
    struct pawl_toml_text text;
    /// Where the value begins, from 1.
    uint32_t line, column;
    /// The keys of the tables around the value, and its own.
    const struct pawl_toml_text *keys;
    size_t depth;
};

typedef void (*pawl_toml_visitor)(void *context, const struct pawl_toml_value *value);

/// Parses a document (TOML 1.0.0) and passes its values on, in any order. What the visitor gets is
/// valid during the call.
void pawl_toml_read(struct pawl_toml_text document, void *context, pawl_toml_visitor visit);

#ifdef __cplusplus
}
#endif
#endif
