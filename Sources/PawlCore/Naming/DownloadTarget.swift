/// A URL, and the file or the folder that it is downloaded to.
package struct DownloadTarget: Hashable, Sendable {
    /// The URL without its fragment, which is not sent to the server.
    package let url: String
    private let folder: String
    /// `nil` if the server names the file.
    private let name: String?

    /// Creates a target.
    ///
    /// `path` is a file, or a folder if it ends in a slash.
    package init(url: String, path: String) {
        let text = url.utf8
        let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        self.url = String(Substring(text[..<end]))
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        folder = String(path[..<slash])
        name = slash == path.endIndex ? nil : String(path[slash...])
    }

    package init(url: String, destination: Destination) {
        switch destination {
        case .file(let path): self.init(url: url, path: path)
        case .directory(let path):
            self.init(url: url, path: path.hasSuffix("/") ? path : "\(path)/")
        }
    }

    /// Whether both may become the same file.
    package func mayMeet(_ other: DownloadTarget) -> Bool {
        guard url == other.url, folder == other.folder else { return false }
        return name == nil || other.name == nil || name == other.name
    }
}
