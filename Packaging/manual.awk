# Completes a manual page that generate-manual of swift-argument-parser has made (mdoc(7)):
# - `pawl.daemon.install.1` becomes `pawl-daemon-install(1)`, the form that man(1) expects;
# - the synopsis is the usage of `--help`, in place of a list of all options;
# - the subcommands are listed with what they do, and the exit statuses with their meaning;
# - blank lines become paragraphs, and the hyphens of options become those of ASCII.
# Variables: `version` of Pawl; `raw`, the folder with all pages as they were made; `errors`, the path of errors.md.
# Environment variable: `usage`, the lines of the usage.

function dashed(name) { gsub(/\./, "-", name); return name }

# Without quotes around the whole text.
function unquoted(text) { if (text ~ /^".*"$/) text = substr(text, 2, length(text) - 2); return text }

# What a command does, as it follows its name: `download files`.
function phrase(text,    second) {
    text = unquoted(text)
    sub(/\.$/, "", text)
    second = substr(text, 2, 1)
    if (second ~ /[a-z]/) text = tolower(substr(text, 1, 1)) substr(text, 2)
    return text
}

# In a word that is an option, all hyphens are those of ASCII.
function options(text,    result, word) {
    while (match(text, /(^|[^A-Za-z0-9\\-])--?[A-Za-z0-9][A-Za-z0-9-]*/)) {
        word = substr(text, RSTART, RLENGTH)
        gsub(/-/, "\\-", word)
        result = result substr(text, 1, RSTART - 1) word
        text = substr(text, RSTART + RLENGTH)
    }
    return result text
}

# The options in a line with macros: `Fl` prints the first hyphen itself.
function flags(line,    result, word) {
    while (match(line, / Fl [^ ]+| , -[^ ]+/)) {
        word = substr(line, RSTART, RLENGTH)
        if (word !~ /Fl /) sub(/, -/, ", Fl -", word)
        gsub(/-/, "\\-", word)
        result = result substr(line, 1, RSTART - 1) word
        line = substr(line, RSTART + RLENGTH)
    }
    return result line
}

function synopsis(    lines, count, i, command, rest) {
    count = split(ENVIRON["usage"], lines, "\n")
    for (i = 1; i <= count; i++) {
        rest = lines[i]
        match(rest, /^[a-z]+( [a-z]+)*/)
        command = substr(rest, 1, RLENGTH)
        rest = options(substr(rest, RLENGTH + 2))
        gsub(/</, "\\fI", rest)
        gsub(/>/, "\\fP", rest)
        print ".Nm " command
        if (rest != "") print rest
    }
}

# An option and its opposite have the same description, and become one entry.
function end_item() {
    if (title == "") return
    print flags(title)
    printf "%s", body
    title = body = ""
}

function commands(    i, path, line) {
    if (count == 0) return
    print ".Sh COMMANDS"
    if (page == "pawl") {
        print "Without a command, the arguments and options are those of"
        print ".Xr pawl-get 1 ."
    }
    print ".Bl -tag -width 6n"
    for (i = 1; i <= count; i++) {
        path = raw "/" reference[i] ".1"
        print ".It Xr " dashed(reference[i]) " 1"
        while ((getline line < path) > 0)
            if (sub(/^\.Nd /, "", line)) print options(unquoted(line))
        close(path)
    }
    print ".El"
}

function exit_statuses(    line, cell) {
    print ".Sh EXIT STATUS"
    if (page != "pawl") {
        print "The statuses are listed in"
        print ".Xr pawl 1 ."
        return
    }
    print "With several downloads, the status is that of the first one that failed, in the given order."
    print ".Bl -tag -width 4n"
    while ((getline line < errors) > 0) {
        if (line !~ /^\| +[0-9]+ \|/) continue
        split(line, cell, / *\| */)
        gsub(/`/, "", cell[5])
        gsub(/…/, "...", cell[5])
        print ".It " cell[2]
        print options(cell[5])
    }
    close(errors)
    print ".El"
}

function see_also(    names, i, j, total, name) {
    total = 0
    for (i = 1; i <= count; i++) names[++total] = dashed(reference[i])
    if (page != "pawl") names[++total] = "pawl"
    if (page ~ /^pawl\.[a-z]+\./) {
        name = page
        sub(/\.[a-z]+$/, "", name)
        names[++total] = dashed(name)
    }
    if (page == "pawl" || page ~ /^pawl\.daemon/) names[++total] = "pawld"
    if (page == "pawld") names[++total] = "pawl-daemon"
    for (i = 2; i <= total; i++) {
        name = names[i]
        for (j = i - 1; j >= 1 && names[j] > name; j--) names[j + 1] = names[j]
        names[j + 1] = name
    }
    print ".Sh SEE ALSO"
    for (i = 1; i <= total; i++) print ".Xr " names[i] " 1" (i < total ? " ," : "")
}

FNR == 1 {
    page = FILENAME
    sub(/.*\//, "", page)
    sub(/\.1$/, "", page)
}
/^\.Dt / { print ".Dt " toupper(dashed(page)) " 1"; next }
/^\.Os/ { print ".Os Pawl " version; next }
/^\.Sh / {
    section = unquoted(substr($0, 5))
    if (section == "NAME" || section == "DESCRIPTION") print
    if (section == "SYNOPSIS") { print; synopsis() }
    next
}
section == "" { print; next }
section == "NAME" && /^\.Nm/ { print ".Nm " dashed(page); next }
section == "NAME" && /^\.Nd/ { print ".Nd " options(phrase(substr($0, 5))); next }
section == "DESCRIPTION" && /^\.It / {
    opposite = $2 " " $3
    sub(/Fl -/, "Fl -no-", opposite)
    line = $0
    # Several arguments with one description: `url> <folder`.
    gsub(/> </, "\" Ar \"", line)
    # `title` is the entry before this one; its description follows.
    if (held != "" && line == ".It " heldOpposite) { title = heldTitle " , -" substr($3, 2); merged = 1; next }
    end_item()
    title = line
    held = line
    heldTitle = line
    heldOpposite = opposite
    merged = 0
    next
}
section == "DESCRIPTION" && /^\.(Bl|El)/ { end_item(); held = ""; print; next }
section == "DESCRIPTION" {
    text = $0 == "" ? ".Pp" : /^\.[A-Z][a-z]( |$)/ ? flags($0) : options($0)
    if (title == "") print text
    else if (!merged) body = body text "\n"
    next
}
section == "SEE ALSO" && /^\.Xr / && $2 !~ /\.help$/ { reference[++count] = $2 }
END {
    commands()
    exit_statuses()
    see_also()
}
