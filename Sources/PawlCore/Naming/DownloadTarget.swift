internal import struct FoundationEssentials.URL

/// A URL, and the file, the folder or the object that it is downloaded to.
package struct DownloadTarget: Hashable, Sendable {
    /// The URL without its fragment, which is not sent to the server.
    package let exactURL: ExactText
    private var folder: ExactText
    /// `nil` if the server names the file.
    private let name: ExactText?

    /// Creates a target.
    ///
    /// `path` is a file, or a folder if it ends in a slash; or the URL of an object.
    package init(url: String, path: String) {
        let text = url.utf8
        let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        exactURL = ExactText(Substring(text[..<end]))
        folder = ExactText(path.pathFolder)
        name = path.isEmpty || path.isFolderPath ? nil : ExactText(path.pathFile)
    }

    package init(url: String, destination: Destination) {
        switch destination {
        case .file(let path): self.init(url: url, path: path)
        case .directory(let path): self.init(url: url, path: path.asFolderPath)
        case .object(let object): self.init(url: url, path: object.absoluteString)
        }
    }

    /// The path of the file or the URL of the object; `nil` if the server names it.
    package var file: String? { name.map { folder.text + $0.text } }

    private var isObject: Bool { ObjectAddress.isOne(folder.text) }

    /// Returns the target with the text that `resolve` returns for its folder.
    package func resolved(_ resolve: (String) -> String) -> DownloadTarget {
        guard !isObject else { return self }
        var target = self
        target.folder = ExactText(resolve(folder.text).asFolderPath)
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
        guard exactURL == other.exactURL,
            name == nil || other.name == nil || name == other.name
        else { return false }
        if folder == other.folder { return true }
        return !isObject && !other.isObject
            && resolve(folder.text).isExactly(resolve(other.folder.text))
    }
}
