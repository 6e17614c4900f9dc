# Reads the events that Swift Testing writes as lines of JSON, from files that are each preceded by
# `width=N`, the number of tests that ran at a time. Prints the time of each suite, which is that of its tests
# added up, and the ten slowest tests.
#
# The events of a test include the time in which it waited for one of the N slots. The cases of a
# parameterized test have events of their own. Other tests get the slots in the order in which they arrive:
# the k-th of them begins when the k-th slot becomes free that no parameterized case takes.

FNR == 1 { settle(); for (i = 1; i <= width; i++) freeAt[++slots] = 0 }

{
    if (!match($0, /"(testID|id)":"[^"]*/)) next
    test = substr($0, RSTART, RLENGTH)
    sub(/^"[a-zA-Z]*":"/, "", test)
}

/^{"kind":"test"/ {
    if (index($0, "\"kind\":\"suite\"")) isSuite[test] = 1
    else if (index($0, "\"isParameterized\":true")) isParameterized[test] = 1
    next
}

test in isSuite || !match($0, /"absolute":[0-9.]+/) { next }

{
    now = substr($0, RSTART + 11, RLENGTH - 11)
    match($0, /"kind":"test[A-Za-z]*"/)
    kind = substr($0, RSTART + 8, RLENGTH - 9)
}

kind == "testCaseStarted" {
    for (i = slots; i > 1 && i in isTaken; i--) {}
    isTaken[i] = 1
    add(test, -now)
}
kind == "testCaseEnded" { add(test, now); freeAt[++slots] = now }
kind == "testStarted" && !(test in isParameterized) { arrived[++arrivals] = test; arrivedAt[test] = now }
kind == "testEnded" && !(test in isParameterized) { endedAt[test] = now; freeAt[++slots] = now }

# Gives each test that has arrived the slot in which it ran, and forgets the file.
function settle(    slot, from) {
    slot = 0
    for (i = 1; i <= arrivals; i++) {
        do slot++; while (slot in isTaken)
        if (!(arrived[i] in endedAt) || !(slot in freeAt)) continue
        from = arrivedAt[arrived[i]]
        if (freeAt[slot] > from) from = freeAt[slot]
        # Two tests that arrived at the same moment may have changed places.
        if (endedAt[arrived[i]] > from) add(arrived[i], endedAt[arrived[i]] - from)
    }
    split("", freeAt); split("", isTaken); split("", arrived); split("", endedAt)
    slots = arrivals = 0
}

function add(test, seconds,    suite) {
    gsub(/\\\//, "/", test)
    # `Module.Suite/Inner/function()/File.swift:12:6`
    sub(/\/[^\/]*\.swift:[0-9]+:[0-9]+$/, "", test)
    suite = test
    sub(/\/(`.*|[^\/]*)$/, "", suite)
    testTime[test] += seconds
    suiteTime[suite] += seconds
}

END {
    settle()
    print "==> the time of each suite"
    for (suite in suiteTime) printf "    %7.1f s  %s\n", suiteTime[suite], suite | "sort -rn"
    close("sort -rn")
    print "==> the ten slowest tests"
    for (test in testTime) printf "    %7.1f s  %s\n", testTime[test], test | "sort -rn | head -n 10"
}
