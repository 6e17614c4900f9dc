# Prints Swift files as `path:line:code`, without comments, and with strings, regular expressions
# and names in backticks made harmless, so that plain patterns can be used on the rest.
# Plain POSIX awk: Debian has mawk, others have gawk.

function top() { return depth ? mode[depth] : "code" }
function push(what, count) { depth++; mode[depth] = what; hashes[depth] = count; parens[depth] = 1 }

FNR == 1 { depth = 0; comment = 0; delete mode }

# Most lines contain nothing of interest to the scanner below.
!depth && !comment && !/["`\/]/ { print FILENAME ":" FNR ":" $0; next }

{
    out = ""; rest = $0
    while (rest != "") {
        if (comment) inComment()
        else if (top() == "code" || top() == "interpolation") inCode()
        else inLiteral()
    }
    # A string on one line ends with the line, even if the scanner found no end.
    while (top() == "\"") depth--
    print FILENAME ":" FNR ":" out
}

function inComment() {
    if (!match(rest, /\/\*|\*\//)) { rest = ""; return }
    comment += substr(rest, RSTART, 2) == "/*" ? 1 : -1
    rest = substr(rest, RSTART + 2)
}

function inCode(    at, before, name) {
    if (!match(rest, /["`\/()#]/)) { out = out rest; rest = ""; return }
    out = out substr(rest, 1, RSTART - 1); rest = substr(rest, RSTART)
    at = substr(rest, 1, 1)
    if (at == "(" || at == ")") {
        parens[depth] += at == "(" ? 1 : -1
        if (depth && parens[depth] == 0) depth--
        take(1)
    } else if (substr(rest, 1, 2) == "//") {
        rest = ""
    } else if (substr(rest, 1, 2) == "/*") {
        comment = 1; rest = substr(rest, 3)
    } else if (at == "`" && match(substr(rest, 2), /`/)) {
        name = substr(rest, 2, RSTART - 1); rest = substr(rest, RSTART + 2)
        gsub(/[^A-Za-z0-9]/, "_", name); out = out "_" name
    } else if (match(rest, /^#*"""/)) {
        push("\"\"\"", RLENGTH - 3); open()
    } else if (match(rest, /^#*"/)) {
        push("\"", RLENGTH - 1); open()
    } else if (match(rest, /^#+\//)) {
        push("/", RLENGTH - 1); open()
    } else if (at == "/" && startsExpression() && match(rest, /^\/([^ \/\\]|\\.)([^\/\\]|\\.)*\//)) {
        rest = substr(rest, RLENGTH + 1); out = out "\"\""
    } else {
        take(1)
    }
}

# A slash after one of these cannot divide anything.
function startsExpression(    before) { before = out; sub(/ +$/, "", before); return before ~ /(^|[(=,:[{!&|?;])$/ }
function take(count) { out = out substr(rest, 1, count); rest = substr(rest, count + 1) }
function open() { rest = substr(rest, RLENGTH + 1); out = out "\"" }

function inLiteral(    end, count, size) {
    count = hashes[depth]; end = top(); size = length(end)
    if (!match(rest, end == "/" ? "[\\\\/]" : "[\\\\\"]")) { rest = ""; return }
    rest = substr(rest, RSTART)
    if (substr(rest, 1, 1) == "\\") {
        if (substr(rest, 2, count) != same(count)) { rest = substr(rest, 2); return }
        rest = substr(rest, 2 + count)
        if (substr(rest, 1, 1) == "(" && end != "/") { take(1); push("interpolation", 0) }
        else rest = substr(rest, 2)
    } else if (substr(rest, 1, size + count) == end same(count)) {
        rest = substr(rest, 1 + size + count); out = out "\""; depth--
    } else {
        rest = substr(rest, 2)
    }
}

function same(count,    text) { text = ""; while (count-- > 0) text = text "#"; return text }
