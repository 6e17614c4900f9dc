internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The tasks that run, for those who look.
final class LiveDownloads: Sendable {
    private let tasks = Mutex<[Int64: DownloadTask]>([:])

    subscript(id: Int64) -> DownloadTask? {
        get { tasks.withLock { $0[id] } }
        set { tasks.withLock { $0[id] = newValue } }
    }

    var all: [Int64: DownloadTask] { tasks.withLock { $0 } }
    var isEmpty: Bool { tasks.withLock { $0.isEmpty } }

    /// The rows with what the tasks say at this moment.
    func overlay(_ downloads: [WireDownload]) -> [WireDownload] {
        let tasks = all
        guard !tasks.isEmpty else { return downloads }
        return downloads.map { download in
            guard download.state == .running, let task = tasks[download.id] else { return download }
            return Self.overlay(download, task)
        }
    }

    private static func overlay(_ download: WireDownload, _ task: DownloadTask) -> WireDownload {
        var download = download
        let progress = task.currentProgress
        download.completedBytes = max(progress.completedBytes, 0)
        download.totalBytes = progress.totalBytes ?? download.totalBytes
        download.bytesPerSecond = Int64(exactly: progress.bytesPerSecond.rounded()) ?? 0
        download.connections = progress.connections
        if !progress.name.isEmpty { download.name = progress.name }
        if task.state == .waitingForConnectivity { download.state = .waitingForConnectivity }
        return download
    }

    /// How far all of them are, by id.
    var progress: WireProgress {
        WireProgress(
            all.sorted { $0.key < $1.key }.map { id, task in
                let progress = task.currentProgress
                var row = WireProgress.Row(
                    id: id,
                    name: progress.name,
                    completedBytes: progress.completedBytes
                )
                row.totalBytes = progress.totalBytes
                row.bytesPerSecond = Int64(exactly: progress.bytesPerSecond.rounded()) ?? 0
                row.connections = progress.connections
                return row
            }
        )
    }
}
