import Testing

/// What keeps both cores busy for long: one suite after the other.
@Suite(.timeLimit(.minutes(2)), .serialized)
enum HeavyTests {}
