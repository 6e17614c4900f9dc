package import PawlCore

/// The display in a pipe or a log: one line per download at its start, every few seconds, and at
/// its end.
package struct PlainDisplay: ProgressDisplay {
    /// The time between two lines of a download.
    private static let interval: Duration = .seconds(5)

    private let write: @Sendable (String) -> Void
    private let style: TerminalStyle
    private var lastLines: [Int: Moment] = [:]
    /// The downloads that were reported to wait for the network.
    private var offline: Set<Int> = []
    private var lastStatus: (line: String, at: Moment)?

    package init(style: TerminalStyle, write: @escaping @Sendable (String) -> Void) {
        self.style = style
        self.write = write
    }

    package mutating func show(_ run: RunSnapshot, at now: Moment) {
        showStatus(run, at: now)
        for download in run.running {
            let progress = download.progress
            if isNewlyOffline(download) {
                lastLines[download.id] = now
                write(progressLine(progress))
                continue
            }
            guard let last = lastLines[download.id] else {
                if let line = startLine(progress) {
                    lastLines[download.id] = now
                    write(line)
                }
                continue
            }
            guard now - last >= Self.interval else { continue }
            lastLines[download.id] = now
            write(progressLine(progress))
        }
    }

    /// Writes what the run does besides its downloads, if that has changed for a while.
    private mutating func showStatus(_ run: RunSnapshot, at now: Moment) {
        guard run.running.isEmpty, let status = run.status else { return }
        guard let last = lastStatus else { return lastStatus = ("", now) }
        guard status != last.line, now - last.at >= Self.interval else { return }
        lastStatus = (status, now)
        write(status)
    }

    package mutating func ended(_ download: EndedDownload) {
        lastLines[download.id] = nil
        offline.remove(download.id)
        guard case .success(let file) = download.result else { return }
        write(ResultMessage.finished(file, download, style: style))
    }

    package mutating func close() {}

    /// Whether the download has started to wait for the network, which is reported immediately.
    private mutating func isNewlyOffline(_ download: RunningDownload) -> Bool {
        guard download.progress.phase == .waitingForConnectivity else {
            offline.remove(download.id)
            return false
        }
        return offline.insert(download.id).inserted
    }

    /// The first line of a download; `nil` until its size is known.
    private func startLine(_ progress: DownloadProgress) -> String? {
        guard progress.phase == .receiving || progress.phase == .retrying else { return nil }
        let name = style.showable(progress.name)
        guard let total = progress.totalBytes else { return "\(name): size unknown" }
        var line = "\(name): \(ByteText.size(total))"
        if progress.resumedBytes > 0 {
            line += ", resumes at \(ByteText.part(progress.resumedBytes, of: total))"
        }
        return line
    }

    private func progressLine(_ progress: DownloadProgress) -> String {
        var facts: [String] = []
        if let fraction = progress.fraction { facts.append(ProgressLine.percentText(fraction)) }
        if let total = progress.totalBytes {
            facts.append(ByteText.part(progress.completedBytes, of: total))
        } else {
            facts.append(ByteText.size(progress.completedBytes))
        }
        if let word = ProgressLine.phaseWord(progress.phase) {
            facts.append(word)
        } else {
            facts.append(ByteText.rate(progress.bytesPerSecond))
            if let left = progress.timeLeft { facts.append("\(TimeText.clock(left)) left") }
            let noun = progress.connections == 1 ? "connection" : "connections"
            facts.append("\(progress.connections) \(noun)")
        }
        return "\(style.showable(progress.name)): \(facts.joined(separator: ", "))"
    }
}
