internal import Glibc
internal import PawlCore
package import SystemPackage

extension ExistingFile {
    /// Whether a file is neither empty nor a web page, according to its name and its first bytes.
    ///
    /// A file that cannot be read is judged by its name alone.
    package static func isOtherThanWebPage(_ path: FilePath) -> Bool {
        let kind = path.extension?.lowercased() ?? ""
        guard !pageExtensions.contains(kind) else { return false }
        var bytes = [UInt8](repeating: 0, count: 1024)
        // A file that cannot be opened or read may be anything, so it is kept.
        guard let file = try? OpenFile(path, O_RDONLY | O_NONBLOCK),
            let count = try? bytes.withUnsafeMutableBytes({ buffer throws(Errno) in
                try file.read(into: buffer, at: 0)
            })
        else { return true }
        guard count > 0 else { return false }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self).lowercased()
        return !text.contains("<html") && !text.contains("<!doctype html")
    }

    /// The extensions of web pages, including those that programs generate.
    private static let pageExtensions: Set<String> = [
        "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi",
    ]
}
