package import PawlCore

/// What is said of a download that ended well.
package enum ResultSentence {
    /// `disk.iso  629 MiB in 26 s, 24.1 MiB/s, verified sha256`; of a download that went on
    /// `disk.iso  629 MiB, the last 352 MiB in 15 s, 24.1 MiB/s`.
    package static func finished(
        _ file: DownloadedFile,
        _ download: EndedDownload,
        style: TerminalStyle
    ) -> String {
        let path = style.showable(file.path)
        var facts = fetched(file, download)
        if let digest = file.verifiedDigest {
            facts.append("verified \(digest.algorithm.rawValue)")
        }
        if !file.isLengthVerified { facts.append("length not verified: the server gave none") }
        if let encoding = file.contentEncoding {
            facts.append("encoded as \(style.showable(encoding)) by the server")
        }
        let sentence = facts.joined(separator: ", ")
        guard style.hasColours else { return "\(path): \(sentence)" }
        return "\(path)  \(style.tint(sentence, .dim))"
    }

    /// How much, and of what this run fetched how long it took.
    private static func fetched(_ file: DownloadedFile, _ download: EndedDownload) -> [String] {
        let size = ByteText.size(file.byteCount)
        if file.wasAlreadyThere { return [size, "already there"] }
        let count = download.fetchedBytes
        if count == 0, file.byteCount > 0 { return [size, "all fetched before"] }
        let time = TimeText.elapsed(download.elapsed)
        let facts =
            count < file.byteCount
            ? [size, "the last \(ByteText.size(count)) in \(time)"] : ["\(size) in \(time)"]
        // What is done at once has no speed.
        guard download.elapsed >= shortestTime else { return facts }
        return facts + [ByteText.rate(Double(count) / download.elapsed.seconds)]
    }

    private static let shortestTime: Duration = .milliseconds(50)
}
