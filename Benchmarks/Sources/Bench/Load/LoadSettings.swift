/// The clients that send requests to the daemon while it works.
struct LoadSettings {
    var port: UInt16
    /// The token of the clients.
    var token: String
    /// The token of the readers: the daemon limits the connections of each token.
    var readerToken: String
    /// The number of clients.
    ///
    /// Each sends one small request per second over a persistent connection.
    var clients = 0
    /// The number of readers of events and progress.
    var readers = 1
    /// The paths that the clients request, one after another.
    var paths = ["/v1/status"]
    /// The number of downloads; the load ends when every reader has received the end of all.
    var downloads = 1
    var limitSeconds = 60.0
}

/// The response times, and the events that the readers received.
struct LoadResult {
    /// The times from when each request was due to its complete response, in ascending order.
    var latencies: [Double] = []
    /// The time from the beginning until the last reader had received the end of all downloads.
    var seconds = 0.0
    /// The number of progress events that one reader received.
    var progressEvents = 0
    /// The user and system time of the clients.
    var cpuSeconds = 0.0

    /// Returns the time that the given percentage of the responses did not exceed.
    func percentile(_ percent: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let index = Int((Double(latencies.count) * percent / 100).rounded(.up)) - 1
        return latencies[min(max(index, 0), latencies.count - 1)]
    }
}
