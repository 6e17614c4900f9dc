package import PawlCore

/// Shows the progress of downloads.
///
/// Its methods are called by one caller at a time.
package protocol ProgressDisplay: Sendable {
    /// Shows the progress; called about 10 times per second.
    mutating func show(_ run: RunSnapshot, at now: Moment)
    mutating func ended(_ download: EndedDownload)
    /// Restores the terminal.
    mutating func close()
}

/// All downloads of a run at one moment.
package struct RunSnapshot: Sendable {
    /// The running downloads in the order given.
    package var running: [RunningDownload] = []
    /// The number of requested downloads.
    package var requestedCount = 0
    /// The number of downloads that have finished or failed.
    package var endedCount = 0
    package var failedCount = 0
    /// The bytes of all finished files.
    package var finishedBytes: Int64 = 0
    /// What the run does besides its downloads; `nil` if nothing.
    package var status: String?

    package init() {}

    /// The sum of all downloads.
    ///
    /// Its total is known when the size of every download is known.
    package var sum: DownloadProgress {
        var sum = DownloadProgress()
        sum.phase = .receiving
        sum.completedBytes = finishedBytes
        var total: Int64? = running.count + endedCount < requestedCount ? nil : finishedBytes
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

/// A running download at one moment.
package struct RunningDownload: Sendable {
    /// Its position in the order given, from 1.
    package var id: Int
    /// The URL with secrets hidden.
    package var source: String
    /// The progress, which always contains a name.
    package var progress: DownloadProgress

    package init(id: Int, source: String, progress: DownloadProgress) {
        self.id = id
        self.source = source
        self.progress = progress
    }
}

/// A download that has ended.
package struct EndedDownload: Sendable {
    package var id: Int
    package var source: String
    package var name: String
    package var result: Result<DownloadedFile, DownloadError>
    package var elapsed: Duration = .zero
    /// The bytes that this run received.
    package var fetchedBytes: Int64 = 0
    /// The bytes on disk of a download that is not complete.
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
