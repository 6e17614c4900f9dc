package import PawlCore
internal import Glibc
internal import PawlStorage
internal import Synchronization
package import struct FoundationEssentials.URL

/// Records the upload of one download in a file, which is replaced as a whole.
///
/// Whatever interrupts a call, the file has the content before it or after it.
package final class FilePartLedger: PartLedger {
    private struct Content {
        var upload: RecordedUpload
        var parts: [Int: UploadedPart]
    }

    /// The largest record: more parts than an upload can have, with long tags.
    private static let mostBytes = 16 << 20

    package let path: String
    private let file: PrivateFile
    private let content = Mutex<Content?>(nil)

    /// Creates the ledger in a file, whose folder must exist.
    package init(path: String) {
        self.path = path
        file = PrivateFile(path: path, what: "the record of an upload", advice: "remove the file")
    }

    /// Returns the name of the file for a download from a URL to an object.
    package static func fileName(from source: URL, to object: URL) -> String {
        SHA256.shortText(of: "\(source.absoluteString)\n\(object.absoluteString)") + ".upload"
    }

    // MARK: - PartLedger

    package func recorded() throws(DownloadError) -> LedgerFinding {
        try content.withLock { (content) throws(DownloadError) in
            // Another process may have used the record since it was read.
            content = nil
            guard let bytes = try file.bytes(atMost: Self.mostBytes) else { return .nothing }
            let found = UploadRecord.read(bytes)
            if case .upload(let upload, let parts) = found {
                let byIndex = Dictionary(parts.map { ($0.index, $0.part) }) { $1 }
                content = Content(upload: upload, parts: byIndex)
            }
            return found
        }
    }

    package func record(_ upload: RecordedUpload) throws(DownloadError) {
        try content.withLock { (content) throws(DownloadError) in
            let isSame = content?.upload.name == upload.name
            content = Content(upload: upload, parts: isSame ? content?.parts ?? [:] : [:])
            try write(content)
        }
    }

    package func record(_ parts: [RecordedPart], of upload: String) throws(DownloadError) {
        try content.withLock { (content) throws(DownloadError) in
            guard content?.upload.name.id == upload else { return }
            for part in parts { content?.parts[part.index] = part.part }
            try write(content)
        }
    }

    package func forget() throws(DownloadError) {
        try content.withLock { (content) throws(DownloadError) in
            content = nil
            guard unlink(path) == 0 || errno == ENOENT else {
                throw file.failure(String(cString: strerror(errno)), "removing", .diskFailure)
            }
            PrivateFile.syncFolder(of: path)
        }
    }

    private func write(_ content: Content?) throws(DownloadError) {
        guard let content else { return }
        let parts = content.parts.sorted { $0.key < $1.key }
            .map { RecordedPart(index: $0.key, part: $0.value) }
        try file.write(UploadRecord.encode(content.upload, parts), .replace)
    }
}
