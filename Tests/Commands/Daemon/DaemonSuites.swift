import Testing

/// The suites that start daemons; they run one after the other, beside the other tests.
@Suite(.timeLimit(.minutes(5)), .serialized)
enum DaemonSuites {}
