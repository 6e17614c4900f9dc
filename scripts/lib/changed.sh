# Sourced by scripts/check, in the root: what has to be built and tested after a change.

# plan_for_changes [COMMIT]: puts into `steps` what depends on the files that were changed since the commit, and
# into `patterns` which tests. The default is the commit at which this branch left origin/main, or the last
# commit if there is no origin/main.
plan_for_changes() {
    local since=${1-} test late=() suites=()
    [ -n "$since" ] || since=$(git merge-base HEAD origin/main 2>/dev/null) || since=HEAD
    git rev-parse -q --verify "$since^{commit}" >/dev/null || usage
    mapfile -t changed < <(git diff --name-only "$since" -- && git ls-files --others --exclude-standard)
    if [ ${#changed[@]} -eq 0 ]; then
        echo "nothing has changed since $(git rev-parse --short "$since")"
        exit 0
    fi
    steps=("$(beside "${quick[@]}")")
    find_affected
    has_changed '^Package\.swift$|^scripts/check-packages' && steps+=(packages)
    [ ${#affected[@]} -eq 0 ] || steps+=(build)
    find_patterns
    # These compare documents with the code, or use them.
    has_changed '^docs/[^/]*\.md$|\.docc/Errors\.md$' && suites+=(AccessRules ForeignOption '[A-Za-z]*Document')
    has_changed '^docs/reverse-proxy\.md$' && suites+=(DaemonProxy Aria2Client)
    has_changed '^docs/grafana\.json$' && suites+=(DaemonMetrics)
    [ ${#suites[@]} -eq 0 ] || patterns+=("[./]($(IFS='|' && echo "${suites[*]}"))Tests/")
    # Both use what was built.
    if [ ${#suites[@]} -gt 0 ] || has_changed '\.docc/'; then
        is_planned build || steps+=(build)
    fi
    [ ${#patterns[@]} -eq 0 ] || steps+=(tests)
    { is_affected PawlDaemonTool || has_changed '^(Tests/Web|Extensions)/'; } && late+=(web)
    { is_affected PawlDaemonTool || has_changed '^scripts/check-api$'; } && late+=(api)
    { is_affected PawlLibrary || has_changed '\.docc/'; } && late+=(docs)
    is_affected PawlDaemon && late+=(optimized)
    [ ${#late[@]} -eq 0 ] || steps+=("$(beside "${late[@]}")")
    has_changed '^Benchmarks/|^scripts/bench$' && steps+=(bench)
    echo "files changed since $(git rev-parse --short "$since"): ${#changed[@]}; steps: ${steps[*]}"
    for test in ${patterns[@]+"${patterns[@]}"}; do echo "    tests: $test"; done
}

changed_swift_files() {
    local file
    for file in "${changed[@]}"; do
        case $file in
            Development/*) ;;
            *.swift) [ ! -e "$file" ] || printf '%s\0' "$file" ;;
        esac
    done
}

has_changed() { printf '%s\n' "${changed[@]}" | grep -qE "$1"; }
is_planned() { [[ " ${steps[*]} " == *" $1 "* ]]; }
is_affected() { [[ " ${affected[*]-} " == *" $1 "* ]]; }

# The targets that contain a changed file, or depend on one that does. Articles are not compiled.
find_affected() {
    mkdir -p .build
    swift package "${development[@]}" describe >.build/targets.txt 2>/dev/null
    mapfile -t affected < <(printf '%s\n' "${changed[@]}" | grep -v '\.docc/' |
        awk -f "$scripts/lib/dependents.awk" .build/targets.txt -)
}

# If a target of tests is affected only because some of its suites have changed, these suites are enough.
find_patterns() {
    local target file suites whole
    patterns=()
    for target in ${affected[@]+"${affected[@]}"}; do
        case $target in
            *Tests) ;;
            *) continue ;;
        esac
        whole= suites=()
        for file in "${changed[@]}"; do
            [ -z "$whole" ] || break
            [ "$(affected_by "$file" "$target")" ] || continue
            case $file in
                *.docc/*) ;;
                *Tests.swift | *Contract.swift) [ ! -e "$file" ] || suites+=("$(suites_in "$file")") ;;
                Sources/PawlDaemon/* | Sources/PawlDaemonTool/* | Sources/CPage/*)
                    # The other tests of commands run programs that do not contain the daemon.
                    if [ "$target" = CommandTests ]; then
                        suites+=('DaemonSuites|DaemonLabTests|AdviceTests')
                    else
                        whole=1
                    fi
                    ;;
                *) whole=1 ;;
            esac
        done
        if [ -n "$whole" ]; then
            patterns+=("^$target\\.")
        elif [ ${#suites[@]} -gt 0 ]; then
            patterns+=("^$target\\.(.*/)?($(IFS='|' && echo "${suites[*]}"))/")
        fi
    done
}

# affected_by FILE TARGET: prints the target if it depends on the file.
affected_by() { awk -f "$scripts/lib/dependents.awk" .build/targets.txt - <<<"$1" | grep -x "$2" || true; }

# Prints the names of the suites in a file of tests, or of the suites that it extends, separated by |.
suites_in() {
    awk '
        { word = $0; isType = sub(/^.*(struct|enum|class|actor) +/, "", word); sub(/[^A-Za-z_0-9].*/, "", word) }
        /@Suite/ { isSuite = 1 }
        isType && isSuite { suites = suites "|" word; isSuite = 0 }
        /^extension / { split($2, part, /[^A-Za-z_0-9.]/); sub(/.*\./, "", part[1]); extended = extended "|" part[1] }
        END { print substr(suites == "" ? extended : suites, 2) }' "$1"
}
