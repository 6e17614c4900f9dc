package import PawlCore
package import PawlWire

/// Divides downloads among requests to a daemon over TCP, which limits the length of a body.
package enum RequestDivision {
    /// The maximum length of the body of a request over TCP.
    package static let mostBytes = 1 << 20

    /// Returns the downloads in order, in as few requests as possible.
    ///
    /// A download that is too long for any request has one of its own.
    package static func divide(
        _ downloads: [NewDownload],
        mostBytes: Int = mostBytes
    ) throws(DownloadError) -> [[NewDownload]] {
        let frame = try WireJSON.encode(NewDownloads([])).count
        var (parts, part) = ([[NewDownload]](), [NewDownload]())
        var length = frame
        for download in downloads {
            // With a comma.
            let count = try WireJSON.encode(download).count + 1
            if !part.isEmpty, length + count > mostBytes {
                parts.append(part)
                (part, length) = ([], frame)
            }
            part.append(download)
            length += count
        }
        return parts + [part]
    }
}
