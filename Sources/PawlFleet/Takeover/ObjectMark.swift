internal import PawlCore

/// What Pawl stores with an object, so that a node recognizes what an earlier owner has stored.
package struct ObjectMark: Hashable, Sendable {
    /// The identity of the queue.
    package var queue: String
    package var download: Int64
    /// The upload, or the owner that stored the object with one request.
    package var upload: String

    package init(queue: String, download: Int64, upload: String) {
        self.queue = queue
        self.download = download
        self.upload = upload
    }

    /// Reads the text of a mark; returns `nil` for the text of someone else.
    package init?(parsing text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let download = Int64(parts[1]) else {
            return nil
        }
        self.init(
            queue: parts[0].percentDecoded,
            download: download,
            upload: parts[2].percentDecoded
        )
    }

    /// The text, which is stored as the metadata `pawl` of the object.
    ///
    /// It is ASCII: all but the unreserved characters of a URL are encoded, the colon among them.
    package var text: String {
        "\(queue.utf8.percentEncoded()):\(download):\(upload.utf8.percentEncoded())"
    }

    /// Whether both are of the same download.
    package func isOfSameDownload(as other: ObjectMark) -> Bool {
        queue == other.queue && download == other.download
    }
}
