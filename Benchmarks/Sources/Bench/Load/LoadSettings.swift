/// Who asks the daemon while it works.
struct LoadSettings {
    var port: UInt16
    var token: String
    /// They ask in turn, one small thing a second each, over a connection that they keep.
    var clients = 0
    /// They read what happens, and how far the downloads are.
    var readers = 1
    /// What the clients ask for, one after the other.
    var paths = ["/v1/status"]
    /// It is over when every reader has heard of so many finished downloads.
    var downloads = 1
    var limitSeconds = 60.0
}

/// How long the answers took, and what the readers got.
struct LoadResult {
    /// From the moment when it was due to be asked until the whole answer was there, in order.
    var latencies: [Double] = []
    /// From the beginning until the last reader knew that all had finished.
    var seconds = 0.0
    /// What one of the readers got.
    var progressEvents = 0
    /// User and system time of who asked.
    var cpuSeconds = 0.0

    /// So many percent of the answers took no longer.
    func percentile(_ percent: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let index = Int((Double(latencies.count) * percent / 100).rounded(.up)) - 1
        return latencies[min(max(index, 0), latencies.count - 1)]
    }
}
