package import PawlCore

/// The display in a pipe or a log: a line a download at its start, one every few seconds, one at
/// its end.
package struct PlainDisplay: ProgressDisplay {
    /// Between two lines of one download.
    private static let pause: Duration = .seconds(5)

    private let write: @Sendable (String) -> Void
    private let style: TerminalStyle
    private var lastLines: [Int: Moment] = [:]
    /// Those that were said to wait for the network.
    private var offline: Set<Int> = []

    package init(style: TerminalStyle, write: @escaping @Sendable (String) -> Void) {
        self.style = style
        self.write = write
    }

    package mutating func show(_ run: RunSnapshot, at now: Moment) {
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
            guard now - last >= Self.pause else { continue }
            lastLines[download.id] = now
            write(progressLine(progress))
        }
    }

    package mutating func ended(_ download: EndedDownload) {
        lastLines[download.id] = nil
        offline.remove(download.id)
        guard case .success(let file) = download.result else { return }
        write(ResultSentence.finished(file, download, style: style))
    }

    package mutating func close() {}

    /// That a download waits for the network is said at once: it may be for long.
    private mutating func isNewlyOffline(_ download: RunningDownload) -> Bool {
        guard download.progress.phase == .waitingForConnectivity else {
            offline.remove(download.id)
            return false
        }
        return offline.insert(download.id).inserted
    }

    /// Nil until it is known what comes.
    private func startLine(_ progress: DownloadProgress) -> String? {
        guard progress.phase == .receiving || progress.phase == .retrying else { return nil }
        let name = style.showable(progress.name)
        guard let total = progress.totalBytes else { return "\(name): size not known" }
        var line = "\(name): \(ByteText.size(total))"
        if progress.resumedBytes > 0 {
            let there = ByteText.part(progress.resumedBytes, of: total)
            line += ", goes on from \(there)"
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
