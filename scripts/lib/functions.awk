# Reads what swift-code.awk prints; reports files over `maxFile` lines and functions over
# `maxFunction`, from the line of `func`, `init`, `deinit`, `subscript` or `var` to the brace that
# closes the body.

function startFile(name) {
    path = name; depth = 0; parens = 0; pending = 0; previous = ""; delete start
}
function report(line, what) { print path ":" line ": " what; found = 1 }

{
    split($0, part, ":"); line = part[2] + 0
    if (part[1] != path) startFile(part[1])
    if (line == maxFile + 1) report(line, "the file is over " maxFile " lines")
    rest = substr($0, length(part[1]) + length(part[2]) + 3)
    # The brace of a computed property follows on its line or starts the next one.
    if (pendingIsVariable && (line > pending + 1 || rest !~ /^ *\{/)) pending = 0
    while (match(rest, /[A-Za-z_][A-Za-z_0-9]*|[{}().,]/)) {
        token = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
        read(token); previous = token
    }
}

function read(token) {
    if (token == "(") parens++
    else if (token == ")") parens--
    else if (token == "{") {
        depth++
        if (pending && parens == pendingParens) { start[depth] = pending; pending = 0 }
    } else if (token == "}") {
        if (start[depth] && line - start[depth] + 1 > maxFunction)
            report(start[depth], "a function of " (line - start[depth] + 1) " lines, at most " maxFunction)
        delete start[depth]; depth--
        if (depth < pendingDepth) pending = 0
    } else if (startsFunction(token)) expect(0)
    else if (token == "var" && previous !~ /^(if|guard|while|for|case|,)$/) expect(1)
    else if (token ~ /^(let|case|struct|enum|class|actor|protocol|extension|typealias|associatedtype)$/)
        if (parens == pendingParens) pending = 0
}

# `.init(` is a call; `init` as a label is followed by a colon.
function startsFunction(token) {
    return token == "func" && previous != "." || token == "deinit" && rest ~ /^ *\{/ \
        || (token == "init" || token == "subscript") && previous != "." && rest ~ /^[?!]?[(<]/
}
function expect(isVariable) {
    pending = line; pendingParens = parens; pendingDepth = depth; pendingIsVariable = isVariable
}

END { exit found }
