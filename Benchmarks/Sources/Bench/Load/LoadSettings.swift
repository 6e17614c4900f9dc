/// The clients that send requests to the daemon while it works.
struct LoadSettings {
    var port: UInt16
    var token: String
    /// The number of clients.
    ///
    /// In turn, each sends one small request per second over a persistent connection.
    var clients = 0
    /// The number of readers of events and progress.
    var readers = 1
    /// The paths that the clients request, one after another.
    var paths = ["/v1/status"]
    /// The number of finished downloads after which it ends, when every reader has received them.
    var downloads = 1
    var limitSeconds = 60.0
}

/// The times of the answers, and what the readers received.
struct LoadResult {
    /// The times from when each request was due to its complete answer, in order.
    var latencies: [Double] = []
    /// The time from the beginning until the last reader knew that all downloads had finished.
    var seconds = 0.0
    /// The number of progress events that one reader received.
    var progressEvents = 0
    /// The user and system time of the clients.
    var cpuSeconds = 0.0

    /// Returns the time that the given percentage of answers did not exceed.
    func percentile(_ percent: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let index = Int((Double(latencies.count) * percent / 100).rounded(.up)) - 1
        return latencies[min(max(index, 0), latencies.count - 1)]
    }
}
