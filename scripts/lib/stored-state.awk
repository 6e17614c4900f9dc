# Reads what swift-code.awk prints; reports the state of classes and actors that other files can see: stored variables
# and locks around state that are not `private`. A comment with the words "visible to" above such a property names
# who sees it.

function start_file(name,    text, number) {
    path = name; depth = 0; expected = ""; delete holder; delete is_comment; delete is_reason
    while ((getline text < name) > 0) {
        number++
        if (text ~ /^ *\/\//) is_comment[number] = 1
        if (text ~ /^ *\/\/.*[Vv]isible to/) is_reason[number] = 1
    }
    close(name)
}

function has_reason(number) {
    while (is_comment[--number]) if (is_reason[number]) return 1
    return 0
}

{
    split($0, part, ":"); line = part[2] + 0
    if (part[1] != path) start_file(part[1])
    code = substr($0, length(part[1]) + length(part[2]) + 3)
    if (holder[depth] && is_open_state(code) && !has_reason(line)) {
        sub(/^ */, "", code); print path ":" line ": state that other files can see: " code; found = 1
    }
    if (code ~ /(^|[^A-Za-z_.])(class|actor) +[A-Z]/) expected = code !~ /(^|[^A-Za-z_])(file)?private /
    else if (code ~ /(^|[^A-Za-z_.])(struct|enum|extension|protocol|func|init|deinit|subscript) *[A-Za-z_(`?<{]/)
        expected = 0
    while (match(code, /[{}]/)) {
        if (substr(code, RSTART, 1) == "{") { holder[++depth] = expected; expected = 0 }
        else if (depth) depth--
        code = substr(code, RSTART + 1)
    }
}

function is_open_state(code) {
    if (code ~ /(^|[^A-Za-z_])(private|fileprivate|static|override) /) return 0
    if (code ~ /^ *[a-z() ]*let +[a-zA-Z_]+ *(: *|= *)(Mutex|Atomic|Observed)[<(]/) return 1
    if (code !~ /^ *(@[A-Za-z]+ +)?[a-z() ]*var +[a-zA-Z_]+ *[:=]/) return 0
    # A brace before any `=` begins the body of a computed property.
    return code !~ /^[^{=]*\{/ || code ~ /\{ *(didSet|willSet)/
}

END { exit found }
