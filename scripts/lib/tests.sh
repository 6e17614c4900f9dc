# Sourced by scripts/check, in the root: runs the tests that were built.

# run_tests [PATTERN…]: all tests, or those whose identifier matches one of the patterns.
#
# The suites in DaemonSuites and in HeavyTests run one after the other. In one process with all others, each of their
# tests would wait behind hundreds, so they run in separate processes. The suites with daemons have two processes, which
# take about as long as all the others.
run_tests() {
    local status=0 pattern name log number rest=(--skip 'DaemonSuites/|HeavyTests/') filters=() tests=()
    local early='[A-C]|Daemon[A-H]'
    local -A group=([daemon]="DaemonSuites/($early)" [daemon-late]="DaemonSuites/(?!$early)" [heavy]=HeavyTests/)
    local logs=(.build/tests.log .build/daemon-tests.log .build/daemon-late-tests.log .build/heavy-tests.log)
    choose_programs
    for pattern; do rest+=(--filter "$pattern"); done
    # A few at a time: hundreds of tests on two cores would distort each other's times.
    begin_tests 3 "${logs[0]}" "${rest[@]}"
    for name in daemon daemon-late heavy; do
        filters=()
        for pattern; do filters+=(--filter "^(?=.*${group[$name]}).*($pattern)"); done
        [ $# -gt 0 ] || filters=(--filter "${group[$name]}")
        begin_tests 2 ".build/$name-tests.log" "${filters[@]}"
    done
    trap 'kill -INT "${tests[@]}"' INT TERM
    tail -q -n +1 -s 0.2 -f --pid="${tests[0]}" "${logs[@]}" || true
    end_tests "${tests[0]}" $# || status=$?
    for number in 1 2 3; do
        tail -n +1 -s 0.2 -f --pid="${tests[number]}" "${logs[number]}" | grep -aE '^(✘|↳)|Test run with' || true
        end_tests "${tests[number]}" $# || status=$?
    done
    [ "$status" -ne 124 ] || echo "the tests exceeded their time limit" >&2
    print_times "${logs[@]}"
    if [ $# -eq 0 ] && [ "$status" -eq 0 ]; then must_have_run "${logs[@]}" || status=1; fi
    for log in "${logs[@]}"; do
        [ "$status" -eq 0 ] || failed_tests "$log" >&2
    done
    return "$status"
}

# The tests run the `pawl` that users run, if it is not older than its sources: it starts in a fifth of the time of
# the debug build, in which the parser of arguments checks its own declarations each time. `pawld` is the debug build.
choose_programs() {
    local folder=$PWD/.build/programs
    rm -rf "$folder"
    unset PAWL_PROGRAMS
    [ -x .build/release/pawl ] && [ -x .build/debug/pawld ] || return 0
    [ -z "$(find Sources Package.swift Development/Package.swift -newer .build/release/pawl -type f -print -quit)" ] || return 0
    mkdir "$folder"
    ln .build/release/pawl .build/debug/pawld "$folder"
    export PAWL_PROGRAMS=$folder
    echo "the tests run the release build of pawl"
}

# begin_tests WIDTH LOG [OPTION…]: notes the process in `tests`.
begin_tests() {
    local width=$1 log=$2 events=()
    shift 2
    : >"$log"
    rm -f "$log.json"
    echo "$width" >"$log.width"
    # No version of the events that Swift 6.2 supports contains the cases of a test.
    ! has_case_events || events=(--event-stream-output-path "$log.json" --experimental-event-stream-version 6.3)
    # Into a file, not a pipe: this must end even if a test leaves a process behind.
    # `timeout` runs its command in a separate process group, which Ctrl-C does not reach. Two `swift test`
    # commands would wait for each other.
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$width NO_COLOR=1 timeout -s INT -k 30 2400 \
        .build/debug/pawlPackageTests.xctest --testing-library swift-testing \
        ${events[@]+"${events[@]}"} "$@" >"$log" 2>&1 &
    tests+=($!)
}

has_case_events() {
    local version
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
    [ "$(printf '%s\n' 6.3 "$version" | sort -V | head -n 1)" = 6.3 ]
}

# end_tests PROCESS PATTERNS: if there are patterns, it is not an error that no test matches them (69).
end_tests() {
    local status=0
    wait "$1" || status=$?
    [ "$2" -eq 0 ] || [ "$status" -ne 69 ] || status=0
    return "$status"
}

must_have_run() {
    local log
    for log; do
        grep -qE 'Test run with [1-9][0-9]* tests? .*passed' "$log" || {
            echo "no test ran: see $log" >&2
            return 1
        }
    done
}

# Repeats at the end which tests failed and why, because only the end of a long log may be kept.
failed_tests() {
    echo "==> failed tests, from $1"
    grep -aE -A 8 '^✘ .* recorded an issue' "$1" | grep -avE '^[◇✔]|failed after' | cut -c 1-600 | head -n 60 || true
    grep -aE '^✘ Test .* failed after' "$1" | head -n 20 || true
}

print_times() {
    local log events=()
    for log; do
        [ ! -s "$log.json" ] || events+=("width=$(<"$log.width")" "$log.json")
    done
    [ ${#events[@]} -eq 0 ] || awk -f "$scripts/lib/test-times.awk" "${events[@]}"
}
