package import PawlCore

/// The message for a finished download.
package enum ResultMessage {
    /// `disk.iso  629 MiB in 26 s, 24.1 MiB/s, verified sha256`; for a resumed download
    /// `disk.iso  629 MiB, the last 352 MiB in 15 s, 24.1 MiB/s`.
    package static func finished(
        _ file: DownloadedFile,
        _ download: EndedDownload,
        style: TerminalStyle
    ) -> String {
        let isOutput = file.path == OutputPath.standardOutput
        let path = isOutput ? "standard output" : style.showable(file.path)
        var facts = received(file, download)
        if let digest = file.verifiedDigest {
            facts.append("verified \(digest.algorithm.rawValue)")
        }
        if !file.isLengthVerified {
            facts.append("length not verified: the server did not send it")
        }
        if let encoding = file.contentEncoding {
            facts.append("encoded as \(style.showable(encoding)) by the server")
        }
        let sentence = facts.joined(separator: ", ")
        guard style.hasColours else { return "\(path): \(sentence)" }
        return "\(path)  \(style.tint(sentence, .dim))"
    }

    /// The size, and the time and speed of the part that this run has received.
    private static func received(_ file: DownloadedFile, _ download: EndedDownload) -> [String] {
        let size = ByteText.size(file.byteCount)
        if file.wasAlreadyThere { return [size, "already exists"] }
        let count = download.fetchedBytes
        if count == 0, file.byteCount > 0 { return [size, "all bytes were received earlier"] }
        let time = TimeText.elapsed(download.elapsed)
        let facts =
            count < file.byteCount
            ? [size, "the last \(ByteText.size(count)) in \(time)"] : ["\(size) in \(time)"]
        // A speed over a very short time means nothing.
        guard download.elapsed >= shortestTime else { return facts }
        return facts + [ByteText.rate(Double(count) / download.elapsed.seconds)]
    }

    private static let shortestTime: Duration = .milliseconds(50)
}
