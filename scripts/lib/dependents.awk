# Reads what `swift package describe` prints about the targets, then the paths of changed files, one per line,
# from standard input. Prints the targets that contain a changed file, and all that depend on them.

FILENAME != "-" {
    if (sub(/^    Name: /, "")) { target = $0; inDependencies = 0 }
    else if (sub(/^    Path: /, "")) folder[target] = $0
    else if ($0 == "    Target dependencies:") inDependencies = 1
    else if (/^    [^ ]/) inDependencies = 0
    else if (inDependencies && sub(/^        /, "")) dependencies[target] = dependencies[target] " " $0
    next
}

{
    if ($0 == "Package.swift") for (target in folder) isAffected[target] = 1
    for (target in folder) if (index($0, folder[target] "/") == 1) isAffected[target] = 1
}

END {
    do {
        found = 0
        for (target in folder) {
            if (target in isAffected) continue
            count = split(dependencies[target], name, " ")
            for (i = 1; i <= count; i++) if (name[i] in isAffected) { isAffected[target] = 1; found = 1 }
        }
    } while (found)
    for (target in isAffected) print target
}
