#include "pawl_toml.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

// Without the library's own object code, a program needs no package beside it.
#define TOML_HEADER_ONLY 1
// The library asserts, or with NDEBUG assumes, what a text can violate: a line that is only `[`. Without the assertion,
// its parser reports an error.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace {

pawl_toml_text text_of(std::string_view text) { return {text.data(), text.size()}; }

class Reader {
public:
    Reader(void *context, pawl_toml_visitor visit) : context(context), visit(visit) {}

    void read(const toml::table &table) {
        for (auto &&[key, node] : table) {
            keys.push_back(text_of(key.str()));
            read(node);
            keys.pop_back();
        }
    }

    void fail(std::string_view reason, toml::source_position place) {
        pass(PAWL_TOML_ERROR, reason, place);
    }

private:
    void *context;
    pawl_toml_visitor visit;
    std::vector<pawl_toml_text> keys;

    void read(const toml::node &node) {
        auto list = node.as_array();
        auto table = node.as_table();
        if ((list && list->empty()) || (table && table->empty()))
            return pass(PAWL_TOML_EMPTY, {}, node.source().begin);
        if (table) return read(*table);
        if (list) {
            for (auto &&element : *list) read_leaf(element);
            return;
        }
        read_leaf(node);
    }

    void read_leaf(const toml::node &node) {
        auto place = node.source().begin;
        if (auto value = node.as_string()) return pass(PAWL_TOML_SCALAR, value->get(), place);
        if (auto value = node.as_integer())
            return pass(PAWL_TOML_SCALAR, std::to_string(value->get()), place);
        if (auto value = node.as_boolean())
            return pass(PAWL_TOML_SCALAR, value->get() ? "true" : "false", place);
        if (auto value = node.as_floating_point()) {
            char digits[64];
            auto end = std::to_chars(digits, digits + sizeof digits, value->get()).ptr;
            return pass(PAWL_TOML_SCALAR, {digits, size_t(end - digits)}, place);
        }
        pass(PAWL_TOML_OTHER, {}, place);
    }

    void pass(pawl_toml_kind kind, std::string_view text, toml::source_position place) {
        pawl_toml_value value{kind,         text_of(text), place.line,
                              place.column, keys.data(),   keys.size()};
        visit(context, &value);
    }
};

}  // namespace

void pawl_toml_read(pawl_toml_text document, void *context, pawl_toml_visitor visit) {
    Reader reader(context, visit);
    auto result = toml::parse(std::string_view(document.bytes, document.length));
    if (result)
        reader.read(result.table());
    else
        reader.fail(result.error().description(), result.error().source().begin);
}
