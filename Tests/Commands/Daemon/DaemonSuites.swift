import Testing

/// What starts daemons and waits for them: one suite after the other, beside the rest.
@Suite(.timeLimit(.minutes(2)), .serialized)
enum DaemonSuites {}
