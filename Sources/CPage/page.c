#include "page.h"

// The files are embedded, so the program needs no files beside it. As an array literal in Swift they took seconds to
// compile.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char style_css[] = {
#embed "Page/style.css"
};
static const unsigned char icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char main_js[] = {
#embed "Page/main.js"
};
static const unsigned char api_js[] = {
#embed "Page/api.js"
};
static const unsigned char store_js[] = {
#embed "Page/store.js"
};
static const unsigned char events_js[] = {
#embed "Page/events.js"
};
static const unsigned char list_js[] = {
#embed "Page/list.js"
};
static const unsigned char detail_js[] = {
#embed "Page/detail.js"
};
static const unsigned char segments_js[] = {
#embed "Page/segments.js"
};
static const unsigned char graph_js[] = {
#embed "Page/graph.js"
};
static const unsigned char format_js[] = {
#embed "Page/format.js"
};
static const unsigned char forms_js[] = {
#embed "Page/forms.js"
};
static const unsigned char menu_js[] = {
#embed "Page/menu.js"
};
static const unsigned char settings_js[] = {
#embed "Page/settings.js"
};
static const unsigned char dom_js[] = {
#embed "Page/dom.js"
};
static const unsigned char inputs_js[] = {
#embed "Page/inputs.js"
};
static const unsigned char fields_js[] = {
#embed "Page/fields.js"
};

#define FILE_OF(name, array) {name, array, sizeof(array)}

static const struct pawl_page_file files[] = {
    FILE_OF("index.html", index_html),   FILE_OF("style.css", style_css),
    FILE_OF("icon.svg", icon_svg),       FILE_OF("main.js", main_js),
    FILE_OF("api.js", api_js),           FILE_OF("store.js", store_js),
    FILE_OF("events.js", events_js),     FILE_OF("list.js", list_js),
    FILE_OF("detail.js", detail_js),     FILE_OF("segments.js", segments_js),
    FILE_OF("graph.js", graph_js),       FILE_OF("format.js", format_js),
    FILE_OF("forms.js", forms_js),       FILE_OF("settings.js", settings_js),
    FILE_OF("dom.js", dom_js),           FILE_OF("inputs.js", inputs_js),
    FILE_OF("fields.js", fields_js),     FILE_OF("menu.js", menu_js),
};

struct pawl_page_file pawl_page_file(size_t index) {
    const struct pawl_page_file none = {0};
    return index < sizeof(files) / sizeof(files[0]) ? files[index] : none;
}
