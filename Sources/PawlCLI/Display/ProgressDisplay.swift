package import PawlCore

/// Shows how downloads go.
///
/// Called by one caller at a time.
package protocol ProgressDisplay: Sendable {
    /// Called about ten times a second.
    mutating func show(_ run: RunSnapshot, at now: Moment)
    mutating func ended(_ download: EndedDownload)
    /// Leaves the terminal as it was.
    mutating func close()
}

/// All downloads of a run at one moment.
package struct RunSnapshot: Sendable {
    /// In the order given.
    package var running: [RunningDownload] = []
    /// How many were ordered.
    package var orderedCount = 0
    /// How many have ended, well or not.
    package var endedCount = 0
    package var failedCount = 0
    /// The bytes of those that ended well.
    package var finishedBytes: Int64 = 0

    package init() {}

    /// The sum of all downloads; its total is known once every download has begun and told its own.
    package var sum: DownloadProgress {
        var sum = DownloadProgress()
        sum.phase = .receiving
        sum.completedBytes = finishedBytes
        var total: Int64? = running.count + endedCount < orderedCount ? nil : finishedBytes
        for download in running {
            let progress = download.progress
            sum.completedBytes = sum.completedBytes.saturatingAdd(progress.completedBytes)
            sum.bytesPerSecond += progress.bytesPerSecond
            sum.connections += progress.connections
            total = progress.totalBytes.flatMap { bytes in total?.saturatingAdd(bytes) }
        }
        sum.totalBytes = total
        return sum
    }
}

/// One download that runs, at one moment.
package struct RunningDownload: Sendable {
    /// Its place in the order given, from 1.
    package var id: Int
    /// Secrets hidden.
    package var source: String
    /// Its name is never empty.
    package var progress: DownloadProgress

    package init(id: Int, source: String, progress: DownloadProgress) {
        self.id = id
        self.source = source
        self.progress = progress
    }
}

/// One download that has ended.
package struct EndedDownload: Sendable {
    package var id: Int
    package var source: String
    package var name: String
    package var result: Result<DownloadedFile, DownloadError>
    package var elapsed: Duration = .zero
    /// What this run brought, without what was there before.
    package var fetchedBytes: Int64 = 0
    /// What is on disk of a download that did not end well.
    package var keptBytes: Int64 = 0

    package init(
        id: Int,
        source: String,
        name: String,
        result: Result<DownloadedFile, DownloadError>
    ) {
        self.id = id
        self.source = source
        self.name = name
        self.result = result
    }
}

extension Int64 {
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
