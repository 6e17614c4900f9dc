package import SystemPackage

/// A short text stored with a file, if the file system supports that.
package struct TextAttribute: Sendable {
    package static let representation = TextAttribute(name: "user.pawl.representation")
    package static let reason = TextAttribute(name: "user.pawl.reason")
    /// The digest that was verified when the file was downloaded, as `sha256=hex`.
    package static let digest = TextAttribute(name: "user.pawl.digest")
    /// The URL from which a verified file was downloaded, for its repair; it has no secrets.
    package static let source = TextAttribute(name: "user.pawl.source")
    /// The URL from which the file was downloaded, without secrets.
    package static let origin = TextAttribute(name: "user.xdg.origin.url")
    /// The other URLs of the file, one per line, without secrets.
    package static let mirrors = TextAttribute(name: "user.pawl.mirrors")
    private static let longest = 2048

    package let name: String

    package init(name: String) { self.name = name }

    /// Stores the text.
    ///
    /// Returns `false` if the file system has no attributes or no space for this one.
    @discardableResult
    func put(_ text: String, on file: OpenFile) -> Bool {
        let bytes = Array(text.utf8.prefix(Self.longest))
        return (try? ExtendedAttributes.write(bytes, name, on: file)) != nil
    }

    /// Stores the text.
    ///
    /// Returns `false` also if the file cannot be opened.
    package func put(_ text: String, on path: FilePath) -> Bool {
        (try? ExtendedAttributes.write(Array(text.utf8.prefix(Self.longest)), name, on: path))
            != nil
    }

    /// Returns the text of the file; `nil` if there is none or it cannot be read.
    func text(of file: OpenFile) -> String? {
        let bytes = try? ExtendedAttributes.read(name, of: file)
        return bytes.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the text of the file at the path; `nil` if there is none or it cannot be read.
    package func text(of path: FilePath) -> String? {
        let bytes = try? ExtendedAttributes.read(name, of: path)
        return bytes.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Removes the text from the file at the path, if it has one.
    package func remove(from path: FilePath) {
        // The file may have none, or the file system may not support any.
        try? ExtendedAttributes.remove(name, of: path)
    }
}
