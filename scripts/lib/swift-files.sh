# Sourced by the checks, in the root of what they look at.

# Prints the project's own Swift files below the folders given, by default all of them, each
# ended by a NUL.
swift_files() {
    local folders=() folder
    [ $# -gt 0 ] || set -- Package.swift Sources Tests Benchmarks Examples
    for folder in "$@"; do
        [ ! -e "$folder" ] || folders+=("$folder")
    done
    [ ${#folders[@]} -eq 0 ] || find "${folders[@]}" -name '.?*' -prune -o -name '*.swift' -print0
}

# Prints them as `path:line:code`, without comments and the content of strings.
swift_code() {
    swift_files "$@" | LC_ALL=C xargs -0 -r awk -f "${BASH_SOURCE[0]%/*}/swift-code.awk"
}
