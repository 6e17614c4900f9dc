# Finds phrases that style.md's section English forbids: in the comments and string literals of Swift,
# and in every line of other files except in backticks.
BEGIN {
    phrase("[Gg](o|oes|oing) on", "say continue or resume")
    phrase("anew", "say again, or from the start")
    phrase("borne|[Bb]ears?", "say tolerated or allowed")
    phrase("[Ss]o many|(takes|took|for|From) so long", "say up to n, or n")
    phrase("to be had", "say available")
    phrase("[Nn]il (where|when|while)", "say `nil` if")
    phrase("[Aa]s long as (it|they|nobody|nothing|there)", "say while")
    phrase("(is|are|was|were) none", "say what it is not")
    phrase("(bytes|[KMG]i?B|requests|times|ticks|one|each|[0-9]) a (second|minute|line|download|host)",
        "say per")
    phrase("[Bb]rings?|[Bb]rought", "say receives or received")
    phrase("[Ww]ish(es)?", "say request")
    phrase("[Ww]hat came", "say the bytes received")
    phrase("while (they|it) pays?", "say while total speed increases")
    phrase("([Ss]ervers?|[Ee]rrors?|[Mm]essages?|yaml|[Rr]esponse|[Pp]rogram|[Dd]aemon|[Ll]ist|[Ss]ervice|libcurl|[FS]?FTP|URL|record) " \
        "(says?|tells?|said|told|(does|do) not (say|tell))", "say prints, reports or returns")
    phrase("[Rr]ules? says?", "say according to the rule")
    phrase("--[a-z-]+ (says|tells)", "say specifies")
    phrase("[Tt]ells? of (no|a|the)", "say describes")
    phrase("(process(es)?|runs?|programs?) in front", "say in the foreground")
    phrase("[Bb]y and by|[Tt]akes a look", "say gradually, or checks")
    phrase("(to|for|be) wind(s|ing)? up|[Ww]inds? up", "say shut down or stop")
}

function phrase(pattern, advice) {
    count += 1
    patterns[count] = "(^|[^A-Za-z_`-])(" pattern ")($|[^A-Za-z_`-])"
    advices[count] = advice
}

FILENAME ~ /\.swift$/ { look(prose($0)); next }
{ gsub(/`[^`]*`/, ""); look($0) }

# The comment and the string literals of a line.
function prose(line,    text, rest, start) {
    text = ""
    if (match(line, /(^|[^:"])\/\/.*$/)) {
        text = substr(line, RSTART)
        line = substr(line, 1, RSTART)
    }
    gsub(/`[^`]*`/, "", text)
    while (match(line, /"([^"\\]|\\.)*"/)) {
        text = text " " substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
    }
    # A test's name is a sentence in backticks.
    if (match(line, /func `[^`]*`/)) text = text " " substr(line, RSTART + 6, RLENGTH - 7)
    return text
}

function look(text,    i) {
    gsub(/[Tt]here (is|are|was|were) none/, "", text)
    for (i = 1; i <= count; i++) {
        if (text ~ patterns[i]) {
            print FILENAME ":" FNR ": " advices[i]
            found = 1
        }
    }
}

END { exit found }
