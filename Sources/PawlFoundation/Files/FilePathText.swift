internal import Foundation
internal import PawlCore

extension URL {
    /// The path of the file or folder that the URL names.
    ///
    /// - Throws: `DownloadError` with the code `.usage` for a URL that names no file of this
    ///   machine.
    func filePath() throws(DownloadError) -> String {
        let path = path(percentEncoded: false)
        let host = host() ?? ""
        guard isFileURL, host.isEmpty || host.lowercased() == "localhost", !path.isEmpty,
            !path.utf8.contains(0)
        else {
            throw .usage(
                "\(redacted) is not the URL of a file on this machine",
                advice: "use a URL such as URL(filePath: \"/tmp/disk.iso\")"
            )
        }
        // `URL(filePath:directoryHint:)` marks a folder with a slash at its end.
        let end = path.utf8.reversed().firstIndex { $0 != UInt8(ascii: "/") }
        return end.map { String(path[..<$0.base]) } ?? "/"
    }
}
