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
static const unsigned char icon_192_png[] = {
#embed "Page/icon-192.png"
};
static const unsigned char icon_512_png[] = {
#embed "Page/icon-512.png"
};
static const unsigned char app_webmanifest[] = {
#embed "Page/app.webmanifest"
};
static const unsigned char worker_js[] = {
#embed "Page/worker.js"
};
static const unsigned char early_js[] = {
#embed "Page/early.js"
};
static const unsigned char main_js[] = {
#embed "Page/main.js"
};
static const unsigned char dom_js[] = {
#embed "Page/dom.js"
};
static const unsigned char i18n_js[] = {
#embed "Page/i18n.js"
};
static const unsigned char storage_js[] = {
#embed "Page/storage.js"
};
static const unsigned char api_js[] = {
#embed "Page/api.js"
};
static const unsigned char history_js[] = {
#embed "Page/history.js"
};
static const unsigned char format_js[] = {
#embed "Page/format.js"
};
static const unsigned char states_js[] = {
#embed "Page/states.js"
};
static const unsigned char order_js[] = {
#embed "Page/order.js"
};
static const unsigned char store_js[] = {
#embed "Page/store.js"
};
static const unsigned char events_js[] = {
#embed "Page/events.js"
};
static const unsigned char rights_js[] = {
#embed "Page/rights.js"
};
static const unsigned char columns_js[] = {
#embed "Page/columns.js"
};
static const unsigned char row_js[] = {
#embed "Page/row.js"
};
static const unsigned char list_js[] = {
#embed "Page/list.js"
};
static const unsigned char menu_js[] = {
#embed "Page/menu.js"
};
static const unsigned char actions_js[] = {
#embed "Page/actions.js"
};
static const unsigned char fields_js[] = {
#embed "Page/fields.js"
};
static const unsigned char inputs_js[] = {
#embed "Page/inputs.js"
};
static const unsigned char lists_js[] = {
#embed "Page/lists.js"
};
static const unsigned char forms_js[] = {
#embed "Page/forms.js"
};
static const unsigned char add_js[] = {
#embed "Page/add.js"
};
static const unsigned char segments_js[] = {
#embed "Page/segments.js"
};
static const unsigned char graph_js[] = {
#embed "Page/graph.js"
};
static const unsigned char log_js[] = {
#embed "Page/log.js"
};
static const unsigned char detail_js[] = {
#embed "Page/detail.js"
};
static const unsigned char settings_js[] = {
#embed "Page/settings.js"
};
static const unsigned char labels_js[] = {
#embed "Page/labels.js"
};
static const unsigned char feeds_js[] = {
#embed "Page/feeds.js"
};
static const unsigned char fleet_js[] = {
#embed "Page/fleet.js"
};
static const unsigned char keys_js[] = {
#embed "Page/keys.js"
};
static const unsigned char incoming_js[] = {
#embed "Page/incoming.js"
};
static const unsigned char install_js[] = {
#embed "Page/install.js"
};
static const unsigned char undo_js[] = {
#embed "Page/undo.js"
};
static const unsigned char texts_en_js[] = {
#embed "Page/texts.en.js"
};
static const unsigned char texts_de_js[] = {
#embed "Page/texts.de.js"
};
static const unsigned char texts_zh_js[] = {
#embed "Page/texts.zh.js"
};

#define FILE_OF(name, array) {name, array, sizeof(array)}

static const struct pawl_page_file files[] = {
    FILE_OF("index.html", index_html),
    FILE_OF("style.css", style_css),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("icon-192.png", icon_192_png),
    FILE_OF("icon-512.png", icon_512_png),
    FILE_OF("app.webmanifest", app_webmanifest),
    FILE_OF("worker.js", worker_js),
    FILE_OF("early.js", early_js),
    FILE_OF("main.js", main_js),
    FILE_OF("dom.js", dom_js),
    FILE_OF("i18n.js", i18n_js),
    FILE_OF("storage.js", storage_js),
    FILE_OF("api.js", api_js),
    FILE_OF("history.js", history_js),
    FILE_OF("format.js", format_js),
    FILE_OF("states.js", states_js),
    FILE_OF("order.js", order_js),
    FILE_OF("store.js", store_js),
    FILE_OF("events.js", events_js),
    FILE_OF("rights.js", rights_js),
    FILE_OF("columns.js", columns_js),
    FILE_OF("row.js", row_js),
    FILE_OF("list.js", list_js),
    FILE_OF("menu.js", menu_js),
    FILE_OF("actions.js", actions_js),
    FILE_OF("fields.js", fields_js),
    FILE_OF("inputs.js", inputs_js),
    FILE_OF("lists.js", lists_js),
    FILE_OF("forms.js", forms_js),
    FILE_OF("add.js", add_js),
    FILE_OF("segments.js", segments_js),
    FILE_OF("graph.js", graph_js),
    FILE_OF("log.js", log_js),
    FILE_OF("detail.js", detail_js),
    FILE_OF("settings.js", settings_js),
    FILE_OF("labels.js", labels_js),
    FILE_OF("feeds.js", feeds_js),
    FILE_OF("fleet.js", fleet_js),
    FILE_OF("keys.js", keys_js),
    FILE_OF("incoming.js", incoming_js),
    FILE_OF("install.js", install_js),
    FILE_OF("undo.js", undo_js),
    FILE_OF("texts.en.js", texts_en_js),
    FILE_OF("texts.de.js", texts_de_js),
    FILE_OF("texts.zh.js", texts_zh_js),
};

struct pawl_page_file pawl_page_file(size_t index) {
    const struct pawl_page_file none = {0};
    return index < sizeof(files) / sizeof(files[0]) ? files[index] : none;
}
