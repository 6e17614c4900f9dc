internal import CPlatform
internal import Glibc
package import SystemPackage

/// A note on a file, where the file system keeps such.
package struct ExtendedAttribute: Sendable {
    package static let representation = ExtendedAttribute(name: "user.pawl.representation")
    package static let reason = ExtendedAttribute(name: "user.pawl.reason")
    private static let longest = 2048

    private let name: String

    package init(name: String) { self.name = name }

    /// False where the file system has no attributes or no room for this one.
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

    /// The note on the file at the path, nil where there is none or it cannot be read.
    package func text(of path: FilePath) -> String? {
        // A file that cannot be opened has no note that could be read.
        (try? OpenFile(path, O_RDONLY | O_NONBLOCK)).flatMap { text(of: $0) }
    }

    /// False where the file cannot be opened for writing, too.
    package func put(_ text: String, on path: FilePath) -> Bool {
        // As above: no file, no note.
        (try? OpenFile(path, O_WRONLY | O_NONBLOCK)).map { put(text, on: $0) } ?? false
    }
}
