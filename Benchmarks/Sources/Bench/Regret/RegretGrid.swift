/// The cells of the case `regret`, before they are varied.
enum RegretGrid {
    static let cells = clean + queues + loss + pace + limit

    private static let clean: [RegretCell] = [
        (5, 10), (5, 100), (20, 10), (20, 50), (20, 250), (50, 20), (50, 200), (100, 1), (100, 20),
        (100, 80), (100, 250), (300, 20), (300, 80), (1_000, 1), (1_000, 20), (1_000, 100),
    ].map { RegretCell(group: .clean, megabitsPerSecond: $0.0, roundTripMilliseconds: $0.1) }

    private static let queues: [RegretCell] = [
        (20, 50, 0.25), (100, 20, 0.25), (100, 80, 0.25), (300, 80, 0.25), (20, 50, 4),
        (100, 20, 4), (100, 80, 4),
    ].map {
        RegretCell(
            group: .queues,
            megabitsPerSecond: $0.0,
            roundTripMilliseconds: $0.1,
            queue: $0.2
        )
    }

    private static let loss: [RegretCell] = [
        (20, 50, 1), (100, 20, 0.1), (100, 80, 0.1), (100, 80, 1), (300, 50, 0.5), (1_000, 20, 0.1),
        (50, 250, 2),
    ].map {
        RegretCell(
            group: .loss,
            megabitsPerSecond: $0.0,
            roundTripMilliseconds: $0.1,
            lossPercent: $0.2
        )
    }

    private static let pace: [RegretCell] = [
        (100, 20, 1), (1_000, 20, 1), (1_000, 1, 4), (1_000, 20, 8), (300, 80, 2), (1_000, 1, 8),
    ].map {
        RegretCell(
            group: .pace,
            megabitsPerSecond: $0.0,
            roundTripMilliseconds: $0.1,
            connectionMegabytesPerSecond: $0.2
        )
    }

    private static let limit: [RegretCell] = [
        (1_000, 1, 8, 2), (1_000, 1, 8, 4), (1_000, 1, 8, 8), (1_000, 20, 4, 4), (300, 80, 2, 4),
        (100, 40, 1, 2),
    ].map {
        RegretCell(
            group: .limit,
            megabitsPerSecond: $0.0,
            roundTripMilliseconds: $0.1,
            connectionMegabytesPerSecond: $0.2,
            mostConnections: $0.3
        )
    }
}
