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
        self.init(queue: String(parts[0]), download: download, upload: String(parts[2]))
    }

    /// The text, which is stored as the metadata `pawl` of the object.
    package var text: String { "\(queue):\(download):\(upload)" }

    /// Whether both are of the same download.
    package func isOfSameDownload(as other: ObjectMark) -> Bool {
        queue == other.queue && download == other.download
    }
}
