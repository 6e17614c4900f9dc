package import PawlCore

/// Prints one JSON object per line, for programs.
///
/// `docs/progress-json.md` describes the format.
package struct JSONDisplay: ProgressDisplay {
    private let write: @Sendable (String) -> Void
    private var last: [Int: DownloadProgress] = [:]

    package init(write: @escaping @Sendable (String) -> Void) { self.write = write }

    package mutating func show(_ run: RunSnapshot, at now: Moment) {
        for download in run.running where last[download.id] != download.progress {
            last[download.id] = download.progress
            write(JSONOutput.line(ProgressEvent(download)))
        }
    }

    package mutating func ended(_ download: EndedDownload) {
        last[download.id] = nil
        switch download.result {
        case .success(let file): write(JSONOutput.line(FinishedEvent(download, file)))
        case .failure(let error): write(JSONOutput.line(FailedEvent(download, error)))
        }
    }

    package mutating func close() {}
}
