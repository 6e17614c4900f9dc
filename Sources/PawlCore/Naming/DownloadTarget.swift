/// A URL, and the file or the folder that it is downloaded to.
package struct DownloadTarget: Hashable, Sendable {
    /// The URL without its fragment, which is not sent to the server.
    package let url: String
    private var folder: String
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

    /// The path of the file; `nil` if the server names it.
    package var file: String? { name.map { folder + $0 } }

    /// Returns the target with the text that `resolve` returns for its folder.
    package func resolved(_ resolve: (String) -> String) -> DownloadTarget {
        var target = self
        let folder = resolve(folder)
        target.folder = folder.hasSuffix("/") ? folder : "\(folder)/"
        return target
    }

    /// Whether both may become the same file.
    ///
    /// `resolve` returns the same text for all spellings of a folder. It is called only if the two
    /// folders are spelled differently.
    package func mayMeet(
        _ other: DownloadTarget,
        resolve: (String) -> String = { $0 }
    ) -> Bool {
        guard url == other.url, name == nil || other.name == nil || name == other.name else {
            return false
        }
        return folder == other.folder || resolve(folder) == resolve(other.folder)
    }
}
