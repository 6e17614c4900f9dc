internal import CPlatform
internal import Glibc
package import SystemPackage

/// A text stored with a file, if the file system supports that.
package struct ExtendedAttribute: Sendable {
    package static let representation = ExtendedAttribute(name: "user.pawl.representation")
    package static let reason = ExtendedAttribute(name: "user.pawl.reason")
    private static let longest = 2048

    private let name: String

    package init(name: String) { self.name = name }

    /// Stores the text.
    ///
    /// Returns `false` if the file system has no attributes or no space for this one.
    @discardableResult
    func put(_ text: String, on file: OpenFile) -> Bool {
        let bytes = Array(text.utf8.prefix(Self.longest))
        return fsetxattr(file.descriptor, name, bytes, bytes.count, 0) == 0
    }

    func text(of file: OpenFile) -> String? {
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        let count = fgetxattr(file.descriptor, name, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return String(validating: bytes.prefix(count), as: UTF8.self)
    }

    /// Returns the text of the file at the path; `nil` if there is none or it cannot be read.
    package func text(of path: FilePath) -> String? {
        // A file that cannot be opened has no text that could be read.
        (try? OpenFile(path, O_RDONLY | O_NONBLOCK)).flatMap { text(of: $0) }
    }

    /// Stores the text.
    ///
    /// Returns `false` also if the file cannot be opened for writing.
    package func put(_ text: String, on path: FilePath) -> Bool {
        // A file that cannot be opened gets no text.
        (try? OpenFile(path, O_WRONLY | O_NONBLOCK)).map { put(text, on: $0) } ?? false
    }
}
