# Sourced by the checks: shows that a check finds what it must find.

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# Writes a file below the scratch folder from standard input.
plant() {
    mkdir -p "$scratch/$(dirname "$1")"
    cat >"$scratch/$1"
}

# The check under test, run on the scratch folder, must fail and print the pattern; what was
# planted is removed.
must_find() {
    local output status=0
    output=$("$0" "$scratch" 2>&1) || status=$?
    if [ "$status" -eq 0 ] || ! grep -qE "$1" <<<"$output"; then
        printf '%s: self-test: not found: %s\n%s\n' "$0" "$1" "$output" >&2
        failed=1
    fi
    rm -rf "${scratch:?}"/*
}

# The check must accept what was planted.
must_pass() {
    local output
    if ! output=$("$0" "$scratch" 2>&1); then
        printf '%s: self-test: a false alarm:\n%s\n' "$0" "$output" >&2
        failed=1
    fi
    rm -rf "${scratch:?}"/*
}

end_self_test() { exit "$failed"; }
