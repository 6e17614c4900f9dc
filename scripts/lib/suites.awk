# Reads what swift-code.awk prints; reports every test without a time limit of its own or of a suite
# around it. The limit of an extended suite applies to the tests in its extensions.

function startFile(name) {
    path = name; depth = 0; parens = 0; attribute = ""; suiteIsLimited = 0; typeName = ""
    delete type; delete isLimited; delete isExtension
}

{
    split($0, part, ":"); line = part[2]
    if (part[1] != path) startFile(part[1])
    rest = substr($0, length(part[1]) + length(part[2]) + 3)
    while (match(rest, /[@.]?[A-Za-z_][A-Za-z_0-9]*|[{}()]/)) {
        token = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
        if (attribute != "") readAttribute(token)
        else read(token)
    }
}

function read(token) {
    if (token == "@Suite" || token == "@Test") {
        attribute = token; attributeLine = line; hasLimit = 0; parens = 0
        if (rest !~ /^ *\(/) endAttribute()
    } else if (keyword != "") {
        typeName = token ~ /^(func|var|let|init|subscript)$/ ? "" : token
        typeIsExtension = keyword == "extension"; keyword = ""
    } else if (token ~ /^(struct|class|actor|enum|extension)$/) keyword = token
    else if (substr(token, 1, 1) == "." && typeIsExtension && typeName != "") typeName = typeName token
    else if (token == "{") {
        depth++
        if (typeName == "") return
        type[depth] = typeName; isExtension[depth] = typeIsExtension
        isLimited[depth] = suiteIsLimited; typeName = ""
        if (suiteIsLimited) { limitedTypes[type[depth]] = 1; suiteIsLimited = 0 }
    } else if (token == "}") {
        delete type[depth]; delete isLimited[depth]; delete isExtension[depth]; depth--
    }
}

function readAttribute(token) {
    if (token == "(") parens++
    else if (token == ".timeLimit") hasLimit = 1
    else if (token == ")" && --parens == 0) endAttribute()
}

function endAttribute(    level, extended) {
    if (attribute == "@Suite") suiteIsLimited = hasLimit
    else if (!hasLimit) {
        extended = ""
        for (level = 1; level <= depth; level++) {
            if (isLimited[level]) hasLimit = 1
            if (isExtension[level]) extended = extended "." type[level]
        }
        if (!hasLimit) { unheld[path ":" attributeLine] = substr(extended, 2); order[++count] = path ":" attributeLine }
    }
    attribute = ""
}

END {
    for (i = 1; i <= count; i++) {
        size = split(unheld[order[i]], names, "."); held = 0
        for (j = 1; j <= size; j++) if (names[j] in limitedTypes) held = 1
        if (held) continue
        print order[i] ": a test without a time limit: @Suite(.timeLimit(.minutes(5))) on its suite"
        found = 1
    }
    exit found
}
