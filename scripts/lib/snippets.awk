# Reads compiled Swift files, then, after the argument `documents=1`, Markdown files and Swift files
# with comments; reports every ```swift block of the latter that none of the former contains, apart
# from its indentation.

function indentation(line) { match(line, /^ */); return RLENGTH }

!documents {
    code[++lines] = $0
    key = substr($0, indentation($0) + 1)
    places[key] = places[key] " " lines
    # A block does not continue in the next file.
    if (FNR == 1) begins[lines] = 1
    next
}

FNR == 1 { inBlock = inOther = 0 }
FILENAME ~ /\.swift$/ { if (!sub(/^ *\/\/\/ ?/, "")) { inBlock = inOther = 0; next } }
!inBlock && !inOther && /^ *```swift *$/ { inBlock = FNR; margin = indentation($0); count = 0; next }
!inBlock && /^ *```/ { inOther = !inOther; next }
inBlock && /^ *``` *$/ { judge(); inBlock = 0; next }
inBlock { block[++count] = substr($0, margin + 1) }

function judge(    i, n, at) {
    if (count > 0 && block[1] == "// URLSession") return
    if (count == 0 || block[1] == "") { complain("an empty block"); return }
    n = split(places[substr(block[1], indentation(block[1]) + 1)], at, " ")
    for (i = 1; i <= n; i++) if (standsAt(at[i])) return
    complain("this code is not compiled: it does not stand in Examples")
}

function standsAt(line,    j, shift, expected) {
    shift = indentation(code[line]) - indentation(block[1])
    if (shift < 0) return 0
    for (j = 1; j <= count; j++) {
        if (j > 1 && (line + j - 1) in begins) return 0
        expected = block[j] == "" ? "" : sprintf("%*s", shift, "") block[j]
        if (code[line + j - 1] != expected) return 0
    }
    return 1
}

function complain(text) { print FILENAME ":" inBlock ": " text; found = 1 }

END { exit found }
