internal import FoundationEssentials
internal import PawlCore
package import PawlWire

/// The output of `pawl show` for one download: one name and value per line.
package enum DownloadReport {
    /// Times are local, with their offset from UTC.
    package static func text(
        _ download: WireDownload,
        time: LocalTime = LocalTime()
    ) -> String {
        var rows: [(String, String?)] = [
            ("id", "\(download.id)"),
            ("name", download.name),
            ("state", download.state.word),
            ("URL", download.url),
        ]
        rows += (download.mirrors ?? []).map { ("mirror", $0) }
        rows += [
            ("path", download.path ?? download.destination),
            ("size", download.totalBytes.map(ByteText.size)),
            ("done", ByteText.size(download.completedBytes)),
            ("speed", download.bytesPerSecond.map { ByteText.rate(Double($0)) }),
            ("time left", download.progress.timeLeft.map(TimeText.clock)),
            ("connections", download.connections.map { "\($0)" }),
            ("limit", download.limitBytesPerSecond.map { ByteText.rate(Double($0)) }),
            ("priority", download.priority == .normal ? nil : download.priority.rawValue),
            ("label", download.label),
            ("session", download.session),
            (
                download.failures == nil ? "not before" : "next retry",
                download.notBefore.map(time.full)
            ),
            ("failures", download.failures.map { "\($0)" }),
            ("added", time.full(download.createdAt)),
            ("ended", download.endedAt.map(time.full)),
        ]
        if let error = download.error {
            rows.append(("error", "\(error.code.rawValue): \(error.text(for: .command))"))
        }
        return .table(rows)
    }
}
