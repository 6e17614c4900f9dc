package import PawlCore

/// What is said of a download that ended well.
package enum ResultSentence {
    /// `disk.iso  629 MiB in 26 s, 24.1 MiB/s, verified sha256`.
    package static func finished(
        _ file: DownloadedFile,
        _ download: EndedDownload,
        style: TerminalStyle
    ) -> String {
        let path = style.showable(file.path)
        var facts: [String] = []
        if file.wasAlreadyThere {
            facts.append("\(ByteText.size(file.byteCount)), already there")
        } else {
            let time = TimeText.elapsed(download.elapsed)
            facts.append("\(ByteText.size(file.byteCount)) in \(time)")
            facts.append(ByteText.rate(averageSpeed(download)))
        }
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

    private static func averageSpeed(_ download: EndedDownload) -> Double {
        Double(download.fetchedBytes) / max(download.elapsed.seconds, 0.001)
    }
}
