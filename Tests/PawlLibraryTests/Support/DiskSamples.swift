import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

extension ScratchFolder {
    /// The folder itself.
    var root: FilePath { FilePath(path) }

    func file(_ name: String) -> FilePath { FilePath(path(name)) }

    func status(_ name: String) -> stat {
        var status = stat()
        lstat(path(name), &status)
        return status
    }

    /// Whether the file system keeps user attributes.
    func hasAttributes() throws -> Bool {
        let attribute = TextAttribute(name: "user.pawl.test")
        let file = FilePath(try write("attributes", []))
        defer { unlink(file.string) }
        return attribute.put("x", on: file)
    }
}

extension PartialStore {
    /// Creates the partial file of a representation with a strong entity tag.
    static func sample(_ path: FilePath, total: Int64) throws -> PartialStore {
        var representation = Representation(total: total)
        representation.entityTag = EntityTag(isWeak: false, opaque: "\"v1\"")
        return try PartialCreation.create(
            DownloadPaths(path),
            source: "https://example.com/disk.iso",
            representation: representation,
            settings: StoreSettings()
        )
    }

    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write($0, at: 0) }
    }
}

/// The error that the body throws.
///
/// Records an issue if it throws none.
func failure(_ body: () throws -> Void) -> DownloadError? {
    #expect(throws: DownloadError.self) { try body() }
}
