import Testing

/// Suites that keep both cores busy for long; they run one after the other.
@Suite(.timeLimit(.minutes(5)), .serialized)
enum HeavyTests {}
