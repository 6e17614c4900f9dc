import PawlCore

/// Measures the duration of an operation.
struct Stopwatch: Sendable {
    private let clock = SystemTimekeeper()
    private let begin: Moment

    init() { begin = clock.now() }

    var elapsed: Duration { clock.now() - begin }
}
